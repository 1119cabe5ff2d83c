// SPDX-License-Identifier: Apache-2.0
// Types and tensors of ONNX text.
#include <charconv>

#include "io/onnx/proto.h"
#include "io/onnx/scanner.h"
#include "io/onnx/wire.h"

namespace opref::io {
namespace {

std::optional<DType> primitive_type(std::string_view word) {
  for (const DTypeInfo& type : onnx_dtypes())
    if (type.onnx_type == word) return type.dtype;
  return std::nullopt;
}

DeclaredType read_inner_type(OnnxScanner& scanner) {
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

DeclaredDim read_dimension(OnnxScanner& scanner) {
  if (scanner.take("?")) return {};
  const std::string symbol = scanner.peek() == '"' ? scanner.quoted("a size") : scanner.optional_identifier();
  if (!symbol.empty()) return {{}, symbol, {}};
  return {scanner.whole_number("a size"), {}, {}};
}

DeclaredType read_tensor_type(OnnxScanner& scanner, DType dtype) {
  const auto elem_type = static_cast<std::int64_t>(dtype);
  const bool has_brackets = scanner.take("[");
  if (has_brackets && scanner.take("]")) return DeclaredType::tensor(elem_type, {});
  std::vector<DeclaredDim> dims;
  if (has_brackets) scanner.list_until("]", [&] { dims.push_back(read_dimension(scanner)); });
  return DeclaredType::tensor(elem_type, std::move(dims));
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

/// What stands for an element in int32_data: of narrow floats no number, but its bits.
std::string int32_noun(DType dtype) {
  return is_floating(dtype) ? format("the bit pattern of a {}, as an integer,", dtype) : "a 32-bit integer";
}

void read_element(OnnxScanner& scanner, WireWriter& proto, std::string_view field, DType dtype) {
  switch (kTensorProto.field(field).type) {
    case FieldType::float32:
      return proto.add(field, read_number<float>(scanner, "a float32"));
    case FieldType::float64:
      return proto.add(field, read_number<double>(scanner, "a float64"));
    case FieldType::int32:
      return proto.add(field, std::int64_t{read_number<std::int32_t>(scanner, int32_noun(dtype))});
    case FieldType::int64:
      return proto.add(field, read_number<std::int64_t>(scanner, "a 64-bit integer"));
    case FieldType::uint64:
      return proto.add(field,
                       static_cast<std::int64_t>(read_number<std::uint64_t>(scanner, "an unsigned 64-bit integer")));
    default:
      return proto.add(field, scanner.quoted("a quoted string"));
  }
}

/// The type of a tensor whose dims are all numbers, as a TensorProto states it.
WireWriter tensor_of_known_size(const OnnxScanner& scanner, const DeclaredType& type, size_t start) {
  if (type.form != Form::tensor || !type.dims) scanner.fail_at(start, "values of what is no tensor with known sizes");
  WireWriter proto(kTensorProto);
  for (const DeclaredDim& dim : *type.dims) {
    if (!dim.size) scanner.fail_at(start, "values of a tensor whose sizes are not all numbers");
    proto.add("dims", *dim.size);
  }
  proto.add("data_type", static_cast<std::int64_t>(*type.dtype));
  return proto;
}

OnnxMessage message_of(const WireWriter& proto) {
  return OnnxMessage::parse(kTensorProto, in_memory(proto.bytes())).value();
}

}  // namespace

bool is_type_word(std::string_view word) {
  return primitive_type(word) || word == "seq" || word == "optional" || word == "map" || word == "sparse_tensor";
}

DeclaredType read_text_type(OnnxScanner& scanner, std::string_view word) {
  if (const std::optional<DType> dtype = primitive_type(word)) return read_tensor_type(scanner, *dtype);
  return scanner.nested([&] {
    scanner.expect("(");
    DType key{};
    if (word == "map") {
      key = read_key_type(scanner);
      scanner.expect(",");
    }
    const DeclaredType inner = read_inner_type(scanner);
    scanner.expect(")");
    if (word == "map") return DeclaredType::map(static_cast<std::int64_t>(key), inner);
    if (word == "seq") return DeclaredType::sequence(inner);
    if (word == "optional") return DeclaredType::optional(inner);
    return DeclaredType::sparse_tensor(inner.form == Form::tensor ? static_cast<std::int64_t>(*inner.dtype) : 0);
  });
}

TypedName read_typed_name(OnnxScanner& scanner) {
  const bool is_quoted = scanner.peek() == '"';
  std::string name = scanner.name("a type or a name");
  if (is_quoted || !is_type_word(name)) return {std::move(name)};
  DeclaredType type = read_text_type(scanner, name);
  return {scanner.name("a name"), std::move(type)};
}

Tensor read_text_tensor(OnnxScanner& scanner, const DeclaredType& type) {
  const size_t start = scanner.position();
  WireWriter proto = tensor_of_known_size(scanner, type, start);
  if (scanner.peek() == '[') scanner.fail_at(start, "external data are read only beside a model", Fault::unsupported);
  scanner.expect("{");
  const std::string_view field = data_field(*type.dtype);
  scanner.list_until("}", [&] { read_element(scanner, proto, field, *type.dtype); });
  return at_place([&] { return format("in the values at position {} of the ONNX text", start + 1); },
                  [&] { return decode_tensor(message_of(proto), nullptr); });
}

}  // namespace opref::io
