// SPDX-License-Identifier: Apache-2.0
#include "explain/evidence.h"

#include <cmath>

#include "core/text.h"

namespace opref::explain {

double Evidence::chance(const std::vector<std::string>& actual) const {
  const auto others = static_cast<double>(rules_.size() - rules_.count(actual));
  double chance = 1;
  for (size_t i = 0; i < elements_; ++i) {
    double hits = 0;
    for (const std::vector<std::string>& values : rules_) hits += values != actual && values[i] == actual[i] ? 1 : 0;
    chance *= (hits + 1) / (others + 2);
  }
  return chance;
}

std::string Evidence::doubt(const std::vector<std::string>& actual) const {
  constexpr double kLow = 0.05;
  const double luck = chance(actual);
  if (elements_ == 0 || luck * static_cast<double>(rules_.size()) < kLow) return "";
  const double one_of = std::round(1 / luck);
  const std::string many =
      one_of < 2 ? "most other mistakes" : format("1 in {} other mistakes", static_cast<std::int64_t>(one_of));
  return format("weak evidence: {} would give {} too", many,
                elements_ == 1 ? "this element" : format("these {} elements", elements_));
}

}  // namespace opref::explain
