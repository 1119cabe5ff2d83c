// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/normalization.h"
#include <cmath>
#include "ops/shared/parameters.h"

#include "core/error.h"
#include "evaluators/elements.h"
namespace opref::ops {
Normalization normalization_of_channels(const Call& call) {
  const auto tensor = [&](size_t input) { return call.inputs()[input].tensor(); };
  const Dims& x = call.inputs()[0].type.tensor.shape;
  const std::int64_t groups = call.has_here("num_groups") ? call.integer("num_groups") : x[1],
                     channels = groups == 0 ? 0 : x[1] / groups;
  const Slicing slices = Slicing::along({x[0], groups, channels, element_count(x.without_first(2))}, {2, 3});
  const Dims to_parameter{0, tensor(1).count() == groups ? 1 : channels, tensor(1).count() == groups ? 0 : 1, 0};
  return {.slices = slices,
          .X = slices.operand(tensor(0)),
          .epsilon = call.number("epsilon"),
          .scale = slices.operand(tensor(1), to_parameter),
          .bias = slices.operand(tensor(2), to_parameter)};
}

void require_parameters(const Call& call, std::initializer_list<std::string_view> names, const Dims& shape) {
  for (const std::string_view name : names)
    require(call.type(name).shape == shape, "{} has shape {}, but must have {}", call.name(name), call.type(name).shape,
            shape);
}
namespace {
constexpr std::string_view kPlusInfinity = "softmax.plus_infinity";

std::vector<ValueType> softmax_types(const Call& call) {
  const TensorType& input = call.type("input");
  call.axis("axis", input.rank());
  return {input};
}

bool has_plus_infinity(const Call& call) {
  return any_of(call, call.schema().inputs()[0].name, false, [](double x) { return x == HUGE_VAL; });
}

void version_1(OpSchema& s) {
  s.attribute(with_default("axis", 1))
      .input("input", "T")
      .output("output", "T")
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}

void version_13(OpSchema& s) {
  s.change("axis") = with_default("axis", -1);
  s.add_types("T", DType::bfloat16).other_rule("a slice is one axis; before, all axes from `axis` on");
}
}  // namespace
SliceAxes slice_axes(const Call& call) {
  const Dims& input = call.type("input").shape;
  const auto axis = call.axis("axis", input.size());
  const std::int64_t outer = element_count(input.first(axis));
  if (call.version() < 13) return {outer, element_count(input.without_first(axis)), 1};
  return {outer, input[axis], element_count(input.without_first(axis + 1))};
}

Slicing softmax_slices(const Call& call) {
  const SliceAxes a = slice_axes(call);
  return Slicing::along({a.outer, a.n, a.inner}, {1});
}

Operator softmax_operator(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .version(1, version_1)
      .version(11, words("the page says that axis may be negative"))
      .version(13, version_13)
      .output_types(softmax_types);
}

Reading plus_infinity_reading(std::int64_t since, std::string_view per_element, std::string_view reason) {
  return {.name = kPlusInfinity,
          .alternatives = {per_element, "nan_row: NaN in the whole row"},
          .defaults = {{since, "per_element"}},
          .reason = reason,
          .may_change_values = has_plus_infinity};
}
bool has_nan_rows(const Call& call) { return call.reads(kPlusInfinity, "nan_row"); }
namespace {
/// (N, D1, …) of scores (N, C, D1, …).
Dims labels_shape(const Dims& scores) { return join(scores.first(1), scores.without_first(2)); }

bool may_count_ignored(const Call& call) {
  const auto& inputs = call.schema().inputs();
  return call.string("reduction") == "mean" && call.has("ignore_index") && !call.has(inputs[2].name);
}
}  // namespace
TensorType loss_type(const Call& call, const LossInputs& names) {
  const auto& [dtype, scores] = call.type(names.scores);
  const Dims& labels = call.type(names.labels).shape;
  require(scores.size() >= 2, "{} has shape {}, but must have at least 2 axes: (N, C, D1, …)", names.scores, scores);
  require(labels == labels_shape(scores), "{} has shape {}, but must have {}: {} has {}", names.labels, labels,
          labels_shape(scores), names.scores, scores);
  if (call.has(names.weights))
    require(call.type(names.weights).shape == Dims{scores[1]}, "{} has shape {}, but must have {}: one per class",
            names.weights, call.type(names.weights).shape, Dims{scores[1]});
  return {dtype, call.string("reduction") == "none" ? labels : Dims{}};
}

Labels labels_of(const Call& call, const LossInputs& names) {
  const Dims &scores = call.type(names.scores).shape, shape = call.type(names.labels).shape;
  const Tensor& tensor = call.input(names.labels);
  const Elements elements(tensor);
  Labels labels{Slicing::along({scores[0], scores[1], element_count(scores.without_first(2))}, {1}), {}};
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    const std::int64_t label = elements.integer(i);
    const bool is_ignored = call.has("ignore_index") && label == call.integer("ignore_index");
    if (!is_ignored && (label < 0 || label >= scores[1]))
      fail(Fault::invalid, "{}{} is {}, but must be from 0 to {}, or ignore_index", names.labels, coordinates(i, shape),
           label, scores[1] - 1);
    labels.label.push_back(is_ignored ? -1 : label);
  }
  return labels;
}

void with_loss_attributes(OpSchema& s) {
  s.attribute(optional(INT, "ignore_index"))
      .attribute(with_default("reduction", "mean", one_of({"none", "sum", "mean"})));
}

Reading mean_ignored_reading() {
  return {.name = "loss.mean_ignored",
          .alternatives = {"not_counted: a mean without weights is one of the labels that are not ignored",
                           "counted: the ignored ones are counted too"},
          .defaults = {{12, "not_counted"}},
          .reason = "ONNX's published data divide by the labels that are not ignored; the text says mean(loss)",
          .may_change_values = may_count_ignored};
}
}  // namespace opref::ops
