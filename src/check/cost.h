// SPDX-License-Identifier: Apache-2.0
// What it costs to judge a case, for shares of about one size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "check/discover.h"
#include "run/load_case.h"

namespace opref::check {

/// Costs of cases, one after another; those of one file are quickest when they follow each other.
class Costs {
 public:
  Costs() : reader_(1) {}
  /// In about nanoseconds, by the case's files alone, so that all machines that see the same ones agree: for the case
  /// as such, for the bytes of its files, and where these are many, or do not tell it, for the terms of its outputs.
  /// What cannot be read costs as much as a case without files.
  std::uint64_t of(const FoundCase& found);

 private:
  CaseReader reader_;
  std::filesystem::path file_;  ///< the last JSON file
  std::uint64_t bytes_ = 0;     ///< of it, and of those that it names
  bool states_many_ = false;    ///< elements, by shapes
};

}  // namespace opref::check
