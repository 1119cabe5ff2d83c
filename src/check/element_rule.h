// The rules of comparison for one pair of elements (see compare.h), and distances between representable values.
#pragma once

#include <cstdint>
#include <optional>

#include "core/dtype.h"
#include "exact/exact_sum.h"
#include "io/case.h"

namespace opref {

/// The real number high + low, where high is the double nearest to it; or NaN or an infinity in `high`.
struct RealNumber {
  double high = 0, low = 0;

  friend bool operator==(const RealNumber&, const RealNumber&) = default;
  friend bool operator<(const RealNumber& a, const RealNumber& b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
};

/// What the bits of an element mean; not for complex and string.
class PartType {
 public:
  explicit PartType(DType dtype);

  DType dtype() const { return dtype_; }
  Kind kind() const { return kind_; }
  /// float8_e8m0fnu has no sign.
  bool has_sign() const { return dtype_ != DType::float8_e8m0fnu; }
  bool has_two_zeros() const;
  RealNumber number(std::uint64_t bits) const;
  std::int64_t signed_value(std::uint64_t bits) const;
  /// A finite floating value's place in the ordered list of all. 0 is zero, or the smallest value of float8_e8m0fnu.
  std::int64_t position(std::uint64_t bits) const;
  double value_at(std::int64_t position) const;
  /// The least and the greatest finite value: a floating type's positions, else the numbers.
  __int128 least() const { return least_; }
  __int128 most() const { return most_; }

 private:
  std::uint64_t sign() const { return std::uint64_t{1} << (bits_ - 1); }

  DType dtype_;
  Kind kind_;
  int bits_;
  __int128 least_ = 0, most_ = 0;
};

/// How bad a mismatch is: by the ratio, then by the tie-breaker.
struct Badness {
  double ratio = 0;
  std::uint64_t tie = 0;

  friend bool operator<(const Badness& a, const Badness& b) {
    return a.ratio < b.ratio || (a.ratio == b.ratio && a.tie < b.tie);
  }
};

/// By default that of two elements with the same bits.
struct Passing {
  bool passes = true;
  bool identical = true;                 ///< the same bits; of different types: the same value
  std::optional<std::uint64_t> ulp = 0;  ///< see Comparison
  Badness badness;                       ///< only where it does not pass

  /// On elements that have no distance.
  static Passing failure(const Badness& badness = {});
  /// On a complex number, from those on its parts.
  static Passing both(const Passing& a, const Passing& b);
};

/// Of a mismatch; see there.
struct ElementErrors {
  double absolute = 0, relative = 0;
};

/// The rules, for elements of two types or, of complex numbers, their parts.
class ElementRule {
 public:
  ElementRule(DType actual, DType expected, const Tolerance& tolerance);

  Passing judge(std::uint64_t actual, std::uint64_t expected);
  ElementErrors errors(std::uint64_t actual, std::uint64_t expected);

 private:
  Passing judge_special(double a, double e) const;
  bool close(const RealNumber& a, const RealNumber& e);
  double allowance(const RealNumber& e) const;
  Badness badness(const RealNumber& a, const RealNumber& e, const std::optional<std::uint64_t>& ulp) const;
  void add_difference(const RealNumber& a, const RealNumber& e, double sign);

  PartType actual_type_, expected_type_;
  bool same_type_, signed_zeros_;
  Tolerance tolerance_;
  ExactSum sum_;
};

}  // namespace opref
