// SPDX-License-Identifier: Apache-2.0
// What stands for the files that a case is judged by.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "check/discover.h"
#include "io/case.h"

namespace opref::check {

/// Digests of cases. Threads may share one.
class CaseDigests {
 public:
  /// `outputs` is the folder of outputs that are judged; empty: none lies ready.
  explicit CaseDigests(std::filesystem::path outputs = {}) : outputs_(std::move(outputs)) {}
  /// SHA-256 over the names and contents of the case's files: its JSON file and those that this names, or all of its
  /// folder but other data sets, and the outputs that are judged. Empty where one cannot be read. No Error leaves it
  /// but MachineError.
  std::string digest(const FoundCase& found, const Case& read);

 private:
  /// Cases of one file come after one another.
  std::string shared_digest(const std::filesystem::path& file);

  const std::filesystem::path outputs_;
  std::mutex guard_;
  std::filesystem::path shared_;  ///< the file with several cases that was read last
  std::string shared_digest_;
};

}  // namespace opref::check
