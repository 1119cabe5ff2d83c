// SPDX-License-Identifier: Apache-2.0
// Intervals of another precision for a while.
#pragma once

#include "exact/real/interval.h"

namespace opref::exact {

/// While it stands, this thread's intervals have the precision; then the one that they had before, whatever is thrown.
class WithPrecision {
 public:
  explicit WithPrecision(MpfrPrecision bits) : before_(Interval::precision) { Interval::precision = bits; }
  WithPrecision(const WithPrecision&) = delete;
  WithPrecision& operator=(const WithPrecision&) = delete;
  ~WithPrecision() { Interval::precision = before_; }

 private:
  MpfrPrecision before_;
};

}  // namespace opref::exact
