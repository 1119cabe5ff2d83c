// SPDX-License-Identifier: Apache-2.0
// One bin of a discrete Fourier transform, in pairs: O(N).
#pragma once

#include <cstdint>

#include "exact/real/pair.h"
#include "exact/real/turns.h"

namespace opref::fast {

/// The sum over n < N of (re[n] + i·im[n])·e^(-2πi·kn/N), within `error` in each part. im is null where there is none.
/// The table is of N turns or a multiple.
struct SpectrumBin {
  exact::Pair re, im;
  double error;
};
SpectrumBin spectrum_bin(const exact::TurnTable& table, std::int64_t N, std::int64_t k, const double* re,
                         const double* im);

}  // namespace opref::fast
