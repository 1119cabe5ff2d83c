// SPDX-License-Identifier: Apache-2.0
// openvino Multinomial, version 13 (opset13)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/random.h"
namespace opref::ops::openvino::file_multinomial {
namespace {
// output[b, k], for k < num_samples, is c with a probability proportional to probs[b, c], or to its power of e
std::vector<ValueType> output_types(const Call& call) {
  const Dims& probs = call.type("probs").shape;
  require(probs.size() == 2, "probs has shape {}, but must be [batch_size,class_size]", probs);
  require_scalar_or_one(call, "num_samples");
  const std::int64_t samples = call.integer("num_samples");
  require(samples >= 0, "num_samples is {}, but must not be negative", samples);
  require(call.flag("with_replacement") || samples <= probs[1],
          "num_samples is {}, but probs has rows of {}: without replacement each class is drawn once", samples,
          probs[1]);
  return {TensorType{element_type_of(call, "convert_type"), {probs[0], samples}}};
}

/// The probabilities of a row; nothing where they are none: "non-negative, finite and have a non-zero-sum".
std::vector<double> chances(const Elements& probs, std::int64_t b, std::int64_t classes) {
  std::vector<double> all;
  for (std::int64_t c = 0; c < classes; ++c) all.push_back(probs.number(b * classes + c));
  const bool are_chances = std::ranges::all_of(all, [](double p) { return p >= 0 && std::isfinite(p); });
  return are_chances ? all : std::vector<double>();
}

// what was drawn: classes, each about as often as its probability says; without replacement the probabilities of a row
// are divided anew by their sum after each class, which then has none
std::vector<Value> drawn(const Call& call, std::span<const Output>, std::span<const Tensor* const> given) {
  if (given[0] == nullptr) return {Value{}};
  const Elements probs(call.input("probs"));
  const std::int64_t classes = call.type("probs").shape[1];
  require_likely_classes(*given[0], classes, call.flag("with_replacement") ? Replacement::yes : Replacement::no,
                         [&](std::int64_t b) {
                           return call.flag("log_probs") ? exponentials(probs, b, classes) : chances(probs, b, classes);
                         });
  return {*given[0]};
}
}  // namespace
Operator multinomial() {
  return Operator("openvino", "Multinomial")
      .summary("classes drawn by their probabilities")
      .page("generation/multinomial-13")
      .version(13,
               [](OpSchema& s) {
                 s.attribute(required(STRING, "convert_type", index_types()))
                     .attribute(required(INT, "with_replacement", flag()))
                     .attribute(required(INT, "log_probs", flag()))
                     .attribute(with_default("global_seed", 0, at_least(0)))
                     .attribute(with_default("op_seed", 0, at_least(0)));
                 s.input("probs", "T_IN")
                     .input("num_samples", "T_SAMPLES")
                     .output("output", "convert_type")
                     .types("T_IN", computed_floats)
                     .types("T_SAMPLES", types::signed_wide)
                     .types("convert_type", types::signed_wide);
               })
      .output_types(output_types)
      .undetermined(kUndetermined)
      .drawn(drawn);
}
}  // namespace opref::ops::openvino::file_multinomial
