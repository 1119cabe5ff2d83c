// SPDX-License-Identifier: Apache-2.0
#include "exact/real/turns.h"

#include <cmath>

#include "exact/mpfr.h"

namespace opref::exact {
namespace {

struct Turn {
  Pair cosine, sine;
};

Pair pair_of(mpfr_t x) {
  const double h = mpfr_get_d(x, MPFR_RNDN);
  mpfr_sub_d(x, x, h, MPFR_RNDN);
  return {h, mpfr_get_d(x, MPFR_RNDN)};
}

/// Of e/M turns, e <= M/8: each rounded to a pair, wrong by at most 1.01·u² of itself, u = 2^-53.
Turn turn_by_mpfr(std::int64_t e, std::int64_t M) {
  if (e == 0) return {{1, 0}, {0, 0}};
  constexpr mpfr_prec_t kBits = 128;
  mpfr_t angle, c, s;
  mpfr_inits2(kBits, angle, c, s, nullptr);
  mpfr_const_pi(angle, MPFR_RNDN);
  mpfr_mul_ui(angle, angle, static_cast<unsigned long>(2 * e), MPFR_RNDN);
  mpfr_div_ui(angle, angle, static_cast<unsigned long>(M), MPFR_RNDN);
  mpfr_sin_cos(s, c, angle, MPFR_RNDN);
  const Turn turn{pair_of(c), pair_of(s)};
  mpfr_clears(angle, c, s, nullptr);
  return turn;
}

}  // namespace

// The first eighth, of which all else are copies, in steps and steps of those: e = a·step + b. With the angles α and β,
// cos(α + β) = cos α·cos β - sin α·sin β is wrong by (2·1.01 + 6)u² of both products, whose sizes' sum is at most
// cos(α - β) <= 1, and by 3u² of itself, which is at least √(1/2): by less than 15u². In sin(α + β) no terms cancel:
// it is wrong by less than 12u² of itself.
TurnTable::TurnTable(std::int64_t M) : cosines_(static_cast<std::size_t>(M)) {
  MpfrThread::prepare();
  const std::int64_t quarter = M / 4, eighth = M / 8;
  const auto at = [&](std::int64_t e) -> Pair& { return cosines_[static_cast<std::size_t>(e)]; };
  std::int64_t step = 1;
  while (step * step < eighth) ++step;
  std::vector<Turn> small;
  for (std::int64_t b = 0; b < step && b <= eighth; ++b) small.push_back(turn_by_mpfr(b, M));
  for (std::int64_t first = 0; first <= eighth; first += step) {
    const Turn a = turn_by_mpfr(first, M);
    for (std::int64_t b = 0; b < step && first + b <= eighth; ++b) {
      const Turn& other = small[static_cast<std::size_t>(b)];
      at(first + b) = b == 0 ? a.cosine : a.cosine * other.cosine - a.sine * other.sine;
      at(quarter - first - b) = b == 0 ? a.sine : a.sine * other.cosine + a.cosine * other.sine;
    }
  }
  if (M % 6 == 0) at(M / 6) = {0.5, 0};
  for (std::int64_t e = quarter + 1; e <= M / 2; ++e) at(e) = -at(M / 2 - e);
  for (std::int64_t e = M / 2 + 1; e < M; ++e) at(e) = at(M - e);
}

}  // namespace opref::exact
