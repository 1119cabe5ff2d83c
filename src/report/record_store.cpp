// SPDX-License-Identifier: Apache-2.0
#include "report/record_store.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "io/json/tree.h"
#include "report/record_json.h"

namespace opref::report {

RecordStore::RecordStore() : file_(std::make_unique<ScratchFile>()), tally_(std::make_unique<Tally>()) {}

void RecordStore::put(Entry& entry, const CaseRecord& record) {
  const std::string text = record_line(record);
  if (text.size() > UINT32_MAX) fail(Fault::unsupported, "the record of '{}' is too long", printable(record.name));
  entry.at = file_->append(text);
  entry.size = static_cast<std::uint32_t>(text.size());
}

void RecordStore::add(const CaseRecord& record) {
  Entry entry{};
  put(entry, record);
  entry.verdict = static_cast<std::uint32_t>(record.verdict) & 7u;
  const std::size_t suite = tally_->add(record);
  constexpr std::size_t kMostSuites = std::size_t{1} << 29;
  if (suite >= kMostSuites) fail(Fault::unsupported, "these are more than {} operators", kMostSuites);
  entry.suite = static_cast<std::uint32_t>(suite) & (kMostSuites - 1);
  entries_.push_back(entry);
}

void RecordStore::replace(std::size_t i, const CaseRecord& record) { put(entries_[i], record); }

std::string RecordStore::line(std::size_t i) const { return file_->read(entries_[i].at, entries_[i].size); }

CaseRecord RecordStore::at(std::size_t i) const { return read_record(line(i)); }

std::string RecordStore::name(std::size_t i) const {
  constexpr std::size_t kMostNames = 512;
  const auto name_in = [](std::string_view text) -> std::optional<std::string> {
    std::size_t end = kNameBegin.size();
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) return std::nullopt;
    const std::string_view quoted = text.substr(kNameBegin.size() - 1, end + 2 - kNameBegin.size());
    return std::string(parse_json(quoted).root().text());
  };
  const Entry& entry = entries_[i];
  if (auto name = name_in(file_->read(entry.at, std::min<std::size_t>(entry.size, kMostNames)))) return *name;
  return name_in(line(i)).value();
}

void RecordStore::reorder(std::span<const std::uint32_t> order) {
  std::vector<Entry> entries;
  entries.reserve(order.size());
  for (const std::uint32_t i : order) entries.push_back(entries_[i]);
  entries_ = std::move(entries);
}

}  // namespace opref::report
