// SPDX-License-Identifier: Apache-2.0
// ONNX: models and nodes in protobuf, protobuf-JSON and ONNX text; tensors in protobuf.
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/case.h"
#include "system/file.h"

namespace opref::io {

/// A ModelProto or NodeProto in binary: a ModelProto if graph.node is not empty, else a NodeProto if op_type is an
/// identifier and there is an output, else `malformed`. External data are looked for in `folder` and nowhere else.
/// Initializers are decoded when they are asked for. A TENSOR or SPARSE_TENSOR attribute or a subgraph's initializer
/// that cannot be decoded is Opaque, and says why.
/// A model without opset_import has opset 1. Of a NodeProto the graph has one node and no opset. More than 2 GiB, or
/// more messages than opref keeps in memory, are `unsupported`; so they are in all that follows. A `system` error
/// before the strings and numbers of its lists take more than `max_bytes` with the copies that are made of them.
Case read_onnx(const FileBytes& file, const std::filesystem::path& folder, std::int64_t max_bytes = INT64_MAX);

/// ONNX's protobuf-JSON of a ModelProto or NodeProto. Fields that ONNX 1.23 does not know are ignored with a warning.
Case read_onnx_json(std::string_view text, const std::filesystem::path& folder);

/// ONNX text: a model ("<ir_version: 8, …> g (float[N] x) => …") or one or more nodes ("Y = LpPool <p = 2> (X)").
/// Attributes are untyped, with the digits that were written: the schema decides; a word that is no number is a string,
/// quoted or not. "domain.Op:overload" calls a function of the model, in whose nodes "p = @q" stands for the attribute
/// q of the function. Faults: `malformed` with the position; `invalid` where a value does not have the type that is
/// stated
/// ("p : int = 1.5"); `unsupported` (external data).
Case read_onnx_text(std::string_view text);
/// A subgraph alone, "then_branch () => (float[2] y) { y = Constant <value = float[2] {1, 2}> () }": as a JSON case
/// states the attribute. Faults: as those of read_onnx_text.
Graph read_onnx_text_graph(std::string_view text);

/// A TensorProto, SequenceProto, MapProto or OptionalProto file: which one, and the types of what is empty, are as
/// declared; a sequence says itself whether it is one of maps. Tensors of more than `max_bytes` together are refused
/// before they are decoded. Faults: `malformed`, `unsupported` (sparse tensors, lists of lists, maps of anything but
/// tensors of one element, optionals of maps, types that are not known).
Value read_onnx_value(const FileBytes& file, const ValueInfo& declared = {}, std::int64_t max_bytes = INT64_MAX);

/// Which of the forms of maps a file looks like that is none of the others; Form::tensor where it looks like neither.
Form likely_form_of_maps(const FileBytes& file);

/// Writes the ModelProto of a graph whose attributes are all typed and whose opsets are all stated; its inputs,
/// outputs and inner tensors are declared as far as they are known. Faults: `unsupported` (values that opref keeps no
/// content of, more bytes than protobuf writes), `internal` (an untyped attribute). Tensors are not copied.
void write_onnx_model(FileWriter& file, const Graph& graph,
                      const std::vector<std::pair<std::string, Tensor>>& initializers);

/// A serialized TensorProto with raw_data, SequenceProto, MapProto or OptionalProto.
std::string onnx_value_bytes(const std::string& name, const Value& value);
/// The same into a file, without a copy of the tensors.
void write_onnx_value(FileWriter& file, const std::string& name, const Value& value);
/// What they say of a value that is too large, as far as its type shows it: before it is computed.
void require_onnx_size(const ValueType& type);

}  // namespace opref::io
