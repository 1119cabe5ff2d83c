// SPDX-License-Identifier: Apache-2.0
// ai.onnx MaxRoiPool, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html
#include <cmath>

#include "core/error.h"
#include "families/move.h"
#include "families/select.h"
#include "ops/common/rational.h"
#include "ops/common/spatial.h"

namespace opref::ops::onnx {
namespace {

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  const Dims &rois = call.type("rois").shape, pooled(call.integers("pooled_shape"));
  require(x.size() == 4, "X has rank {}, but must be (N, C, H, W): rank 4", x.size());
  require(rois.size() == 2 && rois[1] == 5, "rois has shape {}, but must be (rois, 5)", rois);
  require(pooled.size() == 2, "attribute 'pooled_shape' is {}, but must have a height and a width", pooled);
  return {TensorType{dtype, join(Dims{rois[0], x[1]}, pooled)}};
}

// Caffe's Fast R-CNN, per axis, with [start, end] = round(corner·spatial_scale), halves away from zero, and
// e = max(end - start + 1, 1):  bin i of n is [start + floor(i·e/n), start + ceil((i + 1)·e/n)), as far as it lies in
// X.
class Bins {
 public:
  Bins(const Call& call, const Elements& rois)
      : rois_(rois),
        scale_(Rational::of(call.number("spatial_scale"))),
        x_(call.type("X").shape),
        pooled_(call.integers("pooled_shape")) {}

  struct Span {
    std::int64_t first, last;
  };
  /// Along axis 0, rows, or 1, columns.
  Span of(std::int64_t roi, size_t axis, std::int64_t i) const {
    const std::int64_t corner = roi * 5 + (axis == 0 ? 2 : 1), L = x_[axis + 2];
    const Rational start = scaled(corner), n(pooled_[axis]);
    const Rational e = std::max(scaled(corner + 2) - start + Rational(1), Rational(1));
    return {(start + (Rational(i) * e / n).floor()).clamped(0, L),
            (start + (Rational(i + 1) * e / n).ceil()).clamped(0, L)};
  }
  std::int64_t batch(std::int64_t roi) const { return static_cast<std::int64_t>(rois_.number(roi * 5)); }

 private:
  Rational scaled(std::int64_t at) const { return (Rational::of(rois_.number(at)) * scale_).rounded_away(); }

  const Elements& rois_;
  Rational scale_;
  Dims x_, pooled_;
};

void require_rois(const Call& call, const Elements& rois) {
  const Dims& shape = call.type("rois").shape;
  const std::int64_t N = call.type("X").shape[0], count = element_count(shape);
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = rois.number(i);
    require(std::isfinite(value), "rois{} is {}, but must be finite", coordinates(i, shape), value);
    require(i % 5 != 0 || (value >= 0 && value < static_cast<double>(N) && std::floor(value) == value),
            "rois{} is {}, but must name a batch of X, which has {}", coordinates(i, shape), value, N);
  }
}

// Y[roi, c, i, j] = the greatest X[batch, c, …] in bin (i, j);  of an empty bin +0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& X = call.input("X");
  const Elements rois(call.input("rois"));
  require_rois(call, rois);
  const Bins bins(call, rois);
  const Dims &x = X.shape(), &y = outs[0].type().shape;
  const Selection greatest(outs[0], X, Zeros::ordered, Extreme::greatest, Tie::first, [&](std::int64_t at, Best& best) {
    const auto [roi, c, i, j] = split(at, y[1], y[2], y[3]);
    const auto rows = bins.of(roi, 0, i), columns = bins.of(roi, 1, j);
    const std::int64_t plane = bins.batch(roi) * x[1] + c;
    for (std::int64_t row = rows.first; row < rows.last; ++row)
      for (std::int64_t column = columns.first; column < columns.last; ++column)
        best.consider((plane * x[2] + row) * x[3] + column);
  });
  return {move(outs[0], X, [&](std::int64_t i) { return Run{greatest(i)}; })};
}

void version_1(OpSchema& s) {
  s.attribute(required(INTS, "pooled_shape", at_least(1)))
      .attribute(with_default("spatial_scale", 1.0F))
      .input("X", "T", "the data, (N, C, H, W)")
      .input("rois", "T", "a batch and two corners each, (rois, 5): batch, x1, y1, x2, y2")
      .output("Y", "T", "the greatest elements of the bins, (rois, C, pooled_shape)")
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}

}  // namespace

Operator max_roi_pool() {
  return Operator("ai.onnx", "MaxRoiPool")
      .summary("the greatest element of each bin of each region of interest")
      .version(1, version_1)
      .version(22, adds("T", DType::bfloat16))
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"pooled_shape", "bins"}, {"spatial_scale", "scale"}});
}

}  // namespace opref::ops::onnx
