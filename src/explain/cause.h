// SPDX-License-Identifier: Apache-2.0
// What may have made an output what it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/rooms.h"

namespace opref::explain {

struct Cause {
  /// In the order in which they are believed: one that fits hides all of later kinds.
  enum class Kind : std::uint8_t { reading, reading_and_arithmetic, arithmetic, mistake } kind = Kind::reading;
  std::string name;     ///< "reading lp_pool.ceil_drop=keep", "float32 accumulation in order", "mistake kernel flipped"
  std::string meaning;  ///< one line
  std::string link;     ///< where the specification says it

  bool operator==(const Cause&) const = default;
};

/// Causes that are named at most.
inline constexpr size_t kMostEqual = 8;

struct Explanation {
  std::vector<Cause> causes = {};  ///< all that fit equally, the plainest first; empty: nothing known does
  /// How they fit: "rtol 0.001, atol 1e-07", "within its error bound", "7 of 8 differing elements; 1 left"; empty: bit
  /// for bit.
  std::string within = {};
  std::string doubt = {};  ///< how weak the evidence is (see Evidence); empty: there is no doubt
  bool complete = false;   ///< whether all that is known was tried; else nothing found says nothing
};

}  // namespace opref::explain
