// Between the files of the ONNX reader: from ONNX's messages to core types. Nothing else includes this.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <memory>
#include <string_view>

#include "core/tensor.h"
#include "schema/node.h"

namespace opref {

/// protobuf reports trouble by return values; what it also prints on standard error is turned off, once.
void silence_protobuf();

/// Parses `message` from bytes; false if they are not such a message. More than 2 GiB is an `unsupported` error.
bool parse_message(google::protobuf::Message& message, std::span<const std::byte> bytes);

/// The field that keeps the elements of a type where raw_data does not.
enum class DataField : std::uint8_t { float_data, double_data, int32_data, int64_data, uint64_data, string_data };
DataField data_field(DType dtype);

/// The elements may stay where they are: the tensor then shares the ownership of `proto`. External data are looked for
/// in `folder`; null: nowhere (`unsupported`). Faults: `malformed` (data that do not fit the dims), `unsupported`.
Tensor decode_tensor(const std::shared_ptr<const onnx::TensorProto>& proto, const std::filesystem::path* folder);

/// With raw_data. More than protobuf can write is `unsupported`.
onnx::TensorProto encode_tensor(const std::string& name, const Tensor& tensor);

/// What protobuf can write, as bytes; `unsupported` where that is too much. `what` is for the message.
std::string message_bytes(const google::protobuf::Message& message, std::string_view what);

ValueInfo decode_value_info(const onnx::ValueInfoProto& proto);

/// States the version of a domain; `malformed` if another one is stated already.
void import_opset(Graph& graph, std::string_view domain, std::int64_t version);

class OnnxScanner;

/// Whether a word of ONNX text begins a type: "float", "seq", …
bool is_type_word(std::string_view word);

/// What follows a type's first word. "float" is a scalar, "float[]" any tensor, "float[2,N,?]" has rank 3.
onnx::TypeProto read_text_type(OnnxScanner& scanner, std::string_view word);

/// type? name
onnx::ValueInfoProto read_value_info(OnnxScanner& scanner);

/// '{' numbers '}' of a tensor whose type came before. As in ONNX's own parser they are the entries of TensorProto's
/// typed fields: float16 and other narrow types as bit patterns, int4 as bytes of two elements, complex as pairs.
Tensor read_text_tensor(OnnxScanner& scanner, const onnx::TypeProto& type);

}  // namespace opref
