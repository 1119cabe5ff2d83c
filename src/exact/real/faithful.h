// SPDX-License-Identifier: Apache-2.0
// What a kernel may compute that rounds every operation of a formula: a number known to about 100 bits, and how far
// from it such a kernel may be. It is sound for every kernel that
// - computes the formula from the inputs as given, and rounds to the accumulator's type after each operation, to
//   either neighbour; FMA may leave a rounding out; sums are added in any order
// - computes each function to some ULP of its result (KernelModel)
//
// The error is propagated here, by formulas that hold however large it is: a bfloat16 kernel loses more with its first
// rounding than the bounds of `Paired` allow. Where it is infinite, such a kernel may compute anything.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/dtype.h"
#include "exact/whole.h"

namespace opref::exact {

struct Paired;

/// How exact functions are, in ULP of the accumulator; of a result y one ULP is at most max(2u·|y|, η). The defaults
/// are those of OpenCL C 3.0's full profile; erf and erfc have none there.
struct FunctionErrors {
  double division = 2.5, sqrt = 3;
  double exp = 3, log = 3;  ///< expm1 too
  double log1p = 2;
  double sin = 4;             ///< cos, asin, acos, sinh, cosh, asinh, acosh too
  double tan = 5;             ///< atan, tanh, atanh too
  double pow = 16, erf = 16;  ///< erfc too
  /// Results below 1 are as wrong as one of 1 may be: off by 5 ULP of max(1, |y|) at least.
  bool absolute = false;
  std::optional<double> of_all = {};  ///< so many ULP are each of these

  static FunctionErrors all(double ulp) { return {ulp, ulp, ulp, ulp, ulp, ulp, ulp, ulp, ulp, false, ulp}; }
};

/// The arithmetic of a kernel.
struct KernelModel {
  int bits = 24;  ///< of the significand: the unit roundoff u is 2^-bits
  double smallest_subnormal = 0x1p-149, smallest_normal = 0x1p-126;
  bool flushes = false;    ///< subnormal operands and results may become 0
  double input_error = 0;  ///< inputs are rounded first, with this relative error at most
  FunctionErrors functions = {};

  double unit_roundoff() const;
  /// Whether the accumulator has the number.
  bool holds(double x) const;
};

/// One of the kernels that a model describes, a usual one. It rounds each operation to the nearest number, and adds
/// the terms of a sum in order or from the last one on, beginning at a place that is drawn. Of each result y of a
/// function it is drawn how far it is off, always alike for the same y.
struct SimulatedKernel {
  std::uint64_t key = 0;  ///< of what is drawn
  std::uint32_t run = 0;  ///< of several: 0 adds in order, 1 from the last term on, others begin elsewhere

  bool is_reversed() const { return run % 2 == 1; }
};

class Faithful {
 public:
  /// That of this thread's operations.
  static inline thread_local KernelModel kernel;
  /// Where there is one, each number is this kernel's own, and its error 0.
  static inline thread_local const SimulatedKernel* simulated = nullptr;

  /// A number that the formula gives: rounded where the accumulator does not have it.
  Faithful(double exact);
  template <std::integral N>
  static Faithful whole(N n) {
    const WholeParts parts = parts_of_whole(n);
    return Faithful(parts.nearest, parts.rest);
  }
  /// An element of an input.
  static Faithful input(double x);
  /// h + l ± e, h the nearest double to h + l.
  Faithful(double h, double l, double e) : h_(h), l_(l), e_(e) {}

  double high() const { return h_; }
  double low() const { return l_; }
  /// How far a kernel's number may be from high + low; infinite, or NaN, where nothing is known.
  double error() const { return e_; }
  double nearest_to_zero() const;
  double size() const;
  Paired centre() const;
  /// The same number, which kernels may have wrong by so much more.
  Faithful moved_by(double error) const { return {h_, l_, e_ + error}; }

  friend bool is_finite(const Faithful& x);
  friend Faithful operator-(const Faithful& x);
  friend Faithful operator+(const Faithful& x, const Faithful& y);
  friend Faithful operator-(const Faithful& x, const Faithful& y) { return x + -y; }
  friend Faithful operator*(const Faithful& x, const Faithful& y);
  friend Faithful operator/(const Faithful& x, const Faithful& y);
  friend Faithful square(const Faithful& x);
  friend Faithful abs(const Faithful& x);
  friend Faithful max(const Faithful& x, const Faithful& y);
  friend Faithful min(const Faithful& x, const Faithful& y) { return -max(-x, -y); }
  friend Faithful sqrt(const Faithful& x);
  friend Faithful exp(const Faithful& x);
  friend Faithful expm1(const Faithful& x);
  friend Faithful log(const Faithful& x);
  friend Faithful log1p(const Faithful& x);
  friend Faithful sin(const Faithful& x);
  friend Faithful cos(const Faithful& x);
  friend Faithful tan(const Faithful& x);
  friend Faithful asin(const Faithful& x);
  friend Faithful acos(const Faithful& x);
  friend Faithful atan(const Faithful& x);
  friend Faithful sinh(const Faithful& x);
  friend Faithful cosh(const Faithful& x);
  friend Faithful tanh(const Faithful& x);
  friend Faithful asinh(const Faithful& x);
  friend Faithful acosh(const Faithful& x);
  friend Faithful atanh(const Faithful& x);
  friend Faithful erf(const Faithful& x);
  friend Faithful erfc(const Faithful& x);
  friend Faithful pow(const Faithful& x, const Faithful& y);
  friend Faithful pi(const Faithful& x);
  enum class Truth : std::uint8_t { no, yes, unknown };
  friend Truth operator<(const Faithful& x, const Faithful& y);
  /// The page's "f if condition else g": any number of both where a kernel may take either.
  template <class F, class G>
  friend Faithful choose(Truth condition, const F& f, const G& g) {
    return condition == Truth::unknown ? either(f(), g()) : condition == Truth::yes ? f() : g();
  }

 private:
  explicit Faithful(double nearest, double rest);
  static Faithful either(const Faithful& x, const Faithful& y);

  double h_, l_, e_;
};

/// Steps that a page prescribes, each of a computed number.
Faithful rounded_to(const Faithful& x, std::optional<DType> dtype);
/// To the nearest integer: any that some kernel's number gives.
Faithful round(const Faithful& x);
/// Toward zero, likewise.
Faithful truncate(const Faithful& x);
/// The result is rounded next.
inline Faithful quotient_to_odd(const Faithful& x, const Faithful& y) { return x / y; }
inline Faithful product_to_odd(const Faithful& x, const Faithful& y) { return x * y; }
inline Faithful sum_to_odd(const Faithful& x, const Faithful& y) { return x + y; }

/// A sum in any order: of n terms each takes part in at most n - 1 roundings.
class FaithfulSum {
 public:
  void add(const Faithful& x);
  Faithful total() const;

 private:
  double h_ = 0, l_ = 0, e_ = 0, size_ = 0, n_ = 0;
  std::vector<double> terms_;  ///< of a simulated kernel
};
/// What the simulated kernel makes of the sum of these numbers of its type.
double simulated_sum(std::span<const double> terms);
/// The number of the accumulator's that is nearest to x.
double nearest_held(double x);

}  // namespace opref::exact
