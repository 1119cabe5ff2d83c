// SPDX-License-Identifier: Apache-2.0
// ai.onnx AffineGrid, version 20
// https://onnx.ai/onnx/operators/onnx__AffineGrid.html
#include "evaluators/weighted_sums.h"
#include "ops/operator_file.h"
#include "ops/shared/numbers.h"
#include "ops/shared/windows.h"
namespace opref::ops::onnx::file_affine_grid {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, theta] = call.type("theta");
  const Dims& stated = call.type("size").shape;
  require(stated == Dims{4} || stated == Dims{5}, "size has shape {}, but must be (N, C, H, W) or (N, C, D, H, W)",
          stated);
  const Dims size(call.integers("size"));
  const std::int64_t r = std::ssize(size) - 2;
  require(theta.size() == 3 && theta[1] == r && theta[2] == r + 1,
          "theta has shape {}, but size has {} elements: it must be (N, {}, {})", theta, size.size(), r, r + 1);
  require(size[0] == theta[0], "size is {}, but theta has shape {}: their N must be one", size, theta);
  require(all_positive(spatial(size)), "size is {}, but its spatial sizes must be > 0", size);
  return {TensorType{dtype, join(join(size.first(1), spatial(size)), Dims{r})}};
}

// grid[n, …, row] = Σ theta[n, row, j]·c_j + theta[n, row, r], the innermost coordinate c first
//   c of place i of L: align_corners -1 + 2i/(L - 1), else -1 + (2i + 1)/L
struct Grid {
  explicit Grid(const Call& call, const Dims& grid)
      : theta(call.input("theta")),
        L(grid.first(grid.size() - 1)),
        r(grid[grid.size() - 1]),
        aligned(call.flag("align_corners")),
        one(call.reads("affine_grid.one", "minus_one") ? -1
            : call.reads("affine_grid.one", "zero")    ? 0
                                                       : std::numeric_limits<double>::quiet_NaN()) {}

  bool is_one(size_t axis) const { return aligned && L[axis] == 1; }
  std::int64_t steps_of(size_t axis) const { return is_one(axis) ? 1 : aligned ? L[axis] - 1 : L[axis]; }
  std::int64_t twice_of(std::int64_t i) const { return 2 * i + (aligned ? 0 : 1); }
  /// c of place i as a quotient.
  template <class R>
  std::pair<R, R> coordinate(size_t axis, std::int64_t i) const {
    const std::int64_t steps = steps_of(axis);
    return {is_one(axis) ? R(one) : R::whole(twice_of(i) - steps), R::whole(steps)};
  }

  /// c as kernels compute it: first + i·step.
  Faithful computed(size_t axis, std::int64_t i) const {
    if (is_one(axis)) return one;
    const Faithful steps = Faithful::whole(steps_of(axis)), step = Faithful(2.0) / steps,
                   first = aligned ? Faithful(-1.0) : Faithful(1.0) / steps - Faithful(1.0);
    return first + Faithful::whole(i) * step;
  }
  Faithful computed_at(std::int64_t i, const Reader<Faithful>& x) const {
    const Dims at = coordinates(i / r, L);
    const std::int64_t row = (at[0] * r + i % r) * (r + 1);
    SumOf<Faithful> sum;
    sum.add(x(theta, row + r));
    for (std::int64_t j = 0; j < r; ++j) {
      const auto axis = static_cast<size_t>(r - j);
      sum.add(x(theta, row + j) * computed(axis, at[axis]));
    }
    return sum.total();
  }

  template <class R>
  R operator()(std::int64_t i, const Reader<R>& x) const {
    if constexpr (std::is_same_v<R, Faithful>)
      return computed_at(i, x);
    else
      return exactly(i, x);
  }
  template <class R>
  R exactly(std::int64_t i, const Reader<R>& x) const {
    const Dims at = coordinates(i / r, L);
    const std::int64_t row = (at[0] * r + i % r) * (r + 1);
    // Over one denominator, so that sums are exact.
    R sum = x.sum(x(theta, row + r)), denominator(1.0);
    for (std::int64_t j = 0; j < r; ++j) {
      const auto axis = static_cast<size_t>(r - j);
      const auto [place, n] = coordinate<R>(axis, at[axis]);
      if constexpr (std::is_same_v<R, Interval>) {
        const auto tell = [&](const std::string& name, const Interval& coordinate) { x.named(name, coordinate); };
        const std::string name = format("coordinate along axis {} of size", axis + 1);
        const std::int64_t steps = steps_of(axis), twice = twice_of(at[axis]);
        if (is_one(axis))
          tell(name, place);
        else
          tell_coordinate(name, Rational(twice - steps) / Rational(steps), in_float32(twice, steps), tell);
      }
      sum = sum * n + x(theta, row + j) * place * denominator;
      denominator = denominator * n;
    }
    return sum / denominator;
  }

  /// The same for rows: each c has the coordinates along its axis, the last number of a row of theta is itself.
  std::vector<CoordinateTerm> terms() const {
    std::vector<CoordinateTerm> all;
    for (std::int64_t j = 0; j < r; ++j) {
      const auto axis = static_cast<size_t>(r - j);
      CoordinateTerm& term = all.emplace_back(CoordinateTerm{axis - 1, {}});
      for (std::int64_t i = 0; i < L[axis]; ++i) {
        const auto [place, n] = coordinate<Bounded>(axis, i);
        term.weights.push_back(place / n);
      }
    }
    const auto last = static_cast<size_t>(r - 1);
    all.push_back({last, std::vector<Bounded>(static_cast<size_t>(L[last + 1]), 1.0)});
    return all;
  }

  static Rational in_float32(std::int64_t twice, std::int64_t steps) {
    return Rational::of_float32(-1.0F + static_cast<float>(twice) / static_cast<float>(steps));
  }

  Elements theta;
  Dims L;
  std::int64_t r;
  bool aligned;
  double one;
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& y = outs[0].type().shape;
  const Grid grid(call, y);
  const Dims places = y.first(y.size() - 1).without_first(1);
  return {real(outs[0], grid, {}, rows_of_coordinates(call.input("theta"), places, grid.terms()))};
}

bool has_one(const Call& call) {
  if (!call.flag("align_corners")) return false;
  if (!call.has_value("size")) return true;
  const std::vector<std::int64_t> size = call.integers("size");
  return std::find(size.begin() + 2, size.end(), 1) != size.end();
}

void version_20(OpSchema& s) {
  s.attribute(with_default("align_corners", 0, flag()))
      .input("theta", "T1", "the matrices, (N, 2, 3) or (N, 3, 4)")
      .input("size", "T2", "the sizes of the images that the grid is for, (N, C, H, W) or (N, C, D, H, W)")
      .output("grid", "T1", "places, (N, H, W, 2) or (N, D, H, W, 3)")
      .types("T1", types::floats | DType::bfloat16, "Constrain grid types to float tensors.")
      .types("T2", DType::int64, "Constrain size's type to int64 tensors.");
}
}  // namespace
Operator affine_grid() {
  return Operator("ai.onnx", "AffineGrid")
      .summary("places for GridSample: each place of an image, moved by an affine map")
      .version(20, version_20)
      .reading({.name = "affine_grid.one",
                .alternatives = {"minus_one: the only place along an axis is -1", "zero: it is 0", "nan: it is NaN"},
                .defaults = {{20, "minus_one"}},
                .reason = "onnx.reference; torch takes 0, the function's body has 0·Inf along H and W",
                .may_change_values = has_one})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_affine_grid
