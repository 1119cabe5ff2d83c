// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/messages.h"

#include <algorithm>

#include "core/error.h"

namespace opref::io {
namespace {

using enum FieldType;
using enum Label;

// clang-format off
// https://github.com/onnx/onnx/blob/v1.23.2/onnx/onnx.proto, in its order.

constexpr EnumValue kAttributeTypes[] = {
    {"UNDEFINED", 0},
    {"FLOAT", 1},
    {"INT", 2},
    {"STRING", 3},
    {"TENSOR", 4},
    {"GRAPH", 5},
    {"SPARSE_TENSOR", 11},
    {"TYPE_PROTO", 13},
    {"FLOATS", 6},
    {"INTS", 7},
    {"STRINGS", 8},
    {"TENSORS", 9},
    {"GRAPHS", 10},
    {"SPARSE_TENSORS", 12},
    {"TYPE_PROTOS", 14},
};

constexpr MessageField kAttributeFields[] = {
    {"name", 1, string},
    {"ref_attr_name", 21, string},
    {"doc_string", 13, string},
    {"type", 20, kAttributeTypes},
    {"f", 2, float32},
    {"i", 3, int64},
    {"s", 4, bytes},
    {"t", 5, kTensorProto},
    {"g", 6, kGraphProto},
    {"sparse_tensor", 22, kSparseTensorProto},
    {"tp", 14, kTypeProto},
    {"floats", 7, float32, repeated},
    {"ints", 8, int64, repeated},
    {"strings", 9, bytes, repeated},
    {"tensors", 10, kTensorProto, repeated},
    {"graphs", 11, kGraphProto, repeated},
    {"sparse_tensors", 23, kSparseTensorProto, repeated},
    {"type_protos", 15, kTypeProto, repeated},
};

constexpr MessageField kValueInfoFields[] = {
    {"name", 1, string},
    {"type", 2, kTypeProto},
    {"doc_string", 3, string},
    {"metadata_props", 4, kStringStringEntryProto, repeated},
};

constexpr MessageField kNodeFields[] = {
    {"input", 1, string, repeated},
    {"output", 2, string, repeated},
    {"name", 3, string},
    {"op_type", 4, string},
    {"domain", 7, string},
    {"overload", 8, string},
    {"attribute", 5, kAttributeProto, repeated},
    {"doc_string", 6, string},
    {"metadata_props", 9, kStringStringEntryProto, repeated},
    {"device_configurations", 10, kNodeDeviceConfigurationProto, repeated},
};

constexpr MessageField kIntIntListEntryFields[] = {
    {"key", 1, int64},
    {"value", 2, int64, repeated},
};

constexpr MessageField kNodeDeviceConfigurationFields[] = {
    {"configuration_id", 1, string},
    {"sharding_spec", 2, kShardingSpecProto, repeated},
    {"pipeline_stage", 3, int32},
};

constexpr MessageField kShardingSpecFields[] = {
    {"tensor_name", 1, string},
    {"device", 2, int64, repeated},
    {"index_to_device_group_map", 3, kIntIntListEntryProto, repeated},
    {"sharded_dim", 4, kShardedDimProto, repeated},
};

constexpr MessageField kShardedDimFields[] = {
    {"axis", 1, int64},
    {"simple_sharding", 2, kSimpleShardedDimProto, repeated},
};

constexpr MessageField kSimpleShardedDimFields[] = {
    {"dim_value", 1, int64, one_of},
    {"dim_param", 2, string, one_of},
    {"num_shards", 3, int64},
};

constexpr MessageField kTrainingInfoFields[] = {
    {"initialization", 1, kGraphProto},
    {"algorithm", 2, kGraphProto},
    {"initialization_binding", 3, kStringStringEntryProto, repeated},
    {"update_binding", 4, kStringStringEntryProto, repeated},
};

constexpr MessageField kModelFields[] = {
    {"ir_version", 1, int64},
    {"opset_import", 8, kOperatorSetIdProto, repeated},
    {"producer_name", 2, string},
    {"producer_version", 3, string},
    {"domain", 4, string},
    {"model_version", 5, int64},
    {"doc_string", 6, string},
    {"graph", 7, kGraphProto},
    {"metadata_props", 14, kStringStringEntryProto, repeated},
    {"training_info", 20, kTrainingInfoProto, repeated},
    {"functions", 25, kFunctionProto, repeated},
    {"configuration", 26, kDeviceConfigurationProto, repeated},
};

constexpr MessageField kDeviceConfigurationFields[] = {
    {"name", 1, string},
    {"num_devices", 2, int32},
    {"device", 3, string, repeated},
};

constexpr MessageField kStringStringEntryFields[] = {
    {"key", 1, string},
    {"value", 2, string},
};

constexpr MessageField kTensorAnnotationFields[] = {
    {"tensor_name", 1, string},
    {"quant_parameter_tensor_names", 2, kStringStringEntryProto, repeated},
};

constexpr MessageField kGraphFields[] = {
    {"node", 1, kNodeProto, repeated},
    {"name", 2, string},
    {"initializer", 5, kTensorProto, repeated},
    {"sparse_initializer", 15, kSparseTensorProto, repeated},
    {"doc_string", 10, string},
    {"input", 11, kValueInfoProto, repeated},
    {"output", 12, kValueInfoProto, repeated},
    {"value_info", 13, kValueInfoProto, repeated},
    {"quantization_annotation", 14, kTensorAnnotation, repeated},
    {"metadata_props", 16, kStringStringEntryProto, repeated},
};

constexpr MessageField kSegmentFields[] = {
    {"begin", 1, int64},
    {"end", 2, int64},
};

constexpr EnumValue kDataLocations[] = {
    {"DEFAULT", 0},
    {"EXTERNAL", 1},
};

constexpr MessageField kTensorFields[] = {
    {"dims", 1, int64, repeated},
    {"data_type", 2, int32},
    {"segment", 3, kSegment},
    {"float_data", 4, float32, packed},
    {"int32_data", 5, int32, packed},
    {"string_data", 6, bytes, repeated},
    {"int64_data", 7, int64, packed},
    {"name", 8, string},
    {"doc_string", 12, string},
    {"raw_data", 9, bytes},
    {"external_data", 13, kStringStringEntryProto, repeated},
    {"data_location", 14, kDataLocations},
    {"double_data", 10, float64, packed},
    {"uint64_data", 11, uint64, packed},
    {"metadata_props", 16, kStringStringEntryProto, repeated},
};

constexpr MessageField kSparseTensorFields[] = {
    {"values", 1, kTensorProto},
    {"indices", 2, kTensorProto},
    {"dims", 3, int64, repeated},
};

constexpr MessageField kDimensionFields[] = {
    {"dim_value", 1, int64, one_of},
    {"dim_param", 2, string, one_of},
    {"denotation", 3, string},
};

constexpr MessageField kTensorShapeFields[] = {
    {"dim", 1, kDimension, repeated},
};

constexpr MessageField kTensorTypeFields[] = {
    {"elem_type", 1, int32},
    {"shape", 2, kTensorShapeProto},
};

constexpr MessageField kSequenceTypeFields[] = {
    {"elem_type", 1, kTypeProto},
};

constexpr MessageField kMapTypeFields[] = {
    {"key_type", 1, int32},
    {"value_type", 2, kTypeProto},
};

constexpr MessageField kOptionalTypeFields[] = {
    {"elem_type", 1, kTypeProto},
};

constexpr MessageField kSparseTensorTypeFields[] = {
    {"elem_type", 1, int32},
    {"shape", 2, kTensorShapeProto},
};

constexpr MessageField kOpaqueTypeFields[] = {
    {"domain", 1, string},
    {"name", 2, string},
};

constexpr MessageField kTypeFields[] = {
    {"tensor_type", 1, kTensorType, one_of},
    {"sequence_type", 4, kSequenceType, one_of},
    {"map_type", 5, kMapType, one_of},
    {"optional_type", 9, kOptionalType, one_of},
    {"sparse_tensor_type", 8, kSparseTensorType, one_of},
    {"opaque_type", 7, kOpaqueType, one_of},
    {"denotation", 6, string},
};

constexpr MessageField kOperatorSetIdFields[] = {
    {"domain", 1, string},
    {"version", 2, int64},
};

constexpr MessageField kFunctionFields[] = {
    {"name", 1, string},
    {"input", 4, string, repeated},
    {"output", 5, string, repeated},
    {"attribute", 6, string, repeated},
    {"attribute_proto", 11, kAttributeProto, repeated},
    {"node", 7, kNodeProto, repeated},
    {"doc_string", 8, string},
    {"opset_import", 9, kOperatorSetIdProto, repeated},
    {"domain", 10, string},
    {"overload", 13, string},
    {"value_info", 12, kValueInfoProto, repeated},
    {"metadata_props", 14, kStringStringEntryProto, repeated},
};

// https://github.com/onnx/onnx/blob/v1.23.2/onnx/onnx-data.proto

constexpr MessageField kSequenceFields[] = {
    {"name", 1, string},
    {"elem_type", 2, int32},
    {"tensor_values", 3, kTensorProto, repeated},
    {"sparse_tensor_values", 4, kSparseTensorProto, repeated},
    {"sequence_values", 5, kSequenceProto, repeated},
    {"map_values", 6, kMapProto, repeated},
    {"optional_values", 7, kOptionalProto, repeated},
};

constexpr MessageField kMapFields[] = {
    {"name", 1, string},
    {"key_type", 2, int32},
    {"keys", 3, int64, repeated},
    {"string_keys", 4, bytes, repeated},
    {"values", 5, kSequenceProto},
};

constexpr MessageField kOptionalFields[] = {
    {"name", 1, string},
    {"elem_type", 2, int32},
    {"tensor_value", 3, kTensorProto},
    {"sparse_tensor_value", 4, kSparseTensorProto},
    {"sequence_value", 5, kSequenceProto},
    {"map_value", 6, kMapProto},
    {"optional_value", 7, kOptionalProto},
};

// clang-format on

/// Whether `json` is `name` without its underscores, the letters after them in upper case.
bool is_camel_case(std::string_view json, std::string_view name) {
  size_t read = 0;
  bool raise = false;
  for (const char c : name) {
    if (c == '_') {
      raise = true;
      continue;
    }
    const char wanted = raise && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    raise = false;
    if (read == json.size() || json[read++] != wanted) return false;
  }
  return read == json.size();
}

}  // namespace

constinit const MessageType kModelProto{"ModelProto", kModelFields};
constinit const MessageType kGraphProto{"GraphProto", kGraphFields};
constinit const MessageType kNodeProto{"NodeProto", kNodeFields};
constinit const MessageType kIntIntListEntryProto{"IntIntListEntryProto", kIntIntListEntryFields};
constinit const MessageType kNodeDeviceConfigurationProto{"NodeDeviceConfigurationProto",
                                                          kNodeDeviceConfigurationFields};
constinit const MessageType kShardingSpecProto{"ShardingSpecProto", kShardingSpecFields};
constinit const MessageType kShardedDimProto{"ShardedDimProto", kShardedDimFields};
constinit const MessageType kSimpleShardedDimProto{"SimpleShardedDimProto", kSimpleShardedDimFields};
constinit const MessageType kDeviceConfigurationProto{"DeviceConfigurationProto", kDeviceConfigurationFields};
constinit const MessageType kAttributeProto{"AttributeProto", kAttributeFields};
constinit const MessageType kFunctionProto{"FunctionProto", kFunctionFields};
constinit const MessageType kTrainingInfoProto{"TrainingInfoProto", kTrainingInfoFields};
constinit const MessageType kTensorProto{"TensorProto", kTensorFields};
constinit const MessageType kSegment{"TensorProto.Segment", kSegmentFields};
constinit const MessageType kSparseTensorProto{"SparseTensorProto", kSparseTensorFields};
constinit const MessageType kTensorAnnotation{"TensorAnnotation", kTensorAnnotationFields};
constinit const MessageType kSequenceProto{"SequenceProto", kSequenceFields};
constinit const MessageType kMapProto{"MapProto", kMapFields};
constinit const MessageType kOptionalProto{"OptionalProto", kOptionalFields};
constinit const MessageType kValueInfoProto{"ValueInfoProto", kValueInfoFields};
constinit const MessageType kTypeProto{"TypeProto", kTypeFields};
constinit const MessageType kTensorType{"TypeProto.Tensor", kTensorTypeFields};
constinit const MessageType kSequenceType{"TypeProto.Sequence", kSequenceTypeFields};
constinit const MessageType kMapType{"TypeProto.Map", kMapTypeFields};
constinit const MessageType kOptionalType{"TypeProto.Optional", kOptionalTypeFields};
constinit const MessageType kSparseTensorType{"TypeProto.SparseTensor", kSparseTensorTypeFields};
constinit const MessageType kOpaqueType{"TypeProto.Opaque", kOpaqueTypeFields};
constinit const MessageType kTensorShapeProto{"TensorShapeProto", kTensorShapeFields};
constinit const MessageType kDimension{"TensorShapeProto.Dimension", kDimensionFields};
constinit const MessageType kOperatorSetIdProto{"OperatorSetIdProto", kOperatorSetIdFields};
constinit const MessageType kStringStringEntryProto{"StringStringEntryProto", kStringStringEntryFields};

const MessageField* MessageType::find(std::uint32_t number) const {
  const auto found = std::ranges::find(fields, number, &MessageField::number);
  return found == fields.end() ? nullptr : &*found;
}

const MessageField* MessageType::find(std::string_view wanted) const {
  const auto found = std::ranges::find_if(
      fields, [&](const MessageField& field) { return field.name == wanted || is_camel_case(wanted, field.name); });
  return found == fields.end() ? nullptr : &*found;
}

const MessageField& MessageType::field(std::string_view wanted) const {
  const auto found = std::ranges::find(fields, wanted, &MessageField::name);
  if (found == fields.end()) fail(Fault::internal, "{} has no field '{}'", name, wanted);
  return *found;
}

}  // namespace opref::io
