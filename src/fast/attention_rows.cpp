// SPDX-License-Identifier: Apache-2.0
#include "fast/attention_rows.h"

#include <cmath>

#include "exact/real/paired_functions.h"
#include "exact/real/static_bound.h"
#include "exact/vector.h"

namespace opref::fast {
namespace {

OPREF_CLONES void score_loop(const double* __restrict product, const double* __restrict added, double scale,
                             std::size_t n, double* __restrict x, double* __restrict most, double* __restrict size) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const double p = product[i], s = p * scale + added[i], a = std::abs(p);
    x[i] = s, most[i] = s > most[i] ? s : most[i], size[i] = a > size[i] ? a : size[i];
  }
}
OPREF_CLONES void plain_loop(const double* __restrict product, double scale, std::size_t n, double* __restrict x,
                             double* __restrict most, double* __restrict size) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const double p = product[i], s = p * scale, a = std::abs(p);
    x[i] = s, most[i] = s > most[i] ? s : most[i], size[i] = a > size[i] ? a : size[i];
  }
}
OPREF_CLONES void capped_loop(const double* __restrict product, const double* __restrict added, double scale,
                              double softcap, std::size_t n, double* __restrict x, double* __restrict most,
                              double* __restrict size) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const double p = product[i], s = (tanh(Quick(p * scale) / Quick(softcap)) * Quick(softcap)).v + added[i],
                 a = std::abs(p);
    x[i] = s, most[i] = s > most[i] ? s : most[i], size[i] = a > size[i] ? a : size[i];
  }
}
OPREF_CLONES void power_loop(const double* __restrict shift, std::size_t n, double* __restrict x,
                             double* __restrict sum) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const double power = exp(Quick(x[i] - shift[i])).v;
    x[i] = power, sum[i] += power;
  }
}
OPREF_CLONES void plain_loop_of_pairs(const double* __restrict added, Paired scale, std::size_t n, double* __restrict h,
                                      double* __restrict l, double* __restrict e) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const Paired y = Paired(h[i], l[i], e[i]) * scale + added[i];
    h[i] = y.h, l[i] = y.l, e[i] = y.e;
  }
}
OPREF_CLONES void capped_loop_of_pairs(const double* __restrict added, Paired scale, Paired cap, std::size_t n,
                                       double* __restrict h, double* __restrict l, double* __restrict e) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const Paired y = cap * tanh(Paired(h[i], l[i], e[i]) * scale / cap) + added[i];
    h[i] = y.h, l[i] = y.l, e[i] = y.e;
  }
}
OPREF_CLONES void power_loop_of_pairs(double shift, std::size_t n, double* __restrict h, double* __restrict l,
                                      double* __restrict e) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const Paired y = exp(Paired(h[i], l[i], e[i]) - shift);
    h[i] = y.h, l[i] = y.l, e[i] = y.e;
  }
}
OPREF_CLONES void numerator_loop(const double* __restrict product, const double* __restrict norms,
                                 const double* __restrict of_powers, double scale, double values, double clamped,
                                 std::size_t n, double* __restrict v, double* __restrict e) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) v[i] += product[i], e[i] += (scale + of_powers[i] * values) * norms[i] + clamped;
}
OPREF_CLONES void quotient_loop(const double* __restrict sum, const double* __restrict of_sum, std::size_t n,
                                double* __restrict v, double* __restrict e) {
  OPREF_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const double reciprocal = 1 / sum[i], y = v[i] * reciprocal;
    v[i] = y, e[i] = (e[i] * reciprocal + std::abs(y) * of_sum[i]) * kOfBound;
  }
}

}  // namespace

void row_score(const double* product, const double* added, double scale, std::size_t n, double* x, double* most,
               double* size) {
  if (added == nullptr)
    plain_loop(product, scale, n, x, most, size);
  else
    score_loop(product, added, scale, n, x, most, size);
}
void row_score_capped(const double* product, const double* added, double scale, double softcap, std::size_t n,
                      double* x, double* most, double* size) {
  capped_loop(product, added, scale, softcap, n, x, most, size);
}
void row_power(const double* shift, std::size_t n, double* x, double* sum) { power_loop(shift, n, x, sum); }
void row_score(const double* added, const Paired& scale, double softcap, std::size_t n, double* h, double* l,
               double* e) {
  if (softcap == 0)
    plain_loop_of_pairs(added, scale, n, h, l, e);
  else
    capped_loop_of_pairs(added, scale, softcap, n, h, l, e);
}
void row_power(double shift, std::size_t n, double* h, double* l, double* e) { power_loop_of_pairs(shift, n, h, l, e); }
void row_numerator(const double* product, const double* norms, const double* of_powers, double scale, double values,
                   double clamped, std::size_t n, double* v, double* e) {
  numerator_loop(product, norms, of_powers, scale, values, clamped, n, v, e);
}
void row_quotient(const double* sum, const double* of_sum, std::size_t n, double* v, double* e) {
  quotient_loop(sum, of_sum, n, v, e);
}

}  // namespace opref::fast
