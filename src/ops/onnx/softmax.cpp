// SPDX-License-Identifier: Apache-2.0
// ai.onnx Softmax, versions 1, 11, 13
// https://onnx.ai/onnx/operators/onnx__Softmax.html
#include <limits>

#include "families/elements.h"
#include "families/slices.h"
#include "schema/operator.h"

namespace opref::ops::onnx {
namespace {

// output = exp(input) / Σ exp(input) over the elements of a slice. Every exponent may be lessened by the same finite
// number; by an infinite one, as the function's body does it, +Inf makes NaN of the whole slice.
struct Softmax : RealFormula<1> {
  static constexpr Sign sign = Sign::positive;
  bool lessens_by_infinity;
  Named named;
  template <class R>
  auto operator()(const Row<R>& x) const {
    const R most = named("the greatest element", greatest(x)),
            shift = lessens_by_infinity || is_finite(most) ? most : R(0.0);
    const auto powers = keep(map(x, [=](const R& a) { return exp(a - shift); }));
    const R s = named("the sum of e^(x - greatest)", sum(powers));
    return map(powers, [=](const R& a) { return a / s; });
  }
};

std::vector<ValueType> output_types(const Call& call) {
  const TensorType& input = call.type("input");
  call.axis("axis", input.rank());
  return {input};
}

// 1, 11: "The operator first coerces the input into a 2-dimensional tensor": a slice is all axes from `axis` on.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& input = outs[0].type().shape;
  const auto axis = static_cast<size_t>(call.axis("axis", input.size()));
  const bool is_coerced = call.version() < 13;
  const std::int64_t outer = element_count(input.first(axis));
  const std::int64_t n = is_coerced ? element_count(input.without_first(axis)) : input[axis];
  const std::int64_t inner = is_coerced ? 1 : element_count(input.without_first(axis + 1));
  const Softmax softmax{{}, call.reads("softmax.plus_infinity", "nan_row"), Named(outs[0])};
  return {slices(outs[0], call.input("input"), outer, n, inner, softmax)};
}

bool has_plus_infinity(const Call& call) {
  if (!call.has_value("input")) return false;
  const Elements input(call.input("input"));
  for (std::int64_t i = 0; i < call.input("input").count(); ++i)
    if (input.number(i) == std::numeric_limits<double>::infinity()) return true;
  return false;
}

void version_1(OpSchema& s) {
  s.attribute(with_default("axis", 1))
      .input("input", "T")
      .output("output", "T")
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}

void version_13(OpSchema& s) {
  s.change("axis") = with_default("axis", -1);
  s.add_types("T", DType::bfloat16).wording("a slice is one axis; before, all axes from `axis` on");
}

}  // namespace

Operator softmax() {
  return Operator("ai.onnx", "Softmax")
      .summary("e^x of each element, divided by the sum of them along an axis")
      .version(1, version_1)
      .version(11, words("the page says that axis may be negative"))
      .version(13, version_13)
      .reading("softmax.plus_infinity", {"per_element: NaN at +Inf, 0 elsewhere", "nan_row: NaN in the whole row"},
               {{1, "per_element"}},
               "the formula gives NaN at +Inf and 0 elsewhere; the function's body, which lessens by the greatest "
               "element, gives NaN everywhere",
               "", has_plus_infinity)
      .output_types(output_types)
      .kernel(kernel);
}

}  // namespace opref::ops::onnx
