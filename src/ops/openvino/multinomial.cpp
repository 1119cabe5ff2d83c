// SPDX-License-Identifier: Apache-2.0
// openvino Multinomial, version 13 (opset13)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/random.h"
namespace opref::ops::openvino {
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
      .undetermined(kUndetermined);
}
}  // namespace opref::ops::openvino
