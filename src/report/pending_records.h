// SPDX-License-Identifier: Apache-2.0
// Records that come before their turn.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "report/case_record.h"
#include "system/scratch_file.h"

namespace opref::report {

/// Holds records until their turn; very many wait on disk. Threads may share one; faults are ScratchFile's.
class PendingRecords {
 public:
  void put(std::size_t place, CaseRecord record);
  /// What was put there, but for what no document has.
  CaseRecord take(std::size_t place);

 private:
  struct OnDisk {
    std::uint64_t at;
    std::size_t size;
    bool taken_over;
  };
  std::mutex guard_;
  std::map<std::size_t, CaseRecord> in_memory_;
  std::map<std::size_t, OnDisk> on_disk_;
  ScratchFile file_;
};

}  // namespace opref::report
