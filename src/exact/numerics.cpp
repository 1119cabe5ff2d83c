// SPDX-License-Identifier: Apache-2.0
#include "exact/numerics.h"

#include <cfenv>
#include <limits>

#include "core/error.h"

namespace opref::exact {
namespace {

/// Whether arithmetic keeps subnormal results and comparison subnormal operands.
template <class T>
bool keeps_subnormals() {
  volatile T smallest_normal = std::numeric_limits<T>::min();
  volatile T half = smallest_normal / 2;
  return half != 0;
}

}  // namespace

void require_ieee_environment() {
  if (std::fegetround() != FE_TONEAREST)
    fail(Fault::system, "the processor does not round to nearest: a library of this process changed its rounding mode");
  if (!keeps_subnormals<float>() || !keeps_subnormals<double>())
    fail(Fault::system,
         "the processor flushes subnormal numbers to zero: a library of this process, built with fast-math, set that");
}

}  // namespace opref::exact
