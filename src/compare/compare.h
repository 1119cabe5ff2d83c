// SPDX-License-Identifier: Apache-2.0
// Whether two tensors agree under a tolerance, and where they do not.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/statistics.h"
#include "compare/tolerance.h"
#include "core/tensor.h"

namespace opref::compare {

/// One element that does not pass.
struct Mismatch {
  std::string place;  ///< inside a sequence: "sequence element 2"; of maps the whole path, `[0]["a"]`; else empty
  Dims index;         ///< of a tensor
  std::string actual, expected;            ///< the shortest texts that read back to the same bits
  std::string actual_bits, expected_bits;  ///< "0x3f800000", of a complex number its two parts'; empty for strings
  /// |actual - expected|, rounded once, and that over |expected|; infinite where one of the two is NaN or infinite and
  /// for strings. Of a complex number the greater one of its parts'.
  double absolute = 0, relative = 0;
  /// Representable values of the expected type apart, as Comparison counts them; nothing where that has no meaning.
  std::optional<std::uint64_t> ulp;
  /// Rule bound: how far from the exact value it may be, and the error over that; infinite where no error is allowed.
  std::optional<double> allowed, share;
};

/// What a kernel within a formula's bound is, each a weaker one than those before it.
enum class BoundClass : std::uint8_t {
  accurate,  ///< it computes the operator's own formula here
  page,      ///< or the page's words, or another formula that right kernels use
  absolute,  ///< its functions are only exact to some ULP of 1
  flush      ///< and it takes subnormal numbers as 0
};
inline constexpr std::array kBoundClasses = {BoundClass::accurate, BoundClass::page, BoundClass::absolute,
                                             BoundClass::flush};
std::string_view to_text(BoundClass of);

/// How much of its bound an output uses, over what usual kernels use of it: those that round each operation to the
/// nearest number.
struct Typicality {
  double median = 0, greatest = 0;  ///< of the elements' shares

  bool is_untypical() const { return median > kMost || greatest > kMost; }
  static constexpr double kMost = 4;
};

/// Two elements of one type are as many ULP apart as there are steps between them in the list of the type's finite
/// values; -0 and +0 are the same value, integers differ by their difference, a complex number by the more distant of
/// its parts. Equal infinities and two NaNs are 0 apart. All else that is not finite, bool and string have a distance
/// only where they are equal. Across types it is the least number of steps of the expected type with which one arrives
/// at the actual value or beyond it; an actual value outside the expected type's finite range has no distance.
struct Comparison {
  std::string reason;  ///< what kept elements from being compared: other types, shapes, lengths; empty: nothing
  /// Of the reason: whether dtypes alone differ, so that ignore_dtype compares the elements; or whether elements that
  /// differ say nothing, because rounding may move them as much, or how much is not known.
  enum class Obstacle : std::uint8_t { dtypes, no_verdict, other } obstacle = Obstacle::other;
  std::int64_t count = 0;           ///< elements compared
  std::int64_t mismatches = 0;      ///< of them, those that do not pass
  std::int64_t bit_equal = 0;       ///< of them, those with the same bits; across types: the same value
  std::int64_t within_one_ulp = 0;  ///< of them, those at most 1 ULP apart
  std::uint64_t max_ulp = 0;        ///< the greatest distance among those that have one
  std::optional<Mismatch> first;    ///< in C order
  /// By the measure of the rule (ULP, error over allowance, share), the first of several; NaN against a number or an
  /// infinity against anything else is the worst there is.
  std::optional<Mismatch> worst;
  std::vector<Mismatch> worst_mismatches;  ///< at most kMostMismatches, the worst first
  /// Over all elements, passing or not, whose error is finite: equal ones count as 0. Of strings there is none.
  ErrorSummary absolute, relative;
  ErrorSummary ulp;        ///< over the elements that have a distance
  UlpHistogram histogram;  ///< of all elements
  /// Sentences that hold for all mismatches and not for all elements ("all 128 mismatches have w == 63"): see where.h.
  std::vector<std::string> where;

  /// Rule relative: expected numbers that are not 0, but no greater than atol, if most of those that are not 0 are so
  /// small and not all bits are equal; else 0.
  std::int64_t below_atol = 0;

  // Rule bound, or beside another rule. An element's share is its error over its bound: at most 1 where it passes, 0
  // where the bits are equal.
  /// The type of the kernel's operations; nothing where nothing is rounded, so that values are compared exactly.
  std::optional<DType> bound_accumulator;
  std::optional<double> bound_ratio;  ///< the largest share; nothing where no element has a bound
  double bound_median = 0;            ///< of the shares of all elements
  ShareHistogram bound_histogram;
  /// The first class that all elements are of; where there is none, nothing. Those from `absolute` on do not pass.
  std::optional<BoundClass> bound_class;
  std::optional<double> accurate_ratio;  ///< bound_ratio by the operator's own formula, where that does not pass
  std::optional<Typicality> typicality;  ///< of an output that passes
  bool is_estimate = false;              ///< bound_ratio is that of a recurrence's or model's spread, no rigorous one
  /// Of a model's output: the rms of what rounding does to it, over that of the output.
  std::optional<double> model_spread;
  std::vector<std::int64_t> out_of_bound;  ///< rule bound: the elements that do not pass, ascending
  /// Rule bound: elements that have no bound of their own, because such a kernel may meet Inf or NaN there.
  std::int64_t without_bound = 0;
  std::vector<Dims> first_without_bound;  ///< of them the first in C order, at most kMostMismatches

  static constexpr size_t kMostMismatches = 16;
  bool equal() const { return reason.empty() && mismatches == 0; }
  bool differs() const { return !equal() && !has_no_verdict(); }
  /// What another comparison of the elements says of their shares.
  void take_shares(const Comparison& other);
  /// Whether nothing can be said of the values.
  bool has_no_verdict() const { return obstacle == Obstacle::no_verdict; }
  bool is_untypical() const { return equal() && typicality && typicality->is_untypical(); }
};

/// A `usage` error unless ulp >= 0, rtol and atol are finite and >= 0, and strict_nan goes with the exact rule.
void require_valid(const Tolerance& tolerance);

/// Compares all elements. The rules:
/// - exact: the same bits; any NaN equals any NaN, unless strict_nan.
/// - ulp: at most that many ULP apart (see Comparison); bool and string exactly.
/// - relative: |actual - expected| <= atol + rtol·|expected|, numpy's rule, decided on real numbers: nothing is
/// rounded;
///   rtol and atol are the numbers that their doubles encode. All but floating and complex numbers pass exactly.
/// Complex numbers pass if both parts do.
/// In each, an infinity passes only for the same infinity, and a NaN only for a NaN.
/// Other dtypes fail, unless ignore_dtype: then `exact` asks for the same real number (and the same sign of zero where
/// both types have two zeros; no NaN of another type under strict_nan). Real and complex numbers and strings never
/// compare with each other. Other shapes fail always.
/// An invalid tolerance is a `usage` error; so is the rule bound, which two tensors cannot be judged by (see bound.h).
Comparison compare_values(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance);
/// Sequences need the same length, optionals the same state, maps the same keys; their tensors are compared one by one
/// and counted together, keys not.
Comparison compare_values(const Value& actual, const Value& expected, const Tolerance& tolerance);

/// Why elements of these types cannot be compared ("dtype float32, but float64 is expected; shape …"), or "".
std::string difference_of_types(const TensorType& actual, const TensorType& expected, const Tolerance& tolerance);

/// The rule for elements of such types: integers, bool and strings have no rtol, but are compared exactly.
Tolerance rule_for(DType actual, DType expected, const Tolerance& tolerance);

/// "exact", "4 ULP", "rtol 0.001, atol 1e-07", "bound accumulator=float32", each perhaps with ", strict NaN" or ", any
/// dtype".
std::string to_text(const Tolerance& tolerance);

/// What a person wants to know of it, in lines of 80 columns, indented by two, without a final newline:
///   3 of 25 elements differ (exact)
///   first [0,0,1,1]: actual 2, expected 1 (0x40000000, 0x3f800000), 8388608 ULP
///   worst …, where it is another one
///   max error 1 absolute, 1 relative, 8388608 ULP; mean 0.04, 0.04, 3.355e+05
///   ULP 0: 22, 1: 2, above 1024: 1
///   all 3 mismatches have w == 63
///   2 elements have no bound of their own, …: see without_bound_text
/// By the rule bound first the verdict, as bound_verdict has it, what the share means and how elements fall by it.
std::string describe(const Comparison& comparison, const Tolerance& tolerance);
/// Where it is: "[0,1]", "[0,1] of sequence element 2", `[0]["a"]`.
std::string where_text(const Mismatch& mismatch);
/// The same without that verdict.
std::string details(const Comparison& comparison, const Tolerance& tolerance);
/// "2 elements have no bound of their own, because such a kernel may meet Inf or NaN there: [0,0,0], [0,0,1]"; of many
/// the first ones. Empty where all elements have one, or the rule is another one.
std::string without_bound_text(const Comparison& comparison);
/// "1568 expected numbers, …, are no greater than atol: this rule …"; empty where below_atol is 0.
std::string below_atol_text(const Comparison& comparison);
/// The verdict on elements that have been compared, if they have a bound: "within the bound of float32 (share 0.003,
/// accurate)", "beyond the bound of float32: 3 of 3136 elements, largest share 41 at [0,4,2,7]: actual …, expected …,
/// allowed ±…"; else empty.
std::string bound_verdict(const Comparison& comparison);
/// The rule that was in force: "bound of float32", "0 ULP: nothing is rounded", else that of `tolerance`.
std::string rule_text(const Comparison& comparison, const Tolerance& tolerance);
/// "its median error is 15 times that of a usual kernel" of an output that is untypical, else "".
std::string untypical_text(const Comparison& comparison);
/// A measure in a sentence: four significant digits.
std::string short_number(double value);

}  // namespace opref::compare
