// SPDX-License-Identifier: Apache-2.0
// How much it says that a rule gives what a backend gave: of a few elements it may do so by luck.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/rooms.h"

namespace opref::explain {

/// The rules that were tried on the elements in which an output differs from the right one.
class Evidence {
 public:
  /// Of more elements there is no doubt.
  static constexpr size_t kMostElements = 32;

  explicit Evidence(size_t elements) : elements_(elements) {}

  /// What one rule gives for each of the elements; rules that give the same are one.
  void add(const std::vector<std::string>& values) { rules_.insert(values); }

  /// The chance that a wrong rule gives all that is `actual`: the product over the elements of the share of the other
  /// rules that do, one more of each kind being assumed (Laplace's rule of succession). Of independent elements it is
  /// right; of others too small.
  double chance(const std::vector<std::string>& actual) const;

  /// "weak evidence: 1 in 50 other mistakes would give these 3 elements too": empty where less than one of
  /// twenty such searches finds a wrong rule.
  std::string doubt(const std::vector<std::string>& actual) const;

 private:
  size_t elements_;
  std::set<std::vector<std::string>> rules_;
};

}  // namespace opref::explain
