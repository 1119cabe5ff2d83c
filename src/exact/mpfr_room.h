// SPDX-License-Identifier: Apache-2.0
// Room for one of MPFR's numbers in a class whose header is included by whoever writes formulas: MPFR's own header,
// which exact/mpfr.h includes, stays out of those files.
#pragma once

#include <cstddef>

#include "core/rooms.h"

namespace opref::exact {

/// MPFR's struct (exact/mpfr.h).
struct MpfrNumber;
/// Bits of a significand: MPFR's type for them.
using MpfrPrecision = long;

/// Holds a number that its owner initializes and clears.
class MpfrRoom {
 public:
  operator MpfrNumber*() { return reinterpret_cast<MpfrNumber*>(bytes_); }
  operator const MpfrNumber*() const { return reinterpret_cast<const MpfrNumber*>(bytes_); }
  MpfrNumber* operator->() { return *this; }
  const MpfrNumber* operator->() const { return *this; }

 private:
  alignas(void*) std::byte bytes_[32];
};

}  // namespace opref::exact
