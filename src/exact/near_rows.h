// SPDX-License-Identifier: Apache-2.0
// Vector loops over rows by the quick tier.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/rooms.h"

namespace opref::exact {

/// out[i] = the T nearest to all of value[i] ± (relative·|value[i]| + absolute); an exact -0 is that. Where there is no
/// such T, undecided[i] = 1 (else 0) and out[i] means nothing; NaN and infinities are undecided. Returns how many are.
/// T is Half, BFloat16 or float.
template <class T>
std::size_t settle_near_row(const double* value, double relative, double absolute, std::size_t n, T* out,
                            std::uint32_t* undecided);

}  // namespace opref::exact
