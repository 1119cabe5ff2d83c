// SPDX-License-Identifier: Apache-2.0
// ai.onnx BatchNormalization, versions 1, 6, 7, 9, 14, 15
// https://onnx.ai/onnx/operators/onnx__BatchNormalization.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx::file_batch_normalization {
namespace {
std::string_view mean_name(const Call& call) { return call.version() < 14 ? "mean" : "input_mean"; }
std::string_view var_name(const Call& call) { return call.version() < 14 ? "var" : "input_var"; }

std::int64_t named_outputs(const Call& call) {
  std::int64_t count = 0;
  for (size_t k = 0; k < call.output_count(); ++k) count += call.wants_output(k) ? 1 : 0;
  return count;
}
}  // namespace
/// Whether the mean and variance are those of the batch: 1, 6: "nonzero value of is_test" is test mode; 7, 9: "Output
/// case #1: Y, mean, var, saved_mean, saved_var (training mode)"; 14: training_mode.
bool is_training(const Call& call) {
  if (call.has("is_test")) return !call.flag("is_test");
  if (call.has("training_mode")) return call.flag("training_mode");
  return named_outputs(call) > 1 && call.reads("batch_normalization.mode_7_9", "training");
}
namespace {
/// "If false, compute the mean and variance across per feature": each feature has parameters of its own from 7 on.
bool is_per_feature(const Call& call) { return call.version() == 7 && !call.flag("spatial"); }

// What has a mean and variance of its own: a channel, or a feature. X is (rows, cells, size).
struct Cells {
  Dims shape;
  std::int64_t rows, count, size;
};
Cells cells(const Call& call) {
  const Dims& x = call.type("X").shape;
  if (x.size() < 2) return {{1}, x[0], 1, 1};
  if (is_per_feature(call)) return {x.without_first(1), x[0], element_count(x.without_first(1)), 1};
  return {{x[1]}, x[0], x[1], element_count(x.without_first(2))};
}

void require_outputs(const Call& call) {
  const std::int64_t named = named_outputs(call), all = call.version() < 14 ? 5 : 3;
  if (!is_training(call))
    require(named <= 1, "the node has {}, but only {} where it is not training", counted(named, "output"),
            call.name("Y"));
  else if (call.version() < 14)
    require(named <= 1 || named == all, "the node has {}, but must have {} alone or all {}", counted(named, "output"),
            call.name("Y"), all);
  else
    require(named == 0 || named == all, "the node has {}, but in training must have all {}", counted(named, "output"),
            all);
}

std::vector<ValueType> output_types(const Call& call) {
  const TensorType& x = call.type("X");
  const bool training = is_training(call);
  require(call.version() > 1 || x.rank() == 4, "{} has shape {}, but must have 4 axes: (N, C, H, W)", call.name("X"),
          x.shape);
  require(x.rank() >= (call.version() < 9 ? 2U : 1U), "{} has shape {}, but must have at least {} axes", call.name("X"),
          x.shape, call.version() < 9 ? 2 : 1);
  require_parameters(call, {"scale", "B", mean_name(call), var_name(call)}, cells(call).shape);
  require_outputs(call);
  require(!training || element_count(x.shape) > 0, "{} has shape {}, but in training must have elements",
          call.name("X"), x.shape);
  require(!training || call.version() > 6 || call.flag("spatial"),
          "attribute 'spatial' is 0, but in training {} and {} of {} channels have no feature's number",
          call.name("scale"), call.name("B"), cells(call).count);
  const TensorType statistics{call.type(mean_name(call)).dtype, cells(call).shape};
  if (call.version() < 14) return {x, statistics, statistics, statistics, statistics};
  return {x, statistics, statistics};
}
}  // namespace
// Y = (X - mean) / √(var + epsilon)·scale + B, and in training, of the batch's mean and variance,
// running = old·momentum + batch·(1 - momentum)
Normalization batch_normalization_of(const Call& call) {
  const auto& [shape, rows, count, size] = cells(call);
  const bool inverse = call.reads("batch_normalization.saved_var", "inverse_deviation");
  const Slicing slices = Slicing::along({rows, count, size}, {0, 2});
  const auto of_cell = [&](std::string_view input) { return slices.operand(call.input(input), {0, 1, 0}); };
  return {.slices = slices,
          .X = slices.operand(call.input("X")),
          .epsilon = call.number("epsilon"),
          .scale = of_cell("scale"),
          .bias = of_cell("B"),
          .others = {Holds::running_mean, Holds::running_variance, Holds::mean,
                     inverse ? Holds::inverse_deviation : Holds::variance},
          .mean = of_cell(mean_name(call)),
          .variance = of_cell(var_name(call)),
          .are_past = is_training(call),
          .momentum = call.number("momentum"),
          .gives_sample = call.reads("batch_normalization.variance_before_14", "sample")};
}
namespace {
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return normalized(outs, batch_normalization_of(call));
}

bool has_statistics(const Call& call) { return is_training(call) && named_outputs(call) > 1; }

void version_1(OpSchema& s) {
  s.attribute(required(INTS, "consumed_inputs")).attribute(with_default("epsilon", 1e-05F));
  s.attribute(with_default("is_test", 0)).attribute(with_default("momentum", 0.9F));
  s.attribute(with_default("spatial", 1));
  s.input("X", "T").input("scale", "T").input("B", "T").input("mean", "T").input("var", "T").output("Y", "T");
  for (const char* statistic : {"mean", "var", "saved_mean", "saved_var"}) s.output(statistic, "T", Arity::optional);
  s.types("T", types::floats, "Constrain input and output types to float tensors.");
  s.shape_inference(ShapeInference::none);
}

void version_6(OpSchema& s) { s.remove("consumed_inputs").shape_inference(ShapeInference::onnx); }
void version_7(OpSchema& s) { s.remove("is_test").wording("with more than one output it is training"); }

void version_14(OpSchema& s) {
  s.anew().attribute(with_default("epsilon", 1e-05F)).attribute(with_default("momentum", 0.9F));
  s.attribute(with_default("training_mode", 0));
  s.input("X", "T").input("scale", "T").input("B", "T").input("input_mean", "U").input("input_var", "U");
  s.output("Y", "T").output("running_mean", "U", Arity::optional).output("running_var", "U", Arity::optional);
  for (const char* variable : {"T", "U"}) s.types(variable, types::floats | DType::bfloat16);
}

void version_15(OpSchema& s) {
  for (const char* parameter : {"scale", "B"}) s.change_parameter(parameter).type = "T1";
  for (const char* p : {"input_mean", "input_var", "running_mean", "running_var"}) s.change_parameter(p).type = "T2";
  s.remove("U");
  for (const char* variable : {"T1", "T2"}) s.types(variable, types::floats | DType::bfloat16);
}
}  // namespace
Operator batch_normalization() {
  return Operator("ai.onnx", "BatchNormalization")
      .summary("(x - mean)/√(variance + epsilon)·scale + B, by channels, of their own or given mean and variance")
      .version(1, version_1)
      .version(6, version_6)
      .version(7, version_7)
      .version(9, [](OpSchema& s) { s.remove("spatial"); })
      .version(14, version_14)
      .version(15, version_15)
      .reading({.name = "batch_normalization.saved_var",
                .alternatives = {"variance: of the batch", "inverse_deviation: 1/√(variance + epsilon)"},
                .defaults = {{1, "variance"}, {14, ""}},
                .reason = "the page: \"Saved variance used during training\"; onnxruntime stores the inverse deviation",
                .may_change_values = has_statistics})
      .reading({.name = "batch_normalization.variance_before_14",
                .alternatives = {"population: Σ(X - mean)²/n", "sample: what is given back is divided by n - 1"},
                .defaults = {{1, "population"}, {14, ""}},
                .reason = "the page of 14 says population variance; onnxruntime takes it everywhere",
                .may_change_values = has_statistics})
      .reading({.name = "batch_normalization.mode_7_9",
                .alternatives = {"training: a node of more than one output is in training", "inference: it never is"},
                .defaults = {{7, "training"}, {14, ""}},
                .reason = "the page lists the outputs of training and of test mode as its two cases"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_batch_normalization
