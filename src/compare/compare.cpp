// SPDX-License-Identifier: Apache-2.0
#include "compare/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/element_scan.h"
#include "compare/tolerance.h"
#include "compare/where.h"
#include "core/error.h"
#include "core/infinity.h"
#include "core/map.h"
#include "core/value_type.h"
#include "exact/element_text.h"
#include "exact/rounding.h"

namespace opref::compare {
namespace {

/// What compare gathers of one pair of tensors, by flat positions.
class Tally {
 public:
  Tally(const Dims& shape, Statistics& statistics) : statistics_(statistics), where_(shape) {}

  static constexpr bool done() { return false; }
  void equal(std::int64_t count) { statistics_.add_equal(count); }
  void differ(std::int64_t element, const Passing& verdict) {
    statistics_.add(verdict);
    if (verdict.passes) return;
    if (mismatches_++ == 0) first_ = element;
    worst_.add(element, verdict.badness);
    where_.add(element);
  }

  std::int64_t mismatches() const { return mismatches_; }
  std::int64_t first() const { return first_; }
  const WorstList& worst() const { return worst_; }
  std::vector<std::string> where() const { return where_.sentences(); }

 private:
  Statistics& statistics_;
  std::int64_t mismatches_ = 0, first_ = 0;
  WorstList worst_{Comparison::kMostMismatches};
  Whereabouts where_;
};

void compare_strings(const Tensor& actual, const Tensor& expected, Statistics& statistics, Tally& tally) {
  const auto a = actual.strings(), e = expected.strings();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == e[i])
      statistics.add_equal_strings(1);
    else
      tally.differ(static_cast<std::int64_t>(i), Passing::failure());
  }
}

Mismatch number_mismatch(ElementScan& scan, std::int64_t element) {
  const Passing verdict = scan.judge(element);
  Mismatch result;
  result.absolute = verdict.absolute;
  result.relative = verdict.relative;
  result.ulp = verdict.ulp;
  result.actual_bits = scan.actual_bits(element);
  result.expected_bits = scan.expected_bits(element);
  return result;
}

Mismatch string_mismatch(const std::string& actual, const std::string& expected) {
  Mismatch result;
  result.actual = format("'{}'", printable(actual));
  result.expected = format("'{}'", printable(expected));
  result.absolute = result.relative = kInfinity;
  return result;
}

/// Walks through two values and gathers one Comparison.
class Comparer {
 public:
  explicit Comparer(const Tolerance& tolerance) : tolerance_(tolerance) {
    require_valid(tolerance);
    if (tolerance.rule == Tolerance::Rule::bound) refuse_bound_without_node();
  }

  /// `keys`: of a map's values, else null.
  void compare_values(const Tensor& actual, const Tensor& expected, const std::string& place,
                      const Tensor* keys = nullptr) {
    if (!same_structure(actual, expected, place)) return;
    result_.count += actual.count();
    Tally tally(actual.shape(), statistics_);
    if (actual.dtype() == DType::string) {
      compare_strings(actual, expected, statistics_, tally);
      return add(
          tally, place,
          [&](std::int64_t element) { return string_mismatch(actual.strings()[element], expected.strings()[element]); },
          actual.shape(), keys);
    }
    const Tolerance tolerance = rule_for(actual.dtype(), expected.dtype(), tolerance_);
    ElementScan scan(actual, expected, tolerance);
    scan.run(tally);
    if (tolerance.rule == Tolerance::Rule::relative) count_small(expected);
    add(
        tally, place,
        [&](std::int64_t element) {
          Mismatch mismatch = number_mismatch(scan, element);
          mismatch.actual = element_text(actual, element);
          mismatch.expected = element_text(expected, element);
          return mismatch;
        },
        actual.shape(), keys);
  }

  void compare_values(const Value& actual, const Value& expected, const std::string& place) {
    if (actual.index() != expected.index())
      return differ(format("{}, but {} is expected", kind_name(actual), kind_name(expected)), place);
    if (actual.tensor() != nullptr) return compare_values(*actual.tensor(), *expected.tensor(), place);
    if (const auto* sequence = std::get_if<Sequence>(&actual))
      return compare_values(*sequence, std::get<Sequence>(expected), place);
    if (const auto* map = std::get_if<Map>(&actual)) return compare_values(*map, std::get<Map>(expected), place);
    if (const auto* maps = std::get_if<MapSequence>(&actual))
      return compare_values(*maps, std::get<MapSequence>(expected));
    const auto &a = std::get<Optional>(actual).element, &e = std::get<Optional>(expected).element;
    const auto has_value = [](const auto& element) { return !std::holds_alternative<std::monostate>(element); };
    if (has_value(a) != has_value(e))
      return differ(has_value(a) ? "an optional with a value, but one without is expected"
                                 : "an optional without a value, but one with a value is expected",
                    place);
    if (const auto* tensor = std::get_if<Tensor>(&a)) compare_values(Value(*tensor), element_of(e), place);
    if (const auto* sequence = std::get_if<Sequence>(&a)) compare_values(Value(*sequence), element_of(e), place);
  }

  Comparison result() && {
    result_.bit_equal = statistics_.bit_equal();
    result_.max_ulp = statistics_.max_ulp();
    result_.histogram = statistics_.histogram();
    result_.within_one_ulp = result_.histogram.bins[0] + result_.histogram.bins[1];
    result_.absolute = statistics_.absolute();
    result_.relative = statistics_.relative();
    result_.ulp = statistics_.ulp();
    if (!result_.worst_mismatches.empty()) result_.worst = result_.worst_mismatches.front();
    if (2 * small_ > not_zero_ && result_.bit_equal < result_.count) result_.below_atol = small_;
    return std::move(result_);
  }

 private:
  static std::string_view kind_name(const Value& value) {
    constexpr std::string_view names[] = {"a tensor", "a sequence", "an optional", "a map", "a sequence of maps"};
    return names[value.index()];
  }

  void compare_values(const Sequence& actual, const Sequence& expected, const std::string& place) {
    const size_t length = actual.elements.size();
    if (length != expected.elements.size()) {
      differ(format("a sequence of length {}, but length {} is expected", length, expected.elements.size()), place);
      return;
    }
    if (length == 0 && actual.dtype != expected.dtype && !tolerance_.ignore_dtype)
      differ(format("an empty sequence of {}, but of {} is expected", actual.dtype, expected.dtype), place);
    for (size_t i = 0; i < length; ++i)
      compare_values(actual.elements[i], expected.elements[i],
                     format("{}sequence element {}", place.empty() ? "" : place + ", ", i));
  }

  /// "the key "c" is missing", "… is there, but not expected"; nothing where the keys are the same.
  static std::string difference_of_keys(const Tensor& actual, const Tensor& expected) {
    const auto actual_count = static_cast<size_t>(actual.count()),
               expected_count = static_cast<size_t>(expected.count());
    std::vector<std::string> missing, surplus;
    for (size_t a = 0, e = 0; a < actual_count || e < expected_count;) {
      const auto order = a == actual_count     ? std::strong_ordering::greater
                         : e == expected_count ? std::strong_ordering::less
                                               : compare_keys(actual, a, expected, e);
      if (order < 0) surplus.push_back(key_text(actual, a));
      if (order > 0) missing.push_back(key_text(expected, e));
      a += order <= 0 ? 1 : 0;
      e += order >= 0 ? 1 : 0;
    }
    constexpr size_t kMost = 4;
    const auto keys = [](const std::vector<std::string>& list) {
      return format("the key{} {} {}", list.size() == 1 ? "" : "s", join_some(list, ", ", kMost),
                    list.size() == 1 ? "is" : "are");
    };
    std::string reason;
    if (!missing.empty()) reason = keys(missing) + " missing";
    if (!surplus.empty()) reason += format("{}{} there, but not expected", missing.empty() ? "" : ", ", keys(surplus));
    return reason;
  }

  void compare_values(const Map& actual, const Map& expected, const std::string& place) {
    if (actual.keys.dtype() != expected.keys.dtype())
      return differ(format("keys of type {}, but {} is expected", actual.keys.dtype(), expected.keys.dtype()), place);
    if (std::string reason = difference_of_keys(actual.keys, expected.keys); !reason.empty())
      return differ(std::move(reason), place);
    compare_values(actual.values, expected.values, place, &actual.keys);
  }

  void compare_values(const MapSequence& actual, const MapSequence& expected) {
    if (actual.size() != expected.size())
      return differ(format("a sequence of {}, but {} expected", counted(std::ssize(actual.tensors) / 2, "map"),
                           expected.size() == 1 ? "one is" : format("{} are", expected.size())),
                    "");
    const ValueType a = type_of(actual), e = type_of(expected);
    if (actual.size() == 0 && a != e && !tolerance_.ignore_dtype)
      differ(format("an empty {}, but {} is expected", a, e), "");
    for (size_t i = 0; i < actual.size(); ++i) compare_values(actual[i], expected[i], format("[{}]", i));
  }

  /// Of an optional that has one.
  static Value element_of(const std::variant<std::monostate, Tensor, Sequence>& element) {
    if (const auto* tensor = std::get_if<Tensor>(&element)) return *tensor;
    return std::get<Sequence>(element);
  }

  bool same_structure(const Tensor& actual, const Tensor& expected, const std::string& place) {
    std::string reason = difference_of_types(actual.type(), expected.type(), tolerance_);
    if (reason.empty()) return true;
    using enum Comparison::Obstacle;
    differ(std::move(reason), place, actual.shape() == expected.shape() ? dtypes : other);
    return false;
  }

  void count_small(const Tensor& expected) {
    if (!is_floating(expected.dtype()) || tolerance_.atol == 0) return;
    for (std::int64_t i = 0; i < expected.count(); ++i) {
      const double size = std::abs(floating_element(expected, i));
      if (size > 0) ++not_zero_, small_ += size <= tolerance_.atol;
    }
  }

  /// Keeps the first reason.
  void differ(std::string reason, const std::string& place,
              Comparison::Obstacle obstacle = Comparison::Obstacle::other) {
    if (!result_.reason.empty()) return;
    result_.reason = std::move(reason);
    result_.obstacle = obstacle;
    if (!place.empty()) result_.reason += " in " + place;
  }

  template <class MakeMismatch>
  void add(const Tally& tally, const std::string& place, const MakeMismatch& make, const Dims& shape,
           const Tensor* keys) {
    if (tally.mismatches() == 0) return;
    result_.mismatches += tally.mismatches();
    const auto mismatch = [&](std::int64_t element) {
      Mismatch made = make(element);
      made.place = keys == nullptr ? place : format("{}[{}]", place, key_text(*keys, static_cast<size_t>(element)));
      if (keys == nullptr) made.index = coordinates(element, shape);
      return made;
    };
    if (!result_.first) result_.first = mismatch(tally.first());
    for (const auto& [badness, element] : tally.worst().list()) {
      // Before those that are equally bad, and so after those of earlier tensors.
      const auto at =
          std::ranges::upper_bound(badness_, badness, [](const Badness& a, const Badness& b) { return b < a; });
      if (at == badness_.end() && badness_.size() == Comparison::kMostMismatches) break;
      result_.worst_mismatches.insert(result_.worst_mismatches.begin() + (at - badness_.begin()), mismatch(element));
      badness_.insert(at, badness);
      if (badness_.size() <= Comparison::kMostMismatches) continue;
      badness_.pop_back();
      result_.worst_mismatches.pop_back();
    }
    if (keys != nullptr) return;  // their positions say nothing
    for (std::string& sentence : tally.where())
      if (result_.where.size() < kMostSentences)
        result_.where.push_back(place.empty() ? std::move(sentence) : format("{}: {}", place, sentence));
  }

  static constexpr size_t kMostSentences = 16;

  Tolerance tolerance_;
  Statistics statistics_;
  Comparison result_;
  std::vector<Badness> badness_;           ///< of the worst mismatches
  std::int64_t not_zero_ = 0, small_ = 0;  ///< expected numbers that are not 0; of them those no greater than atol
};

}  // namespace

void Comparison::take_shares(const Comparison& other) {
  bound_accumulator = other.bound_accumulator;
  bound_ratio = other.bound_ratio;
  bound_median = other.bound_median;
  bound_histogram = other.bound_histogram;
  bound_class = other.bound_class;
  accurate_ratio = other.accurate_ratio;
  without_bound = other.without_bound;
  first_without_bound = other.first_without_bound;
}

void require_valid(const Tolerance& tolerance) {
  if (tolerance.ulp < 0) fail(Fault::usage, "the tolerance is {} ULP, but must be >= 0", tolerance.ulp);
  for (const auto& [name, value] : {std::pair("rtol", tolerance.rtol), std::pair("atol", tolerance.atol)})
    if (!(value >= 0 && value < kInfinity)) fail(Fault::usage, "{} is {}, but must be finite and >= 0", name, value);
  if (tolerance.strict_nan && tolerance.rule != Tolerance::Rule::exact)
    fail(Fault::usage, "NaN payloads can be compared by the exact rule only");
}

Comparison compare_values(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance) {
  Comparer comparer(tolerance);
  comparer.compare_values(actual, expected, "");
  return std::move(comparer).result();
}

Comparison compare_values(const Value& actual, const Value& expected, const Tolerance& tolerance) {
  Comparer comparer(tolerance);
  comparer.compare_values(actual, expected, "");
  return std::move(comparer).result();
}

Tolerance rule_for(DType actual, DType expected, const Tolerance& tolerance) {
  const auto is_real = [](DType dtype) {
    return info(dtype).kind == Kind::floating || info(dtype).kind == Kind::complex;
  };
  if (tolerance.rule != Tolerance::Rule::relative || is_real(actual) || is_real(expected)) return tolerance;
  return {.rule = Tolerance::Rule::exact, .ignore_dtype = tolerance.ignore_dtype};
}

std::string difference_of_types(const TensorType& actual, const TensorType& expected, const Tolerance& tolerance) {
  const auto family = [](DType dtype) {
    const Kind kind = info(dtype).kind;
    return kind == Kind::complex || kind == Kind::string ? kind : Kind::floating;
  };
  const bool comparable = tolerance.ignore_dtype && family(actual.dtype) == family(expected.dtype);
  std::string reason;
  if (actual.dtype != expected.dtype && !comparable)
    reason = format("dtype {}, but {} is expected", actual.dtype, expected.dtype);
  if (actual.shape != expected.shape) {
    if (!reason.empty()) reason += "; ";
    reason += format("shape {}, but {} is expected", actual.shape, expected.shape);
  }
  return reason;
}

}  // namespace opref::compare
