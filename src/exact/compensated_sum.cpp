// SPDX-License-Identifier: Apache-2.0
#include "exact/compensated_sum.h"

#include "exact/vector.h"

namespace opref::exact {
namespace {

constexpr std::size_t kPart = 1024;  // of a run: so many are summed in lanes, then joined
constexpr std::size_t kLeastForLanes = 32;

/// What a part of a run adds to hi, lo and lost, and its least product but for those with a factor 0.
struct Part {
  double hi, lo, lost, least;
};

/// Terms that lose nothing but what their addition loses, and any products.
struct Numbers {
  const double *x, *w;
  static constexpr bool kItems = false;
  OPREF_INLINE double term(std::size_t i) const { return x[i]; }
};
struct ExactProducts {
  const double *x, *w;
  static constexpr bool kItems = false;
  OPREF_INLINE double term(std::size_t i) const { return x[i] * w[i]; }
};
struct AnyProducts {
  const double *x, *w;
  static constexpr bool kItems = true;
  OPREF_INLINE double term(std::size_t i) const { return x[i] * w[i]; }
};

/// A lane for each of kBlock neighbours; at the end the lanes by twos, in four steps.
template <class Terms>
OPREF_INLINE Part summed(Terms terms, std::size_t n) {
  double hi[kBlock] = {}, lo[kBlock] = {}, lost[kBlock] = {}, least[kBlock];
  double last_x[kBlock] = {}, last_w[kBlock] = {};  // between zeros, which add nothing
  for (double& product : least) product = 1;
  for (std::size_t first = 0; first < n; first += kBlock) {
    std::size_t at = first;
    if (n - first < kBlock) {
      std::copy(terms.x + first, terms.x + n, last_x);
      if (terms.w != nullptr) std::copy(terms.w + first, terms.w + n, last_w);
      terms = {last_x, last_w}, at = 0;
    }
    for (std::size_t l = 0; l < kBlock; ++l) {
      const double term = terms.term(at + l), sum = hi[l] + term, part = sum - hi[l];
      const double error = (hi[l] - (sum - part)) + (term - part);
      hi[l] = sum;
      if constexpr (Terms::kItems) {
        const double x = terms.x[at + l], w = terms.w[at + l], item = __builtin_fma(x, w, -term);
        lo[l] += error + item;
        lost[l] += std::abs(error) + std::abs(item);
        const double size = ((x == 0) | (w == 0)) ? 1 : std::abs(term);
        least[l] = size < least[l] ? size : least[l];
      } else {
        lo[l] += error;
        lost[l] += std::abs(error);
      }
    }
  }
  for (std::size_t half = kBlock / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) {
      const double term = hi[l + half], sum = hi[l] + term, part = sum - hi[l];
      const double error = (hi[l] - (sum - part)) + (term - part);
      hi[l] = sum;
      lo[l] += lo[l + half] + error;
      lost[l] += lost[l + half] + std::abs(error);
      least[l] = least[l + half] < least[l] ? least[l + half] : least[l];
    }
  return {hi[0], lo[0], lost[0], least[0]};
}

OPREF_CLONES Part part_of(Numbers terms, std::size_t n) { return summed(terms, n); }
OPREF_CLONES Part part_of(ExactProducts terms, std::size_t n) { return summed(terms, n); }
OPREF_CLONES Part part_of(AnyProducts terms, std::size_t n) { return summed(terms, n); }

/// Roundings that an item of a part of n terms meets in its lane, in four steps that join two lanes, and before it is
/// added to lo.
template <class Terms>
std::int64_t own_roundings(std::size_t n) {
  const auto in_a_lane = static_cast<std::int64_t>((n + kBlock - 1) / kBlock);
  constexpr std::int64_t kSteps = 4, kOfAStep = 2, kBefore = 1;
  const std::int64_t lane = Terms::kItems ? in_a_lane : std::max<std::int64_t>(0, in_a_lane - 2);
  return lane + kSteps * kOfAStep + kBefore;
}

}  // namespace

template <class Terms>
void CompensatedSum::add_parts(const Terms& terms, std::size_t n) {
  for (std::size_t first = 0; first < n; first += kPart) {
    const std::size_t size = std::min(kPart, n - first);
    const Part part = part_of(Terms{terms.x + first, terms.w == nullptr ? nullptr : terms.w + first}, size);
    join(part.hi, part.lo, part.lost);
    own_ = std::max(own_, own_roundings<Terms>(size));
    lost_bits_ |= Terms::kItems && part.least < kLeastProduct;
  }
}

void CompensatedSum::add(std::span<const double> x) {
  if (x.size() >= kLeastForLanes) return add_parts(Numbers{x.data(), nullptr}, x.size());
  for (const double term : x) add(term);
}

void CompensatedSum::add(std::span<const double> x, std::span<const double> w, Products products) {
  const bool exact = products == Products::exact;
  if (x.size() < kLeastForLanes)
    for (std::size_t i = 0; i < x.size(); ++i) exact ? add(x[i] * w[i]) : add(x[i], w[i]);
  else if (exact)
    add_parts(ExactProducts{x.data(), w.data()}, x.size());
  else
    add_parts(AnyProducts{x.data(), w.data()}, x.size());
}

double CompensatedSum::roundings() const {
  const std::int64_t not_of_the_first = own_ == 0 ? 2 : 1;
  return static_cast<double>(std::max<std::int64_t>(0, joined_ - not_of_the_first) + own_);
}

std::optional<Bracket> CompensatedSum::bracket(const Slack& slack) const {
  if (lost_bits_ || !(lost_ <= 0x1p1000)) return std::nullopt;
  const double counted = roundings();
  const double error = lost_ == 0 || counted == 0 ? 0 : slack.bound(counted) * lost_;
  if (!ratio_.is_one()) return scaled_bracket(error, slack);
  return Bracket{hi_, lo_ - error, lo_ + error};
}

std::optional<Bracket> CompensatedSum::scaled_bracket(double error, const Slack& slack) const {
  const double a = ratio_.a, b = ratio_.b, factor = std::abs(a / b);
  const auto is_near_one = [](double x, double far) { return std::abs(x) >= 1 / far && std::abs(x) <= far; };
  if (!is_near_one(b, 0x1p400) || !is_near_one(factor, 0x1p400)) return std::nullopt;
  const double value = hi_ + lo_, part = value - hi_, rest = (hi_ - (value - part)) + (lo_ - part);
  if (ratio_.b_rest != 0) return std::nullopt;
  if (value == 0 && error == 0) return Bracket{0, 0, 0};
  const double p = value * a, q = p / b;
  if (!is_near_one(p, 0x1p500)) return std::nullopt;
  // What is lost has a part in the sums below that is far from underflow.
  if (lost_ != 0 && !(lost_ * std::abs(a) >= 0x1p-900 && lost_ * factor >= 0x1p-900)) return std::nullopt;
  const double of_p = __builtin_fma(value, a, -p), of_q = __builtin_fma(-q, b, p), of_rest = rest * a;
  constexpr double kRoundings = 3;
  const double numerator = of_p + of_q + of_rest, size = std::abs(of_p) + std::abs(of_q) + std::abs(of_rest);
  const double wrong = error * factor + (size == 0 ? 0 : slack.bound(kRoundings) * (size / std::abs(b)));
  const double low = numerator / b;
  return Bracket{q, low - wrong, low + wrong};
}

}  // namespace opref::exact
