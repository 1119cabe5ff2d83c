#include "check/compare.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "check/bound.h"
#include "check/element_rule.h"
#include "core/error.h"
#include "exact/rounding.h"
#include "io/literal.h"

namespace opref {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// So many elements are first compared as bytes: where tensors agree, they are compared at the speed of memory.
constexpr std::int64_t kBlock = 4096;

/// The parts of complex numbers as a flat tensor beside the original; other tensors as they are.
Tensor parts_of(const Tensor& tensor) {
  if (info(tensor.dtype()).kind != Kind::complex) return tensor;
  const DType part = tensor.dtype() == DType::complex64 ? DType::float32 : DType::float64;
  const std::shared_ptr<const std::byte> unowned(std::shared_ptr<const std::byte>(), tensor.bytes().data());
  return {{part, Dims{checked_multiply(2, tensor.count())}}, unowned};
}

std::string hex(std::uint64_t bits, int width) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = (width + 3) / 4 * 4 - 4; shift >= 0; shift -= 4) text += digits[bits >> shift & 15];
  return text;
}

/// The mismatches of one pair of tensors, by flat positions.
struct Tally {
  std::int64_t mismatches = 0, bit_equal = 0, within_one_ulp = 0;
  std::uint64_t max_ulp = 0;
  std::int64_t first = 0, worst = 0;
  Badness badness;  ///< of the worst

  void add_equal(std::int64_t count) {
    bit_equal += count;
    within_one_ulp += count;
  }
  void add(std::int64_t element, const Passing& verdict) {
    if (verdict.identical) ++bit_equal;
    if (verdict.ulp && *verdict.ulp <= 1) ++within_one_ulp;
    max_ulp = std::max(max_ulp, verdict.ulp.value_or(0));
    if (verdict.passes) return;
    if (mismatches++ == 0) {
      first = worst = element;
      badness = verdict.badness;
    } else if (badness < verdict.badness) {
      worst = element;
      badness = verdict.badness;
    }
  }
};

/// Two tensors of numbers and of the same shape.
class NumberComparison {
 public:
  NumberComparison(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance)
      : actual_(parts_of(actual)),
        expected_(parts_of(expected)),
        parts_(info(actual.dtype()).kind == Kind::complex ? 2 : 1),
        count_(actual.count()),
        same_type_(actual.dtype() == expected.dtype()),
        rule_(actual_.dtype(), expected_.dtype(), tolerance) {}

  Tally run() {
    for (std::int64_t begin = 0; begin < count_; begin += kBlock) {
      const std::int64_t end = std::min(count_, begin + kBlock);
      if (same_type_ && same_bytes(begin, end))
        tally_.add_equal(end - begin);
      else
        judge_block(begin, end);
    }
    return tally_;
  }

  /// The element's place and values are left to the caller.
  Mismatch mismatch(std::int64_t element) {
    Mismatch result;
    Passing verdict;
    for (std::int64_t i = element * parts_; i < (element + 1) * parts_; ++i) {
      const std::uint64_t actual = element_bits(actual_, i), expected = element_bits(expected_, i);
      const ElementErrors errors = rule_.errors(actual, expected);
      verdict = Passing::both(verdict, rule_.judge(actual, expected));
      result.absolute = std::max(result.absolute, errors.absolute);
      result.relative = std::max(result.relative, errors.relative);
    }
    result.ulp = verdict.ulp;
    result.actual_bits = bits_text(actual_, element);
    result.expected_bits = bits_text(expected_, element);
    return result;
  }

 private:
  /// `begin` is a multiple of kBlock, so that packed types start at a whole byte. Unused bits of a last byte may differ
  /// and send the block to judge_block, which does not look at them.
  bool same_bytes(std::int64_t begin, std::int64_t end) const {
    const auto at = static_cast<size_t>(byte_size(actual_.dtype(), begin * parts_));
    const auto until = static_cast<size_t>(byte_size(actual_.dtype(), end * parts_));
    return std::memcmp(actual_.bytes().data() + at, expected_.bytes().data() + at, until - at) == 0;
  }

  void judge_block(std::int64_t begin, std::int64_t end) {
    if (same_type_ && info(actual_.dtype()).bits >= 8) {
      with_unit(actual_.dtype(), [&](auto unit) { judge_units<decltype(unit)>(begin, end); });
    } else {
      judge_elements(
          begin, end, [this](std::int64_t i) { return element_bits(actual_, i); },
          [this](std::int64_t i) { return element_bits(expected_, i); });
    }
  }

  template <class Unit>
  void judge_units(std::int64_t begin, std::int64_t end) {
    if constexpr (sizeof(Unit) <= sizeof(std::uint64_t)) {  // parts have at most 64 bits
      const Unit* const actual = actual_.values<Unit>().data();
      const Unit* const expected = expected_.values<Unit>().data();
      judge_elements(
          begin, end, [actual](std::int64_t i) { return std::uint64_t{actual[i]}; },
          [expected](std::int64_t i) { return std::uint64_t{expected[i]}; });
    }
  }

  template <class Actual, class Expected>
  void judge_elements(std::int64_t begin, std::int64_t end, const Actual& actual, const Expected& expected) {
    for (std::int64_t element = begin; element < end; ++element) {
      const std::int64_t i = element * parts_;
      if (same_type_ && actual(i) == expected(i) && (parts_ == 1 || actual(i + 1) == expected(i + 1))) {
        tally_.add_equal(1);
        continue;
      }
      const Passing verdict = rule_.judge(actual(i), expected(i));
      tally_.add(element, parts_ == 1 ? verdict : Passing::both(verdict, rule_.judge(actual(i + 1), expected(i + 1))));
    }
  }

  std::string bits_text(const Tensor& parts, std::int64_t element) const {
    const int width = info(parts.dtype()).bits;
    const auto part = [&](std::int64_t i) { return hex(element_bits(parts, element * parts_ + i), width); };
    return parts_ == 1 ? part(0) : format("{} {}", part(0), part(1));
  }

  Tensor actual_, expected_;
  int parts_;
  std::int64_t count_;
  bool same_type_;
  ElementRule rule_;
  Tally tally_;
};

Tally compare_strings(const Tensor& actual, const Tensor& expected) {
  Tally tally;
  const auto a = actual.strings(), e = expected.strings();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == e[i])
      tally.add_equal(1);
    else
      tally.add(static_cast<std::int64_t>(i), Passing::failure());
  }
  return tally;
}

Mismatch string_mismatch(const std::string& actual, const std::string& expected) {
  Mismatch result;
  result.actual = format("'{}'", printable(actual));
  result.expected = format("'{}'", printable(expected));
  result.absolute = result.relative = kInfinity;
  return result;
}

/// Whether elements of these types can be compared as values.
bool comparable(DType a, DType b) {
  const auto family = [](Kind kind) { return kind == Kind::complex || kind == Kind::string ? kind : Kind::floating; };
  return family(info(a).kind) == family(info(b).kind);
}

/// Walks through two values and gathers one Comparison.
class Comparer {
 public:
  explicit Comparer(const Tolerance& tolerance) : tolerance_(tolerance) {
    require_valid(tolerance);
    if (tolerance.rule == Tolerance::Rule::bound) refuse_bound_without_node();
  }

  void compare(const Tensor& actual, const Tensor& expected, const std::string& place) {
    if (!same_structure(actual, expected, place)) return;
    result_.count += actual.count();
    if (actual.dtype() == DType::string) {
      add(compare_strings(actual, expected), [&](std::int64_t element) {
        Mismatch mismatch = string_mismatch(actual.strings()[element], expected.strings()[element]);
        mismatch.place = place;
        mismatch.index = coordinates(element, actual.shape());
        return mismatch;
      });
      return;
    }
    NumberComparison numbers(actual, expected, tolerance_);
    add(numbers.run(), [&](std::int64_t element) {
      Mismatch mismatch = numbers.mismatch(element);
      mismatch.place = place;
      mismatch.index = coordinates(element, actual.shape());
      mismatch.actual = element_text(actual, element);
      mismatch.expected = element_text(expected, element);
      return mismatch;
    });
  }

  void compare(const Value& actual, const Value& expected, const std::string& place) {
    if (actual.index() != expected.index())
      return differ(format("{}, but {} is expected", kind_name(actual), kind_name(expected)), place);
    if (actual.tensor() != nullptr) return compare(*actual.tensor(), *expected.tensor(), place);
    if (const auto* sequence = std::get_if<Sequence>(&actual))
      return compare(*sequence, std::get<Sequence>(expected), place);
    compare(std::get<Optional>(actual), std::get<Optional>(expected), place);
  }

  Comparison result() && { return std::move(result_); }

 private:
  static std::string_view kind_name(const Value& value) {
    constexpr std::string_view names[] = {"a tensor", "a sequence", "an optional"};
    return names[value.index()];
  }

  void compare(const Sequence& actual, const Sequence& expected, const std::string& place) {
    const size_t length = actual.elements.size();
    if (length != expected.elements.size()) {
      differ(format("a sequence of length {}, but length {} is expected", length, expected.elements.size()), place);
      return;
    }
    for (size_t i = 0; i < length; ++i)
      compare(actual.elements[i], expected.elements[i],
              format("{}sequence element {}", place.empty() ? "" : place + ", ", i));
  }

  void compare(const Optional& actual, const Optional& expected, const std::string& place) {
    if ((actual.element == nullptr) != (expected.element == nullptr))
      return differ(actual.element == nullptr ? "an optional without a value, but one with a value is expected"
                                              : "an optional with a value, but one without is expected",
                    place);
    if (actual.element != nullptr) compare(*actual.element, *expected.element, place);
  }

  bool same_structure(const Tensor& actual, const Tensor& expected, const std::string& place) {
    std::string reason;
    const bool other_dtype = actual.dtype() != expected.dtype();
    if (other_dtype && !(tolerance_.ignore_dtype && comparable(actual.dtype(), expected.dtype())))
      reason = format("dtype {}, but {} is expected", actual.dtype(), expected.dtype());
    if (actual.shape() != expected.shape()) {
      if (!reason.empty()) reason += "; ";
      reason += format("shape {}, but {} is expected", actual.shape(), expected.shape());
    }
    if (reason.empty()) return true;
    differ(std::move(reason), place);
    return false;
  }

  /// Keeps the first reason.
  void differ(std::string reason, const std::string& place) {
    if (!result_.reason.empty()) return;
    result_.reason = std::move(reason);
    if (!place.empty()) result_.reason += " in " + place;
  }

  template <class MakeMismatch>
  void add(const Tally& tally, const MakeMismatch& mismatch) {
    result_.mismatches += tally.mismatches;
    result_.bit_equal += tally.bit_equal;
    result_.within_one_ulp += tally.within_one_ulp;
    result_.max_ulp = std::max(result_.max_ulp, tally.max_ulp);
    if (tally.mismatches == 0) return;
    if (!result_.first) result_.first = mismatch(tally.first);
    if (!result_.worst || worst_ < tally.badness) {
      result_.worst = mismatch(tally.worst);
      worst_ = tally.badness;
    }
  }

  Tolerance tolerance_;
  Comparison result_;
  Badness worst_;
};

std::string mismatch_text(const Mismatch& mismatch, const Tolerance& tolerance) {
  std::string text = to_text(mismatch.index);
  if (!mismatch.place.empty()) text += " of " + mismatch.place;
  text += format(": actual {}, expected {}", mismatch.actual, mismatch.expected);
  if (mismatch.actual_bits.empty()) return text;
  text += format(" ({}, {})", mismatch.actual_bits, mismatch.expected_bits);
  if (tolerance.rule == Tolerance::Rule::relative)
    text += format(", absolute error {}, relative {}", mismatch.absolute, mismatch.relative);
  else if (mismatch.ulp)
    text += format(", {} ULP", *mismatch.ulp);
  return text;
}

}  // namespace

void require_valid(const Tolerance& tolerance) {
  if (tolerance.ulp < 0) fail(Fault::usage, "the tolerance is {} ULP, but must be >= 0", tolerance.ulp);
  for (const auto& [name, value] : {std::pair("rtol", tolerance.rtol), std::pair("atol", tolerance.atol)})
    if (!(value >= 0 && value < kInfinity)) fail(Fault::usage, "{} is {}, but must be finite and >= 0", name, value);
  if (tolerance.strict_nan && tolerance.rule != Tolerance::Rule::exact)
    fail(Fault::usage, "NaN payloads can be compared by the exact rule only");
}

Comparison compare(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance) {
  Comparer comparer(tolerance);
  comparer.compare(actual, expected, "");
  return std::move(comparer).result();
}

Comparison compare(const Value& actual, const Value& expected, const Tolerance& tolerance) {
  Comparer comparer(tolerance);
  comparer.compare(actual, expected, "");
  return std::move(comparer).result();
}

std::string to_text(const Tolerance& tolerance) {
  std::string text = "exact";
  if (tolerance.rule == Tolerance::Rule::ulp) text = format("{} ULP", tolerance.ulp);
  if (tolerance.rule == Tolerance::Rule::relative) text = format("rtol {}, atol {}", tolerance.rtol, tolerance.atol);
  if (tolerance.rule == Tolerance::Rule::bound) text = format("bound {}", tolerance.kernel);
  if (tolerance.strict_nan) text += ", strict NaN";
  if (tolerance.ignore_dtype) text += ", any dtype";
  return text;
}

std::string describe(const Comparison& comparison, const Tolerance& tolerance) {
  std::string text;
  const auto line = [&text](const std::string& content) { text += (text.empty() ? "  " : "\n  ") + content; };
  if (!comparison.reason.empty()) line(comparison.reason);
  if (comparison.mismatches > 0) {
    line(format("{} of {} {} ({})", comparison.mismatches, counted(comparison.count, "element"),
                comparison.mismatches == 1 ? "differs" : "differ", tolerance));
    line("first " + mismatch_text(*comparison.first, tolerance));
    const bool same =
        comparison.first->place == comparison.worst->place && comparison.first->index == comparison.worst->index;
    if (!same) line("worst " + mismatch_text(*comparison.worst, tolerance));
  } else if (comparison.reason.empty()) {
    std::string agree = format("{} {} ({})", counted(comparison.count, "element"),
                               comparison.count == 1 ? "agrees" : "agree", tolerance);
    if (comparison.bit_equal != comparison.count)
      agree += format(": {} bit-equal, {} within 1 ULP, at most {} ULP", comparison.bit_equal,
                      comparison.within_one_ulp, comparison.max_ulp);
    line(agree);
  }
  if (comparison.bound_ratio && comparison.reason.empty())
    line(format("the greatest error is {} of its bound", *comparison.bound_ratio));
  return text;
}

}  // namespace opref
