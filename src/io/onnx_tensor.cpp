// TensorProto, SequenceProto and OptionalProto.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx-data_pb.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "io/elements.h"
#include "io/onnx.h"
#include "io/onnx_proto.h"

namespace opref {
namespace {

namespace fs = std::filesystem;

Dims shape_of(const onnx::TensorProto& proto) {
  const Dims shape(std::span(proto.dims().data(), static_cast<size_t>(proto.dims_size())));
  std::int64_t count = 1;
  bool fits = true;
  for (const std::int64_t size : shape) {
    if (size < 0) fail(Fault::malformed, "the tensor's dims {} have a negative size", shape);
    fits = fits && !__builtin_mul_overflow(count, size, &count);
  }
  // A limit that keeps byte counts in range for every type; no file has as many elements.
  constexpr std::int64_t kMostElements = INT64_MAX / 256;
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  if (!empty && (!fits || count > kMostElements))
    fail(Fault::malformed, "the tensor's dims {} have more elements than a file can hold", shape);
  return shape;
}

/// What is beyond the last element of a packed type is zero, whatever the file says.
void clear_padding(const TensorType& type, std::span<std::byte> bytes) {
  const auto used = static_cast<int>(element_count(type.shape) % 8 * info(type.dtype).bits % 8);
  if (used != 0) bytes.back() &= static_cast<std::byte>((1 << used) - 1);
}

/// `bytes` are the elements as a file keeps them, and live as long as `owner`.
Tensor from_raw(const TensorType& type, std::span<const std::byte> bytes, const std::shared_ptr<const std::byte>& owner,
                std::string_view where) {
  const std::int64_t size = byte_size(type);
  if (static_cast<std::int64_t>(bytes.size()) != size)
    fail(Fault::malformed, "{} takes {}, but {} {}", type, counted(size, "byte"), where, bytes.size());
  return tensor_from_bytes(type, bytes, owner);
}

/// Entries of int32_data are values or bit patterns: both -1 and 255 are eight ones.
template <class Unsigned>
void narrow(const TensorType& type, const google::protobuf::RepeatedField<std::int32_t>& field,
            std::span<Unsigned> elements) {
  constexpr std::int32_t kMost = std::numeric_limits<Unsigned>::max();
  for (size_t i = 0; i < elements.size(); ++i) {
    const std::int32_t value = field[static_cast<int>(i)];
    if (type.dtype == DType::boolean) {
      elements[i] = value != 0;
      continue;
    }
    if (value < -(kMost / 2) - 1 || value > kMost)
      fail(Fault::malformed, "entry {} of int32_data is {}, which does not fit into the {} bits of {}", i, value,
           sizeof(Unsigned) * 8, type.dtype);
    elements[i] = static_cast<Unsigned>(value);
  }
}

Tensor from_int32_data(const TensorType& type, const onnx::TensorProto& proto) {
  TensorBuilder builder(type);
  switch (info(type.dtype).bits) {
    case 32:
      std::ranges::copy(proto.int32_data(), builder.values<std::int32_t>().begin());
      break;
    case 16:
      narrow(type, proto.int32_data(), builder.values<std::uint16_t>());
      break;
    case 8:
      narrow(type, proto.int32_data(), builder.values<std::uint8_t>());
      break;
    case 6: {  // an entry is one element
      TensorBuilder unpacked({DType::uint8, type.shape});
      narrow(type, proto.int32_data(), unpacked.values<std::uint8_t>());
      return retyped_bytes(std::move(unpacked).finish(), type.dtype);
    }
    default:  // an entry is one byte of several elements
      narrow(type, proto.int32_data(), builder.values<std::uint8_t>());
      clear_padding(type, builder.bytes());
  }
  return std::move(builder).finish();
}

Tensor from_uint64_data(const TensorType& type, const onnx::TensorProto& proto) {
  TensorBuilder builder(type);
  if (type.dtype == DType::uint64) {
    std::ranges::copy(proto.uint64_data(), builder.values<std::uint64_t>().begin());
    return std::move(builder).finish();
  }
  const auto elements = builder.values<std::uint32_t>();
  for (size_t i = 0; i < elements.size(); ++i) {
    const std::uint64_t value = proto.uint64_data(static_cast<int>(i));
    if (value > UINT32_MAX)
      fail(Fault::malformed, "entry {} of uint64_data is {}, which does not fit into uint32", i, value);
    elements[i] = static_cast<std::uint32_t>(value);
  }
  return std::move(builder).finish();
}

template <class T>
Tensor from_values(const TensorType& type, const google::protobuf::RepeatedField<T>& field) {
  return Tensor::copy_of(type, std::as_bytes(std::span(field.data(), static_cast<size_t>(field.size()))));
}

Tensor from_fields(const TensorType& type, const onnx::TensorProto& proto) {
  const auto check = [&type](std::string_view name, int entries) {
    const std::int64_t count = element_count(type.shape);
    const DTypeInfo& dtype = info(type.dtype);
    const std::int64_t needed = dtype.kind == Kind::complex          ? 2 * count
                                : dtype.bits == 4 || dtype.bits == 2 ? byte_size(type)
                                                                     : count;
    if (entries != needed)
      fail(Fault::malformed, "{} takes {} in {}, but there are {}", type, counted(needed, "value"), name, entries);
  };
  switch (data_field(type.dtype)) {
    case DataField::float_data:
      check("float_data", proto.float_data_size());
      return from_values(type, proto.float_data());
    case DataField::double_data:
      check("double_data", proto.double_data_size());
      return from_values(type, proto.double_data());
    case DataField::int64_data:
      check("int64_data", proto.int64_data_size());
      return from_values(type, proto.int64_data());
    case DataField::uint64_data:
      check("uint64_data", proto.uint64_data_size());
      return from_uint64_data(type, proto);
    case DataField::int32_data:
      check("int32_data", proto.int32_data_size());
      return from_int32_data(type, proto);
    case DataField::string_data:
      break;
  }
  check("string_data", proto.string_data_size());
  return {type.shape, std::vector<std::string>(proto.string_data().begin(), proto.string_data().end())};
}

/// `location` below `folder`, however it is written; a path that leaves the folder, also by a link, is `malformed`.
fs::path external_path(const fs::path& folder, const std::string& location) {
  const fs::path relative(location);
  const fs::path base = folder.empty() ? "." : folder;
  bool inside = !location.empty() && !relative.is_absolute() && location.find('\0') == std::string::npos &&
                std::ranges::find(relative, fs::path("..")) == relative.end();
  fs::path path;
  if (inside) {
    std::error_code root_error, path_error;
    const fs::path root = fs::weakly_canonical(base, root_error);
    path = fs::weakly_canonical(base / relative, path_error);
    if (const std::error_code error = root_error ? root_error : path_error)
      fail(Fault::system, "{}: {}", printable((base / relative).string()), error.message());
    inside = std::ranges::mismatch(root, path).in1 == root.end();
  }
  if (!inside)
    fail(Fault::malformed, "the external data's location '{}' is not inside the model's folder", printable(location));
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))
    fail(Fault::system, "the external data's location '{}' is not a regular file", printable(location));
  return path;
}

std::int64_t external_number(const std::string& key, const std::string& text) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0)
    fail(Fault::malformed, "the external data's {} is '{}', but must be a number of bytes", key, printable(text));
  return number;
}

Tensor from_external_data(const TensorType& type, const onnx::TensorProto& proto, const fs::path* folder) {
  if (type.dtype == DType::string) fail(Fault::malformed, "a string tensor cannot have external data");
  if (folder == nullptr) fail(Fault::unsupported, "external data are read only beside a model");
  std::string location;
  std::int64_t offset = 0, length = byte_size(type);
  for (const onnx::StringStringEntryProto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = external_number(entry.key(), entry.value());
    if (entry.key() == "length") length = external_number(entry.key(), entry.value());
  }
  const FileBytes file = read_file(external_path(*folder, location));
  const auto size = static_cast<std::int64_t>(file.bytes.size());
  if (offset > size || length > size - offset) {
    fail(Fault::malformed, "the external data are {} from byte {}, but '{}' has {}", counted(length, "byte"), offset,
         printable(location), size);
  }
  return from_raw(type, file.bytes.subspan(static_cast<size_t>(offset), static_cast<size_t>(length)), file.owner,
                  "the external data have");
}

Tensor decode(const std::shared_ptr<const onnx::TensorProto>& proto, const fs::path* folder) {
  TensorType type{dtype_from_onnx(proto->data_type()), {}};
  if (proto->has_segment()) fail(Fault::unsupported, "the tensor is stored in segments");
  type.shape = shape_of(*proto);
  if (proto->data_location() == onnx::TensorProto::EXTERNAL) return from_external_data(type, *proto, folder);
  if (!proto->has_raw_data()) return from_fields(type, *proto);
  if (type.dtype == DType::string) fail(Fault::malformed, "a string tensor cannot have raw_data");
  const auto bytes = std::as_bytes(std::span(proto->raw_data()));
  return from_raw(type, bytes, std::shared_ptr<const std::byte>(proto, bytes.data()), "raw_data has");
}

/// Of another kind of message most fields are unknown: to read it as `kind` would give an empty value.
void require_known_fields(const google::protobuf::Message& message, std::string_view kind) {
  if (!message.GetReflection()->GetUnknownFields(message).empty())
    fail(Fault::malformed, "the file is no {}: it has other fields", kind);
}

Value decode_value(const std::shared_ptr<const onnx::TensorProto>& proto, const ValueInfo&) {
  return decode_tensor(proto, nullptr);
}

/// The one element type of the tensors; of none the declared one, float32 where there is none.
DType element_type(const std::vector<Tensor>& elements, const ValueInfo& declared) {
  if (elements.empty()) return declared.dtype.value_or(DType::float32);
  for (size_t i = 1; i < elements.size(); ++i)
    if (elements[i].dtype() != elements.front().dtype())
      fail(Fault::malformed, "the sequence's element 0 is {}, but element {} is {}", elements.front().dtype(), i,
           elements[i].dtype());
  return elements.front().dtype();
}

Sequence decode_sequence(const std::shared_ptr<const onnx::SequenceProto>& proto, const ValueInfo& declared) {
  require_known_fields(*proto, "SequenceProto");
  const int others = proto->sequence_values_size() + proto->optional_values_size() + proto->map_values_size() +
                     proto->sparse_tensor_values_size();
  const bool is_undefined = proto->elem_type() == onnx::SequenceProto::UNDEFINED;
  if (is_undefined && proto->tensor_values_size() + others > 0)
    fail(Fault::malformed, "the sequence's elem_type is UNDEFINED");
  if (!is_undefined && proto->elem_type() != onnx::SequenceProto::TENSOR)
    fail(Fault::unsupported, "sequences of elem_type {} are not read: only those of tensors are", proto->elem_type());
  Sequence sequence;
  for (const onnx::TensorProto& tensor : proto->tensor_values())
    sequence.elements.push_back(decode_tensor(std::shared_ptr<const onnx::TensorProto>(proto, &tensor), nullptr));
  sequence.dtype = element_type(sequence.elements, declared);
  return sequence;
}

Value decode_value(const std::shared_ptr<const onnx::SequenceProto>& proto, const ValueInfo& declared) {
  return decode_sequence(proto, declared);
}

Value decode_value(const std::shared_ptr<const onnx::OptionalProto>& proto, const ValueInfo& declared) {
  require_known_fields(*proto, "OptionalProto");
  const bool has_value = proto->has_tensor_value() || proto->has_sequence_value() || proto->has_optional_value() ||
                         proto->has_map_value() || proto->has_sparse_tensor_value();
  const Optional none{declared.dtype.value_or(DType::float32)};
  switch (proto->elem_type()) {
    case onnx::OptionalProto::UNDEFINED:
      if (has_value) fail(Fault::malformed, "the optional's elem_type is UNDEFINED");
      return none;
    case onnx::OptionalProto::TENSOR: {
      if (!proto->has_tensor_value()) return none;
      Tensor tensor = decode_tensor({proto, &proto->tensor_value()}, nullptr);
      return Optional{tensor.dtype(), tensor};
    }
    case onnx::OptionalProto::SEQUENCE: {
      if (!proto->has_sequence_value()) return none;
      Sequence sequence = decode_sequence({proto, &proto->sequence_value()}, declared);
      return Optional{sequence.dtype, sequence};
    }
    default:
      fail(Fault::unsupported, "optionals of elem_type {} are not read: only those of tensors and sequences are",
           proto->elem_type());
  }
}

/// The type of a tensor; its element type is one that opref knows.
TensorType type_of(const onnx::TensorProto& proto) { return {dtype_from_onnx(proto.data_type()), shape_of(proto)}; }

template <class Proto>
Value read_value(const FileBytes& file, std::string_view kind, const ValueInfo& declared, std::int64_t max_bytes) {
  const auto proto = std::make_shared<Proto>();
  if (!parse_message(*proto, file.bytes))
    fail(Fault::malformed, "the file is no {}: it does not parse as protobuf", kind);
  if constexpr (std::is_same_v<Proto, onnx::TensorProto>) require_bytes(type_of(*proto), max_bytes);
  return decode_value(std::shared_ptr<const Proto>(proto), declared);
}

}  // namespace

void silence_protobuf() { [[maybe_unused]] static auto* const former = google::protobuf::SetLogHandler(nullptr); }

bool parse_message(google::protobuf::Message& message, std::span<const std::byte> bytes) {
  silence_protobuf();
  if (bytes.size() > INT_MAX)
    fail(Fault::unsupported, "the file has {} bytes, but protobuf reads at most {}", bytes.size(), INT_MAX);
  const int size = static_cast<int>(bytes.size());
  if (message.ParseFromArray(bytes.data(), size)) return true;
  // A subgraph lies three messages below the graph around it, and protobuf reads a hundred. More than kDeepestGraph is
  // read so that a message can say what is wrong.
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()), size);
  stream.SetRecursionLimit(4 * 3 * kDeepestGraph);
  return message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

DataField data_field(DType dtype) {
  switch (dtype) {
    case DType::float32:
    case DType::complex64:
      return DataField::float_data;
    case DType::float64:
    case DType::complex128:
      return DataField::double_data;
    case DType::int64:
      return DataField::int64_data;
    case DType::uint32:
    case DType::uint64:
      return DataField::uint64_data;
    case DType::string:
      return DataField::string_data;
    default:
      return DataField::int32_data;
  }
}

Tensor decode_tensor(const std::shared_ptr<const onnx::TensorProto>& proto, const fs::path* folder) {
  if (proto->name().empty()) return decode(proto, folder);
  return at_place([&] { return format("in tensor '{}'", printable(proto->name())); },
                  [&] { return decode(proto, folder); });
}

Value read_onnx_value(const FileBytes& file, const ValueInfo& declared, std::int64_t max_bytes) {
  if (!declared.type_text.empty())
    fail(Fault::unsupported, "values of type {} are not read", printable(declared.type_text));
  switch (declared.form) {
    case Form::tensor:
      return read_value<onnx::TensorProto>(file, "TensorProto", declared, max_bytes);
    case Form::sequence:
      return read_value<onnx::SequenceProto>(file, "SequenceProto", declared, max_bytes);
    default:
      return read_value<onnx::OptionalProto>(file, "OptionalProto", declared, max_bytes);
  }
}

std::string message_bytes(const google::protobuf::Message& message, std::string_view what) {
  silence_protobuf();
  if (message.ByteSizeLong() > INT_MAX)
    fail(Fault::unsupported, "{} takes {} bytes in protobuf, which writes at most {}", what, message.ByteSizeLong(),
         INT_MAX);
  return message.SerializeAsString();
}

onnx::TensorProto encode_tensor(const std::string& name, const Tensor& tensor) {
  onnx::TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(static_cast<int>(tensor.dtype()));
  for (const std::int64_t size : tensor.shape()) proto.add_dims(size);
  if (tensor.dtype() == DType::string) {
    for (const std::string& element : tensor.strings()) proto.add_string_data(element);
  } else {
    proto.set_raw_data(tensor.bytes().data(), tensor.bytes().size());
  }
  return proto;
}

namespace {

void encode(const std::string& name, const Sequence& sequence, onnx::SequenceProto& proto) {
  proto.set_name(name);
  proto.set_elem_type(onnx::SequenceProto::TENSOR);
  for (const Tensor& tensor : sequence.elements) *proto.add_tensor_values() = encode_tensor("", tensor);
}

}  // namespace

std::string onnx_value_bytes(const std::string& name, const Value& value) {
  if (value.tensor() != nullptr) return onnx_tensor_bytes(name, *value.tensor());
  if (const auto* sequence = std::get_if<Sequence>(&value)) {
    onnx::SequenceProto proto;
    encode(name, *sequence, proto);
    return message_bytes(proto, "the sequence");
  }
  const auto& optional = std::get<Optional>(value);
  onnx::OptionalProto proto;
  proto.set_name(name);
  proto.set_elem_type(onnx::OptionalProto::UNDEFINED);
  if (const auto* tensor = std::get_if<Tensor>(&optional.element)) {
    proto.set_elem_type(onnx::OptionalProto::TENSOR);
    *proto.mutable_tensor_value() = encode_tensor("", *tensor);
  }
  if (const auto* sequence = std::get_if<Sequence>(&optional.element)) {
    proto.set_elem_type(onnx::OptionalProto::SEQUENCE);
    encode("", *sequence, *proto.mutable_sequence_value());
  }
  return message_bytes(proto, "the optional");
}

std::string onnx_tensor_bytes(const std::string& name, const Tensor& tensor) {
  return message_bytes(encode_tensor(name, tensor), to_text(tensor.type()));
}

}  // namespace opref
