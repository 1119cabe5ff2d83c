// What every reader of nodes returns.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "io/tensor_source.h"
#include "spec/node.h"

namespace opref {

/// When an element passes a comparison.
struct Tolerance {
  enum class Rule : std::uint8_t { exact, ulp, relative } rule = Rule::exact;
  std::int64_t ulp = 0;       ///< rule ulp: representable values apart
  double rtol = 0, atol = 0;  ///< rule relative: |actual - expected| <= atol + rtol * |expected|
  bool strict_nan = false;    ///< rule exact: NaN payloads count
  bool ignore_dtype = false;  ///< compare values of different dtypes
};

struct NamedSource {
  std::string name;  ///< the graph's
  TensorSource source;
};

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

struct Case {
  CaseFormat format;
  std::string origin;  ///< for messages: "model.onnx", "standard input", "the command line"
  Graph graph;
  /// Tensors that come with the node: data sets and files of a case, initializers of a model.
  std::vector<NamedSource> inputs;
  std::vector<NamedSource> expected;
  std::optional<ExpectedError> expect_error;
  std::optional<Tolerance> tolerance;
  std::map<std::string, std::string, std::less<>> readings;
  std::string source;  ///< where the expected values come from
  std::vector<std::string> warnings;
  /// Where one node of a graph was picked: names of the graph's other tensors.
  std::vector<std::string> other_tensors = {};
};

}  // namespace opref
