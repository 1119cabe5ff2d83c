// Types and tensors of ONNX text.
#include <charconv>

#include "io/onnx_proto.h"
#include "io/onnx_scanner.h"

namespace opref {
namespace {

std::optional<DType> primitive_type(std::string_view word) {
  for (const DTypeInfo& type : all_dtypes())
    if (type.onnx_type == word) return type.dtype;
  return std::nullopt;
}

onnx::TypeProto read_inner_type(OnnxScanner& scanner) {
  const size_t start = scanner.position();
  const std::string word = scanner.identifier("a type");
  if (!is_type_word(word)) scanner.fail_at(start, "a type expected");
  return read_text_type(scanner, word);
}

DType read_key_type(OnnxScanner& scanner) {
  const size_t start = scanner.position();
  const std::optional<DType> key = primitive_type(scanner.identifier("a map's key type"));
  if (!key) scanner.fail_at(start, "a map's key type expected");
  return *key;
}

void read_dimension(OnnxScanner& scanner, onnx::TensorShapeProto::Dimension& dim) {
  if (scanner.take("?")) return;
  const std::string symbol = scanner.peek() == '"' ? scanner.quoted("a size") : scanner.optional_identifier();
  if (symbol.empty()) {
    dim.set_dim_value(scanner.whole_number("a size"));
  } else {
    dim.set_dim_param(symbol);
  }
}

onnx::TypeProto read_tensor_type(OnnxScanner& scanner, DType dtype) {
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(static_cast<int>(dtype));
  const bool has_brackets = scanner.take("[");
  if (has_brackets && scanner.take("]")) return type;
  onnx::TensorShapeProto& shape = *type.mutable_tensor_type()->mutable_shape();
  if (has_brackets) scanner.list_until("]", [&] { read_dimension(scanner, *shape.add_dim()); });
  return type;
}

template <class T>
T read_number(OnnxScanner& scanner, std::string_view noun) {
  const size_t start = scanner.position();
  const std::string word = scanner.number();
  T value{};
  const char* const begin = word.data() + word.starts_with('+');
  const char* const end = word.data() + word.size();
  const auto [read, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || read != end) scanner.fail_at(start, format("{} expected", noun));
  return value;
}

void read_element(OnnxScanner& scanner, onnx::TensorProto& proto, DataField field) {
  switch (field) {
    case DataField::float_data:
      proto.add_float_data(read_number<float>(scanner, "a float32"));
      break;
    case DataField::double_data:
      proto.add_double_data(read_number<double>(scanner, "a float64"));
      break;
    case DataField::int32_data:
      proto.add_int32_data(read_number<std::int32_t>(scanner, "a 32-bit integer"));
      break;
    case DataField::int64_data:
      proto.add_int64_data(read_number<std::int64_t>(scanner, "a 64-bit integer"));
      break;
    case DataField::uint64_data:
      proto.add_uint64_data(read_number<std::uint64_t>(scanner, "an unsigned 64-bit integer"));
      break;
    case DataField::string_data:
      proto.add_string_data(scanner.quoted("a quoted string"));
      break;
  }
}

}  // namespace

bool is_type_word(std::string_view word) {
  return primitive_type(word) || word == "seq" || word == "optional" || word == "map" || word == "sparse_tensor";
}

onnx::TypeProto read_text_type(OnnxScanner& scanner, std::string_view word) {
  if (const std::optional<DType> dtype = primitive_type(word)) return read_tensor_type(scanner, *dtype);
  return scanner.nested([&] {
    onnx::TypeProto type;
    scanner.expect("(");
    if (word == "map") {
      type.mutable_map_type()->set_key_type(static_cast<int>(read_key_type(scanner)));
      scanner.expect(",");
    }
    const onnx::TypeProto inner = read_inner_type(scanner);
    scanner.expect(")");
    if (word == "map") *type.mutable_map_type()->mutable_value_type() = inner;
    if (word == "seq") *type.mutable_sequence_type()->mutable_elem_type() = inner;
    if (word == "optional") *type.mutable_optional_type()->mutable_elem_type() = inner;
    if (word == "sparse_tensor") type.mutable_sparse_tensor_type()->set_elem_type(inner.tensor_type().elem_type());
    return type;
  });
}

onnx::ValueInfoProto read_value_info(OnnxScanner& scanner) {
  onnx::ValueInfoProto value;
  const bool is_quoted = scanner.peek() == '"';
  std::string name = scanner.name("a type or a name");
  if (!is_quoted && is_type_word(name)) {
    *value.mutable_type() = read_text_type(scanner, name);
    name = scanner.name("a name");
  }
  value.set_name(name);
  return value;
}

Tensor read_text_tensor(OnnxScanner& scanner, const onnx::TypeProto& type) {
  const size_t start = scanner.position();
  const auto proto = std::make_shared<onnx::TensorProto>();
  if (!type.has_tensor_type() || !type.tensor_type().has_shape())
    scanner.fail_at(start, "values of what is no tensor with known sizes");
  for (const auto& dim : type.tensor_type().shape().dim()) {
    if (!dim.has_dim_value()) scanner.fail_at(start, "values of a tensor whose sizes are not all numbers");
    proto->add_dims(dim.dim_value());
  }
  proto->set_data_type(type.tensor_type().elem_type());
  if (scanner.peek() == '[') scanner.fail_at(start, "external data are read only beside a model", Fault::unsupported);
  scanner.expect("{");
  const DataField field = data_field(dtype_from_onnx(proto->data_type()));
  scanner.list_until("}", [&] { read_element(scanner, *proto, field); });
  return at_place([&] { return format("in the values at position {} of the ONNX text", start + 1); },
                  [&] { return decode_tensor(proto, nullptr); });
}

}  // namespace opref
