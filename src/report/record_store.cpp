// SPDX-License-Identifier: Apache-2.0
#include "report/record_store.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/error.h"
#include "core/utf8.h"
#include "report/record_members.h"

namespace opref::report {
namespace {

/// A record's members one after another, to bytes or from them.
template <bool kPacks>
class RecordBytes {
 public:
  static constexpr bool kWrites = kPacks;

  std::conditional_t<kPacks, std::string, std::string_view> bytes = {};
  bool as_documents = false;  ///< strings are read as documents have them

  template <class T>
  void operator()(std::string_view, T& value) {
    pass(value);
  }
  template <class T>
  void optional(std::string_view, T& value) {
    pass(value);
  }
  template <class T>
  void written(std::string_view, T& value) {
    pass(value);
  }

 private:
  void plain(const void* from, std::size_t size)
    requires kPacks
  {
    bytes.append(static_cast<const char*>(from), size);
  }
  void plain(void* to, std::size_t size)
    requires(!kPacks)
  {
    std::memcpy(to, bytes.data(), size);
    bytes.remove_prefix(size);
  }
  void pass(const std::string& text) {
    const std::size_t size = text.size();
    plain(&size, sizeof(size));
    bytes += text;
  }
  void pass(std::string& text) {
    std::size_t size = 0;
    plain(&size, sizeof(size));
    text = as_documents ? valid_utf8(bytes.substr(0, size)) : std::string(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  template <class T>
  void pass(T& value) {
    if constexpr (requires { members(*this, value); }) {
      members(*this, value);
    } else if constexpr (requires { value.has_value(); }) {
      bool is_there = value.has_value();
      plain(&is_there, sizeof(is_there));
      if constexpr (!kPacks)
        if (is_there) value.emplace();
      if (is_there) pass(*value);
    } else if constexpr (requires { value.second; }) {
      pass(value.first);
      pass(value.second);
    } else if constexpr (requires { value.begin(); }) {
      std::size_t size = value.size();
      plain(&size, sizeof(size));
      if constexpr (!kPacks)
        while (value.size() < size) value.push_back({});
      for (auto& item : value) pass(item);
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      plain(&value, sizeof(value));
    }
  }
};

CaseRecord unpacked(std::string_view bytes, bool as_documents) {
  CaseRecord record;
  RecordBytes<false> unpacker{bytes, as_documents};
  members(unpacker, record);
  unpacker("taken_over", record.taken_over);
  return record;
}

}  // namespace

RecordStore::RecordStore() : file_(std::make_unique<ScratchFile>()), tally_(std::make_unique<Tally>()) {}

RecordStore::Kept RecordStore::keep(const CaseRecord& record) {
  RecordBytes<true> packer;
  members(packer, record);
  packer("taken_over", record.taken_over);
  if (packer.bytes.size() > UINT32_MAX)
    fail(Fault::unsupported, "the record of '{}' is too long", printable(record.name));
  return {file_->append(packer.bytes), static_cast<std::uint32_t>(packer.bytes.size())};
}

CaseRecord RecordStore::add(const Kept& kept) {
  CaseRecord record = unpacked(file_->read(kept.at, kept.size), false);
  entries_.push_back({kept, static_cast<std::uint32_t>(tally_->add(record)), record.verdict});
  return record;
}

CaseRecord RecordStore::at(std::size_t i) const {
  return unpacked(file_->read(entries_[i].kept.at, entries_[i].kept.size), true);
}

std::string RecordStore::name(std::size_t i) const {
  constexpr std::uint32_t kMostNames = 512;
  const Kept& kept = entries_[i].kept;
  const std::string bytes = file_->read(kept.at, std::min(kept.size, kMostNames));
  std::size_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof(size));  // the name is the first member
  return size <= bytes.size() - sizeof(size) ? valid_utf8(bytes.substr(sizeof(size), size)) : at(i).name;
}

void RecordStore::reorder(std::span<const std::uint32_t> order) {
  std::vector<Entry> entries;
  entries.reserve(order.size());
  for (const std::uint32_t i : order) entries.push_back(entries_[i]);
  entries_ = std::move(entries);
}

}  // namespace opref::report
