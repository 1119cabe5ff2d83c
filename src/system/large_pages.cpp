// SPDX-License-Identifier: Apache-2.0
#include "system/large_pages.h"

#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace opref::system {
namespace {

constexpr std::uintptr_t kLargePage = std::uintptr_t{1} << 21;

std::uintptr_t rounded_up(std::uintptr_t bytes) { return (bytes + kLargePage - 1) / kLargePage * kLargePage; }

/// Whole large pages of which nothing is in use.
struct Pages {
  void* mapped;
  std::size_t size;  ///< of what is mapped
};

/// Those that were given back, for whoever asks next: fresh ones are cleared by the system first, which can take as
/// long as the kernel that writes them.
class Kept {
 public:
  /// For all threads, to the end of the program.
  static Kept& all() {
    static Kept* const kept = new Kept;
    return *kept;
  }
  /// At least `size` bytes, less than twice as many; null if there are none.
  Pages take(std::size_t size) {
    const std::lock_guard lock(guard_);
    auto best = pages_.end();
    for (auto it = pages_.begin(); it != pages_.end(); ++it)
      if (it->size >= size && it->size / 2 < size && (best == pages_.end() || it->size < best->size)) best = it;
    if (best == pages_.end()) return {nullptr, 0};
    const Pages taken = *best;
    pages_.erase(best);
    bytes_ -= taken.size;
    return taken;
  }
  /// The oldest make room.
  void give(Pages pages) {
    const std::lock_guard lock(guard_);
    if (pages.size > kMostBytes) {
      munmap(pages.mapped, pages.size);
      return;
    }
    make_room(pages.size);
    pages_.push_back(pages);
    bytes_ += pages.size;
  }
  void release() {
    const std::lock_guard lock(guard_);
    make_room(kMostBytes);
  }

 private:
  Kept() { pages_.reserve(kMostBytes / kLargePage); }  // so that nothing throws later
  void make_room(std::size_t size) {
    while (bytes_ + size > kMostBytes) {
      munmap(pages_.front().mapped, pages_.front().size);
      bytes_ -= pages_.front().size;
      pages_.erase(pages_.begin());
    }
  }

  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  std::mutex guard_;
  std::vector<Pages> pages_;
  std::size_t bytes_ = 0;
};

void* mapped(std::size_t size) {
  return mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/// Whole large pages, if the system has them.
Memory large_pages(std::size_t bytes) {
  // One page more, for an address that is a multiple of their size.
  const std::size_t size = rounded_up(bytes) + kLargePage;
  Pages pages = Kept::all().take(size);
  const bool is_fresh = pages.mapped == nullptr;
  if (is_fresh) pages = {mapped(size), size};
  if (pages.mapped == MAP_FAILED) {
    Kept::all().release();
    pages.mapped = mapped(size);
  }
  if (pages.mapped == MAP_FAILED) return {};
  const auto address = reinterpret_cast<std::uintptr_t>(pages.mapped);
  std::byte* const data = static_cast<std::byte*>(pages.mapped) + (rounded_up(address) - address);
#if defined(MADV_HUGEPAGE)
  if (is_fresh) madvise(data, rounded_up(bytes), MADV_HUGEPAGE);
#endif
  return {{data, [pages](std::byte*) { Kept::all().give(pages); }}, is_fresh};
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;  // what relies on zeros shall fail
#else
constexpr bool kSanitized = false;
#endif

/// Of bytes that mean nothing.
Memory small_memory(std::size_t bytes) {
  std::shared_ptr<std::byte> data(static_cast<std::byte*>(std::malloc(bytes + 1)), [](std::byte* d) { std::free(d); });
  if (kSanitized && data != nullptr) std::memset(data.get(), 0xa5, bytes + 1);
  return {std::move(data), false};
}

Memory large_or_small(std::size_t bytes, Zeros zeros) {
  if (!kSanitized && bytes >= kLargePage) return large_pages(bytes);
  return zeros == Zeros::wanted ? fresh_memory(bytes) : small_memory(bytes);
}

}  // namespace

void use_large_pages() {
  allocate_by(large_or_small);
#if defined(M_TRIM_THRESHOLD) && defined(M_MMAP_THRESHOLD)
  // What a kernel gives back is kept for the next one: page by page from the system it can cost more than the kernel.
  constexpr int kKept = 32 << 20, kMapped = 2 * static_cast<int>(kLargePage);
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_MMAP_THRESHOLD, kMapped);
#endif
}

void release_kept_memory() { Kept::all().release(); }

}  // namespace opref::system
