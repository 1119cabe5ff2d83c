// SPDX-License-Identifier: Apache-2.0
// Fourier transforms.
#include <bit>

#include "evaluators/nothing.h"
#include "evaluators/parts.h"
#include "evaluators/programs.h"
#include "kernels/tables.h"
#include "ops/shared/signals.h"

namespace opref::kernels {
namespace {

using evaluators::Elements;
using evaluators::Reader;
using exact::FaithfulSum;

struct Complex {
  Faithful re = 0.0, im = 0.0;
};
Complex conjugate(const Complex& a) { return {a.re, -a.im}; }
Complex operator*(const Complex& a, const Complex& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

// Bluestein (1970): -2kn = (k - n)² - k² - n², so with the chirps c[n] = e^(-πi·n²/N), of an inverse e^(πi·n²/N),
//   X[k] = c[k]·Σ x[n]·c[n]·conj(c[k - n])
// Kernels take the angles as they stand, up to πN, of which they lose as much more than of those within a turn.
class ByChirps {
 public:
  explicit ByChirps(const fast::Spectra& s) : s_(s), x_(s.x), window_(s.window ? *s.window : s.x) {
    for (std::int64_t n = 0; n < s.N; ++n) {
      const Faithful whole = Faithful::whole(n), angle = pi(Faithful(0.0)) * whole * whole / Faithful::whole(s.N),
                     sine = sin(angle);
      chirps_.push_back({cos(angle), s.inverse ? sine : -sine});
    }
  }

  /// Those of a transform that are asked for in turn have their two parts, and their line, worked out once.
  Faithful operator()(std::int64_t i) {
    const auto [outer, bin, inner, part] = evaluators::split(i, s_.bins, s_.inner, 2);
    const std::int64_t first = s_.lines(outer * s_.inner + inner);
    if (first != first_) take_line(first);
    if (first != first_ || bin != bin_) bin_ = bin, transform_ = chirps_[at(bin)] * sum(bin);
    first_ = first;
    const Faithful& y = part == 0 ? transform_.re : transform_.im;
    return s_.inverse ? y / Faithful::whole(s_.N) : y;
  }

 private:
  static size_t at(std::int64_t n) { return static_cast<size_t>(n < 0 ? -n : n); }
  void take_line(std::int64_t first) {
    const Reader<Faithful> read;
    line_.clear();
    for (std::int64_t n = 0; n < s_.used; ++n) {
      const auto number = [&](std::int64_t p) {
        const Faithful a = read(x_, first + n * s_.step + p);
        return s_.window ? a * read(window_, n) : a;
      };
      const Complex& c = chirps_[at(n)];
      const Faithful re = number(0);
      line_.push_back(s_.is_complex ? Complex{re, number(1)} * c : Complex{re * c.re, re * c.im});
    }
  }
  Complex sum(std::int64_t k) const {
    require_time();
    FaithfulSum re, im;
    for (std::int64_t n = 0; n < s_.used; ++n) {
      const Complex term = line_[at(n)] * conjugate(chirps_[at(k - n)]);
      re.add(term.re), im.add(term.im);
    }
    return {re.total(), im.total()};
  }

  const fast::Spectra& s_;
  Elements x_, window_;
  std::vector<Complex> chirps_, line_;  ///< of the line x[n]·c[n]
  std::int64_t first_ = -1, bin_ = -1;
  Complex transform_;
};

/// Of simulated kernels alone: what they lose mostly cancels, so that they keep to the bound of sums, which is narrower
/// than one of these angles. Lengths that are powers of two have transforms by halves.
std::vector<Value> by_chirps(std::span<const Output> outs, const fast::Spectra& s) {
  const bool is_power_of_two = std::has_single_bit(static_cast<std::uint64_t>(s.N));
  if (Faithful::simulated != nullptr && !is_power_of_two && !s.is_half && outs[0].sink()->asks_for_bounds())
    evaluators::tell_bounds(outs[0], ByChirps(s));
  return evaluators::nothing(outs);
}

}  // namespace

const Table& transforms() {
  constexpr std::string_view kWords = "c[k]·Σ x[n]·c[n]·conj(c[k - n]), c[n] = e^(-πi·n²/N)";
  static const Table table = {
      {"DFT", kWords,
       [](const Call& call, std::span<const Output> outs) {
         return by_chirps(outs, ops::onnx::dft_lines(call, outs[0]));
       }},
      {"STFT", kWords,
       [](const Call& call, std::span<const Output> outs) {
         return by_chirps(outs, ops::onnx::stft_lines(call, outs[0]));
       }},
  };
  return table;
}

}  // namespace opref::kernels
