// SPDX-License-Identifier: Apache-2.0
#include "evaluators/elementwise.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "evaluators/element_rows.h"
#include "evaluators/elements.h"
#include "evaluators/move.h"
#include "evaluators/parts.h"
#include "exact/row_conversions.h"
#include "exact/rows.h"
#include "exact/storage.h"
#include "system/deadline.h"

namespace opref::evaluators {
namespace {

constexpr std::int64_t kRow = 1024;
constexpr std::int64_t kLongRow = 2048;  ///< of a single operation, which reads and writes its tensors themselves

/// Of a row whose numbers are all rounded.
constexpr std::array<std::int32_t, kRow> kInexact = [] {
  std::array<std::int32_t, kRow> ones{};
  ones.fill(1);
  return ones;
}();

/// Of estimates v ± e: where all numbers of one become the same integer, v is that and e is 0. Elsewhere e is infinite,
/// and v is 0; how many these are.
OPREF_CLONES size_t settle_integers(double* __restrict v, double* __restrict e, size_t n, bool to_nearest) {
  constexpr double kMost = 0x1p52;
  const auto whole = [to_nearest](double x) {
    const double size = std::abs(x), nearest = (size + kMost) - kMost, beyond = nearest > size ? 1.0 : 0.0;
    return std::copysign(to_nearest ? nearest : nearest - beyond, x);
  };
  OPREF_INDEPENDENT
  for (size_t k = 0; k < n; ++k) {
    const double low = whole(v[k] - e[k]), high = whole(v[k] + e[k]);
    const double is_one = low == high ? 1.0 : 0.0, is_small = std::abs(v[k]) + e[k] < kMost ? 1.0 : 0.0;
    v[k] = is_one * is_small > 0 ? low : 0.0;
    e[k] = is_one * is_small > 0 ? 0.0 : HUGE_VAL;
  }
  return n - static_cast<size_t>(std::count(e, e + n, 0.0));
}

/// Which of IntegerRows is for such integers.
template <class Unit>
constexpr size_t kPlaceOf = std::bit_width(sizeof(Unit)) - 1;
template <class Unit>
auto typed(IntegerRow row) {
  return [row](const void* f, const Unit* const* x, size_t n, Unit* y) {
    row(f, reinterpret_cast<const void* const*>(x), n, y);
  };
}

/// An operand at the positions of the output.
class Placed {
 public:
  Placed(const Operand& operand, const TensorType& type)
      : x_(operand.x), source_(operand.places), places_(type.shape, strides(operand, type.shape)) {}
  /// The elements at positions i to i + n: where they lie, or in `room`.
  template <class R>
  const R* row(std::int64_t i, std::int64_t n, R* room) const {
    return row_of(
        x_, [this](std::int64_t at) { return source_ ? source_(at) : places_.run(at); }, i, n, room);
  }
  /// The place of the one element at positions i to i + n, or -1.
  std::int64_t repeated(std::int64_t i, std::int64_t n) const {
    const Run run = source_ ? source_(i) : places_.run(i);
    return run.step == 0 && run.count >= n ? run.from : -1;
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
  bool is_wide() const { return x_.is_wide(); }

 private:
  static Dims strides(const Operand& operand, const Dims& to) {
    return operand.places ? strides_of(to) : broadcast_strides(operand.x.shape(), to);
  }
  std::int64_t at(std::int64_t i) const { return source_ ? source_(i).from : places_(i); }

  Elements x_;
  const Source& source_;
  Strided places_;
};

/// The output, its operands, and the formula.
class Elementwise {
 public:
  Elementwise(const Output& out, std::span<const Operand> operands, const ElementFormula& f)
      : out_(out), type_(out.type()), f_(f) {
    for (const Operand& operand : operands) operands_.emplace_back(operand, type_), types_.push_back(operand.x.dtype());
  }

  Tensor evaluate() const {
    const Kind kind = info(type_.dtype).kind;
    const bool is_float = kind == Kind::floating, is_ieee = is_float && info(type_.dtype).bits > 8;
    TensorBuilder y(type_, is_float && !is_ieee ? Content::zeros : Content::any);
    const auto all = [&](const auto& has) { return std::ranges::all_of(operands_, has); };
    const bool of_signed = all([](const Placed& x) { return x.kind() == Kind::signed_integer; });
    const bool of_unsigned =
        all([](const Placed& x) { return x.kind() == Kind::unsigned_integer || x.kind() == Kind::boolean; });
    const IntegerRows integer = of_signed ? f_.of_signed : of_unsigned ? f_.of_unsigned : IntegerRows{};
    if (is_single() && !out_.numerics().exact_only)
      in_float32(y.bytes());
    else if (integer[0] != nullptr && are_of_one_width())
      with_unit(types_[0], [&]<class Unit>(Unit) { by_own_integers<Unit>(integer[kPlaceOf<Unit>], y.bytes()); });
    else if (integer[0] != nullptr && !is_float)
      with_result([&]<class Unit>(Unit) { by_integers<Unit>(integer[kPlaceOf<std::uint64_t>], y.values<Unit>()); });
    else if (f_.ieee != nullptr && is_ieee)
      with_float(type_.dtype, [&]<class T>(T) { by_operation<T>(y.values<T>()); });
    else if (f_.ieee != nullptr)
      by_conversion(y.bytes());
    else if (f_.exact != nullptr && is_ieee)
      with_float(type_.dtype, [&]<class T>(T) {
        if constexpr (!std::is_same_v<T, double>)
          if (has_quick()) return by_quick<T>(y.values<T>());
        by_tiers<T>(y.values<T>());
      });
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
    if (!f_.is_sum && !f_.folds && f_.faithful != nullptr && sink.asks_for_bounds()) return tell_bounds(sink);
    if (!f_.is_sum) f_.exact == nullptr ? sink.exact() : sink.other();
    if (!f_.is_sum && !numerics.only) return zeros_of(type_);
    for_each_element(element_count(type_.shape), numerics, [&](std::int64_t i) {
      require_time();
      if (f_.is_sum && !sink.asks_for_terms(i)) return;
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

  Tensor tell_bounds(TermSink& sink) const {
    std::vector<OperandElement> x(operands_.size());
    for (std::int64_t i = 0; i < element_count(type_.shape); ++i) {
      if (!sink.asks_for_bound(i)) continue;
      require_time();
      for (size_t k = 0; k < x.size(); ++k) x[k] = operands_[k].element(i);
      sink.bound(i, f_.faithful(f_.formula, x.data()), range_of(f_.sign, x[0].number, f_.greatest));
    }
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
            : choose(typed<std::uint64_t>(
                         (kind == Kind::signed_integer ? f_.of_signed : f_.of_unsigned)[kPlaceOf<std::uint64_t>]),
                     std::uint64_t{0}, whole);
    for (const Placed& operand : operands_) sink.considers(operand.place(i));
    if (chosen < x.size()) sink.moves(operands_[chosen].place(i));
  }
  /// The formula of rows of at most kLongRow, folded over the operands where it folds.
  template <class R, class Row>
  void apply(Row row, const R* const* x, size_t n, R* y) const {
    if (!f_.folds) return row(f_.formula, x, n, y);
    if (operands_.size() == 1)
      return void(
          std::transform(x[0], x[0] + n, y, [](R a) { return a == a ? a : std::numeric_limits<R>::quiet_NaN(); }));
    row(f_.formula, x, n, y);
    std::array<R, kLongRow> so_far;
    for (size_t k = 2; k < operands_.size(); ++k) {
      std::copy_n(y, n, so_far.data());
      const R* pair[] = {so_far.data(), x[k]};
      row(f_.formula, pair, n, y);
    }
  }
  std::string place(std::int64_t i) const {
    return format("{} of {}", coordinates(i, type_.shape), out_.call().title());
  }

  /// Whether the formula is right in float32 itself.
  bool is_single() const {
    const DTypeInfo& y = info(type_.dtype);
    const bool is_number =
        y.kind == Kind::floating ? y.bits <= 32 : y.kind != Kind::boolean && y.bits <= 16 && saturates();
    return f_.single != nullptr && (f_.gives_truth ? y.kind == Kind::boolean : is_number) &&
           std::ranges::all_of(types_, is_in_float32) && f_.is_single(f_.formula, types_, type_.dtype);
  }
  void in_float32(std::span<std::byte> y) const {
    const auto count = [&](size_t n, bool is_float) {
      count_elements(out_.numerics(), is_float ? static_cast<std::int64_t>(n) : 0,
                     is_float ? 0 : static_cast<std::int64_t>(n));
    };
    if (f_.gives_truth)
      for_each_row<float, kLongRow>([&](std::int64_t first, size_t n, const float* const* x) {
        f_.single(f_.formula, x, n, &y[static_cast<size_t>(first)]);
        count(n, false);
      });
    else if (type_.dtype == DType::float32)
      for_each_row<float, kLongRow>([&](std::int64_t first, size_t n, const float* const* x) {
        apply(f_.single, x, n, as_units<float>(y).data() + first);
        count(n, true);
      });
    else
      for_each_row<float>([&](std::int64_t first, size_t n, const float* const* x) {
        std::array<float, kRow> results;
        apply(f_.single, x, n, results.data());
        put(results.data(), n, y, first);
        count(n, info(type_.dtype).kind == Kind::floating && info(type_.dtype).bits > 8);
      });
  }
  void put(const float* results, size_t n, std::span<std::byte> y, std::int64_t first) const {
    const DTypeInfo& type = info(type_.dtype);
    const bool is_float = type.kind == Kind::floating;
    if ((is_float && type.bits != 16) || type.bits < 8) return put_bits(results, n, y, first);
    with_elements_in_float32(type_.dtype, y.data(), [&]<class T>(const T*) {
      T* to = as_units<T>(y).data() + first;
      if constexpr (std::is_integral_v<T>)
        row_clamped(results, n, f_.result.nan_is_least ? static_cast<float>(std::numeric_limits<T>::min()) : 0.0F, to);
      else
        row_nearest(results, n, to);
    });
  }
  template <class R>
  void put_bits(const R* results, size_t n, std::span<std::byte> y, std::int64_t first) const {
    const int width = info(type_.dtype).bits;
    for (size_t k = 0; k < n; ++k)
      set_bits(y, width, first + static_cast<std::int64_t>(k),
               converted(Number::of(static_cast<double>(results[k])), type_.dtype, f_.result));
  }

  /// What is no number of a type with loops of its own: bool, integers and small floats of doubles.
  void by_conversion(std::span<std::byte> y) const {
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
        put_bits(results.data(), n, y, first);
      count_elements(out_.numerics(), 0, static_cast<std::int64_t>(n));
    });
  }
  /// Whether the result is an integer of whole bytes that takes whole numbers alone, and saturates.
  bool is_clamped() const {
    const DTypeInfo& type = info(type_.dtype);
    return type.kind != Kind::floating && (type.bits == 8 || type.bits == 16 || type.bits == 32) && saturates();
  }
  bool saturates() const { return f_.result.beyond == Conversion::Beyond::saturate; }
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
    const bool by_rows = f_.estimate != nullptr && f_.of_wholes == nullptr && !out_.numerics().exact_only;
    if (by_rows && f_.result.beyond != Conversion::Beyond::reject) return by_estimates(y);
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
  void by_estimates(std::span<std::byte> y) const {
    for_each_row<double>([&](std::int64_t first, size_t n, const double* const* x) {
      std::array<double, kRow + kRowSlack> v, e;
      f_.estimate(f_.formula, x, n, v.data(), e.data());
      each_wide(x, n, [&](size_t k) { e[k] = HUGE_VAL; });
      const size_t open = settle_integers(v.data(), e.data(), n, f_.result.fraction == Conversion::Fraction::nearest);
      if (is_clamped())
        with_result([&]<class Unit>(Unit) {
          clamp(std::span(v).first(n), as_units<Unit>(y).subspan(static_cast<size_t>(first)));
        });
      else
        put_bits(v.data(), n, y, first);
      for (size_t k = 0; open > 0 && k < n; ++k) {
        if (e[k] == 0) continue;
        require_time();
        const std::int64_t i = first + static_cast<std::int64_t>(k);
        set_bits(y, info(type_.dtype).bits, i, integer(elements(i), i));
      }
      count_elements(out_.numerics(), 0, static_cast<std::int64_t>(n));
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

  /// work(first, n, rows of the operands' numbers) for each row of the output, of at most `size`.
  template <class R, std::int64_t size = kRow, class Work>
  void for_each_row(const Work& work) const {
    for_each_part(element_count(type_.shape), size, out_.numerics(), [&](std::int64_t first, std::int64_t last) {
      constexpr size_t kSize = size + kRowSlack;
      const size_t count = operands_.size();
      const auto numbers = std::make_unique_for_overwrite<R[]>(count * kSize);
      std::vector<const R*> rows(count);
      std::vector<std::int64_t> repeated(count, -1);  // what fills the row
      for (std::int64_t i = first; i < last; i += size) {
        require_time();
        const std::int64_t n = std::min(size, last - i);
        for (size_t k = 0; k < count; ++k) {
          const std::int64_t at = operands_[k].repeated(i, n), before = std::exchange(repeated[k], at);
          if (at < 0 || at != before) rows[k] = operands_[k].row(i, n, &numbers[k * kSize]);
        }
        work(i, static_cast<size_t>(n), rows.data());
      }
    });
  }

  template <class T>
  void by_operation(std::span<T> y) const {
    for_each_row<double>([&](std::int64_t first, size_t n, const double* const* x) {
      T* to = y.data() + first;
      if constexpr (std::is_same_v<T, double>) {
        apply(f_.ieee, x, n, to);
      } else {
        std::array<double, kRow> results;
        apply(f_.ieee, x, n, results.data());
        row_nearest(results.data(), n, to);
      }
      count_elements(out_.numerics(), static_cast<std::int64_t>(n), 0);
    });
  }

  /// Whether they are integers or bool of one width, which the result has too, or a truth.
  bool are_of_one_width() const {
    const DTypeInfo &x = info(types_[0]), &y = info(type_.dtype);
    return std::ranges::all_of(types_, [&](DType type) { return info(type).bits == x.bits; }) && x.bits >= 8 &&
           (f_.gives_truth ? y.kind == Kind::boolean : y.kind != Kind::floating && y.bits == x.bits);
  }
  template <class Unit>
  void by_own_integers(IntegerRow row, std::span<std::byte> y) const {
    if constexpr (std::is_integral_v<Unit>)
      for_each_row<Unit, kLongRow>([&](std::int64_t first, size_t n, const Unit* const* x) {
        if (f_.gives_truth)
          row(f_.formula, reinterpret_cast<const void* const*>(x), n, &y[static_cast<size_t>(first)]);
        else
          apply(typed<Unit>(row), x, n, as_units<Unit>(y).data() + first);
        count_elements(out_.numerics(), 0, static_cast<std::int64_t>(n));
      });
  }
  /// Of integers of different widths.
  template <class Unit>
  void by_integers(IntegerRow row, std::span<Unit> y) const {
    for_each_row<std::uint64_t>([&](std::int64_t first, size_t n, const std::uint64_t* const* x) {
      std::array<std::uint64_t, kRow + kRowSlack> results;
      const auto put = [&](const auto* all) {
        std::transform(all, all + n, y.begin() + first, [](auto bits) { return static_cast<Unit>(bits); });
      };
      if (f_.gives_truth) {
        row(f_.formula, reinterpret_cast<const void* const*>(x), n, results.data());
        put(reinterpret_cast<const std::uint8_t*>(results.data()));
      } else {
        apply(typed<std::uint64_t>(row), x, n, results.data());
        put(results.data());
      }
      count_elements(out_.numerics(), 0, static_cast<std::int64_t>(n));
    });
  }

  /// By the exact tier.
  template <class T>
  T decide(std::int64_t i) const {
    require_time();
    const std::vector<OperandElement> at = elements(i);
    return decided<T>([&](size_t) { return f_.exact(f_.formula, at.data()); }, [&] { return place(i); });
  }

  template <class T>
  void by_tiers(std::span<T> y) const {
    for_each_row<double>([&](std::int64_t first, size_t n, const double* const* x) {
      const auto exact = [&](size_t k) { return decide<T>(first + static_cast<std::int64_t>(k)); };
      size_t doubts = n;
      if (!out_.numerics().exact_only) doubts = estimate(x, n, &y[static_cast<size_t>(first)], exact);
      if (doubts == n)
        for (size_t k = 0; k < n; ++k) y[static_cast<size_t>(first) + k] = exact(k);
      count_elements(out_.numerics(), static_cast<std::int64_t>(n - doubts), static_cast<std::int64_t>(doubts));
    });
  }

  /// Whether a quick tier comes first: of floats, all of the result's type.
  bool has_quick() const {
    return f_.quick != nullptr && f_.quick_scale < 1 && out_.numerics().quick != exact::QuickUse::none &&
           !out_.numerics().exact_only && are_of_one_float(types_, type_.dtype);
  }
  template <class T>
  void by_quick(std::span<T> y) const {
    for_each_row<float>([&](std::int64_t first, size_t n, const float* const* x) {
      T* to = y.data() + first;
      std::array<std::int32_t, kRow> doubts;
      size_t left = 0;
      if constexpr (std::is_same_v<T, float>) {
        left = f_.quick(f_.formula, x, n, f_.quick_scale, to, doubts.data());
        if (out_.numerics().quick == exact::QuickUse::alone) {
          for (size_t k = 0; k < n; ++k)
            if (doubts[k] != 0) to[k] = from_bits<float>(exact::kLeft);
          return;
        }
      } else {
        std::array<float, kRow> rounded;
        f_.quick(f_.formula, x, n, f_.quick_scale, rounded.data(), doubts.data());
        left = row_nearest_of_rounded(rounded.data(), kInexact.data(), n, to, doubts.data());
      }
      const size_t exact = left == 0 ? 0 : finish(first, n, x, doubts.data(), to);
      count_elements(out_.numerics(), static_cast<std::int64_t>(n - exact), static_cast<std::int64_t>(exact),
                     static_cast<std::int64_t>(n - left));
    });
  }
  /// The other tiers, of what is doubtful: side by side in rows of their own. Returns how many were left to the last
  /// one. Of one operand the same special number gives the same.
  template <class T>
  size_t finish(std::int64_t first, size_t n, const float* const* x, const std::int32_t* doubts, T* y) const {
    constexpr size_t kSize = kRow + kRowSlack;
    std::array<size_t, kRow> at;
    size_t count = 0;
    for (size_t k = 0; k < n; ++k)
      if (doubts[k] != 0) at[count++] = k;
    std::vector<double> numbers(operands_.size() * kSize);
    std::vector<const double*> rows;
    for (size_t operand = 0; operand < operands_.size(); ++operand) {
      double* row = &numbers[operand * kSize];
      for (size_t k = 0; k < count; ++k) row[k] = static_cast<double>(x[operand][at[k]]);
      rows.push_back(row);
    }
    std::array<T, kRow> results;
    std::array<std::optional<T>, 3> of_special;  // NaN, the infinities
    const auto exact = [&](size_t k) {
      const std::int64_t i = first + static_cast<std::int64_t>(at[k]);
      const double number = rows[0][k];
      if (operands_.size() > 1 || std::isfinite(number)) return decide<T>(i);
      std::optional<T>& y_of = of_special[number != number ? 0 : number > 0 ? 1 : 2];
      if (!y_of) y_of = decide<T>(i);
      return *y_of;
    };
    const size_t left = estimate(rows.data(), count, results.data(), exact);
    if (left == count)
      for (size_t k = 0; k < count; ++k) results[k] = exact(k);
    for (size_t k = 0; k < count; ++k) y[at[k]] = results[k];
    return left;
  }
  /// f(k) where an operand's number is perhaps no double.
  template <class F>
  void each_wide(const double* const* x, size_t n, const F& f) const {
    for (size_t operand = 0; operand < operands_.size(); ++operand)
      if (operands_[operand].is_wide())
        for (size_t k = 0; k < n; ++k)
          if (std::abs(x[operand][k]) >= 0x1p53) f(k);
  }
  /// Returns how many were left to `exact`.
  template <class Exact>
  size_t estimate(const double* const* x, size_t n, double* y, const Exact& exact) const {
    std::array<double, kRow> doubts;
    f_.pairs(f_.formula, x, n, y, doubts.data());
    each_wide(x, n, [&](size_t k) { doubts[k] = HUGE_VAL; });
    size_t left = 0;
    for (size_t k = 0; k < n; ++k) left += doubts[k] == 0 ? 0 : 1;
    for (size_t k = 0; left > 0 && left < n && k < n; ++k)
      if (doubts[k] != 0) y[k] = exact(k);
    return left;
  }
  template <class T, class Exact>
  size_t estimate(const double* const* x, size_t n, T* y, const Exact& exact) const {
    constexpr size_t kSize = kRow + kRowSlack;
    std::array<double, kSize> v, e;
    SettledRow<T, kRow> row;
    f_.estimate(f_.formula, x, n, v.data(), e.data());
    each_wide(x, n, [&](size_t k) { v[k] = e[k] = HUGE_VAL; });
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
  std::vector<DType> types_;  ///< of the operands
};

}  // namespace

Interval OperandElement::interval() const {
  if (!is_integer) return {number};
  const Whole::Wide size = whole < 0 ? -whole : whole;
  return Interval::of_integer(whole < 0, static_cast<std::uint64_t>(size));
}

Faithful OperandElement::faithful() const {
  if (!is_integer) return Faithful::input(number);
  return whole < 0 ? Faithful::whole(static_cast<std::int64_t>(whole))
                   : Faithful::whole(static_cast<std::uint64_t>(whole));
}

bool are_of_one_float(std::span<const DType> operands, DType result) {
  const DTypeInfo& type = info(operands[0]);
  return type.kind == Kind::floating && (type.bits == 32 || type.bits == 16) &&
         (result == type.dtype || result == DType::boolean) &&
         std::ranges::all_of(operands, [&](DType operand) { return operand == type.dtype; });
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
    sink->exact();
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
