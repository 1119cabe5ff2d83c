// SPDX-License-Identifier: Apache-2.0
// The records of a run's cases, however many: they are on disk, a few bytes of each in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "report/case_record.h"
#include "report/tally.h"
#include "system/scratch_file.h"

namespace opref::report {

/// Records in their order, each as bytes in a ScratchFile; faults are its.
class RecordStore {
 public:
  /// Where a record is whose turn is to come.
  struct Kept {
    std::uint64_t at = 0;
    std::uint32_t size = 0;
  };

  RecordStore();
  void add(const CaseRecord& record) { add(keep(record)); }
  /// Writes a record down that others may stand before; threads may call it at a time.
  Kept keep(const CaseRecord& record);
  /// The next one is the one that was kept, which comes back but for what nobody asks for after it is judged.
  CaseRecord add(const Kept& kept);
  /// The same case with what the others say of it. What was counted stays.
  void replace(std::size_t i, const CaseRecord& record) { entries_[i].kept = keep(record); }

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  /// As documents have it: what is not UTF-8 is U+FFFD.
  CaseRecord at(std::size_t i) const;
  std::string name(std::size_t i) const;
  Verdict verdict(std::size_t i) const { return entries_[i].verdict; }
  /// In tally().suites.
  std::size_t suite(std::size_t i) const { return entries_[i].suite; }
  const Tally& tally() const { return *tally_; }
  /// The i-th becomes the one that was the order[i]-th.
  void reorder(std::span<const std::uint32_t> order);

 private:
  struct Entry {
    Kept kept;
    std::uint32_t suite;
    report::Verdict verdict;
  };

  std::unique_ptr<ScratchFile> file_;
  std::unique_ptr<Tally> tally_;
  std::vector<Entry> entries_;
};

}  // namespace opref::report
