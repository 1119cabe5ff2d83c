// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearSoftmax, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearSoftmax
#include "ops/operator_file.h"
#include "ops/shared/requantized.h"
namespace opref::ops::microsoft::file_q_linear_softmax {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  require_single_numbers(call, {"X_scale", "x_zero_point", "y_scale", "y_zero_point"});
  call.axis("axis", call.type("X").rank());
  return {call.type("X")};
}

/// The version of Softmax that `opset` names: from 13 on its lines lie along one axis, before along all from it on.
bool is_of_one_axis(const Call& call) { return call.integer("opset") >= 13; }

// Y = saturate(nearest(e^x / Σ e^x / y_scale) + y_zero_point), x = (X - x_zero_point)·X_scale; every exponent may be
// lessened by the same number
struct Softmax {
  Elements X, X_scale, x_zero_point, y_scale, y_zero_point;
  std::int64_t n, inner;
  Requantizing how;
  bool divides_to_floor;  ///< 1 / y_scale is rounded down to a whole number

  std::int64_t program_of(size_t, std::int64_t at) const { return at / (n * inner) * inner + at % inner; }

  template <class R>
  void operator()(std::int64_t line, const Reader<R>& x, Writer<R>& y) const {
    const std::int64_t first = line / inner * n * inner + line % inner;
    const R scale = x(X_scale, 0);
    std::vector<R> exponents;
    std::int64_t most = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t at = first + k * inner;
      exponents.push_back(how.real(x(X, at), scale, x(x_zero_point, 0)));
      if (X.integer(at) > X.integer(first + most * inner)) most = k;
    }
    const R greatest = exponents[static_cast<size_t>(most)];
    SumOf<R> powers;
    for (R& exponent : exponents) {
      exponent = how.step(exp(exponent - greatest));
      powers.add(exponent);
    }
    const R sum = x.named("the sum of e^(x - greatest)", how.step(powers.total()));
    for (std::int64_t k = 0; k < n; ++k)
      y.put(0, first + k * inner, [&] {
        const R part = how.step(exponents[static_cast<size_t>(k)] / sum);
        if (!divides_to_floor) return how.integer(part, x(y_scale, 0), x(y_zero_point, 0));
        return how.integer(part * R(std::floor(1 / y_scale.number(0))), R(1.0), x(y_zero_point, 0));
      });
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_usual_scales(call, {"X_scale", "y_scale"});
  const Dims& shape = outs[0].type().shape;
  const size_t axis = call.axis("axis", shape.size());
  const std::int64_t inner = is_of_one_axis(call) ? element_count(shape.without_first(axis + 1)) : 1,
                     n = is_of_one_axis(call) ? shape[axis] : element_count(shape.without_first(axis)),
                     lines = element_count(shape) == 0 ? 0 : element_count(shape) / n;
  const Tensor zero_point = single_number(call, "x_zero_point");
  return programs(outs, lines,
                  Softmax{Elements(call.input("X")), Elements(call.input("X_scale")), Elements(zero_point),
                          Elements(call.input("y_scale")), Elements(call.input("y_zero_point")), n, inner,
                          Requantizing(outs[0]), call.reads("qlinear_softmax.scale", "floor")});
}

bool has_fraction(const Call& call) {
  return any_of(call, "y_scale", true, [](double scale) { return 1 / scale != std::floor(1 / scale); });
}

void version_1(OpSchema& s) {
  s.input("X", "T").input("X_scale", "float32").input("x_zero_point", "T", Arity::optional).input("y_scale", "float32");
  s.input("y_zero_point", "T").output("Y", "T").types("T", {DType::int8, DType::uint8});
  s.attribute(with_default("axis", -1)).attribute(required(INT, "opset", at_least(1)));
}
}  // namespace
Operator q_linear_softmax() {
  return Operator("com.microsoft", "QLinearSoftmax")
      .summary("the softmax of quantized numbers, quantized again")
      .version(1, version_1)
      .reading(softmax_scale_reading(has_fraction))
      .reading(arithmetic_reading())
      .reading(any_scale_reading(has_unusual_scale))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_q_linear_softmax
