// SPDX-License-Identifier: Apache-2.0
// MPFR, for those that work with its numbers: their struct, what a thread sets before the first one, and frees at its
// end.
#pragma once

#include <mpfr.h>

#include <type_traits>

#include "exact/mpfr_room.h"

namespace opref::exact {

struct MpfrNumber : __mpfr_struct {};
static_assert(sizeof(MpfrNumber) == sizeof(MpfrRoom) && alignof(MpfrNumber) <= alignof(MpfrRoom));
static_assert(std::is_same_v<MpfrPrecision, mpfr_prec_t>);

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
