// SPDX-License-Identifier: Apache-2.0
// What every reader of nodes returns.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/tolerance.h"
#include "core/error.h"
#include "io/tensor_source.h"
#include "schema/node.h"

namespace opref::io {

struct NamedSource {
  std::string name;  ///< the graph's
  TensorSource source;
  std::string list = {};  ///< the variadic parameter in whose list a JSON case has it; empty: it is named itself
};

/// "inputs_2": the graph's name for a tensor of a list that has only a name as a whole.
std::string name_in_list(std::string_view list, size_t place);

/// Of a must-fail case: both must match, the message being the whole first line after "error: ".
struct ExpectedError {
  Fault fault;
  std::string message;
};

/// What a case was read from; decides the tolerance that it has without a stated one.
enum class CaseFormat : std::uint8_t {
  json,
  onnx_model,
  onnx_node,
  onnx_text,
  onnx_folder,
  openvino_layer,
  openvino_ir,
  operator_name
};

/// Whether a folder of the case has NAME.npy of its tensors.
constexpr bool is_of_openvino(CaseFormat format) {
  return format == CaseFormat::openvino_layer || format == CaseFormat::openvino_ir;
}

struct Case {
  CaseFormat format;
  std::string origin;  ///< for messages: "model.onnx", "standard input", "the command line"
  Graph graph;
  /// Tensors that come with the node: data sets and files of a case, initializers of a model.
  std::vector<NamedSource> inputs;
  std::vector<NamedSource> expected;
  std::optional<ExpectedError> expect_error;
  /// Why the node's file cannot be read, in a case folder that expects an error.
  std::optional<Error> unreadable;
  std::optional<Tolerance> tolerance;
  std::map<std::string, std::string, std::less<>> readings;
  std::string source;  ///< where the expected values come from; of an ONNX model its producer
  std::vector<std::string> warnings;
  /// Of a JSON case that states them: the parameters of its node's outputs, a variadic one as often as it has outputs.
  std::vector<std::string> outputs = {};
  std::filesystem::path file = {};  ///< the node's; empty where it is none
};

}  // namespace opref::io
