// SPDX-License-Identifier: Apache-2.0
#include "evaluators/elementwise.h"

#include <algorithm>
#include <array>

#include "evaluators/elements.h"
#include "evaluators/move.h"
#include "evaluators/parts.h"
#include "exact/rows.h"
#include "exact/storage.h"
#include "system/deadline.h"

namespace opref::evaluators {
namespace {

constexpr std::int64_t kRow = 1024;

void read(const Elements& x, const Run& run, double* to) { x.numbers(run, to); }
void read(const Elements& x, const Run& run, std::uint64_t* to) {
  x.integers(run, reinterpret_cast<std::int64_t*>(to));
}

/// An operand at the positions of the output.
class Placed {
 public:
  Placed(const Operand& operand, const TensorType& type)
      : x_(operand.x), source_(operand.places), places_(type.shape, strides(operand, type.shape)) {}
  /// to[k] = the element at position i + k
  template <class R>
  void row(std::int64_t i, std::int64_t n, R* to) const {
    for (std::int64_t k = 0; k < n;) {
      Run run = source_ ? source_(i + k) : places_.run(i + k);
      run.count = std::min(run.count, n - k);
      read(x_, run, to + k);
      k += run.count;
    }
  }
  Place place(std::int64_t i) const { return x_.place(at(i)); }
  OperandElement element(std::int64_t i) const {
    constexpr double kMost = 0x1p126;
    const std::int64_t from = at(i);
    OperandElement y{.number = x_.number(from), .is_integer = !x_.is_floating()};
    y.is_whole = y.is_integer || (y.number == std::trunc(y.number) && std::isfinite(y.number));
    if (y.is_whole)
      y.whole = y.is_integer ? x_.wide(from) : static_cast<Whole::Wide>(std::clamp(y.number, -kMost, kMost));
    return y;
  }
  Kind kind() const { return info(x_.dtype()).kind; }
  /// Whether some elements are no doubles.
  bool is_wide() const { return !x_.is_floating() && info(x_.dtype()).bits == 64; }

 private:
  static Dims strides(const Operand& operand, const Dims& to) {
    return operand.places ? strides_of(to) : broadcast_strides(operand.x.shape(), to);
  }
  std::int64_t at(std::int64_t i) const { return source_ ? source_(i).from : places_(i); }

  Elements x_;
  const Source& source_;
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
  Elementwise(const Output& out, std::span<const Operand> operands, const ElementFormula& f)
      : out_(out), type_(out.type()), f_(f) {
    for (const Operand& operand : operands) operands_.emplace_back(operand, type_);
  }

  Tensor evaluate() const {
    const Kind kind = info(type_.dtype).kind;
    const bool is_float = kind == Kind::floating, is_ieee = is_float && info(type_.dtype).bits > 8;
    TensorBuilder y(type_, is_float && !is_ieee ? Content::zeros : Content::any);
    const auto all = [&](const auto& has) { return std::ranges::all_of(operands_, has); };
    const bool of_signed = all([](const Placed& x) { return x.kind() == Kind::signed_integer; });
    const bool of_unsigned =
        all([](const Placed& x) { return x.kind() == Kind::unsigned_integer || x.kind() == Kind::boolean; });
    const auto integer = of_signed ? f_.of_signed : of_unsigned ? f_.of_unsigned : nullptr;
    if (integer != nullptr && !is_float)
      with_result([&]<class Unit>(Unit) { by_integers<Unit>(integer, y.values<Unit>()); });
    else if (f_.ieee != nullptr && is_ieee)
      with_float(type_.dtype, [&]<class T>(T) { by_operation<T>(y.values<T>()); });
    else if (f_.ieee != nullptr)
      by_conversion(y.bytes());
    else if (f_.exact != nullptr && is_ieee)
      with_float(type_.dtype, [&]<class T>(T) { by_tiers<T>(y.values<T>()); });
    else if ((f_.exact != nullptr || f_.of_wholes != nullptr) && !is_float)
      by_truncation(y.bytes());
    else
      fail(Fault::internal, "{} has no formula for {}", out_.call().title(), type_.dtype);
    return std::move(y).finish();
  }

  /// For bounds and `explain`.
  Tensor list_all() const {
    const Numerics& numerics = out_.numerics();
    TermSink& sink = *numerics.sink;
    if (!f_.is_sum) sink.other();
    if (!f_.is_sum && !numerics.only) return zeros_of(type_);
    for_each_element(element_count(type_.shape), numerics, [&](std::int64_t i) {
      require_time();
      if (f_.is_sum) sink.begin(i);
      const std::vector<OperandElement> x = elements(i);
      for (size_t k = 0; k < x.size(); ++k) {
        sink.reads(operands_[k].place(i));
        if (f_.is_sum) sink.add(x[k].number);
      }
      if (f_.is_sum) sink.end();
      if (f_.folds) tell_choice(sink, i, x);
      if (f_.exact != nullptr) tell_parts(sink, [&] { return f_.exact(f_.formula, x.data()); });
    });
    return zeros_of(type_);
  }

 private:
  std::vector<OperandElement> elements(std::int64_t i) const {
    std::vector<OperandElement> x;
    for (const Placed& operand : operands_) x.push_back(operand.element(i));
    return x;
  }
  template <class F>
  void with_result(const F& f) const {
    with_unit(type_.dtype, [&]<class Unit>(Unit unit) {
      if constexpr (std::is_integral_v<Unit>) f(unit);
    });
  }
  /// Of what folds to one of its operands: which.
  void tell_choice(TermSink& sink, std::int64_t i, const std::vector<OperandElement>& x) const {
    const auto choose = [&]<class R>(const auto& row, R, const auto& number) {
      std::vector<R> numbers;
      std::vector<const R*> rows;
      for (const OperandElement& operand : x) numbers.push_back(number(operand));
      for (const R& one : numbers) rows.push_back(&one);
      std::array<R, kRow + kRowSlack> result;
      apply(row, rows.data(), 1, result.data());
      const auto same = [&](R a) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(result[0]); };
      const auto found =
          std::ranges::find_if(numbers, [&](R a) { return same(a) || (a != a && result[0] != result[0]); });
      return static_cast<size_t>(found - numbers.begin());
    };
    const Kind kind = info(type_.dtype).kind;
    const auto whole = [](const OperandElement& operand) { return static_cast<std::uint64_t>(operand.whole); };
    const size_t chosen =
        kind == Kind::floating
            ? choose(f_.ieee, 0.0, [](const OperandElement& operand) { return operand.number; })
            : choose(kind == Kind::signed_integer ? f_.of_signed : f_.of_unsigned, std::uint64_t{0}, whole);
    for (const Placed& operand : operands_) sink.considers(operand.place(i));
    if (chosen < x.size()) sink.moves(operands_[chosen].place(i));
  }
  /// The formula of rows, folded over the operands where it folds.
  template <class R, class Row>
  void apply(Row row, const R* const* x, size_t n, R* y) const {
    if (!f_.folds) return row(f_.formula, x, n, y);
    std::array<R, kRow + kRowSlack> so_far;
    std::copy_n(x[0], n, y);
    for (size_t k = 1; k < operands_.size(); ++k) {
      std::copy_n(y, n, so_far.data());
      const R* pair[] = {so_far.data(), x[k]};
      row(f_.formula, pair, n, y);
    }
  }
  std::string place(std::int64_t i) const {
    return format("{} of {}", coordinates(i, type_.shape), out_.call().title());
  }

  /// What is no number of a type with loops of its own: bool, integers and small floats of doubles.
  void by_conversion(std::span<std::byte> y) const {
    const int width = info(type_.dtype).bits;
    for_each_row<double>([&](std::int64_t first, size_t n, const double* const* x) {
      std::array<double, kRow + kRowSlack> results;
      apply(f_.ieee, x, n, results.data());
      if (info(type_.dtype).kind == Kind::boolean)
        std::transform(results.data(), results.data() + n, y.begin() + first,
                       [](double truth) { return static_cast<std::byte>(truth != 0); });
      else if (is_clamped())
        with_result([&]<class Unit>(Unit) {
          clamp(std::span(results).first(n), as_units<Unit>(y).subspan(static_cast<size_t>(first)));
        });
      else
        for (size_t k = 0; k < n; ++k)
          set_bits(y, width, first + static_cast<std::int64_t>(k),
                   converted(Number::of(results[k]), type_.dtype, f_.result));
      count_elements(out_.numerics(), 0, static_cast<std::int64_t>(n));
    });
  }
  /// Whether the result is an integer of whole bytes that takes whole numbers alone, and saturates.
  bool is_clamped() const {
    const DTypeInfo& type = info(type_.dtype);
    return type.kind != Kind::floating && (type.bits == 8 || type.bits == 16 || type.bits == 32) &&
           f_.result.beyond == Conversion::Beyond::saturate;
  }
  template <class Unit>
  static std::span<Unit> as_units(std::span<std::byte> bytes) {
    return {reinterpret_cast<Unit*>(bytes.data()), bytes.size() / sizeof(Unit)};
  }
  template <class Unit>
  void clamp(std::span<const double> x, std::span<Unit> y) const {
    const DTypeInfo& type = info(type_.dtype);
    const bool is_signed = type.kind == Kind::signed_integer;
    const double end = std::ldexp(1.0, type.bits - is_signed), least = is_signed ? -end : 0, most = end - 1;
    const double of_nan = f_.result.nan_is_least ? least : 0;
    for (size_t k = 0; k < x.size(); ++k) {
      const double clamped = x[k] < least ? least : x[k] > most ? most : x[k];
      y[k] = static_cast<Unit>(static_cast<std::int64_t>(clamped == clamped ? clamped : of_nan));
    }
  }
  /// Integers of real numbers.
  void by_truncation(std::span<std::byte> y) const {
    const int width = info(type_.dtype).bits;
    const bool by_wholes = f_.of_wholes != nullptr && f_.result.beyond == Conversion::Beyond::low_bits;
    for_each_part(element_count(type_.shape), kRow, out_.numerics(), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        require_time();
        const std::vector<OperandElement> x = elements(i);
        const bool whole = by_wholes && std::ranges::all_of(x, &OperandElement::is_whole);
        set_bits(y, width, i, whole ? f_.of_wholes(f_.formula, x.data()) : integer(x, i));
      }
      count_elements(out_.numerics(), 0, last - first);
    });
  }
  /// By the estimate, where both its ends are one integer; few are so near to the next.
  std::optional<std::uint64_t> estimated_integer(const std::vector<OperandElement>& x) const {
    constexpr double kMost = 0x1p52;
    if (f_.estimate == nullptr || out_.numerics().exact_only) return std::nullopt;
    std::vector<double> numbers;
    for (const OperandElement& operand : x) {
      if (operand.is_integer && std::abs(operand.number) >= kMost) return std::nullopt;  // perhaps no double
      numbers.push_back(operand.number);
    }
    std::vector<const double*> rows;
    for (const double& number : numbers) rows.push_back(&number);
    double v = 0, e = 0;
    f_.estimate(f_.formula, rows.data(), 1, &v, &e);
    if (!(std::abs(v) + e < kMost)) return std::nullopt;
    const auto whole = [&](double end) {
      return f_.result.fraction == Conversion::Fraction::nearest ? std::nearbyint(end) : std::trunc(end);
    };
    const double low = whole(std::nextafter(v - e, -HUGE_VAL)), high = whole(std::nextafter(v + e, HUGE_VAL));
    if (low != high) return std::nullopt;
    return converted(Number::of(low), type_.dtype, f_.result);
  }
  std::uint64_t integer(const std::vector<OperandElement>& x, std::int64_t i) const {
    std::optional<std::uint64_t> bits;
    const auto decide = [&] {
      bits = estimated_integer(x);
      const auto exactly = [&] {
        bits = converted(f_.exact(f_.formula, x.data()), type_.dtype, f_.result);
        return bits.has_value();
      };
      if (!bits && !in_some_precision(exactly))
        fail(Fault::unsupported, "the number cannot be told with {} bits", static_cast<long>(kLastPrecision));
    };
    at_place([&] { return "in element " + coordinates_text(i); }, decide);
    return *bits;
  }
  std::string coordinates_text(std::int64_t i) const {
    return type_.shape.empty() ? "[]" : to_text(coordinates(i, type_.shape));
  }

  /// work(first, n, rows of the operands' numbers) for each row of the output.
  template <class R, class Work>
  void for_each_row(const Work& work) const {
    for_each_part(element_count(type_.shape), kRow, out_.numerics(), [&](std::int64_t first, std::int64_t last) {
      constexpr size_t kSize = kRow + kRowSlack;
      std::vector<R> numbers(operands_.size() * kSize);
      std::vector<const R*> rows;
      for (size_t k = 0; k < operands_.size(); ++k) rows.push_back(&numbers[k * kSize]);
      for (std::int64_t i = first; i < last; i += kRow) {
        require_time();
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
      apply(f_.ieee, x, n, results.data());
      std::transform(results.data(), results.data() + n, y.begin() + first, element_of<T>);
      count_elements(out_.numerics(), static_cast<std::int64_t>(n), 0);
    });
  }

  template <class Unit, class Integer>
  void by_integers(Integer row, std::span<Unit> y) const {
    for_each_row<std::uint64_t>([&](std::int64_t first, size_t n, const std::uint64_t* const* x) {
      std::array<std::uint64_t, kRow + kRowSlack> results;
      apply(row, x, n, results.data());
      std::transform(results.data(), results.data() + n, y.begin() + first,
                     [](std::uint64_t bits) { return static_cast<Unit>(bits); });
      count_elements(out_.numerics(), 0, static_cast<std::int64_t>(n));
    });
  }

  template <class T>
  void by_tiers(std::span<T> y) const {
    for_each_row<double>([&](std::int64_t first, size_t n, const double* const* x) {
      const auto exact = [&](size_t k) {
        const std::int64_t i = first + static_cast<std::int64_t>(k);
        require_time();
        const std::vector<OperandElement> at = elements(i);
        return decided<T>([&](size_t) { return f_.exact(f_.formula, at.data()); }, [&] { return place(i); });
      };
      size_t doubts = n;
      if constexpr (!std::is_same_v<T, double>)
        if (!out_.numerics().exact_only) doubts = estimate(x, n, &y[static_cast<size_t>(first)], exact);
      if (doubts == n)
        for (size_t k = 0; k < n; ++k) y[static_cast<size_t>(first) + k] = exact(k);
      count_elements(out_.numerics(), static_cast<std::int64_t>(n - doubts), static_cast<std::int64_t>(doubts));
    });
  }
  /// Returns how many were left to `exact`.
  template <class T, class Exact>
  size_t estimate(const double* const* x, size_t n, T* y, const Exact& exact) const {
    constexpr size_t kSize = kRow + kRowSlack;
    std::array<double, kSize> v, e;
    SettledRow<T, kRow> row;
    f_.estimate(f_.formula, x, n, v.data(), e.data());
    for (size_t operand = 0; operand < operands_.size(); ++operand)
      if (operands_[operand].is_wide())  // what is no double
        for (size_t k = 0; k < n; ++k)
          if (std::abs(x[operand][k]) >= 0x1p53) v[k] = e[k] = HUGE_VAL;
    const size_t doubts = row.settle(v.data(), e.data(), n);
    std::copy_n(row.y.data(), n, y);
    if (doubts == n) return n;
    for (size_t k = 0; doubts > 0 && k < n; ++k)
      if (row.is_open[k] != 0) y[k] = exact(k);
    return doubts;
  }

  const Output& out_;
  const TensorType& type_;
  const ElementFormula& f_;
  std::vector<Placed> operands_;
};

}  // namespace

Interval OperandElement::interval() const {
  if (!is_integer) return {number};
  const Whole::Wide size = whole < 0 ? -whole : whole;
  return Interval::of_integer(whole < 0, static_cast<std::uint64_t>(size));
}

void require_false(const Tensor& truths, std::string_view name, std::string_view rule) {
  const auto all = truths.values<std::uint8_t>();
  const auto at = std::ranges::find_if(all, [](std::uint8_t truth) { return truth != 0; });
  if (at != all.end())  // an empty array has no coordinates
    fail(Fault::invalid, "{}{} {}", name,
         truths.shape().empty() ? "" : to_text(coordinates(at - all.begin(), truths.shape())), rule);
}

Tensor elementwise(const Output& out, std::span<const Operand> operands, const ElementFormula& formula) {
  if (!out.wanted()) return {};
  const Elementwise work(out, operands, formula);
  return out.sink() != nullptr ? work.list_all() : work.evaluate();
}
Tensor elementwise(const Output& out, std::span<const Tensor> operands, const ElementFormula& formula) {
  std::vector<Operand> broadcast;
  for (const Tensor& operand : operands) broadcast.push_back({operand});
  return elementwise(out, broadcast, formula);
}

Tensor elementwise_of_texts(const Output& out, std::span<const Tensor> operands,
                            bool (*holds)(const std::string& a, const std::string& b)) {
  if (!out.wanted()) return {};
  const TensorType& type = out.type();
  const std::span a = operands[0].strings(), b = operands[1].strings();
  const Strided a_at(type.shape, broadcast_strides(operands[0].shape(), type.shape)),
      b_at(type.shape, broadcast_strides(operands[1].shape(), type.shape));
  if (TermSink* sink = out.sink()) {
    sink->other();
    for_each_element(out.only() ? a_at.count() : 0, out.numerics(), [&](std::int64_t i) {
      sink->reads({operands[0].identity(), a_at(i)}), sink->reads({operands[1].identity(), b_at(i)});
    });
    return zeros_of(type);
  }
  TensorBuilder y(type);
  const auto truths = y.values<std::uint8_t>();
  for_each_part(a_at.count(), kRow, out.numerics(), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      require_time();
      truths[static_cast<size_t>(i)] = holds(a[static_cast<size_t>(a_at(i))], b[static_cast<size_t>(b_at(i))]) ? 1 : 0;
    }
    count_elements(out.numerics(), 0, last - first);
  });
  return std::move(y).finish();
}

}  // namespace opref::evaluators
