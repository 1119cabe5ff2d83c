// SPDX-License-Identifier: Apache-2.0
// Fourier transforms as sums over turns of a circle, and windows of cosines.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "evaluators/programs.h"
#include "exact/whole.h"
#include "fast/fast.h"
#include "ops/shared/numbers.h"
#include "schema/operator.h"
namespace opref::ops {
// Sums of numbers times cosines and sines of parts of a turn: Fourier transforms, windows.
//
// Such a sum is decided by intervals, but for one that is a rational number: a tie, an exact zero. Whether it is one
// is a question of algebra: Σ C_e·cos(2πe/M) is rational iff it equals its own mean over all conjugates.

/// The numbers that a Reader gives, exactly; it hears of them.
struct RationalReader {
  const evaluators::Reader<exact::Interval>& reader;
  Rational operator()(const evaluators::Elements& x, std::int64_t i) const {
    reader(x, i);
    return Rational::of(x.number(i));
  }
  Rational zero() const { return 0; }
};

/// The same as doubles, as long as all is exact.
struct ExactDouble {
  double value;
  bool is_exact = true;
  ExactDouble(double exact) : value(exact) {}
  static ExactDouble whole(std::int64_t n) {
    const exact::WholeParts parts = exact::parts_of_whole(n);
    ExactDouble y(parts.nearest);
    y.is_exact = parts.rest == 0;
    return y;
  }
  friend ExactDouble operator-(ExactDouble a) {
    a.value = -a.value;
    return a;
  }
  friend ExactDouble operator*(const ExactDouble& a, const ExactDouble& b);
};
struct ExactReader {
  const evaluators::Reader<exact::Interval>* reader;
  ExactDouble operator()(const evaluators::Elements& x, std::int64_t i) const {
    if (reader != nullptr) (*reader)(x, i);
    return x.number(i);
  }
  ExactDouble zero() const { return 0.0; }
};

/// cos and sin of 2πj/N.
class Turns {
 public:
  /// Of a transform of so many points: N, or more where it has several axes.
  explicit Turns(std::int64_t N, std::int64_t points = 0);
  std::int64_t N() const { return N_; }
  template <class R>
  const std::vector<R>& cosines() const {
    if constexpr (std::is_same_v<R, exact::Bounded>)
      return near();
    else
      return intervals();
  }
  /// As transforms compute them: in sums over all points, or by stages, log2 of so many, that multiply by turns.
  const std::vector<exact::Faithful>& computed() const;
  /// The place of a quarter of a turn back: sin 2πj/N = cos(2πj/N - π/2), in cosines of 1/M turns.
  std::int64_t M() const { return M_; }

  /// Σ c·cos(2πe/M) over terms {e, c}, if that is a rational number.
  Rational mean(const std::map<std::int64_t, Rational>& terms) const;
  /// The same, where it is one.
  std::optional<Rational> rational(const std::map<std::int64_t, Rational>& terms) const;
  /// The same of c[e], e < M, where doubles suffice to tell.
  enum class Answer : std::uint8_t { no, yes, unknown };
  Answer is_rational(const std::vector<double>& c, Rational& mean) const;

 private:
  const std::vector<exact::Bounded>& near() const;
  const std::vector<exact::Interval>& intervals() const;

  std::int64_t N_, M_, points_;
  std::vector<std::int64_t> primes_;  ///< of M
  struct Tables {
    std::once_flag once;
    std::vector<exact::Bounded> near;
    std::vector<exact::Faithful> computed;  ///< by the kernel of this evaluation
    std::mutex mutex;
    std::map<exact::MpfrPrecision, std::vector<exact::Interval>> of;
  };
  std::shared_ptr<Tables> tables_ = std::make_shared<Tables>();
};

/// Adds up terms: c·cos(2πj/N), c·sin(2πj/N).
template <class R>
class TurnSum {
 public:
  explicit TurnSum(const Turns& turns) : cosines_(turns.cosines<R>()), N_(turns.N()), M_(turns.M()) {}
  void cosine(std::int64_t j, const R& c) { add(j * (M_ / N_), c); }
  void sine(std::int64_t j, const R& c) { add(j * (M_ / N_) - M_ / 4, c); }
  const R& sum() const { return sum_; }

 private:
  void add(std::int64_t e, const R& c) {
    if constexpr (std::is_same_v<R, exact::Bounded>)
      if (c.v == 0 && c.e == 0) return;  // a frame of silence is known without the exact tier
    sum_ = sum_ + c * cosines_[static_cast<size_t>((e % M_ + M_) % M_)];
  }
  const std::vector<R>& cosines_;
  std::int64_t N_, M_;
  R sum_ = R(0.0);
};
template <>
class TurnSum<exact::Faithful> {
 public:
  using Faithful = exact::Faithful;
  explicit TurnSum(const Turns& turns) : cosines_(turns.computed()), N_(turns.N()), M_(turns.M()) {}
  void cosine(std::int64_t j, const Faithful& c) { add(j * (M_ / N_), c); }
  void sine(std::int64_t j, const Faithful& c) { add(j * (M_ / N_) - M_ / 4, c); }
  Faithful sum() const { return sum_.total(); }

 private:
  void add(std::int64_t e, const Faithful& c) { sum_.add(c * cosines_[static_cast<size_t>((e % M_ + M_) % M_)]); }
  const std::vector<Faithful>& cosines_;
  std::int64_t N_, M_;
  exact::FaithfulSum sum_;
};
template <>
class TurnSum<Rational> {
 public:
  explicit TurnSum(const Turns& turns) : N_(turns.N()), M_(turns.M()) {}
  void cosine(std::int64_t j, const Rational& c) { add(j * (M_ / N_), c); }
  void sine(std::int64_t j, const Rational& c) { add(j * (M_ / N_) - M_ / 4, c); }
  const std::map<std::int64_t, Rational>& terms() const { return terms_; }

 private:
  void add(std::int64_t e, const Rational& c) {
    Rational& sum = terms_[(e % M_ + M_) % M_];
    sum = sum + c;
  }
  std::int64_t N_, M_;
  std::map<std::int64_t, Rational> terms_;
};

template <>
class TurnSum<ExactDouble> {
 public:
  explicit TurnSum(const Turns& turns) : N_(turns.N()), M_(turns.M()), terms_(static_cast<size_t>(M_)) {}
  void cosine(std::int64_t j, const ExactDouble& c) { add(j * (M_ / N_), c); }
  void sine(std::int64_t j, const ExactDouble& c) { add(j * (M_ / N_) - M_ / 4, c); }
  const std::vector<double>& terms() const { return terms_; }
  bool is_exact() const { return is_exact_; }

 private:
  void add(std::int64_t e, const ExactDouble& c);
  std::int64_t N_, M_;
  std::vector<double> terms_;
  bool is_exact_ = true;
};

/// The sum that f(x, sum) adds up, for x a Reader<R> or, of finite numbers alone, a RationalReader. Where
/// estimates do not decide, it may be a rational number: doubles tell first, then Rationals.
template <class R, class F>
R turn_sum(const Turns& turns, const evaluators::Reader<R>& x, bool is_finite, const F& f) {
  if constexpr (std::is_same_v<R, exact::Interval>)
    if (is_finite) {
      TurnSum<ExactDouble> doubles(turns);
      const bool is_first = exact::Interval::precision == 96;  // nobody hears of it
      f(ExactReader{is_first ? nullptr : &x}, doubles);
      Rational mean;
      const Turns::Answer answer =
          doubles.is_exact() ? turns.is_rational(doubles.terms(), mean) : Turns::Answer::unknown;
      if (answer == Turns::Answer::yes) return mean.interval();
      TurnSum<Rational> sum(turns);
      if (answer == Turns::Answer::unknown && !is_first) f(RationalReader{x}, sum);
      if (answer == Turns::Answer::unknown && !is_first)
        if (const std::optional<Rational> number = turns.rational(sum.terms())) return number->interval();
    }
  TurnSum<R> sum(turns);
  f(x, sum);
  return sum.sum();
}

/// The same of a few terms that need no doubles, however large N is: most sums are apart from the only rational number
/// that they might be.
template <class R, class F>
R short_turn_sum(const Turns& turns, const evaluators::Reader<R>& x, const F& f) {
  TurnSum<R> sum(turns);
  f(x, sum);
  if constexpr (std::is_same_v<R, exact::Interval>) {
    TurnSum<Rational> exact(turns);
    f(RationalReader{x}, exact);
    const std::optional<int> side = (sum.sum() - turns.mean(exact.terms()).interval()).sign();
    if (side.value_or(0) == 0)
      if (const std::optional<Rational> number = turns.rational(exact.terms())) return number->interval();
  }
  return sum.sum();
}

/// The transforms that `s` describes. A length of more than 2^20 is `unsupported`.
Tensor spectra(const Output& out, const fast::Spectra& s);

/// A transform of x over one axis or several. Complex numbers have their parts in the last axis.
struct AxesTransform {
  std::vector<size_t> axes;
  std::vector<std::int64_t> sizes;  ///< of each: x is cut there or padded with zeros
  bool is_complex, inverse = false;
  /// The last one of the axes has half a spectrum, from 0 on, which conjugates continue at the mirrored places of all
  /// axes. The result is the real part. The half is that of its size; where `mirrors_first`, that of the size 2(n - 1),
  /// n being x's, and what it continues to is cut or padded.
  bool is_half = false, mirrors_first = false;
};
/// Of one axis: its lines. `mirrors_first` is not for them.
fast::Spectra lines_of(const Output& out, const Tensor& x, const AxesTransform& t);
/// Of the output's shape, which says how many bins are asked for. Errors as those of `spectra`.
Tensor transform(const Output& out, const Tensor& x, const AxesTransform& t);

namespace onnx {
/// What the operators transform.
inline namespace file_dft {
fast::Spectra dft_lines(const Call& call, const Output& out);
}
inline namespace file_stft {
fast::Spectra stft_lines(const Call& call, const Output& out);
}
}  // namespace onnx

// What HannWindow, HammingWindow and BlackmanWindow share.

/// (a0 - a1·cos(2πn/P) + a2·cos(4πn/P))/over, and the constants of the function's body.
struct CosineWindow {
  std::int64_t a0, a1, a2, over;
  std::array<float, 3> in_float32;
};

/// Element n of `size`, P being size, or size - 1 where it is not periodic.
std::vector<Value> cosine_window(const Call& call, std::span<const Output> outs, const CosineWindow& window);
/// Version 17, its readings and output types.
Operator cosine_window_operator(std::string_view op_type);

/// Types of windows and of MelWeightMatrix, chosen by output_datatype.
inline constexpr Types kOutputDatatypes = types::numbers | DType::bfloat16;
AttributeSchema output_datatype_attribute();
/// An input of rank 0, an integer; else `invalid`.
std::int64_t rank_0(const Call& call, std::string_view input);
}  // namespace opref::ops
