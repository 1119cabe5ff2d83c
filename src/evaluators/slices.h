// SPDX-License-Identifier: Apache-2.0
// Y = f(X) over real numbers, slice by slice: the formula takes a Row and gives one.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "evaluators/real.h"
#include "evaluators/row.h"

namespace opref::evaluators {

/// Takes n numbers v ± e of a slice's result, the i-th and those after it, in order.
struct PartTaker {
  void* self;
  void (*take)(void* self, std::size_t i, std::size_t n, const double* v, const double* e);
};
/// The numbers of a slice's result by one precision.
class ExactRow {
 public:
  ExactRow() = default;
  ExactRow(const ExactRow&) = delete;
  ExactRow& operator=(const ExactRow&) = delete;
  virtual ~ExactRow() = default;
  virtual Interval operator[](std::size_t i) const = 0;
};
/// A formula of slices without its type: from a Row<R> the row of results.
struct SliceFormula {
  const void* formula = nullptr;
  void (*estimate)(const void*, Slice& x, const PartTaker& y) = nullptr;
  std::unique_ptr<ExactRow> (*exact)(const void*, Slice& x) = nullptr;
  /// Without arithmetic the result at a, of a slice whose greatest number is `most`, or NaN if one of them is; nothing
  /// where it takes arithmetic.
  std::optional<double> (*special)(const void*, double most, double a) = nullptr;
};
/// Y of `type` and of the shape of x, which is seen as (outer, n, inner), slice by slice along the middle. x is
/// float16, bfloat16, float32 or float64. An element that the highest precision leaves open is `unsupported`.
Tensor slices(const Output& out, const Tensor& x, std::int64_t outer, std::int64_t n, std::int64_t inner,
              const SliceFormula& formula);

template <class F>
__attribute__((flatten)) OPREF_CLONES void estimate_slice(const void* formula, Slice& x, const PartTaker& taker) {
  const auto y = (*static_cast<const F*>(formula))(Row<Bounded>(x));
  std::size_t i = 0;
  each_part(map(y, [](const Bounded& a) { return finish_estimate(F::sign, a, 1.0); }),
            [&](const Part& part, std::size_t n) { taker.take(taker.self, i, n, part.v, part.e), i += n; });
}
template <class Y>
class ExactResult : public ExactRow {
 public:
  explicit ExactResult(const Y& y) : y_(y) {}
  Interval operator[](std::size_t i) const override { return y_[i]; }

 private:
  Y y_;
};
template <class F>
std::unique_ptr<ExactRow> exact_slice(const void* formula, Slice& x) {
  const auto y = (*static_cast<const F*>(formula))(Row<Interval>(x));
  return std::make_unique<ExactResult<std::remove_const_t<decltype(y)>>>(y);
}
template <class F>
Tensor slices(const Output& out, const Tensor& x, std::int64_t outer, std::int64_t n, std::int64_t inner, const F& f) {
  SliceFormula formula{&f, estimate_slice<F>, exact_slice<F>};
  if constexpr (requires { f.special(0.0, 0.0); })
    formula.special = [](const void* own, double most, double a) {
      return static_cast<const F*>(own)->special(most, a);
    };
  return slices(out, x, outer, n, inner, formula);
}

}  // namespace opref::evaluators
