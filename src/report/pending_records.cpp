// SPDX-License-Identifier: Apache-2.0
#include "report/pending_records.h"

#include "report/record_json.h"

namespace opref::report {

void PendingRecords::put(std::size_t place, CaseRecord record) {
  constexpr std::size_t kMostInMemory = 256;
  const std::lock_guard lock(guard_);
  if (in_memory_.size() < kMostInMemory) {
    in_memory_.emplace(place, std::move(record));
    return;
  }
  const std::string line = record_line(record);
  on_disk_.emplace(place, OnDisk{file_.append(line), line.size(), record.taken_over});
}

CaseRecord PendingRecords::take(std::size_t place) {
  const std::lock_guard lock(guard_);
  if (auto node = in_memory_.extract(place)) return std::move(node.mapped());
  const OnDisk waiting = on_disk_.extract(place).mapped();
  CaseRecord record = read_record(file_.read(waiting.at, waiting.size));
  record.taken_over = waiting.taken_over;
  return record;
}

}  // namespace opref::report
