// SPDX-License-Identifier: Apache-2.0
// openvino GRN, version 1 (opset1)
#include "evaluators/slices.h"
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_grn {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const size_t rank = call.type("data").rank();
  require(rank >= 2 && rank <= 4, "data has rank {}, but must have 2, 3 or 4: a batch and channels first", rank);
  return same_type(call);
}

// output0 = data/√(Σ data² over the channels + bias)
struct Grn {
  SliceOperand data;
  double bias;
  template <class R>
  void operator()(const Slices<R>& s) const {
    const auto x = s.row(data);
    s.put(0, x / s.named("the root", sqrt(sum(square(x)) + R(bias))));
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  std::vector<bool> is_reduced(outs[0].type().rank(), false);
  is_reduced[1] = true;
  const Slicing channels(outs[0].type().shape, is_reduced);
  return slices(outs, channels, Grn{channels.operand(call.input("data")), call.number("bias")});
}
}  // namespace
Operator grn() {
  return Operator("openvino", "GRN")
      .summary("each element divided by the root of the sum of squares of its channels and bias")
      .page("normalization/grn-1")
      .version(
          1,
          [](OpSchema& s) {
            s.attribute(required(FLOAT, "bias")).input("data", "T").output("output0", "T").types("T", computed_floats);
          })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_grn
