// SPDX-License-Identifier: Apache-2.0
#include "families/elementwise.h"

#include <algorithm>
#include <array>

#include "exact/rows.h"
#include "exact/storage.h"
#include "families/elements.h"
#include "families/move.h"
#include "families/parts.h"

namespace opref::families {
namespace {

constexpr std::int64_t kRow = 1024;

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

/// The output, its operands, and the formula.
class Elementwise {
 public:
  Elementwise(const Call& call, const TensorType& type, std::span<const Tensor> operands, const ElementFormula& f)
      : call_(call), type_(type), f_(f) {
    for (const Tensor& operand : operands) operands_.emplace_back(operand, type);
  }

  Tensor evaluate() const {
    const Kind kind = info(type_.dtype).kind;
    const auto integer = kind == Kind::signed_integer ? f_.of_signed : f_.of_unsigned;
    TensorBuilder y(type_, Content::any);
    if (kind == Kind::floating)
      with_float(type_.dtype,
                 [&]<class T>(T) { f_.ieee != nullptr ? by_operation<T>(y.values<T>()) : by_tiers<T>(y.values<T>()); });
    else if (integer != nullptr)
      with_unit(type_.dtype, [&]<class Unit>(Unit) {
        if constexpr (std::is_integral_v<Unit>) by_integers<Unit>(integer, y.values<Unit>());
      });
    else
      fail(Fault::internal, "{} has no formula for {}", call_.title(), type_.dtype);
    return std::move(y).finish();
  }

  /// For bounds and `explain`.
  Tensor list_all() const {
    const Numerics& numerics = call_.numerics();
    TermSink& sink = *numerics.sink;
    if (!f_.is_sum) sink.other();
    if (!f_.is_sum && !numerics.only) return zeros_of(type_);
    for_each_element(element_count(type_.shape), numerics, [&](std::int64_t i) {
      if (f_.is_sum) sink.begin(i);
      std::vector<double> x(operands_.size());
      for (size_t k = 0; k < x.size(); ++k) {
        operands_[k].row(i, 1, &x[k]);
        sink.reads(operands_[k].place(i));
        if (f_.is_sum) sink.add(x[k]);
      }
      if (f_.is_sum) sink.end();
      if (f_.exact != nullptr) tell_parts(sink, [&] { return f_.exact(f_.formula, x.data()); });
    });
    return zeros_of(type_);
  }

 private:
  /// work(first, n, rows of the operands' numbers) for each row of the output.
  template <class R, class Work>
  void for_each_row(const Work& work) const {
    for_each_part(element_count(type_.shape), kRow, call_.numerics(), [&](std::int64_t first, std::int64_t last) {
      constexpr size_t kSize = kRow + kRowSlack;
      std::vector<R> numbers(operands_.size() * kSize);
      std::vector<const R*> rows;
      for (size_t k = 0; k < operands_.size(); ++k) rows.push_back(&numbers[k * kSize]);
      for (std::int64_t i = first; i < last; i += kRow) {
        const std::int64_t n = std::min(kRow, last - i);
        for (size_t k = 0; k < operands_.size(); ++k) operands_[k].row(i, n, &numbers[k * kSize]);
        work(i, static_cast<size_t>(n), rows.data());
      }
    });
  }

  template <class T>
  void by_operation(std::span<T> y) const {
    for_each_row<double>([&](std::int64_t first, size_t n, const double* const* x) {
      std::array<double, kRow + kRowSlack> results;
      f_.ieee(f_.formula, x, n, results.data());
      std::transform(results.data(), results.data() + n, y.begin() + first, element_of<T>);
      count_elements(call_.numerics(), static_cast<std::int64_t>(n), 0);
    });
  }

  template <class Unit, class Integer>
  void by_integers(Integer integer, std::span<Unit> y) const {
    for_each_row<std::uint64_t>([&](std::int64_t first, size_t n, const std::uint64_t* const* x) {
      std::array<std::uint64_t, kRow + kRowSlack> results;
      integer(f_.formula, x, n, results.data());
      std::transform(results.data(), results.data() + n, y.begin() + first,
                     [](std::uint64_t bits) { return static_cast<Unit>(bits); });
      count_elements(call_.numerics(), 0, static_cast<std::int64_t>(n));
    });
  }

  template <class T>
  void by_tiers(std::span<T> y) const {
    for_each_row<double>([&](std::int64_t first, size_t n, const double* const* x) {
      const auto exact = [&](size_t k) {
        std::vector<double> at(operands_.size());
        for (size_t operand = 0; operand < at.size(); ++operand) at[operand] = x[operand][k];
        return decided<T>([&](size_t) { return f_.exact(f_.formula, at.data()); },
                          [&] {
                            return format("{} of {}", coordinates(first + static_cast<std::int64_t>(k), type_.shape),
                                          call_.title());
                          });
      };
      size_t doubts = n;
      if constexpr (!std::is_same_v<T, double>)
        if (!call_.numerics().exact_only) doubts = estimate(x, n, &y[static_cast<size_t>(first)], exact);
      if (doubts == n)
        for (size_t k = 0; k < n; ++k) y[static_cast<size_t>(first) + k] = exact(k);
      count_elements(call_.numerics(), static_cast<std::int64_t>(n - doubts), static_cast<std::int64_t>(doubts));
    });
  }
  /// Returns how many were left to `exact`.
  template <class T, class Exact>
  size_t estimate(const double* const* x, size_t n, T* y, const Exact& exact) const {
    constexpr size_t kSize = kRow + kRowSlack;
    std::array<double, kSize> v, e;
    std::array<T, kSize> settled;
    std::array<std::uint64_t, kSize> undecided;
    f_.estimate(f_.formula, x, n, v.data(), e.data());
    const size_t doubts = settle_row(v.data(), e.data(), 1.0, n, settled.data(), undecided.data());
    const T minus_zero = encode<T>(true, 0, 0);
    for (size_t k = 0; k < n; ++k)
      y[k] = std::bit_cast<std::uint64_t>(v[k]) == sign_bit<double> ? minus_zero : settled[k];
    if (doubts == n) return n;
    for (size_t k = 0; doubts > 0 && k < n; ++k)
      if (undecided[k] != 0) y[k] = exact(k);
    return doubts;
  }

  const Call& call_;
  const TensorType& type_;
  const ElementFormula& f_;
  std::vector<Operand> operands_;
};

}  // namespace

Tensor elementwise(const Call& call, const TensorType& type, std::span<const Tensor> operands,
                   const ElementFormula& formula) {
  const Elementwise work(call, type, operands, formula);
  return call.numerics().sink != nullptr ? work.list_all() : work.evaluate();
}

}  // namespace opref::families
