// SPDX-License-Identifier: Apache-2.0
// TensorProto, SequenceProto, MapProto and OptionalProto.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "core/error.h"
#include "core/map.h"
#include "io/elements.h"
#include "io/onnx/onnx.h"
#include "io/onnx/proto.h"

namespace opref::io {
namespace {

namespace fs = std::filesystem;

DType dtype_of(const OnnxMessage& proto) { return dtype_from_onnx(proto.integral("data_type")); }

Dims shape_of(const OnnxMessage& proto) {
  const std::vector<std::int64_t> sizes = proto.numbers<std::int64_t>("dims");
  const Dims shape{std::span<const std::int64_t>(sizes)};
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

/// Entries of int32_data are values or bit patterns: both -1 and 255 are eight ones. There are as many as elements.
template <class Unsigned>
void narrow(const TensorType& type, const OnnxMessage& proto, std::span<Unsigned> elements) {
  constexpr std::int32_t kMost = std::numeric_limits<Unsigned>::max();
  size_t i = 0;
  proto.each_number("int32_data", [&](std::uint64_t bits) {
    const auto value = static_cast<std::int32_t>(bits);
    if (type.dtype != DType::boolean && (value < -(kMost / 2) - 1 || value > kMost))
      fail(Fault::malformed, "entry {} of int32_data is {}, which does not fit into the {} bits of {}", i, value,
           sizeof(Unsigned) * 8, type.dtype);
    elements[i++] = type.dtype == DType::boolean ? value != 0 : static_cast<Unsigned>(value);
  });
}

Tensor from_int32_data(const TensorType& type, const OnnxMessage& proto) {
  TensorBuilder builder(type);
  switch (info(type.dtype).bits) {
    case 32:
      proto.copy_numbers("int32_data", builder.values<std::int32_t>());
      break;
    case 16:
      narrow(type, proto, builder.values<std::uint16_t>());
      break;
    case 8:
      narrow(type, proto, builder.values<std::uint8_t>());
      break;
    case 6: {  // an entry is one element
      TensorBuilder unpacked({DType::uint8, type.shape});
      narrow(type, proto, unpacked.values<std::uint8_t>());
      return retyped_bytes(std::move(unpacked).finish(), type.dtype);
    }
    default:  // an entry is one byte of several elements
      narrow(type, proto, builder.values<std::uint8_t>());
      clear_padding(type, builder.bytes());
  }
  return std::move(builder).finish();
}

template <class Number>
Tensor from_numbers(const TensorType& type, const OnnxMessage& proto, std::string_view field) {
  TensorBuilder builder(type);
  proto.copy_numbers(field, builder.values<Number>());
  return std::move(builder).finish();
}

Tensor from_uint64_data(const TensorType& type, const OnnxMessage& proto) {
  if (type.dtype == DType::uint64) return from_numbers<std::uint64_t>(type, proto, "uint64_data");
  TensorBuilder builder(type);
  const auto elements = builder.values<std::uint32_t>();
  size_t i = 0;
  proto.each_number("uint64_data", [&](std::uint64_t entry) {
    if (entry > UINT32_MAX)
      fail(Fault::malformed, "entry {} of uint64_data is {}, which does not fit into uint32", i, entry);
    elements[i++] = static_cast<std::uint32_t>(entry);
  });
  return std::move(builder).finish();
}

/// How many entries of its typed field a tensor takes.
std::int64_t entries_needed(const TensorType& type) {
  const DTypeInfo& dtype = info(type.dtype);
  if (dtype.kind == Kind::complex) return 2 * element_count(type.shape);
  return dtype.bits == 4 || dtype.bits == 2 ? byte_size(type) : element_count(type.shape);
}

Tensor from_fields(const TensorType& type, const OnnxMessage& proto) {
  const std::string_view field = data_field(type.dtype);
  const auto entries = static_cast<std::int64_t>(proto.count(field));
  const std::int64_t needed = entries_needed(type);
  if (entries != needed)
    fail(Fault::malformed, "{} takes {} in {}, but there are {}", type, counted(needed, "value"), field, entries);
  switch (kTensorProto.field(field).type) {
    case FieldType::float32:
      return from_numbers<float>(type, proto, field);
    case FieldType::float64:
      return from_numbers<double>(type, proto, field);
    case FieldType::int64:
      return from_numbers<std::int64_t>(type, proto, field);
    case FieldType::uint64:
      return from_uint64_data(type, proto);
    case FieldType::int32:
      return from_int32_data(type, proto);
    default:
      return tensor_of_strings(type.shape, proto.texts(field));
  }
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

Tensor from_external_data(const TensorType& type, const OnnxMessage& proto, const fs::path* folder) {
  if (type.dtype == DType::string) fail(Fault::malformed, "a string tensor cannot have external data");
  if (folder == nullptr) fail(Fault::unsupported, "external data are read only beside a model");
  std::string location;
  std::int64_t offset = 0, length = byte_size(type);
  for (const OnnxMessage& entry : proto.messages("external_data")) {
    const std::string key(entry.text("key")), value(entry.text("value"));
    if (key == "location") location = value;
    if (key == "offset") offset = external_number(key, value);
    if (key == "length") length = external_number(key, value);
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

/// "Only one of these fields" has elements, says onnx.proto.
void require_one_field(const OnnxMessage& proto) {
  constexpr std::array<std::string_view, 6> kFields = {"float_data", "int32_data",  "string_data",
                                                       "int64_data", "double_data", "uint64_data"};
  std::string_view first = proto.is_set("raw_data") ? "raw_data" : "";
  for (const std::string_view field : kFields) {
    if (proto.count(field) == 0) continue;
    if (!first.empty())
      fail(Fault::malformed, "the tensor has {} and {}, but must have its elements in one", first, field);
    first = field;
  }
}

Tensor decode(const OnnxMessage& proto, const fs::path* folder, std::int64_t max_bytes) {
  TensorType type{dtype_of(proto), {}};
  if (proto.is_set("segment")) fail(Fault::unsupported, "the tensor is stored in segments");
  type.shape = shape_of(proto);
  require_bytes(type, max_bytes);
  require_one_field(proto);
  if (proto.integral("data_location") == kExternal) return from_external_data(type, proto, folder);
  if (!proto.is_set("raw_data")) return from_fields(type, proto);
  if (type.dtype == DType::string) fail(Fault::malformed, "a string tensor cannot have raw_data");
  return from_raw(type, proto.bytes("raw_data"), proto.owner(), "raw_data has");
}

/// Of another kind of message most fields are unknown: to read it as `kind` would give an empty value.
void require_known_fields(const OnnxMessage& message, std::string_view kind) {
  if (message.has_unknown_fields()) fail(Fault::malformed, "the file is no {}: it has other fields", kind);
}

bool has_any(const OnnxMessage& message, std::initializer_list<std::string_view> fields) {
  return std::ranges::any_of(fields, [&](std::string_view field) { return message.is_set(field); });
}

/// The one element type of the tensors; of none the declared one, float32 where there is none.
DType element_type(const TensorList& elements, const ValueInfo& declared) {
  if (elements.empty()) return declared.dtype.value_or(DType::float32);
  for (size_t i = 1; i < elements.size(); ++i)
    if (elements[i].dtype() != elements.front().dtype())
      fail(Fault::malformed, "the sequence's element 0 is {}, but element {} is {}", elements.front().dtype(), i,
           elements[i].dtype());
  return elements.front().dtype();
}

Sequence decode_tensors(const OnnxMessage& proto, const ValueInfo& declared, std::int64_t max_bytes) {
  Sequence sequence;
  for (const OnnxMessage& tensor : proto.messages("tensor_values")) {
    sequence.elements.push_back(decode_tensor(tensor, nullptr, max_bytes));
    max_bytes -= byte_size(sequence.elements.back().type()) + kSequenceElementBytes;
  }
  sequence.dtype = element_type(sequence.elements, declared);
  return sequence;
}

/// Of a key type; entries of `keys` are its values, of uint64 its bits.
Tensor decode_keys(const OnnxMessage& proto, DType dtype, std::int64_t max_bytes) {
  const bool has_strings = proto.count("string_keys") > 0, are_strings = dtype == DType::string;
  if ((are_strings && proto.count("keys") > 0) || (!are_strings && has_strings))
    fail(Fault::malformed, "the map's key_type is {}, but it has {}", info(dtype).onnx,
         are_strings ? "keys that are integers" : "string_keys");
  const Dims shape{static_cast<std::int64_t>(proto.count(are_strings ? "string_keys" : "keys"))};
  require_bytes({dtype, shape}, max_bytes);
  if (are_strings) return tensor_of_strings(shape, proto.texts("string_keys"));
  TensorBuilder builder({dtype, shape});
  with_unit(dtype, [&]<class Unit>(Unit) {
    const auto keys = builder.values<Unit>();
    const bool is_signed = info(dtype).kind == Kind::signed_integer;
    const int unused = 64 - info(dtype).bits;
    size_t i = 0;
    proto.each_number("keys", [&](std::uint64_t bits) {
      const std::uint64_t fitting =
          is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused)
                    : bits << unused >> unused;
      if (fitting != bits)
        fail(Fault::malformed, "key {} of the map is {}, which does not fit into {}", i,
             static_cast<std::int64_t>(bits), dtype);
      if constexpr (sizeof(Unit) <= sizeof(bits)) keys[i++] = static_cast<Unit>(bits);
    });
  });
  return std::move(builder).finish();
}

DType decode_key_type(const OnnxMessage& proto) {
  const std::int64_t number = proto.integral("key_type");
  if (number == 0) fail(Fault::malformed, "the map's key_type is UNDEFINED");
  for (const DTypeInfo& type : all_dtypes())
    if (static_cast<std::int64_t>(type.dtype) == number && is_key_type(type.dtype)) return type.dtype;
  fail(Fault::malformed, "the map's key_type is {}, but keys are integers of 8 to 64 bits or strings", number);
}

/// What each tensor of one element has, as a 1-D tensor.
Tensor joined(const Sequence& sequence) {
  const Dims shape{std::ssize(sequence.elements)};
  for (const Tensor& value : sequence.elements)
    if (value.count() != 1)
      fail(Fault::malformed, "a value of the map has shape {}, but each must be one element", value.shape());
  if (sequence.dtype == DType::string) {
    std::vector<std::string> strings;
    for (const Tensor& value : sequence.elements) strings.push_back(value.strings()[0]);
    return {shape, std::move(strings)};
  }
  const auto width = static_cast<size_t>(info(sequence.dtype).bits);
  TensorBuilder builder({sequence.dtype, shape});
  const auto bytes = builder.bytes();
  size_t bit = 0;
  for (const Tensor& value : sequence.elements) {
    if (width >= 8) {
      std::ranges::copy(value.bytes(), bytes.begin() + static_cast<std::ptrdiff_t>(bit / 8));
    } else {
      const auto element = std::to_integer<unsigned>(value.bytes()[0]);
      for (size_t k = 0; k < width; ++k)
        bytes[(bit + k) / 8] |= static_cast<std::byte>((element >> k & 1) << ((bit + k) % 8));
    }
    bit += width;
  }
  return std::move(builder).finish();
}

Map decode_map(const OnnxMessage& proto, const ValueInfo& declared, std::int64_t max_bytes) {
  require_known_fields(proto, "MapProto");
  const Tensor keys = decode_keys(proto, decode_key_type(proto), max_bytes);
  const OnnxMessage values = proto.message("values");
  require_known_fields(values, "MapProto");
  const std::int64_t type = values.integral("elem_type");
  const bool has_others = has_any(values, {"sequence_values", "optional_values", "map_values", "sparse_tensor_values"});
  if (has_others || (type != kHoldsTensor && (type != kHoldsNothing || has_any(values, {"tensor_values"}))))
    fail(Fault::unsupported, "maps whose values have elem_type {} are not read: only those of tensors are", type);
  const auto count = static_cast<std::int64_t>(values.count("tensor_values"));
  if (count != keys.count())
    fail(Fault::malformed, "the map has {}, but {}", counted(keys.count(), "key"), counted(count, "value"));
  return map_of(keys, joined(decode_tensors(values, declared, max_bytes - byte_size(keys.type()))));
}

MapSequence decode_maps(const OnnxMessage& proto, const ValueInfo& declared, std::int64_t max_bytes) {
  if (has_any(proto, {"tensor_values", "sequence_values", "optional_values", "sparse_tensor_values"}))
    fail(Fault::malformed, "the sequence's elem_type is MAP, but it has values of another kind");
  MapSequence maps{declared.key, declared.dtype.value_or(DType::float32)};
  size_t i = 0;
  for (const OnnxMessage& message : proto.messages("map_values")) {
    const Map map = decode_map(message, declared, max_bytes);
    const ValueType type = type_of(map), all(Form::map, maps.dtype, maps.key);
    if (i > 0 && type != all)
      fail(Fault::malformed, "the sequence's element 0 is {}, but element {} is {}", all, i, type);
    maps.key = type.key;
    maps.dtype = type.dtype();
    max_bytes -= byte_size(map);
    maps.push_back(map);
    ++i;
  }
  return maps;
}

/// Of tensors or of maps.
Value decode_sequence(const OnnxMessage& proto, const ValueInfo& declared, std::int64_t max_bytes) {
  require_known_fields(proto, "SequenceProto");
  const std::int64_t type = proto.integral("elem_type");
  if (type == kHoldsMap) return decode_maps(proto, declared, max_bytes);
  const bool has_values =
      has_any(proto, {"tensor_values", "sequence_values", "optional_values", "map_values", "sparse_tensor_values"});
  if (type == kHoldsNothing && has_values) fail(Fault::malformed, "the sequence's elem_type is UNDEFINED");
  if (type != kHoldsNothing && type != kHoldsTensor)
    fail(Fault::unsupported, "sequences of elem_type {} are not read: only those of tensors and maps are", type);
  if (!has_values && declared.form == Form::map_sequence)
    return MapSequence{declared.key, declared.dtype.value_or(DType::float32)};
  return decode_tensors(proto, declared, max_bytes);
}

Optional decode_optional(const OnnxMessage& proto, const ValueInfo& declared, std::int64_t max_bytes) {
  require_known_fields(proto, "OptionalProto");
  const bool has_value =
      has_any(proto, {"tensor_value", "sequence_value", "optional_value", "map_value", "sparse_tensor_value"});
  const Optional none{declared.dtype.value_or(DType::float32)};
  switch (const std::int64_t type = proto.integral("elem_type")) {
    case kHoldsNothing:
      if (has_value) fail(Fault::malformed, "the optional's elem_type is UNDEFINED");
      return none;
    case kHoldsTensor: {
      if (!proto.is_set("tensor_value")) return none;
      Tensor tensor = decode_tensor(proto.message("tensor_value"), nullptr, max_bytes);
      return Optional{tensor.dtype(), tensor};
    }
    case kHoldsSequence: {
      if (!proto.is_set("sequence_value")) return none;
      const Value held = decode_sequence(proto.message("sequence_value"), declared, max_bytes);
      const auto* sequence = std::get_if<Sequence>(&held);
      if (sequence == nullptr) fail(Fault::unsupported, "optionals of sequences of maps are not read");
      return Optional{sequence->dtype, *sequence};
    }
    default:
      fail(Fault::unsupported, "optionals of elem_type {} are not read: only those of tensors and sequences are", type);
  }
}

OnnxMessage parse(const MessageType& type, const FileBytes& file) {
  const std::optional<OnnxMessage> proto = OnnxMessage::parse(type, file);
  if (!proto) fail(Fault::malformed, "the file is no {}: it does not parse as protobuf", type.name);
  return *proto;
}

}  // namespace

Form likely_form_of_maps(const FileBytes& file) {
  const auto is_sound = [](const std::optional<OnnxMessage>& proto) { return proto && !proto->has_unknown_fields(); };
  if (const auto proto = OnnxMessage::parse(kSequenceProto, file);
      is_sound(proto) && proto->integral("elem_type") == kHoldsMap && proto->is_set("map_values"))
    return Form::map_sequence;
  const auto proto = OnnxMessage::parse(kMapProto, file);
  const bool has_keys = is_sound(proto) && (proto->is_set("keys") || proto->is_set("string_keys"));
  return has_keys || (is_sound(proto) && proto->is_set("values") && proto->integral("key_type") > kHoldsMap + 1)
             ? Form::map
             : Form::tensor;
}

std::string_view data_field(DType dtype) {
  switch (dtype) {
    case DType::float32:
    case DType::complex64:
      return "float_data";
    case DType::float64:
    case DType::complex128:
      return "double_data";
    case DType::int64:
      return "int64_data";
    case DType::uint32:
    case DType::uint64:
      return "uint64_data";
    case DType::string:
      return "string_data";
    default:
      return "int32_data";
  }
}

std::vector<fs::path> external_files(const OnnxMessage& tensor, const fs::path& folder) {
  std::vector<fs::path> files;
  if (tensor.integral("data_location") != kExternal) return files;
  for (const OnnxMessage& entry : tensor.messages("external_data"))
    if (entry.text("key") == "location" && entry.text("value").find('\0') == std::string_view::npos)
      files.push_back(folder / fs::path(std::string(entry.text("value"))));
  return files;
}

Tensor decode_tensor(const OnnxMessage& proto, const fs::path* folder, std::int64_t max_bytes) {
  const std::string_view name = proto.text("name");
  if (name.empty()) return decode(proto, folder, max_bytes);
  return at_place([&] { return format("in tensor '{}'", printable(name)); },
                  [&] { return decode(proto, folder, max_bytes); });
}

Value read_onnx_value(const FileBytes& file, const ValueInfo& declared, std::int64_t max_bytes) {
  if (!declared.type_text.empty())
    fail(Fault::unsupported, "values of type {} are not read", printable(declared.type_text));
  switch (declared.form) {
    case Form::tensor:
      return decode_tensor(parse(kTensorProto, file), nullptr, max_bytes);
    case Form::sequence:
    case Form::map_sequence:
      return decode_sequence(parse(kSequenceProto, file), declared, max_bytes);
    case Form::map:
      return decode_map(parse(kMapProto, file), declared, max_bytes);
    default:
      return decode_optional(parse(kOptionalProto, file), declared, max_bytes);
  }
}

}  // namespace opref::io
