// SPDX-License-Identifier: Apache-2.0
// Reductions over some axes, the place of the greatest or least element along one, sums up to each element.
#pragma once

#include "evaluators/convert.h"
#include "evaluators/programs.h"
#include "evaluators/running.h"
#include "evaluators/select.h"
#include "evaluators/strided.h"
#include "schema/operator.h"
namespace opref::ops {
// Reductions over some axes: which, and what is left.

/// `data` seen as kept × reduced axes: the elements that become element i of the output are, for each place p of
/// `reduced`, data[kept(i) + p].
struct Reduction {
  Dims shape;  ///< of the output
  Strided kept, reduced;
  bool is_noop;                  ///< nothing is reduced: by noop_with_empty_axes, or by a reading
  std::vector<bool> is_reduced;  ///< of each axis of data

  /// How many elements become one.
  std::int64_t count() const { return reduced.count(); }
  /// f(the place in data) of each element that becomes element i, in order.
  template <class F>
  void each(std::int64_t i, const F& f) const {
    reduced.each(kept(i), [&](const Run& run) {
      for (std::int64_t k = 0; k < run.count; ++k) f(run.from + k * run.step);
    });
  }
};

/// By the attribute or input `axes`, keepdims and, where the version has it, noop_with_empty_axes: an absent or empty
/// list means all axes.
Reduction reduction(const Call& call);

/// Of an input, over some axes.
Reduction reduction_over(const Call& call, std::string_view input, const std::vector<std::int64_t>& axes,
                         bool keepdims);

/// The input's element type, in the reduction's shape.
std::vector<ValueType> reduced_types(const Call& call);
/// The same where integers have no result of no elements, which is `invalid`.
std::vector<ValueType> reduced_types_of_some(const Call& call);
/// Whether the input has integers.
bool reduces_integers(const Call& call);

/// The elements themselves, where nothing is reduced.
Tensor unreduced(const Output& out, const Tensor& data);
/// The greatest or least element: NaN wins, +0 is above -0; of none ∓Inf, or the least or greatest number of the type.
std::vector<Value> reduced_to_extreme(const Call& call, std::span<const Output> outs, Extreme extreme);

/// reduce.duplicate_axes, which all reductions list.
Reading duplicate_axes_reading();

/// Versions 1, 11, 13 and 18 of a reduction, with the readings and output types that all have.
Operator reduction_operator(std::string_view op_type);
/// Of ReduceSum: version 13 has what 18 brings others.
Operator sum_operator(std::string_view op_type);
/// Of ReduceMax and ReduceMin: versions 12 and 20 too.
Operator extreme_operator(std::string_view op_type);

/// reduce.integer_transcendental, of integers whose result is a real number: until the version that takes them away.
Reading integer_transcendental_reading(std::optional<std::int64_t> until = {});
/// reduced_types, or an error where that reading refuses integers.
void require_transcendental(const Call& call);
/// Whether the elements are integers, of which the reading says that.
bool makes_integers(const Call& call, std::string_view option);

// Reductions to real numbers, of integers too.

/// The real numbers y(i, reader), of integers made integers by the reading.
template <class F>
Tensor reduced_numbers(const Output& out, const F& y) {
  if (makes_integers(out.call(), "float64"))
    return convert(out, real(out.inner({DType::float64, out.type().shape}), y));
  return real(out, [&, rounds = makes_integers(out.call(), "rounded")]<class R>(std::int64_t i, const Reader<R>& x) {
    const R number = y(i, x);
    if (!rounds) return number;
    return number + choose(
                        number < R(0.0), [] { return R(-0.5); }, [] { return R(0.5); });
  });
}

// ArgMax and ArgMin: where along an axis the greatest or least element lies.

/// The places along `axis`, of equal elements (-0 and +0 are equal) the first, or the last by select_last_index.
std::vector<Value> arg_extreme(const Call& call, std::span<const Output> outs, Extreme extreme);

/// Versions 1, 11, 12 and 13, their readings and output types.
Operator arg_operator(std::string_view op_type);

// CumSum and CumProd: what each element makes of those before it along an axis.

/// Inputs, output and attributes of the first version.
OpSchema& cumulative(OpSchema& s, const Types& types);
/// x's type; the axis is a scalar, one of x's.
std::vector<ValueType> cumulative_types(const Call& call);
/// By axis, exclusive and reverse.
Running running(const Call& call);
}  // namespace opref::ops
