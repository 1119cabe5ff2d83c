// SPDX-License-Identifier: Apache-2.0
#include "explain/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "compare/compare.h"
#include "compare/element_rule.h"
#include "exact/element_text.h"
#include "exact/real/steps.h"
#include "exact/rounding.h"
#include "exact/storage.h"
#include "explain/element.h"
#include "explain/elements.h"
#include "explain/evidence.h"

namespace opref::explain {
namespace {

/// Whether it is what many results become: NaN, an infinity, the greatest finite number, the least or the greatest
/// integer of the type or of 32 bits.
bool is_limit(const Tensor& tensor, std::int64_t k) {
  const DTypeInfo& type = info(tensor.dtype());
  if (!has_words(type.dtype)) return false;
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

bool has_one_value(const Tensor& tensor) {
  for (std::int64_t k = 1; k < tensor.count(); ++k)
    if (!is_same_element(tensor, 0, tensor, k)) return false;
  return true;
}

bool is_nan_alone(const Tensor& tensor) {
  if (tensor.count() == 0 || info(tensor.dtype()).kind != Kind::floating) return false;
  return has_one_value(tensor) && std::isnan(floating_element(tensor, 0));
}

bool reads_finite_numbers(const Call& call) {
  return std::ranges::all_of(call.inputs(), [](const Input& input) {
    const Tensor* tensor = input.value ? input.value->tensor() : nullptr;
    if (tensor == nullptr || info(tensor->dtype()).kind != Kind::floating) return true;
    for (std::int64_t k = 0; k < tensor->count(); ++k)
      if (!std::isfinite(floating_element(*tensor, k))) return false;
    return true;
  });
}

}  // namespace

Search::Search(std::span<const Tensor> actual, std::span<const size_t> places)
    : actual_(actual),
      places_(places.begin(), places.end()),
      is_nan_alone_(!actual.empty() && std::ranges::all_of(actual, is_nan_alone)) {
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
  if (!values || (is_nan_alone_ && reads_finite_numbers(changed.call))) return false;
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
    double others = 0;     ///< elements without a distance that differ, as labels: beside outputs that have one
  };
  const bool has_floats =
      std::ranges::any_of(actual_, [](const Tensor& tensor) { return info(tensor.dtype()).kind == Kind::floating; });
  const auto distance = [&](const Changed& other) {
    Distance total;
    const auto values = values_of(other);
    if (!values) return Distance{INFINITY, INFINITY, INFINITY, INFINITY};
    for (size_t i = 0; i < actual_.size(); ++i) {
      const DTypeInfo& type = info(actual_[i].dtype());
      for (std::int64_t k = 0; k < actual_[i].count(); ++k) {
        if (type.kind != Kind::floating || type.bits > 64) {
          total.others += has_floats && !is_same_element(actual_[i], (*values)[i], k) ? 1 : 0;
          continue;
        }
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
  if (before.others > 0) return left.others * kTimes <= before.others && left.unbounded == 0;
  return left.unbounded == 0 && (left.sum * kTimes <= before.sum || left.relative * kTimes <= before.relative);
}

bool Search::is_close(const std::vector<Tensor>& values, size_t output, std::int64_t k,
                      std::span<const Tolerance> rules) const {
  return is_close(values[output], output, k, rules);
}

bool Search::is_close(const Tensor& ours, size_t output, std::int64_t k, std::span<const Tolerance> rules) const {
  const Tensor& theirs = actual_[output];
  if (is_same_element(ours, theirs, k)) return true;
  if (rules.empty() || !has_words(theirs.dtype())) return false;
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

std::optional<Search::Halved> Search::in_types_of(const Call& halved, DType from) const {
  const auto values = values_of({"", halved});
  if (!values) return std::nullopt;
  Halved as_half;
  for (size_t i = 0; i < actual_.size(); ++i) {
    const Tensor &ours = (*values)[i], &theirs = actual_[i];
    if (ours.dtype() == theirs.dtype()) {
      as_half.actual.push_back(theirs);
      continue;
    }
    if (theirs.dtype() != from) return std::nullopt;
    bool is_carried = true;
    const auto as_float32 = [&](std::int64_t k) -> std::uint64_t {
      const double x = floating_element(theirs, k);
      float single = nearest<float>(x);
      is_carried = is_carried && (std::isnan(x) || widen(single) == x);
      const bool is_greatest = std::abs(single) == std::numeric_limits<float>::max();
      if (is_greatest && ours.shape() == theirs.shape() && std::isinf(floating_element(ours, k))) {
        single = std::copysign(std::numeric_limits<float>::infinity(), single);
        as_half.has_greatest_for_infinity = true;
      }
      return to_bits(single);
    };
    const auto as_int32 = [&](std::int64_t k) -> std::uint64_t {
      const std::uint64_t bits = element_bits(theirs, k), word = bits & 0xffffffff;
      const std::uint64_t with_sign = word < 0x80000000 ? word : word | 0xffffffff00000000;
      is_carried = is_carried && (bits == word || bits == with_sign);
      return word;
    };
    as_half.actual.push_back(tensor_of_bits({ours.dtype(), theirs.shape()}, [&](std::int64_t k) {
      return from == DType::float64 ? as_float32(k) : as_int32(k);
    }));
    if (!is_carried) return std::nullopt;
  }
  return as_half;
}

bool Search::can_be_of(const Step& step, const Call& call, DType type, const CanReturn& can_return) const {
  const auto right = values_of({"", call});
  if (!can_return || !right) return false;
  Step changed = step;
  changed.call = call;
  return can_return(changed, places_, actual_, *right, type);
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

std::vector<Layout> Search::layouts(const Call& call, std::span<const Tolerance> rules) const {
  const auto values = values_of({"", call});
  if (!values) return {};
  std::optional<size_t> differing;
  std::vector<std::optional<compare::ElementRule>> judges(actual_.size());
  for (size_t i = 0; i < rules.size(); ++i)
    if (has_words(actual_[i].dtype())) judges[i].emplace(actual_[i].dtype(), (*values)[i].dtype(), rules[i]);
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

}  // namespace opref::explain
