// SPDX-License-Identifier: Apache-2.0
#include "system/mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace opref::system {
namespace {

/// A mapped file, as the handler of SIGBUS finds it.
struct Mapping {
  std::atomic<std::uintptr_t> begin = 0;
  std::atomic<std::uintptr_t> end = 0;  ///< 0: nothing is mapped
  std::string name = {};                ///< does not change while something is mapped
  Mapping* next = nullptr;
};

/// SIGBUS may come at any time, so entries stay in the list; those that are not used any more are used again.
std::atomic<Mapping*> mappings = nullptr;
std::mutex unused_guard;
std::vector<Mapping*> unused;

static_assert(std::atomic<Mapping*>::is_always_lock_free && std::atomic<std::uintptr_t>::is_always_lock_free);

Mapping* take_entry() {
  const std::lock_guard lock(unused_guard);
  if (!unused.empty()) {
    Mapping* entry = unused.back();
    unused.pop_back();
    return entry;
  }
  if (static size_t made = 0; unused.capacity() < ++made) unused.reserve(2 * made);  // giving one back never fails
  auto* entry = new Mapping;
  entry->next = mappings;
  mappings = entry;
  return entry;
}

void give_back(Mapping* entry) {
  entry->end = 0;
  const std::lock_guard lock(unused_guard);
  unused.push_back(entry);
}

const Mapping* mapping_at(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  for (const Mapping* entry = mappings; entry != nullptr; entry = entry->next)
    if (place < entry->end && place >= entry->begin) return entry;
  return nullptr;
}

/// Only what may be called in a signal handler.
void write_error(std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) static_cast<void>(!write(STDERR_FILENO, part.data(), part.size()));
}

/// Of a file that is not large most will be read: its pages come at once, not each by a fault of its own.
void map_at_once([[maybe_unused]] void* address, [[maybe_unused]] size_t size) {
#if defined(MADV_POPULATE_READ)
  constexpr size_t kLarge = size_t{1} << 28;
  if (size < kLarge) madvise(address, size, MADV_POPULATE_READ);
#endif
}

}  // namespace

FileBytes map_file(int descriptor, size_t size, const std::filesystem::path& path) {
  Mapping* entry = take_entry();
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) {
    const int reason = errno;
    give_back(entry);
    errno = reason;
    return {};
  }
  map_at_once(address, size);
  const auto* bytes = static_cast<const std::byte*>(address);
  const std::shared_ptr<const std::byte> owner(bytes, [entry, size](const std::byte* p) {
    give_back(entry);
    munmap(const_cast<std::byte*>(p), size);
  });
  entry->name = shown(path);
  entry->begin = reinterpret_cast<std::uintptr_t>(address);
  entry->end = entry->begin + size;
  return {owner, std::span(bytes, size)};
}

std::string mapped_file_at(const void* address) {
  const Mapping* mapping = mapping_at(address);
  return mapping == nullptr ? "" : mapping->name;
}

void release_pages(std::span<const std::byte> bytes) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const Mapping* mapping = mapping_at(bytes.data());
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()), end = begin + bytes.size();
  const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (mapping != nullptr && end <= mapping->end && first < last)
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

bool tell_changed_file(const void* address) {
  const Mapping* mapping = mapping_at(address);
  if (mapping == nullptr) return false;
  static std::atomic<bool> said = false;
  if (!said.exchange(true)) write_error({"error: ", mapping->name, " changed while it was read\n"});
  return true;
}

}  // namespace opref::system
