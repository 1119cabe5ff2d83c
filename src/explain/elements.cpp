// SPDX-License-Identifier: Apache-2.0
#include "explain/elements.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "exact/element_text.h"
#include "exact/storage.h"
#include "schema/types.h"

namespace opref::explain {

bool is_same_element(const Tensor& a, std::int64_t i, const Tensor& b, std::int64_t k) {
  if (!has_words(a.dtype()) || types::complexes.contains(a.dtype())) return element_text(a, i) == element_text(b, k);
  const std::uint64_t x = element_bits(a, i), y = element_bits(b, k);
  if (x == y) return true;
  // All NaN are one: what a machine makes of 0 times infinity may have a sign.
  return info(a.dtype()).kind == Kind::floating && std::isnan(floating_value(a.dtype(), x)) &&
         std::isnan(floating_value(b.dtype(), y));
}

bool has_words(DType dtype) { return dtype != DType::string && info(dtype).bits <= 64; }

double greatest(const Tensor& tensor) {
  double most = 0;
  for (std::int64_t k = 0; k < tensor.count(); ++k)
    if (const double x = std::abs(floating_element(tensor, k)); std::isfinite(x)) most = std::max(most, x);
  return most;
}

double power_of_ten(int exponent) { return std::strtod(format("1e{}", exponent).c_str(), nullptr); }
int decimal_exponent(double x) {
  int exponent = 308;
  while (exponent > -308 && power_of_ten(exponent) > x) --exponent;
  return exponent;
}

}  // namespace opref::explain
