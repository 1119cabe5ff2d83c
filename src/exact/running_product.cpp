// SPDX-License-Identifier: Apache-2.0
#include "exact/running_product.h"

#include <cmath>

#include "exact/vector.h"

namespace opref::exact {
namespace {

constexpr std::int64_t kStep = 256;                   // of the exponent
constexpr double kMost = 0x1p256, kLeast = 0x1p-256;  // of v, but 0
constexpr std::int64_t kFar = 2 * kStep;

struct Product {
  double v, lost;
  std::int64_t exponent;
};

/// v times a float is from 2^-405 to 2^384, of which an FMA tells what is lost. A product that m roundings have met is
/// within m·2^-53·(1 + 2^-10) of the number, relatively; two more pay for the ends of the bracket, 0x1.04 for e's own
/// roundings.
OPREF_CLONES void multiply_loop(const double* x, std::size_t n, double* __restrict y, double* __restrict e,
                                Product& so_far) {
  double v = so_far.v, lost = so_far.lost, scale = std::ldexp(1, static_cast<int>(so_far.exponent));
  std::int64_t exponent = so_far.exponent;
  for (std::size_t i = 0; i < n; ++i) {
    const double product = v * x[i];
    lost += __builtin_fma(v, x[i], -product) != 0 ? 1.0 : 0.0;
    v = product;
    const double size = std::abs(v);
    if (!(size >= kLeast && size <= kMost) && size > 0 && size < HUGE_VAL) {
      v *= size < 1 ? kMost : kLeast, exponent += size < 1 ? -kStep : kStep;
      scale = std::ldexp(1, static_cast<int>(exponent));
    }
    y[i] = v * scale;
    e[i] = lost == 0 ? 0 : std::abs(y[i]) * ((lost + 2) * 0x1.04p-53);
    if (exponent < -kFar && v != 0) y[i] = std::copysign(0x1p-900, v), e[i] = 0x1p-901;
    if (!(size < HUGE_VAL) || exponent > kFar) e[i] = HUGE_VAL;
  }
  so_far = {v, lost, exponent};
}

}  // namespace

void RunningProduct::multiply(const double* x, std::size_t n, double* y, double* e) {
  Product so_far{v_, lost_, exponent_};
  multiply_loop(x, n, y, e, so_far);
  v_ = so_far.v, lost_ = so_far.lost, exponent_ = so_far.exponent;
}

}  // namespace opref::exact
