#include "core/large_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

namespace opref {
namespace {

constexpr std::uintptr_t kLargePage = std::uintptr_t{1} << 21;
/// No more is asked of the system: beyond what it has, AddressSanitizer ends the program instead of refusing.
constexpr std::size_t kLargest = std::size_t{1} << 39;

std::uintptr_t rounded_up(std::uintptr_t bytes) { return (bytes + kLargePage - 1) / kLargePage * kLargePage; }

/// Whole large pages, if the system has them.
[[maybe_unused]] std::shared_ptr<std::byte> large_pages(std::size_t bytes) {
  // One page more, for an address that is a multiple of their size.
  const std::size_t size = rounded_up(bytes) + kLargePage;
  void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const data = reinterpret_cast<std::byte*>(rounded_up(reinterpret_cast<std::uintptr_t>(mapped)));
#if defined(MADV_HUGEPAGE)
  madvise(data, rounded_up(bytes), MADV_HUGEPAGE);
#endif
  return {data, [mapped, size](std::byte*) { munmap(mapped, size); }};
}

}  // namespace

std::shared_ptr<std::byte> zeroed_memory(std::size_t bytes) {
  if (bytes > kLargest) return nullptr;
#if !defined(__SANITIZE_ADDRESS__)  // which would not see an access beyond the end
  if (bytes >= kLargePage) return large_pages(bytes);
#endif
  return {static_cast<std::byte*>(std::calloc(bytes + 1, 1)), [](std::byte* data) { std::free(data); }};
}

}  // namespace opref
