// SPDX-License-Identifier: Apache-2.0
#include "explain/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>

#include "compare/compare.h"
#include "compare/element_rule.h"
#include "compare/error_bound.h"
#include "core/nearly.h"
#include "exact/convert.h"
#include "exact/element_text.h"
#include "exact/real/steps.h"
#include "exact/rounding.h"
#include "exact/storage.h"
#include "explain/element.h"
#include "explain/evidence.h"

namespace opref::explain {
namespace {

constexpr std::int64_t kMostTerms = std::int64_t{1} << 21;
/// Elements that are looked at first: nearly all other arithmetic already differs there.
constexpr size_t kSample = 64;
/// Terms that all arithmetic together may look at.
constexpr std::int64_t kMostWork = std::int64_t{1} << 27;

std::optional<TermTable> terms_of(const Call& call, size_t output) {
  return Search::unless_refused([&] { return collect_terms(call, call.op().output_types(call), kMostTerms, output); });
}

bool is_same_element(const Tensor& a, std::int64_t i, const Tensor& b, std::int64_t k) {
  const bool has_parts = info(a.dtype()).bits > 64 || types::complexes.contains(a.dtype());
  if (has_parts || a.dtype() == DType::string) return element_text(a, i) == element_text(b, k);
  const std::uint64_t x = element_bits(a, i), y = element_bits(b, k);
  if (x == y) return true;
  // All NaN are one: what a machine makes of 0 times infinity may have a sign.
  return info(a.dtype()).kind == Kind::floating && std::isnan(floating_value(a.dtype(), x)) &&
         std::isnan(floating_value(b.dtype(), y));
}
bool is_same_element(const Tensor& a, const Tensor& b, std::int64_t k) { return is_same_element(a, k, b, k); }

/// Whether it is what many results become: NaN, an infinity, the greatest finite number, the least or the greatest
/// integer of the type or of 32 bits.
bool is_limit(const Tensor& tensor, std::int64_t k) {
  const DTypeInfo& type = info(tensor.dtype());
  if (type.bits > 64) return false;
  const std::uint64_t bits = element_bits(tensor, k);
  if (type.kind == Kind::floating && type.bits < 16) return !std::isfinite(floating_value(type.dtype, bits));
  if (type.kind == Kind::floating) {
    const double next = with_float(type.dtype, [&]<class T>(T) {
      return widen(from_bits<T>(static_cast<BitsOf<T>>(bits + 1)));  // away from 0
    });
    return !std::isfinite(floating_value(type.dtype, bits)) || std::isinf(next);
  }
  const std::uint64_t own = ~std::uint64_t{0} >> (64 - type.bits), word = own & 0xffffffff;
  if (type.kind == Kind::unsigned_integer) return bits == 0 || bits == own || bits == word;
  const auto is_end = [&](std::uint64_t most) { return bits == most || bits == (~most & own); };
  return type.kind == Kind::signed_integer && (is_end(own >> 1) || is_end(word >> 1));
}

/// The greatest finite magnitude of its elements.
double greatest(const Tensor& tensor) {
  double most = 0;
  for (std::int64_t k = 0; k < tensor.count(); ++k)
    if (const double x = std::abs(floating_element(tensor, k)); std::isfinite(x)) most = std::max(most, x);
  return most;
}

double power_of_ten(int exponent) { return std::strtod(format("1e{}", exponent).c_str(), nullptr); }
/// Of the greatest power of ten that is not above it.
int decimal_exponent(double x) {
  int exponent = 308;
  while (exponent > -308 && power_of_ten(exponent) > x) --exponent;
  return exponent;
}

/// Five of them.
double with_few_digits(double x) {
  if (x == 0) return 0;
  const double places = power_of_ten(4 - decimal_exponent(std::abs(x)));
  return std::nearbyint(x * places) / places;
}

/// Those beside 1 by their distance from it.
double near_one(double factor) {
  return std::abs(factor - 1) < 0.1 ? 1 + with_few_digits(factor - 1) : with_few_digits(factor);
}

bool has_one_value(const Tensor& tensor) {
  for (std::int64_t k = 1; k < tensor.count(); ++k)
    if (!is_same_element(tensor, 0, tensor, k)) return false;
  return true;
}

/// Hears of real numbers.
struct RealListener : TermSink {
  void real(std::string_view, const Interval&) override { heard = true; }
  bool heard = false;
};

/// Whether the first element that differs is no sum, but a function of real numbers.
bool is_real_function(const Call& call, size_t output, const Tensor& ours, const Tensor& theirs) {
  std::int64_t k = 0;
  while (k + 1 < ours.count() && is_same_element(ours, theirs, k)) ++k;
  const auto heard = Search::unless_refused([&]() -> std::optional<bool> {
    RealListener listener;
    call.op().kernel(call, outputs_of(call, types_with_shapes(call), {output, k}, &listener));
    return listener.heard;
  });
  return heard.value_or(false);
}

}  // namespace

Search::Search(std::span<const Tensor> actual, std::span<const size_t> places)
    : actual_(actual), places_(places.begin(), places.end()) {
  for (size_t i = places_.size(); i < actual.size(); ++i) places_.push_back(i);
}

std::optional<std::vector<Tensor>> Search::values_of(const Changed& changed) const {
  if (changed.computed) return std::vector{*changed.computed};
  return unless_refused([&]() -> std::optional<std::vector<Tensor>> {
    Call call = changed.call;
    if (changed.steps) call.set_numerics({.exact_only = true});
    const Steps steps(changed.steps);
    const std::vector<Value> values = call.op().kernel(call, call.op().output_types(call));
    std::vector<Value> given;
    for (const size_t place : places_) {
      if (place >= values.size()) return std::nullopt;
      given.push_back(values[place]);
    }
    std::vector<Tensor> tensors = tensors_of(given);
    if (changed.result) std::ranges::transform(tensors, tensors.begin(), changed.result);
    return tensors;
  });
}

bool Search::has_types(const Call& call) const {
  const std::vector<ValueType> types = types_with_shapes(call);
  return std::ranges::equal(places_, actual_, [&](size_t place, const Tensor& actual) {
    return place < types.size() && types[place].tensor == actual.type();
  });
}

void Search::probe_where_differs(const Changed& right) {
  constexpr std::int64_t kLeast = 1 << 12;  // else all elements are as quick
  if (std::ranges::all_of(actual_, [](const Tensor& tensor) { return tensor.count() < kLeast; })) return;
  if (const auto places = differences(right); places && !places->empty()) probe_ = places->front();
}

bool Search::is_refuted(const Changed& changed, std::span<const Tolerance> rules) const {
  if (!probe_ || changed.result || changed.steps || changed.computed) return false;
  const auto& [output, k] = *probe_;
  const auto fits = unless_refused([&]() -> std::optional<bool> {
    const Call& call = changed.call;
    const std::vector<ValueType> types = call.op().output_types(call);
    const std::vector<Value> values = call.op().kernel(call, outputs_of(call, types, {places_[output], k}, nullptr));
    const Tensor* ours = places_[output] < values.size() ? values[places_[output]].tensor() : nullptr;
    if (ours == nullptr || ours->type() != actual_[output].type()) return std::nullopt;
    return is_close(*ours, output, k, rules);
  });
  return fits.has_value() && !*fits;
}

bool Search::fits(const Changed& changed, std::span<const Tolerance> rules) const {
  if (is_refuted(changed, rules)) return false;
  const auto values = values_of(changed);
  if (!values) return false;
  for (size_t i = 0; i < actual_.size(); ++i)
    if (!compare_values(actual_[i], (*values)[i], rules.empty() ? Tolerance{} : rules[i]).equal()) return false;
  return true;
}

std::optional<std::int64_t> Search::few_left(const Changed& changed, std::span<const Tolerance> rules) const {
  constexpr std::int64_t kOneOf = 100, kSampled = 64;
  const auto values = values_of(changed);
  if (!values) return std::nullopt;
  for (size_t i = 0; i < actual_.size(); ++i) {  // most that have many left show it soon
    std::int64_t missed = 0;
    const std::int64_t step = std::max<std::int64_t>(1, actual_[i].count() / kSampled);
    for (std::int64_t k = 0; k < actual_[i].count(); k += step) missed += is_close(*values, i, k, rules) ? 0 : 1;
    if (missed > kSampled / 8) return std::nullopt;
  }
  std::int64_t left = 0, all = 0;
  for (size_t i = 0; i < actual_.size(); ++i) {
    left += compare_values(actual_[i], (*values)[i], rules[i]).mismatches;
    all += actual_[i].count();
  }
  return left * kOneOf <= all ? std::optional(left) : std::nullopt;
}

bool Search::is_idempotent(const Changed& changed) const {
  const auto holds = [&](const Tensor& tensor) {
    const DType step = *changed.steps;
    const bool is_narrower = is_floating(tensor.dtype()) && info(step).bits < info(tensor.dtype()).bits;
    for (std::int64_t k = 0; is_narrower && k < tensor.count(); ++k) {
      const double x = floating_element(tensor, k);
      if (!std::isnan(x) && with_float(step, [x]<class T>(T) { return widen(nearest<T>(x)); }) != x) return false;
    }
    return true;
  };
  if (changed.steps && !std::ranges::all_of(actual_, holds)) return false;
  return !changed.result || std::ranges::all_of(actual_, [&](const Tensor& tensor) {
    return compare_values(tensor, changed.result(tensor), Tolerance{}).equal();
  });
}

std::vector<Tolerance> Search::near_rules() const {
  std::vector<Tolerance> rules;
  for (const Tensor& actual : actual_) {
    const DTypeInfo& type = info(actual.dtype());
    Tolerance rule;
    if (type.kind == Kind::floating && type.bits <= 64) {
      constexpr double kShare = 0x1p-5;  // sums cancel, so each error is one of the greatest element
      rule = {.rule = Tolerance::Rule::relative, .rtol = kShare, .atol = greatest(actual) * kShare};
    }
    rules.push_back(rule);
  }
  return rules;
}

std::vector<Tolerance> Search::with_cancelling(std::span<const Tolerance> rules) const {
  std::vector<Tolerance> wider(rules.begin(), rules.end());
  for (size_t i = 0; i < wider.size(); ++i) {
    const DTypeInfo& type = info(actual_[i].dtype());
    if (wider[i].rule != Tolerance::Rule::relative || type.kind != Kind::floating || type.bits > 64) continue;
    const int exponent = decimal_exponent(wider[i].rtol * greatest(actual_[i]) / 10);
    wider[i].atol = std::max(wider[i].atol, power_of_ten(exponent));
  }
  return wider;
}

bool Search::is_near(const Changed& changed) const {
  if (near_rules_.empty()) near_rules_ = near_rules();
  const auto is_integer = [](const Tensor& tensor) {
    const Kind kind = info(tensor.dtype()).kind;
    return kind == Kind::signed_integer || kind == Kind::unsigned_integer;
  };
  if (std::ranges::none_of(actual_, is_integer) && is_refuted(changed, near_rules_)) return false;
  const auto values = values_of(changed);
  if (!values) return false;
  for (size_t i = 0; i < actual_.size(); ++i)
    if (!is_integer(actual_[i]) && !compare_values(actual_[i], (*values)[i], near_rules_[i]).equal()) return false;
  return true;
}

bool Search::explains_most(const Changed& changed, const Changed& right) const {
  struct Distance {
    double unbounded = 0;  ///< elements of which one alone is infinite or NaN, or both and not the same
    double sum = 0;        ///< of the others' absolute differences
    double relative = 0;   ///< of these by the greater magnitude of both
  };
  const auto distance = [this](const Changed& other) {
    Distance total;
    const auto values = values_of(other);
    if (!values) return Distance{INFINITY, INFINITY, INFINITY};
    for (size_t i = 0; i < actual_.size(); ++i) {
      const DTypeInfo& type = info(actual_[i].dtype());
      if (type.kind != Kind::floating || type.bits > 64) continue;
      for (std::int64_t k = 0; k < actual_[i].count(); ++k) {
        const double a = floating_element(actual_[i], k), b = floating_element((*values)[i], k),
                     apart = std::abs(a - b);
        if (std::isfinite(apart))
          total.sum += apart, total.relative += apart == 0 ? 0 : apart / std::max(std::abs(a), std::abs(b));
        else if (!is_same_element(actual_[i], (*values)[i], k))
          total.unbounded += 1;
      }
    }
    return total;
  };
  constexpr double kTimes = 8;
  const Distance before = distance(right), left = distance(changed);
  if (before.unbounded > 0) return left.unbounded * kTimes <= before.unbounded;
  return left.unbounded == 0 && (left.sum * kTimes <= before.sum || left.relative * kTimes <= before.relative);
}

Search::Ways Search::by_arithmetic(const Call& call, int made) {
  const Kind kind = info(dtype()).kind;
  const bool integer = kind == Kind::signed_integer || kind == Kind::unsigned_integer;
  if (actual_.size() != 1 || actual_[0].count() == 0 || (!integer && info(dtype()).bits < 16)) return {};
  const auto table = terms_of(call, places_.front());
  const auto values = values_of({"", call});
  if (!table || !values || table->to_nearest) return {};
  const std::vector<size_t> sample = sample_of(values->front());
  // One element cannot tell orders apart; of integers the type is what matters.
  const Wording wording{.integers = integer, .orders = sample.size() > 1};
  Ways found;
  std::array<std::optional<int>, 2> plainest;
  for (const Arithmetic& way : known_arithmetic(dtype(), table->norm)) {
    const bool other = changes_formula(way);
    std::vector<Way>& list = other ? found.formulas : found.rounding;
    std::optional<int>& least = plainest[other ? 1 : 0];
    const std::string text = to_text(way, wording);
    if (text.empty() || list.size() == kMostEqual || (least && changes(way) > *least)) continue;
    if (std::ranges::find(list, text, &Way::text) != list.end() || !says_anything(way, *table)) continue;
    if (!agrees(way, *table, sample) || !fusing_matters(way, *table)) continue;
    least = changes(way);
    list.push_back({text, way});
    if (gave_up()) break;
  }
  if (!found.rounding.empty() || !found.formulas.empty()) found.doubt = doubt_of(*table, *differences({"", call}));
  if (!found.doubt.empty() && made + plainest[0].value_or(0) >= kExotic) found.rounding.clear();
  if (!found.doubt.empty() && made + plainest[1].value_or(0) >= kExotic) found.formulas.clear();
  return found;
}

std::vector<Changed> Search::by_other_formulas(const Call& call) {
  const Kind kind = info(dtype()).kind;
  if (actual_.size() != 1 || kind != Kind::floating || info(dtype()).bits < 16) return {};
  const auto table = terms_of(call, places_.front());
  if (!table || static_cast<std::int64_t>(table->ends.size()) != actual_[0].count()) return {};
  std::vector<Changed> list;
  for (const Arithmetic& way : known_arithmetic(dtype(), table->norm)) {
    if (!changes_formula(way) || way.accumulator || changes(way) != 1 || !says_anything(way, *table)) continue;
    work_ += static_cast<std::int64_t>(table->terms.size());
    if (gave_up()) break;
    Changed changed{.name = "mistake " + to_text(way), .call = call, .kind = Cause::Kind::mistake};
    changed.computed = std::make_shared<const Tensor>(tensor_of_bits(
        actual_[0].type(), [&](std::int64_t i) { return way.element(*table, static_cast<size_t>(i), dtype()); }));
    list.push_back(std::move(changed));
  }
  return list;
}

bool Search::is_close(const std::vector<Tensor>& values, size_t output, std::int64_t k,
                      std::span<const Tolerance> rules) const {
  return is_close(values[output], output, k, rules);
}
bool Search::is_close(const Tensor& ours, size_t output, std::int64_t k, std::span<const Tolerance> rules) const {
  const Tensor& theirs = actual_[output];
  if (is_same_element(ours, theirs, k)) return true;
  if (rules.empty() || info(theirs.dtype()).bits > 64) return false;
  return compare::ElementRule(theirs.dtype(), ours.dtype(), rules[output])
      .judge(element_bits(theirs, k), element_bits(ours, k))
      .passes;
}

std::optional<Search::Places> Search::differences(const Changed& right, std::span<const Tolerance> rules) const {
  const auto values = values_of(right);
  if (!values) return std::nullopt;
  return places_where([&](size_t i, std::int64_t k) { return !is_close(*values, i, k, rules); });
}

Search::Places Search::all_places() const {
  return places_where([](size_t, std::int64_t) { return true; });
}

Search::Places Search::places_where(const std::function<bool(size_t, std::int64_t)>& differ) const {
  Places places;
  for (size_t i = 0; i < actual_.size(); ++i) {
    std::set<std::string> limits;
    const bool is_uniform = has_one_value(actual_[i]);
    for (std::int64_t k = 0; k < actual_[i].count() && places.size() <= Evidence::kMostElements; ++k) {
      if (!differ(i, k)) continue;
      const bool counts_once = is_uniform || is_limit(actual_[i], k);
      if (!counts_once || limits.insert(element_text(actual_[i], k)).second) places.emplace_back(i, k);
    }
  }
  return places;
}

std::string Search::doubt_of(const Places& places, std::span<const Changed> tried,
                             std::span<const Tolerance> rules) const {
  if (places.size() > Evidence::kMostElements) return "";
  std::vector<std::string> actual;
  for (const auto& [output, k] : places) actual.push_back(element_text(actual_[output], k));
  Evidence evidence(places.size());
  for (const Changed& changed : tried) {
    const auto values = values_of(changed);
    if (!values) continue;
    std::vector<std::string> rule;
    for (size_t i = 0; i < places.size(); ++i) {
      const auto& [output, k] = places[i];
      rule.push_back(is_close(*values, output, k, rules) ? actual[i] : element_text((*values)[output], k));
    }
    evidence.add(rule);
  }
  return evidence.doubt(actual);
}

std::optional<Search::Agreement> Search::agreement(const Changed& changed) const {
  const auto values = values_of(changed);
  if (!values) return std::nullopt;
  Agreement agreement;
  for (size_t i = 0; i < actual_.size(); ++i) {
    const Tensor &ours = (*values)[i], &theirs = actual_[i];
    agreement.elements += theirs.count();
    const std::int64_t others = compare_values(theirs, ours, Tolerance{}).mismatches;
    agreement.others += others;
    if (others == 0) continue;
    const bool floating = info(theirs.dtype()).kind == Kind::floating && info(theirs.dtype()).bits <= 64;
    for (std::int64_t k = 0; k < theirs.count() && agreement.others_are_nan; ++k)
      if (!floating || std::isnan(floating_element(theirs, k)) == std::isnan(floating_element(ours, k)))
        agreement.others_are_nan = floating && is_same_element(theirs, ours, k);
  }
  return agreement;
}

std::optional<Search::Nearness> Search::nearness(const Changed& changed) const {
  constexpr auto most_ulp = [](DType dtype) {
    return info(dtype).bits >= 32 ? 16 : dtype == DType::float16 ? 4 : dtype == DType::bfloat16 ? 2 : 0;
  };
  constexpr std::int64_t kTruncated = 8;
  const auto values = values_of(changed);
  if (!values) return std::nullopt;
  Nearness near;
  std::int64_t towards_zero = 0;
  bool is_real = false;
  for (size_t i = 0; i < actual_.size(); ++i) {
    const Tensor &ours = (*values)[i], &theirs = actual_[i];
    near.elements += theirs.count();
    const bool floating = info(theirs.dtype()).kind == Kind::floating && info(theirs.dtype()).bits >= 16;
    if (!floating) {
      if (!compare_values(theirs, ours, Tolerance{}).equal()) return std::nullopt;
      continue;
    }
    const double ulp = with_float(ours.dtype(), [&]<class T>(T) {
      return std::ldexp(1.0, std::ilogb(greatest(ours)) - Format<T>::precision + 1);
    });
    const std::int64_t limit = most_ulp(theirs.dtype()), before = near.differing;
    compare::ElementRule rule(theirs.dtype(), ours.dtype(), {.rule = Tolerance::Rule::ulp, .ulp = limit});
    for (std::int64_t k = 0; k < ours.count(); ++k) {
      if (is_same_element(ours, theirs, k)) continue;
      const double a = floating_element(theirs, k), b = floating_element(ours, k);
      if (!std::isfinite(a) || !std::isfinite(b)) return std::nullopt;
      ++near.differing;
      const auto judged = rule.judge(element_bits(theirs, k), element_bits(ours, k));
      const double distance = std::ceil(std::abs(a - b) / ulp);
      if (!judged.passes && distance > static_cast<double>(limit)) return std::nullopt;
      near.absolute = std::max(near.absolute, static_cast<std::uint64_t>(distance));
      near.left += judged.passes ? 0 : 1;
      const std::uint64_t steps = judged.passes ? judged.ulp.value_or(0) : 0;
      near.ulp = std::max(near.ulp, steps);
      towards_zero += steps == 1 && std::abs(a) < std::abs(b) ? 1 : 0;
    }
    if (near.differing == before) continue;
    if (!is_real) is_real = is_real_function(changed.call, places_[i], ours, theirs);
  }
  near.is_truncated = near.differing >= kTruncated && towards_zero == near.differing;
  return is_real && near.differing > 0 ? std::optional(near) : std::nullopt;
}

std::vector<Changed> Search::by_a_number(const Call& call) const {
  constexpr size_t kLeast = 16;
  const auto values = values_of({"", call});
  if (actual_.size() != 1 || !values || info(dtype()).kind != Kind::floating || info(dtype()).bits > 64) return {};
  const Tensor &right = values->front(), &actual = actual_[0];
  std::vector<double> factors, terms;
  const double most = greatest(right);
  for (std::int64_t i = 0; i < right.count(); ++i) {
    const double x = floating_element(right, i), y = floating_element(actual, i);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    terms.push_back(y - x);
    if (std::abs(x) * 64 > most) factors.push_back(y / x);
  }
  if (factors.size() < kLeast) return {};
  const auto median = [](std::vector<double>& numbers) {
    std::ranges::nth_element(numbers, numbers.begin() + std::ssize(numbers) / 2);
    return numbers[numbers.size() / 2];
  };
  const double factor = median(factors), term = median(terms);
  const auto changed = [&](std::string name, const std::function<double(double)>& f) {
    Changed change{.name = std::move(name), .call = call, .kind = Cause::Kind::mistake};
    change.computed = std::make_shared<const Tensor>(tensor_of_bits(right.type(), [&](std::int64_t i) {
      return converted(Number::of(f(floating_element(right, i))), dtype(), {});
    }));
    return change;
  };
  return {changed(format("mistake results times {}", near_one(factor)), [factor](double x) { return x * factor; }),
          changed(format("mistake {} added to results", with_few_digits(term)), [term](double x) { return x + term; })};
}

bool Search::errs_by_rows(const Changed& changed, const Call& right) const {
  constexpr std::int64_t kLeastRow = 8, kLeastRows = 8;
  constexpr double kApart = 8, kAlong = 0.9;
  const auto exact = values_of({"", right}), wrong = values_of(changed);
  if (actual_.size() != 1 || !exact || !wrong || actual_[0].shape().empty()) return false;
  const Tensor& actual = actual_[0];
  if (info(dtype()).kind != Kind::floating || info(dtype()).bits < 32 || info(dtype()).bits > 64) return false;
  const std::int64_t n = actual.shape()[actual.shape().size() - 1], rows = n == 0 ? 0 : actual.count() / n;
  if (n < kLeastRow || rows < kLeastRows) return false;
  double ours = 0, theirs = 0, along = 0;
  std::int64_t above = 0, below = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    double a = 0, b = 0, both = 0, outward = 0;
    for (std::int64_t i = row * n; i < (row + 1) * n; ++i) {
      const double y = floating_element(exact->front(), i), p = floating_element(actual, i) - y,
                   q = floating_element(wrong->front(), i) - y;
      if (!std::isfinite(p) || !std::isfinite(q)) return false;
      a += p * p, b += q * q, both += p * q, outward += q * y;
    }
    ours += b, theirs += a;
    if (a > 0 && b > 0) along += both * both / b;  // the part of a that is a multiple of the row
    above += outward > 0 ? 1 : 0, below += outward < 0 ? 1 : 0;
  }
  return along >= kAlong * kAlong * theirs && std::min(above, below) * 8 >= rows && theirs <= kApart * kApart * ours &&
         ours <= kApart * kApart * theirs;
}

std::optional<double> Search::error_in_ulp_of_one(const Changed& right) const {
  const auto values = values_of(right);
  if (actual_.size() != 1 || !values || info(dtype()).kind != Kind::floating || info(dtype()).bits > 64) return {};
  constexpr std::int64_t kMany = 32;
  std::int64_t differing = 0;
  double most = 0;
  for (std::int64_t i = 0; i < actual_[0].count(); ++i) {
    if (is_same_element(values->front(), actual_[0], i)) continue;
    ++differing;
    const double error = std::abs(floating_element(actual_[0], i) - floating_element(values->front(), i));
    if (!std::isfinite(error)) return {};
    most = std::max(most, error);
  }
  if (differing < kMany || !is_real_function(right.call, places_.front(), values->front(), actual_[0])) return {};
  return std::ldexp(most, precision_of(dtype()) - 1);
}

std::optional<int> Search::correct_bits(const Changed& right) const {
  constexpr std::int64_t kLeast = 32;
  constexpr double kMostApart = 64, kMost = 0x1p-4;
  const auto values = values_of(right);
  if (actual_.size() != 1 || !values || info(dtype()).kind != Kind::floating || info(dtype()).bits > 64) return {};
  std::vector<double> errors;
  for (std::int64_t i = 0; i < actual_[0].count(); ++i) {
    const double x = floating_element(values->front(), i), y = floating_element(actual_[0], i);
    if (is_same_element(values->front(), actual_[0], i)) continue;
    if (!std::isfinite(x) || !std::isfinite(y) || x == 0) return {};
    errors.push_back(std::abs(y / x - 1));
  }
  if (std::ssize(errors) < kLeast || std::ssize(errors) * 2 < actual_[0].count()) return {};
  std::ranges::sort(errors);
  const double greatest_one = errors.back(), middle = errors[errors.size() / 2];
  if (greatest_one > kMost || greatest_one > kMostApart * middle) return {};
  if (!is_real_function(right.call, places_.front(), values->front(), actual_[0])) return {};
  return -std::ilogb(greatest_one) - 1;
}

std::vector<Layout> Search::layouts(const Call& call, std::span<const Tolerance> rules) const {
  const auto values = values_of({"", call});
  if (!values) return {};
  std::optional<size_t> differing;
  std::vector<std::optional<compare::ElementRule>> judges(actual_.size());
  for (size_t i = 0; i < rules.size(); ++i)
    if (info(actual_[i].dtype()).bits <= 64) judges[i].emplace(actual_[i].dtype(), (*values)[i].dtype(), rules[i]);
  const auto same = [&](size_t output, std::int64_t i, std::int64_t k) {
    const Tensor &ours = (*values)[output], &theirs = actual_[output];
    if (is_same_element(ours, i, theirs, k)) return true;
    return judges[output] && judges[output]->judge(element_bits(theirs, k), element_bits(ours, i)).passes;
  };
  const auto is_right = [&](size_t output) {
    if ((*values)[output].type() != actual_[output].type()) return false;
    for (std::int64_t k = 0; k < actual_[output].count(); ++k)
      if (!same(output, k, k)) return false;
    return true;
  };
  for (size_t i = 0; i < actual_.size(); ++i) {
    if (is_right(i)) continue;
    if (differing) return {};
    differing = i;
  }
  if (!differing) return {};
  return explain::layouts((*values)[*differing], actual_[*differing],
                          [&](std::int64_t i, std::int64_t k) { return same(*differing, i, k); });
}

bool Search::within_bound(const Call& call, DType accumulator, DType carried) {
  const auto table = terms_of(call, places_.front());
  if (actual_.size() != 1 || !table || !table->scales.empty()) return false;
  const double p = table->norm.value_or(0);
  if (p > 2 || p != std::floor(p)) return false;
  ErrorBound bound({.accumulator = accumulator}, carried);
  MagnitudeSum terms;
  for (size_t i = 0; i < table->ends.size(); ++i) {
    terms.clear();
    for (const TermTable::Term& term : table->of(i))
      p == 2 ? terms.add(term.a, term.a) : terms.add(p == 1 ? std::abs(term.a) : term.a, term.b);
    work_ += static_cast<std::int64_t>(terms.terms()) + 1;
    if (gave_up() || !bound.no_bound(terms).empty()) return false;
    if (terms.finite() && bound.may_overflow(terms)) return false;
    const double actual = floating_element(actual_[0], static_cast<std::int64_t>(i));
    if (!(p == 2 ? bound.judge_root(terms, actual) : bound.judge_sum(terms, actual)).passes) return false;
  }
  return !table->ends.empty();
}

bool Search::errs_like_sums(const Call& call, DType accumulator) {
  constexpr std::int64_t kLeast = 32;
  constexpr double kApart = 8;
  const auto table = terms_of(call, places_.front());
  const auto right = values_of({"", call});
  const std::int64_t count = actual_[0].count();
  if (actual_.size() != 1 || !table || !right || count < kLeast || std::ssize(table->ends) != count) return false;
  work_ += std::ssize(table->terms);
  if (gave_up()) return false;
  const Arithmetic way{.inputs = accumulator, .accumulator = accumulator};
  std::vector<double> errors;
  double squares = 0, usual = 0, sum = 0, sizes = 0, products = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double exact = floating_element(right->front(), i), error = floating_element(actual_[0], i) - exact,
                 of_sums = floating_value(dtype(), way.element(*table, static_cast<size_t>(i), dtype())) - exact;
    if (!std::isfinite(error) || !std::isfinite(of_sums)) return false;
    errors.push_back(error);
    squares += error * error, usual += of_sums * of_sums, sum += error;
    sizes += exact * exact, products += exact * error;
  }
  // What errors in disorder may have in common with a constant, with the elements, and with their neighbours.
  const double n = nearly(count), most = 0.25 + 4 / std::sqrt(n);
  if (std::abs(sum) > most * std::sqrt(squares * n) || std::abs(products) > most * std::sqrt(squares * sizes))
    return false;
  std::int64_t stride = 1;
  const Dims& shape = actual_[0].shape();
  for (size_t axis = shape.size(); axis-- > 0;) {
    const std::int64_t size = shape[axis];
    double neighbours = 0;
    for (std::int64_t i = 0; i < count; ++i)
      if (i / stride % size > 0) neighbours += errors[static_cast<size_t>(i)] * errors[static_cast<size_t>(i - stride)];
    if (std::abs(neighbours) > most * squares) return false;
    stride *= size;
  }
  return squares <= usual * kApart * kApart && usual <= squares * kApart * kApart;
}

bool Search::gave_up() const { return work_ > kMostWork; }

std::string Search::doubt_of(const TermTable& table, const Places& places) {
  if (places.size() > Evidence::kMostElements) return "";
  Evidence evidence(places.size());
  for (const Arithmetic& way : known_arithmetic(dtype(), table.norm)) {
    if (gave_up() || to_text(way).empty() || !says_anything(way, table)) continue;
    std::vector<std::string> rule;
    for (const auto& [output, k] : places) {
      const auto i = static_cast<size_t>(k);
      work_ += static_cast<std::int64_t>(table.of(i).size()) + 1;
      rule.push_back(bits_text(way.element(table, i, dtype())));
    }
    evidence.add(rule);
  }
  std::vector<std::string> actual;
  for (const auto& [output, k] : places) actual.push_back(bits_text(element_bits(actual_[0], k)));
  return evidence.doubt(actual);
}

/// All NaN are one.
std::string Search::bits_text(std::uint64_t bits) const {
  const bool is_nan = info(dtype()).kind == Kind::floating && std::isnan(floating_value(dtype(), bits));
  return is_nan ? "NaN" : format("{}", bits);
}

bool Search::same(const Arithmetic& way, const TermTable& table, size_t element) {
  work_ += static_cast<std::int64_t>(table.of(element).size()) + 1;
  return is_actual(way.element(table, element, dtype()), element);
}

bool Search::is_actual(std::uint64_t bits, size_t element) const {
  const std::uint64_t wanted = element_bits(actual_[0], static_cast<std::int64_t>(element));
  if (bits == wanted) return true;
  return info(dtype()).kind == Kind::floating && std::isnan(floating_value(dtype(), bits)) &&
         std::isnan(floating_value(dtype(), wanted));
}

/// The first elements in which the correct values are not the backend's.
std::vector<size_t> Search::sample_of(const Tensor& correct) const {
  std::vector<size_t> sample;
  const auto count = static_cast<size_t>(correct.count());
  for (size_t i = 0; i < count && sample.size() < kSample; ++i)
    if (!is_actual(element_bits(correct, static_cast<std::int64_t>(i)), i)) sample.push_back(i);
  return sample;
}

bool Search::agrees(const Arithmetic& way, const TermTable& table, std::span<const size_t> sample) {
  for (const size_t element : sample)
    if (!same(way, table, element)) return false;
  for (size_t element = 0; element < table.ends.size(); ++element)
    if (gave_up() || !same(way, table, element)) return false;
  return true;
}

}  // namespace opref::explain
