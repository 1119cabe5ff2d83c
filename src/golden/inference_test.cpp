// SPDX-License-Identifier: Apache-2.0
// ONNX's own shape inference (libonnx, opsets up to 17) as a witness of the types and shapes of all shipped recipes.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include "core/error.h"
#include "golden/recipe.h"
#include "golden/shipped_recipes.h"
#include "io/json/json.h"
#include "io/onnx/testing.h"
#include "ops/operators.h"
#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace inference_test {

using namespace opref::golden;

namespace {

constexpr std::int64_t kNewestWitnessed = 17;  // of Debian 12's libonnx

/// A case as both are asked: its node, what is known of its inputs, and what opref says of all tensors.
struct Question {
  Graph graph;
  Environment known;
};

/// Nothing where the specification rejects the case.
std::optional<Question> question_of(const GoldenCase& golden) {
  auto read = std::make_shared<Case>(read_json_case(golden.stated.root(), {}, golden.folder));
  read->origin = golden.name;
  try {
    const Bound bound = bind_case(read);
    std::vector<std::string> warnings;
    EvaluationOptions options = bound.options;
    options.generate = false;
    Question question{bound.graph, load_inputs(bound, options, warnings)};
    const std::vector<Step> steps = infer(question.graph, question.known, options);
    std::vector<Attribute>& attributes = question.graph.nodes.front().attributes;
    attributes.clear();
    for (const auto& [name, value] : steps.front().call.attributes())
      if (steps.front().call.stated(name)) attributes.push_back({name, value});
    return question;
  } catch (const Error& error) {
    if (error.fault() == Fault::internal) throw;
    return std::nullopt;
  }
}

/// Whether all attributes are typed: those of nodes in subgraphs are as the recipe states them.
bool can_be_written(const Question& question) {
  return std::ranges::none_of(question.graph.nodes.front().attributes, [](const Attribute& attribute) {
    return std::get<AttributeValue>(attribute.value).type == AttributeType::GRAPH;
  });
}

/// The node alone, its inputs as types or, where they are known, as initializers.
::onnx::ModelProto model_of(const Question& question) {
  std::vector<std::pair<std::string, Tensor>> initializers;
  Graph graph = question.graph;
  std::vector<ValueInfo> inputs;
  for (const ValueInfo& declared : graph.inputs) {
    const Input& input = question.known.find(declared.name)->second;
    if (input.value && input.type.form == Form::tensor) {
      initializers.emplace_back(declared.name, input.tensor());
      continue;
    }
    ValueInfo info{declared.name, "", input.type.dtype(), {}, input.type.form};
    if (input.type.form == Form::tensor) {
      info.dims.emplace();
      for (const std::int64_t size : input.type.tensor.shape) info.dims->push_back({size, "", ""});
    }
    inputs.push_back(std::move(info));
  }
  graph.inputs = std::move(inputs);
  for (ValueInfo& output : graph.outputs) output = {output.name, "", {}, {}};
  ::onnx::ModelProto model;
  REQUIRE(model.ParseFromString(model_bytes(graph, initializers)));
  model.mutable_graph()->clear_value_info();
  for (auto& output : *model.mutable_graph()->mutable_output()) output.clear_type();
  return model;
}

/// What libonnx says of an output beside opref's type; empty where nothing contradicts it.
std::string difference(const ::onnx::TypeProto& theirs, const ValueType& ours) {
  if (ours.form != Form::tensor || !theirs.has_tensor_type()) return "";
  const auto& type = theirs.tensor_type();
  if (type.elem_type() != 0 && type.elem_type() != static_cast<int>(ours.dtype())) return "another element type";
  if (!type.has_shape() || !ours.has_shape) return "";
  const Dims& shape = ours.tensor.shape;
  if (type.shape().dim_size() != static_cast<int>(shape.size()))
    return format("rank {}, but opref {}", type.shape().dim_size(), shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const auto& dim = type.shape().dim(static_cast<int>(axis));
    if (dim.has_dim_value() && dim.dim_value() != shape[axis])
      return format("size {} along axis {}, but opref {}", dim.dim_value(), axis, shape);
  }
  return "";
}

/// All that libonnx says otherwise; empty where it agrees with opref, or knows nothing.
std::string difference(::onnx::ModelProto& model, const Question& question, int& shapes) {
  try {
    ::onnx::shape_inference::InferShapes(model, ::onnx::OpSchemaRegistry::Instance(), {true, 1, false});
  } catch (const std::exception& refused) {
    return format("refused: {}", refused.what());
  }
  for (const auto& output : model.graph().output()) {
    const std::string different = difference(output.type(), question.known.find(output.name())->second.type);
    if (!different.empty()) return format("{}: {}", output.name(), different);
    shapes += output.type().tensor_type().has_shape() ? 1 : 0;
  }
  return "";
}

}  // namespace

TEST_CASE("shipped recipes: types and shapes equal libonnx's inference", "[recipes][release]") {
  // Versions of which it says something else, and why.
  const std::string empty_window = "it refuses a window of size 0, which has no elements";
  const std::string output_padding = "SAME_*: the text says L * strides, it adds output_padding";
  const std::string body_in_float32 =
      "it infers by the function's body, whose constants are float32 beside other types";
  const std::map<std::string, std::string> expected = {
      {"BlackmanWindow-17", empty_window},
      {"HammingWindow-17", empty_window},
      {"HannWindow-17", empty_window},
      {"ConvTranspose-1", output_padding},
      {"ConvTranspose-11", output_padding},
      {"MeanVarianceNormalization-9", body_in_float32},
      {"MeanVarianceNormalization-13", body_in_float32},
      {"OneHot-11", "it refuses a scalar of indices"},
      {"Range-11", "it refuses a list of one as a scalar"},
      {"Slice-13", "it gives an element of an axis of size 0 where the step is negative"},
      {"STFT-17", "it takes onesided for 0 where the node is silent; the page: 'the default value is 1'"},
      {"TopK-1", "it refuses k = 0, of which nothing is chosen"},
      {"DFT-17", "it refuses onesided beside inverse; the page: 'only complex input', 'a full real signal (IRFFT)'"},
      {"GridSample-16", "there the grid has the type of X; its page states two types"}};
  std::set<std::string> different;
  std::set<std::string> asked;
  int shapes = 0;
  for (const OperatorRow& row : operator_rows()) {
    if (row.domain != "ai.onnx") continue;
    const Operator& op = *find_operator(row.domain, row.op_type);
    if (op.versions().front().since_version() > kNewestWitnessed || !op.has_kernel()) continue;
    for (const GoldenCase& golden : expand(recipes_named(std::string(row.op_type)), std::nullopt)) {
      const std::optional<Question> question = question_of(golden);
      if (!question || !can_be_written(*question)) continue;
      const std::int64_t opset = question->graph.opset_import.begin()->second;
      if (opset > kNewestWitnessed) continue;
      ::onnx::ModelProto model = model_of(*question);
      if (!asked.insert(model.SerializeAsString()).second) continue;
      const std::string found = difference(model, *question, shapes);
      if (found.empty()) continue;
      const std::string version = format("{}-{}", row.op_type, op.schema_for(opset).since_version());
      INFO(golden.name << " of " << version << ": " << found);
      if (different.insert(version).second) CHECK(expected.contains(version));
    }
  }
  for (const auto& [version, reason] : expected) {
    INFO(version << ": " << reason);
    CHECK(different.contains(version));
  }
  CHECK(shapes > 1000);
}

}  // namespace inference_test
