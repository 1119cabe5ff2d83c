// SPDX-License-Identifier: Apache-2.0
#include "ops/common/loss.h"

#include "core/error.h"

namespace opref::ops {
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
  Labels labels{scores[1], element_count(scores.without_first(2)), tensor.count(), {}};
  for (std::int64_t i = 0; i < labels.count; ++i) {
    const std::int64_t label = elements.integer(i);
    const bool is_ignored = call.has("ignore_index") && label == call.integer("ignore_index");
    if (!is_ignored && (label < 0 || label >= labels.classes))
      fail(Fault::invalid, "{}{} is {}, but must be from 0 to {}, or ignore_index", names.labels, coordinates(i, shape),
           label, labels.classes - 1);
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
