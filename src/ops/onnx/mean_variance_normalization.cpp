// SPDX-License-Identifier: Apache-2.0
// ai.onnx MeanVarianceNormalization, versions 9, 13
// https://onnx.ai/onnx/operators/onnx__MeanVarianceNormalization.html
#include "exact/rounding.h"
#include "ops/common/normalization.h"
#include "ops/common/reduce.h"
#include "ops/common/unary.h"

namespace opref::ops::onnx {
namespace {

Reduction reduction_of(const Call& call) { return reduction_over(call, "X", call.integers("axes"), true); }

// Y = (X - E[X]) / √(E[(X - E[X])²]), the means being those over `axes`
struct MeanVarianceNormalization {
  Elements X;
  Reduction r;
  Strided group_of;  ///< of an element
  Spread spread;
  double epsilon;  ///< added to the deviation

  template <class R>
  void operator()(std::int64_t group, const Reader<R>& x, Writer<R>& y) const {
    const auto each = [&](const auto& f) { r.each(group, f); };
    const R mean = mean_of(x, X, r.count(), each, spread);
    const R root = sqrt(variance_of(x, X, r.count(), each, mean, spread));
    const R deviation = x.named("the deviation", epsilon == 0 ? root : root + R(epsilon));
    each([&](std::int64_t at) { y.put(0, at, [&] { return (x(X, at) - mean) / deviation; }); });
  }
  std::int64_t program_of(size_t, std::int64_t at) const { return group_of(at); }
};

std::vector<ValueType> output_types(const Call& call) {
  reduction_of(call);
  return same_type(call);
}

template <Spread spread>
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Reduction r = reduction_of(call);
  const Dims& x = outs[0].type().shape;
  const double epsilon = call.reads("mean_variance_normalization.epsilon", "1e-9") ? widen(1e-9F) : 0;
  const Strided groups(x, broadcast_strides(r.shape, x));
  return programs(outs, element_count(r.shape),
                  MeanVarianceNormalization{Elements(call.input("X")), r, groups, spread, epsilon});
}

void version_9(OpSchema& s) {
  s.attribute(with_default("axes", AttributeValue::of(std::vector<std::int64_t>{0, 2, 3})));
  s.input("X", "T").output("Y", "T").types("T", types::floats,
                                           "Constrain input and output types to all numeric tensors.");
  s.shape_inference(ShapeInference::none);
}

bool always(const Call&) { return true; }

}  // namespace

Operator mean_variance_normalization() {
  return Operator("ai.onnx", "MeanVarianceNormalization")
      .summary("(x - mean)/√variance, mean and variance of some axes")
      .version(9, version_9)
      .version(13, adds("T", DType::bfloat16))
      .reading(duplicate_axes_reading())
      .reading("mean_variance_normalization.epsilon",
               {"none: the deviation is the divisor", "1e-9: float32's 1e-9 is added to it"}, {{9, "none"}},
               "the page's formula has no epsilon; the function's body adds one, onnxruntime does not", "", always)
      .output_types(output_types)
      .kernel(kernel<Spread::right>)
      .mistakes(variance_mistakes<kernel<Spread::sample>, kernel<Spread::of_squares>>());
}

}  // namespace opref::ops::onnx
