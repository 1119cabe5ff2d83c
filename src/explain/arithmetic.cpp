// SPDX-License-Identifier: Apache-2.0
#include "explain/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "exact/exact_sum.h"
#include "exact/integer_sum.h"
#include "exact/root.h"
#include "exact/rounded_real.h"
#include "exact/storage.h"
#include "system/deadline.h"

namespace opref::explain {
namespace {

using Term = TermTable::Term;
using Terms = std::span<const Term>;

struct TooManyTerms {};

class Collector : public TermSink {
 public:
  Collector(TermTable& table, std::int64_t most) : table_(table), most_(static_cast<size_t>(most)) {}
  void norms(double p) override { table_.norm = p; }
  void rounds(const Integers& integers) override {
    using Rounding = Integers::Rounding;
    table_.to_nearest =
        integers.rounding == Rounding::nearest || integers.rounding == Rounding::nearest_with_zero_point;
  }
  void add(double x) override { add({x, 1, false}); }
  void add(double a, double b) override { add({a, b, true}); }
  void scale(const Ratio& ratio) override { table_.scales[table_.ends.size()] = ratio; }
  void end() override { table_.ends.push_back(table_.terms.size()); }

 private:
  void add(const Term& term) {
    require_time();
    if (table_.terms.size() == most_) throw TooManyTerms{};
    table_.terms.push_back(term);
  }

  TermTable& table_;
  size_t most_;
};

double rounded_to(DType dtype, double x) {
  return with_float(dtype, [x]<class T>(T) { return NarrowSum<T>::rounded(x); });
}

template <class T>
std::uint64_t bits_of(const RoundedReal& value, Arithmetic::Rounding rounding) {
  const double v = std::is_same_v<T, double> ? value.nearest : value.to_odd();
  const T nearest_one = value.round<T>();
  const std::uint64_t bits = to_bits(nearest_one);
  const double r = widen(nearest_one);
  if (std::isnan(v) || std::isinf(v)) return bits;
  const int outward = std::signbit(r) ? -1 : 1;
  if (rounding == Arithmetic::Rounding::toward_zero) {
    const bool too_far = std::abs(r) > std::abs(v) || (r == v && value.beyond == -outward);
    return too_far && r != 0 ? bits - 1 : bits;
  }
  if (rounding == Arithmetic::Rounding::ties_away && std::isfinite(r) && std::abs(v) > std::abs(r)) {
    const double next = widen(from_bits<T>(static_cast<BitsOf<T>>(bits + 1)));
    if (std::isfinite(next) && std::abs(next) - std::abs(v) == std::abs(v) - std::abs(r)) return bits + 1;
  }
  return bits;
}

double flushed(DType dtype, double x) {
  const double least = with_float(dtype, []<class T>(T) { return std::ldexp(1.0, Format<T>::min_exponent); });
  return std::abs(x) < least ? std::copysign(0.0, x) : x;
}

/// An integer result: clamped to the type.
std::uint64_t integer_bits(DType dtype, double value) {
  const DTypeInfo& type = info(dtype);
  const bool is_signed = type.kind == Kind::signed_integer;
  const double top = std::ldexp(1.0, is_signed ? type.bits - 1 : type.bits);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - type.bits);
  if (value >= top) return is_signed ? all >> 1 : all;
  if (is_signed && value < 0) return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::max(value, -top))) & all;
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

/// An integer that is carried in 32 bits: its low ones, signed.
double low_word(double x) { return static_cast<std::int32_t>(static_cast<std::int64_t>(std::fmod(x, 0x1p32))); }

/// Of a sum in an accumulator with `digits` digits.
double to_int32(double sum, int digits, Arithmetic::Int32 rule) {
  constexpr double kTop = 0x1p31;
  if (sum >= -kTop && sum < kTop) return std::trunc(sum);
  const bool too_large = sum >= kTop && rule == Arithmetic::Int32::clamped;
  return too_large ? std::trunc(kTop - std::ldexp(kTop, -digits)) : -kTop;
}

class Evaluation {
 public:
  Evaluation(const Arithmetic& way, const TermTable& table, DType output) : way_(way), table_(table), output_(output) {}

  std::uint64_t element(size_t index) {
    require_time();
    std::vector<Term> terms;
    if (const auto found = table_.scales.find(index);
        found != table_.scales.end() && way_.divide != Arithmetic::Divide::not_at_all)
      scale_ = found->second;
    if (way_.divide == Arithmetic::Divide::by_kernel) scale_ = {scale_.a, static_cast<double>(table_.order.taps)};
    for (Term term : table_.of(index)) {
      term.a = input(term.a);
      term.b = input(term.b);
      if (!way_.skips_nan || !std::isnan(term.a * term.b)) terms.push_back(term);
    }
    RoundedReal value = way_.before_bias ? RoundedReal{with_bias_apart(terms)} : value_of(terms);
    if (way_.through)
      value = with_float(*way_.through, [&]<class T>(T) { return RoundedReal{widen(value.round<T>())}; });
    if (way_.int32 != Arithmetic::Int32::no) {
      const int digits = with_float(*way_.accumulator, []<class T>(T) { return Format<T>::precision; });
      const auto word = static_cast<std::int64_t>(to_int32(value.nearest, digits, way_.int32));
      return static_cast<std::uint64_t>(word) & (~std::uint64_t{0} >> (64 - info(output_).bits));
    }
    if (info(output_).kind != Kind::floating) return integer_bits(output_, value.nearest);
    if (way_.flush == Arithmetic::Flush::results || way_.flush == Arithmetic::Flush::both)
      if (const double kept = flushed(output_, value.nearest); kept != value.nearest) value = {kept};
    return with_float(output_, [&]<class T>(T) { return bits_of<T>(value, way_.rounding); });
  }

 private:
  double input(double x) const {
    if (way_.int32 != Arithmetic::Int32::no) return rounded_to(*way_.accumulator, low_word(x));
    if (way_.inputs) x = rounded_to(*way_.inputs, x);
    const bool flushes = way_.flush == Arithmetic::Flush::inputs || way_.flush == Arithmetic::Flush::both;
    return flushes ? flushed(output_, x) : x;
  }

  RoundedReal value_of(Terms terms) const {
    return way_.accumulator ? RoundedReal{rounding_value(terms)} : exact_value(terms);
  }

  double with_bias_apart(std::vector<Term> terms) const {
    const auto biases =
        std::stable_partition(terms.begin(), terms.end(), [](const Term& term) { return term.is_product; });
    const RoundedReal products = value_of({terms.begin(), biases});
    return with_float(*way_.before_bias, [&]<class T>(T) {
      NarrowSum<T> sum;
      sum.add(widen(products.round<T>()));
      std::for_each(biases, terms.end(), [&](const Term& bias) { sum.add(bias.a); });
      return sum.value();
    });
  }

  RoundedReal exact_value(Terms terms) const {
    if (table_.norm) return exact_norm(terms);
    ExactSum sum;
    for (const Term& term : terms) sum.add(term.a, term.b);
    return scale_.is_one() ? RoundedReal::of(sum) : scaled(sum, scale_);
  }

  Ratio scale(size_t count) const {
    const auto n = static_cast<double>(std::max<size_t>(count, 1));
    if (way_.divide == Arithmetic::Divide::by_terms) return {1, n};
    if (way_.divide == Arithmetic::Divide::by_kernel) return {1, static_cast<double>(table_.order.taps)};
    return scale_.is_one() ? Ratio{} : Ratio{scale_.a, n};
  }

  /// What the power is taken of.
  double operand(double x) const { return way_.norm == Arithmetic::Norm::without_abs ? x : std::abs(x); }
  bool has_root() const { return *table_.norm != 1 && way_.norm != Arithmetic::Norm::without_root; }

  RoundedReal exact_norm(Terms terms) const {
    const double p = *table_.norm;
    std::vector<double> finite;
    double others = 0;  // the sum of the powers of what is not finite
    for (const Term& term : terms) {
      const double x = operand(term.a);
      if (std::isfinite(x))
        finite.push_back(x);
      else
        others += power<double>(x, p);
    }
    if (others != 0) return {has_root() ? root<double>(others, p) : others};
    return root_of_powers(finite, p, has_root() ? p : 1, scale(terms.size()));
  }

  double rounding_value(Terms terms) const {
    return with_float(*way_.accumulator, [&]<class A>(A) {
      if (table_.norm) return norm_in<A>(terms);
      return scaled_in<A>(way_.order == Arithmetic::Order::channels_then_taps ? by_taps<A>(terms) : in_order<A>(terms),
                          scale_);
    });
  }

  template <class A>
  double in_order(Terms terms) const {
    NarrowSum<A> sum(way_.fused, way_.operands);
    const bool bias_last = way_.order == Arithmetic::Order::bias_last || !table_.order.bias_first;
    const auto add = [&](bool products) {
      for (const Term& term : terms)
        if (term.is_product == products) products ? sum.add(term.a, term.b) : sum.add(term.a);
    };
    add(bias_last);
    add(!bias_last);
    return sum.value();
  }

  /// A matrix product over the channels for each tap, then the sum over the taps, then the bias.
  template <class A>
  double by_taps(Terms terms) const {
    std::vector<Term> products;
    std::ranges::copy_if(terms, std::back_inserter(products), &Term::is_product);
    const auto channels = static_cast<size_t>(table_.order.channels);
    const size_t taps = channels == 0 ? 0 : products.size() / channels;
    if (taps * channels != products.size()) return in_order<A>(terms);
    return with_float(way_.taps.value_or(*way_.accumulator), [&]<class Total>(Total) {
      NarrowSum<Total> total;
      for (size_t t = 0; t < taps; ++t) {
        NarrowSum<A> sum(way_.fused, way_.operands);
        for (size_t c = 0; c < channels; ++c) sum.add(products[c * taps + t].a, products[c * taps + t].b);
        total.add(sum.value());
      }
      for (const Term& term : terms)
        if (!term.is_product) total.add(term.a);
      return total.value();
    });
  }

  template <class A>
  static double scaled_in(double value, const Ratio& ratio) {
    if (ratio.a != 1) value = NarrowSum<A>::rounded(value * ratio.a);
    if (ratio.b != 1) value = NarrowSum<A>::rounded(value / ratio.b);
    return value;
  }

  template <class A>
  double norm_in(Terms terms) const {
    const auto round = [](double x) { return NarrowSum<A>::rounded(x); };
    const double p = *table_.norm;
    NarrowSum<A> sum(way_.fused);
    for (const Term& term : terms) {
      const double x = operand(term.a);
      if (p == 1)
        sum.add(x);
      else if (p == 2)
        sum.add(x, x);
      else
        sum.add(widen(power<A>(round(x), p)));
    }
    const double value = scaled_in<A>(sum.value(), scale(terms.size()));
    if (!has_root()) return value;
    if (way_.root == Arithmetic::Root::by_power) return widen(power<A>(value, round(1 / p)));
    return p == 2 ? round(std::sqrt(value)) : widen(root<A>(value, p));
  }

  const Arithmetic& way_;
  const TermTable& table_;
  DType output_;
  Ratio scale_;  ///< of the sum
};

/// In how many respects it differs from exact.
int parts(const Arithmetic& way) {
  return way.inputs.has_value() + way.accumulator.has_value() + way.through.has_value() + (way.fused != Fused::no) +
         (way.operands != Operands::rounded) + (way.order != Arithmetic::Order::as_defined) + way.taps.has_value() +
         way.before_bias.has_value() + (way.rounding != Arithmetic::Rounding::nearest) +
         (way.flush != Arithmetic::Flush::no) + way.skips_nan + (way.divide != Arithmetic::Divide::no) +
         (way.norm != Arithmetic::Norm::whole) + (way.root != Arithmetic::Root::rounded) +
         (way.int32 != Arithmetic::Int32::no) + way.saturates;
}

}  // namespace

namespace {

template <class Outputs>
std::optional<TermTable> collect(const Call& call, std::int64_t most, const Outputs& outputs) {
  TermTable table;
  Collector collector(table, most);
  try {
    call.op().kernel(call, outputs(collector));
  } catch (const TooManyTerms&) {
    return std::nullopt;
  }
  if (table.ends.empty()) return std::nullopt;
  table.order = call.op().order(call);
  return table;
}

}  // namespace

std::optional<TermTable> collect_terms(const Call& call, std::span<const ValueType> types, std::int64_t most,
                                       size_t output) {
  if (element_count(types[output].tensor.shape) > most) return std::nullopt;
  return collect(call, most, [&](TermSink& sink) { return output_of(call, types, output, sink); });
}

std::optional<TermTable> collect_terms(const Call& call, std::span<const ValueType> types, const Asked& asked,
                                       std::int64_t most) {
  return collect(call, most, [&](TermSink& sink) { return outputs_of(call, types, asked, &sink); });
}

std::uint64_t Arithmetic::element(const TermTable& table, size_t index, DType output) const {
  return Evaluation(*this, table, output).element(index);
}

bool changes_formula(const Arithmetic& way) {
  return way.skips_nan || way.divide != Arithmetic::Divide::no || way.norm != Arithmetic::Norm::whole;
}

int changes(const Arithmetic& way) {
  return parts(way) - (way.fused != Fused::no) - (way.order != Arithmetic::Order::as_defined);
}

bool says_anything(const Arithmetic& way, const TermTable& table) {
  const bool is_mean = !table.norm && !table.scales.empty();
  if (way.divide == Arithmetic::Divide::not_at_all && !is_mean) return false;
  if (way.divide == Arithmetic::Divide::by_kernel && !table.norm && (!is_mean || table.order.taps < 2)) return false;
  if (way.order == Arithmetic::Order::channels_then_taps &&
      (table.order.taps < 2 || (table.order.channels < 2 && !way.taps)))
    return false;
  const bool has_products = std::ranges::any_of(table.terms, &Term::is_product);
  const bool has_bias = has_products && !std::ranges::all_of(table.terms, &Term::is_product);
  if ((way.order == Arithmetic::Order::bias_last || way.before_bias) && !has_bias) return false;
  return way.fused == Fused::no || (table.norm ? *table.norm == 2 : has_products);
}

bool fusing_matters(const Arithmetic& way, const TermTable& table) {
  if (way.fused == Fused::no || !way.accumulator) return true;
  const auto input = [&](double x) { return way.inputs ? rounded_to(*way.inputs, x) : x; };
  return std::ranges::any_of(table.terms, [&](const Term& term) {
    const double a = input(term.a), b = table.norm ? a : input(term.b);
    const double product = a * b;
    return std::isfinite(product) &&
           (std::fma(a, b, -product) != 0 || rounded_to(*way.accumulator, product) != product);
  });
}

std::string to_text(const Arithmetic& way, const Wording& wording) {
  using A = Arithmetic;
  std::vector<std::string> texts;
  const auto add = [&texts](std::string text) { texts.push_back(std::move(text)); };
  if (way.inputs) add(format("inputs rounded to {}", *way.inputs));
  if (way.skips_nan) add("NaN dropped");
  if (way.flush == A::Flush::inputs) add("subnormal inputs flushed to zero");
  if (way.flush == A::Flush::both) add("subnormal numbers flushed to zero");
  if (way.accumulator && wording.integers) {
    add(format("integers added as {}", *way.accumulator));
  } else if (way.accumulator && !wording.orders) {
    add(format("{} accumulation{}", *way.accumulator, way.taps ? format(", then {}", *way.taps) : ""));
  } else if (way.accumulator) {
    const std::string order = way.taps ? format("over channels, then {} over taps", *way.taps)
                              : way.order == A::Order::channels_then_taps ? "over channels, then taps"
                                                                          : "in order";
    add(format("{} accumulation {}{}", *way.accumulator, order, way.fused == Fused::yes ? " with FMA" : ""));
  }
  if (way.operands == Operands::whole) add("inputs not rounded");
  if (way.operands == Operands::in_float32) add("each step in float32");
  if (way.order == A::Order::bias_last && wording.orders && !wording.integers) add("bias last");
  if (way.before_bias) add(format("rounded to {} before the bias is added", *way.before_bias));
  if (way.norm == A::Norm::without_abs) add("without absolute values");
  if (way.norm == A::Norm::without_root) add("without the root");
  if (way.root == A::Root::by_power) add("the root as a power of 1/p");
  if (way.divide == A::Divide::by_terms) add("divided by the window's number of elements");
  if (way.divide == A::Divide::by_kernel) add("divided by the kernel's size");
  if (way.divide == A::Divide::not_at_all) add("the sum not divided or scaled");
  if (way.through) add(format("{} {}", way.narrows ? "result rounded to" : "double rounding through", *way.through));
  if (way.saturates) add("integer overflow saturates");
  if (way.int32 != A::Int32::no) add("carried as int32");
  if (way.int32 == A::Int32::indefinite) add("-2^31 for too large sums");
  if (way.rounding == A::Rounding::toward_zero) add("truncated instead of rounded");
  if (way.rounding == A::Rounding::ties_away) add("ties rounded away from zero");
  if (way.flush == A::Flush::results) add("subnormal results flushed to zero");
  return join_text(texts, ", ");
}

std::vector<Arithmetic> known_arithmetic(DType output, std::optional<double> p) {
  using A = Arithmetic;
  std::vector<Arithmetic> ways;
  const bool floating = info(output).kind == Kind::floating;
  const bool has_power = p && *p != 1 && *p != 2;
  if (!floating && info(output).bits < 64) ways.push_back({.saturates = true});
  const auto add_one = [&](A way, A::Norm norm, A::Divide divide) {
    way.norm = norm;
    way.divide = divide;
    ways.push_back(way);
    if (!has_power || !way.accumulator || norm == A::Norm::without_root) return;
    way.root = A::Root::by_power;
    ways.push_back(way);
  };
  const auto add = [&](const A& way) {
    add_one(way, A::Norm::whole, A::Divide::no);
    if (!p) {
      add_one(way, A::Norm::whole, A::Divide::not_at_all);
      if (!way.accumulator) add_one(way, A::Norm::whole, A::Divide::by_kernel);  // else padding counted says it
      return;
    }
    for (const A::Norm norm : {A::Norm::without_abs, A::Norm::without_root}) add_one(way, norm, A::Divide::no);
    for (const A::Divide divide : {A::Divide::by_terms, A::Divide::by_kernel}) add_one(way, A::Norm::whole, divide);
  };
  if (floating) {
    add({});
    add({.skips_nan = true});
    for (const DType through : {DType::float32, DType::float64})
      if (info(through).bits > info(output).bits) add({.through = through});
    for (const A::Rounding rounding : {A::Rounding::toward_zero, A::Rounding::ties_away}) add({.rounding = rounding});
    for (const A::Flush flush : {A::Flush::inputs, A::Flush::results, A::Flush::both}) add({.flush = flush});
    if (!p) add({.before_bias = output});
  }
  for (const auto inputs : {std::optional<DType>(), std::optional(DType::bfloat16), std::optional(DType::float16),
                            std::optional(DType::float32)}) {
    if (inputs && (*inputs == output || !floating)) continue;
    if (inputs) add({.inputs = inputs}), add({.inputs = inputs, .through = inputs});
    for (const DType accumulator : {DType::float32, DType::float64, DType::float16, DType::bfloat16})
      for (const A::Order order : {A::Order::as_defined, A::Order::bias_last, A::Order::channels_then_taps})
        for (const Fused fused : {Fused::no, Fused::yes}) {
          if (p && order != A::Order::as_defined) continue;
          A way{.inputs = inputs, .accumulator = accumulator, .fused = fused, .order = order};
          add(way);
          if (order == A::Order::channels_then_taps && !inputs && floating && info(output).bits == 16 &&
              accumulator == DType::float32) {
            way.taps = output;
            add(way);
            way.taps.reset();
          }
          if (!p && !inputs && floating && order != A::Order::bias_last && info(accumulator).bits > info(output).bits) {
            way.before_bias = output;
            add(way);
            way.before_bias.reset();
          }
          if (!floating) {
            for (const A::Int32 rule : {A::Int32::clamped, A::Int32::indefinite}) {
              way.int32 = rule;
              if (info(accumulator).bits >= 32) add(way);
            }
            continue;
          }
          if (!p && !inputs && info(accumulator).bits == 16) {
            way.operands = Operands::whole;
            if (info(output).bits == 32) add(way);
            way.operands = Operands::in_float32;
            if (fused == Fused::no) add(way);
            way.operands = Operands::rounded;
          }
          way.skips_nan = true;
          add(way);
          way.skips_nan = false;
          way.flush = A::Flush::both;
          add(way);
          way.flush = A::Flush::no;
          way.rounding = A::Rounding::toward_zero;
          add(way);
          way.rounding = A::Rounding::nearest;
          way.through = inputs;
          if (inputs) add(way);
        }
  }
  if (floating)  // the last, because these overflow soonest: float16 makes an infinity of nearly anything large
    for (const DType through : {DType::float32, DType::bfloat16, DType::float16})
      if (through != output && info(through).bits <= info(output).bits) add({.through = through});
  for (A& way : ways) way.narrows = way.through && info(*way.through).bits <= info(output).bits;
  // An output of infinities alone comes out of nearly any formula: what rounds and overflows is likelier.
  std::ranges::stable_sort(ways, {}, [](const A& way) {
    const bool other = changes_formula(way);
    return std::pair(parts(way) + other, other);
  });
  return ways;
}

}  // namespace opref::explain
