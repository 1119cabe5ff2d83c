// SPDX-License-Identifier: Apache-2.0
#include "families/real.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "exact/rows.h"
#include "exact/storage.h"
#include "exact/term_sink.h"
#include "families/elements.h"
#include "families/move.h"
#include "families/parts.h"

namespace opref::families {
namespace {

constexpr std::int64_t kRow = 1024;

void count(const Numerics& numerics, std::int64_t estimated, std::int64_t exact) {
  if (numerics.stats == nullptr) return;
  numerics.stats->estimated += estimated;
  numerics.stats->exact += exact;
}

// Element by element.

void read(const Elements& x, const Run& run, double* to) { x.numbers(run, to); }
void read(const Elements& x, const Run& run, std::uint64_t* to) {
  x.integers(run, reinterpret_cast<std::int64_t*>(to));
}

/// An input at the positions of the output.
class Operand {
 public:
  Operand(const Tensor& x, const TensorType& type)
      : x_(x), places_(type.shape, broadcast_strides(x.shape(), type.shape)) {}
  /// to[k] = the element at position i + k
  template <class R>
  void row(std::int64_t i, std::int64_t n, R* to) const {
    for (std::int64_t k = 0; k < n;) {
      Run run = places_.run(i + k);
      run.count = std::min(run.count, n - k);
      read(x_, run, to + k);
      k += run.count;
    }
  }
  Place place(std::int64_t i) const { return x_.place(places_(i)); }

 private:
  Elements x_;
  Strided places_;
};

template <class T>
T element_of(double value) {
  return nearest<T>(value);
}
template <>
float element_of(double value) {
  return value == value ? static_cast<float>(value) : quiet_nan<float>();
}
template <>
double element_of(double value) {
  return value == value ? value : quiet_nan<double>();
}

/// y[i] = store(f(operands at i)), R being the formula's number, T the element.
template <class R, class T, class Apply, class Store>
void for_each_row(const Call& call, std::span<T> y, const std::vector<Operand>& operands, const Apply& apply,
                  const Store& store) {
  for_each_part(std::ssize(y), kRow, call.numerics(), [&](std::int64_t first, std::int64_t last) {
    constexpr size_t kSize = kRow + kRowSlack;
    std::vector<R> numbers((operands.size() + 1) * kSize);
    std::vector<const R*> rows;
    for (size_t k = 0; k < operands.size(); ++k) rows.push_back(&numbers[k * kSize]);
    R* results = &numbers[operands.size() * kSize];
    for (std::int64_t i = first; i < last; i += kRow) {
      const std::int64_t n = std::min(kRow, last - i);
      for (size_t k = 0; k < operands.size(); ++k) operands[k].row(i, n, &numbers[k * kSize]);
      apply(rows.data(), static_cast<size_t>(n), results);
      std::transform(results, results + n, y.begin() + i, store);
    }
    const bool is_integer = std::is_same_v<R, std::uint64_t>;
    count(call.numerics(), is_integer ? 0 : last - first, is_integer ? last - first : 0);
  });
}

Tensor list_all(const ElementFormula& f, const TensorType& type, const std::vector<Operand>& operands,
                const Numerics& numerics) {
  TermSink& sink = *numerics.sink;
  if (!f.is_sum) sink.other();
  if (!f.is_sum && !numerics.only) return zeros_of(type);
  for_each_element(element_count(type.shape), numerics, [&](std::int64_t i) {
    if (f.is_sum) sink.begin(i);
    for (const Operand& operand : operands) {
      double x = 0;
      operand.row(i, 1, &x);
      sink.reads(operand.place(i));
      if (f.is_sum) sink.add(x);
    }
    if (f.is_sum) sink.end();
  });
  return zeros_of(type);
}

// Slice by slice.

/// The operands, and the result and its parts in rising precision, of the only element, which lies in that slice.
void tell(const Numerics& numerics, const SliceFormula& formula, const Tensor& x, std::int64_t n, std::int64_t inner,
          std::int64_t slice) {
  const Elements elements(x);
  const std::int64_t from = slice / inner * n * inner + slice % inner;
  Slice row(elements, n);
  row.move_to(from, inner);
  for (std::int64_t k = 0; k < n; ++k) numerics.sink->reads(elements.place(from + k * inner));
  for (Ball::precision = 256; Ball::precision <= 4096; Ball::precision *= 4) {
    const auto y = formula.exact(formula.formula, row);
    numerics.sink->real("", (*y)[static_cast<size_t>((*numerics.only - from) / inner)]);
  }
}

/// One thread's work on the slices of a tensor that is seen as (outer, n, inner).
template <class T>
class SliceWork {
 public:
  SliceWork(const Call& call, const SliceFormula& formula, const Tensor& x, std::int64_t n, std::int64_t inner, T* y)
      : call_(call), formula_(formula), shape_(x.shape()), n_(n), inner_(inner), y_(y), x_(Elements(x), n) {}

  void evaluate(std::int64_t slice) {
    from_ = slice / inner_ * n_ * inner_ + slice % inner_;
    x_.move_to(from_, inner_);
    if (std::is_same_v<T, double> || call_.numerics().exact_only)
      for (std::int64_t k = 0; k < n_; ++k) y_[from_ + k * inner_] = decided(static_cast<size_t>(k));
    else
      formula_.estimate(formula_.formula, x_, {this, take});
    levels_.clear();
  }
  std::int64_t exact() const { return exact_; }

 private:
  static void take(void* self, size_t i, size_t n, const double* v, const double* e) {
    if constexpr (!std::is_same_v<T, double>) static_cast<SliceWork*>(self)->settle_part(i, n, v, e);
  }
  void settle_part(size_t i, size_t n, const double* v, const double* e) {
    const size_t doubts = settle_row(v, e, 1.0, n, settled_.data(), undecided_.data());
    for (size_t k = 0; doubts > 0 && k < n; ++k)
      if (undecided_[k] != 0) settled_[k] = decided(i + k);
    T* to = y_ + from_ + static_cast<std::int64_t>(i) * inner_;
    for (size_t k = 0; k < n; ++k) to[static_cast<std::int64_t>(k) * inner_] = settled_[k];
  }
  /// The element of the slice by rising precision.
  T decided(size_t k) {
    constexpr mpfr_prec_t kFirstPrecision = 96, kLastPrecision = 24576;
    ++exact_;
    T y{};
    size_t level = 0;
    for (mpfr_prec_t precision = kFirstPrecision; precision <= kLastPrecision; precision *= 2, ++level) {
      Ball::precision = precision;
      if (level == levels_.size()) levels_.push_back(formula_.exact(formula_.formula, x_));
      if (settle((*levels_[level])[k], y)) return y;
    }
    fail(Fault::unsupported, "element {} of {} cannot be told from a tie with {} bits",
         coordinates(from_ + static_cast<std::int64_t>(k) * inner_, shape_), call_.title(), kLastPrecision);
  }

  const Call& call_;
  const SliceFormula& formula_;
  Dims shape_;
  std::int64_t n_, inner_, from_ = 0, exact_ = 0;
  T* y_;
  Slice x_;
  std::array<T, Slice::kPart + kRowSlack> settled_;
  std::array<std::uint64_t, Slice::kPart + kRowSlack> undecided_;
  std::vector<std::unique_ptr<ExactRow>> levels_;  ///< of this slice, one a precision
};

}  // namespace

Tensor elementwise(const Call& call, const TensorType& type, std::span<const Tensor> operands,
                   const ElementFormula& f) {
  std::vector<Operand> at;
  for (const Tensor& operand : operands) at.emplace_back(operand, type);
  if (call.numerics().sink != nullptr) return list_all(f, type, at, call.numerics());
  TensorBuilder y(type, Content::any);
  if (info(type.dtype).kind == Kind::floating && f.ieee != nullptr)
    with_float(type.dtype, [&]<class T>(T) {
      for_each_row<double>(
          call, y.values<T>(), at, [&](auto x, size_t n, double* v) { f.ieee(f.formula, x, n, v); }, element_of<T>);
    });
  else if (info(type.dtype).kind != Kind::floating && f.integer != nullptr)
    with_unit(type.dtype, [&]<class Unit>(Unit) {
      if constexpr (std::is_integral_v<Unit>)
        for_each_row<std::uint64_t>(
            call, y.values<Unit>(), at, [&](auto x, size_t n, std::uint64_t* v) { f.integer(f.formula, x, n, v); },
            [](std::uint64_t v) { return static_cast<Unit>(v); });
    });
  else
    fail(Fault::internal, "{} has no formula for {}", call.title(), type.dtype);
  return std::move(y).finish();
}

Tensor slices(const Call& call, const TensorType& type, const Tensor& x, std::int64_t outer, std::int64_t n,
              std::int64_t inner, const SliceFormula& formula) {
  constexpr std::int64_t kGrain = 4096;  // elements that a thread takes at once
  if (TermSink* sink = call.numerics().sink) sink->other();
  if (n == 0) return zeros_of(type);
  Numerics numerics = call.numerics();
  if (numerics.only) numerics.only = *numerics.only / (n * inner) * inner + *numerics.only % inner;
  if (numerics.sink != nullptr) {
    if (numerics.only) tell(call.numerics(), formula, x, n, inner, *numerics.only);
    return zeros_of(type);
  }
  TensorBuilder y(type, Content::any);
  with_float(type.dtype, [&]<class T>(T) {
    for_each_part(outer * inner, std::max<std::int64_t>(1, kGrain / n), numerics,
                  [&](std::int64_t first, std::int64_t last) {
                    SliceWork<T> work(call, formula, x, n, inner, y.values<T>().data());
                    for (std::int64_t slice = first; slice < last; ++slice) work.evaluate(slice);
                    count(call.numerics(), (last - first) * n - work.exact(), work.exact());
                  });
  });
  return std::move(y).finish();
}

}  // namespace opref::families
