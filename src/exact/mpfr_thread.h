// SPDX-License-Identifier: Apache-2.0
// What a thread sets before it works with MPFR's numbers, and frees at its end.
#pragma once

#include <mpfr.h>

#include "core/rooms.h"

namespace opref::exact {

/// The calling thread's exponent range, and the end of what MPFR keeps for the thread. Its own range, to 2^30, is too
/// narrow: (2^-1074)^(2^20) has the exponent -1.1e9.
class MpfrThread {
 public:
  /// Before a thread's first number.
  static void prepare() { static thread_local const MpfrThread thread; }
  MpfrThread() {
    mpfr_set_emin(-kExponents);
    mpfr_set_emax(kExponents);
  }
  MpfrThread(const MpfrThread&) = delete;
  MpfrThread& operator=(const MpfrThread&) = delete;
  ~MpfrThread() { mpfr_free_cache(); }

 private:
  static constexpr mpfr_exp_t kExponents = mpfr_exp_t{1} << 40;
};

}  // namespace opref::exact
