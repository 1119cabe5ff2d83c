// SPDX-License-Identifier: Apache-2.0
// What stands for the names of all cases of a run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "io/sha256.h"

namespace opref::report {

/// Calls the visitor with each name, in their order.
using NameWalk = std::function<void(const std::function<void(const std::string&)>& visit)>;

/// SHA-256 of sorted names, each followed by a zero byte, as reports write them: what is no UTF-8 is U+FFFD.
class NamesDigest {
 public:
  void add(const std::string& name);
  std::int64_t count() const { return count_; }
  std::string finish() { return hash_.finish(); }

 private:
  Sha256 hash_;
  std::int64_t count_ = 0;
};

}  // namespace opref::report
