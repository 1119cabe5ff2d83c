// SPDX-License-Identifier: Apache-2.0
#include "evaluators/slices.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "evaluators/elements.h"
#include "evaluators/move.h"
#include "evaluators/parts.h"
#include "exact/rows.h"
#include "exact/storage.h"
#include "system/deadline.h"

namespace opref::evaluators {
namespace {

/// The operands, and the result and its parts in rising precision, of the only element, which lies in that slice.
void tell(const Numerics& numerics, const SliceFormula& formula, const Tensor& x, std::int64_t n, std::int64_t inner,
          std::int64_t slice) {
  const Elements elements(x);
  const std::int64_t from = slice / inner * n * inner + slice % inner;
  Slice row(elements, n);
  row.move_to(from, inner);
  for (std::int64_t k = 0; k < n; ++k) numerics.sink->reads(elements.place(from + k * inner));
  tell_parts(*numerics.sink, [&] {
    return (*formula.exact(formula.formula, row))[static_cast<size_t>((*numerics.only - from) / inner)];
  });
}

/// One thread's work on the slices of a tensor that is seen as (outer, n, inner).
template <class T>
class SliceWork {
 public:
  SliceWork(const Output& out, const SliceFormula& formula, const Tensor& x, std::int64_t n, std::int64_t inner, T* y)
      : out_(out), formula_(formula), shape_(x.shape()), n_(n), inner_(inner), y_(y), x_(Elements(x), n) {}

  void evaluate(std::int64_t slice) {
    require_time();
    from_ = slice / inner_ * n_ * inner_ + slice % inner_;
    x_.move_to(from_, inner_);
    if (std::is_same_v<T, double> || out_.numerics().exact_only)
      for (std::int64_t k = 0; k < n_; ++k) y_[from_ + k * inner_] = exactly(static_cast<size_t>(k));
    else
      formula_.estimate(formula_.formula, x_, {this, take});
    levels_.clear();
    most_.reset();
  }
  std::int64_t exact() const { return exact_; }

 private:
  static void take(void* self, size_t i, size_t n, const double* v, const double* e) {
    if constexpr (!std::is_same_v<T, double>) static_cast<SliceWork*>(self)->settle_part(i, n, v, e);
  }
  void settle_part(size_t i, size_t n, const double* v, const double* e) {
    require_time();
    const size_t doubts = settle_row(v, e, 1.0, n, settled_.data(), undecided_.data());
    for (size_t k = 0; doubts > 0 && k < n; ++k)
      if (undecided_[k] != 0) settled_[k] = exactly(i + k);
    T* to = y_ + from_ + static_cast<std::int64_t>(i) * inner_;
    for (size_t k = 0; k < n; ++k) to[static_cast<std::int64_t>(k) * inner_] = settled_[k];
  }
  T exactly(size_t k) {
    if (formula_.special != nullptr && !out_.numerics().exact_only)
      if (const std::optional<double> y = formula_.special(formula_.formula, most(), x_.number(k)))
        return nearest<T>(*y);
    ++exact_;
    const auto at = [&](size_t level) {
      if (level == levels_.size()) levels_.push_back(formula_.exact(formula_.formula, x_));
      return (*levels_[level])[k];
    };
    return decided<T>(at, [&] {
      return format("{} of {}", coordinates(from_ + static_cast<std::int64_t>(k) * inner_, shape_),
                    out_.call().title());
    });
  }

  /// The greatest number of the slice, or NaN if one is.
  double most() {
    if (most_) return *most_;
    most_ = -bounded::kInfinity;
    for (size_t k = 0; k < x_.size() && !std::isnan(*most_); ++k)
      if (!(x_.number(k) <= *most_)) most_ = x_.number(k);
    return *most_;
  }

  const Output& out_;
  const SliceFormula& formula_;
  Dims shape_;
  std::int64_t n_, inner_, from_ = 0, exact_ = 0;
  T* y_;
  Slice x_;
  std::array<T, Slice::kPart + kRowSlack> settled_;
  std::array<std::uint64_t, Slice::kPart + kRowSlack> undecided_;
  std::vector<std::unique_ptr<ExactRow>> levels_;  ///< of this slice, one a precision
  std::optional<double> most_;                     ///< of this slice, once it is asked for
};

}  // namespace

Tensor slices(const Output& out, const Tensor& x, std::int64_t outer, std::int64_t n, std::int64_t inner,
              const SliceFormula& formula) {
  constexpr std::int64_t kGrain = 4096;  // elements that a thread takes at once
  const TensorType& type = out.type();
  if (!out.wanted()) return {};
  if (TermSink* sink = out.sink()) sink->other();
  if (n == 0) return zeros_of(type);
  Numerics numerics = out.numerics();
  if (numerics.only) numerics.only = *numerics.only / (n * inner) * inner + *numerics.only % inner;
  if (numerics.sink != nullptr) {
    if (numerics.only) tell(out.numerics(), formula, x, n, inner, *numerics.only);
    return zeros_of(type);
  }
  TensorBuilder y(type, Content::any);
  with_float(type.dtype, [&]<class T>(T) {
    for_each_part(outer * inner, std::max<std::int64_t>(1, kGrain / n), numerics,
                  [&](std::int64_t first, std::int64_t last) {
                    SliceWork<T> work(out, formula, x, n, inner, y.values<T>().data());
                    for (std::int64_t slice = first; slice < last; ++slice) work.evaluate(slice);
                    count_elements(out.numerics(), (last - first) * n - work.exact(), work.exact());
                  });
  });
  return std::move(y).finish();
}

}  // namespace opref::evaluators
