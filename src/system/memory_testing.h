// SPDX-License-Identifier: Apache-2.0
// How much memory something takes, for tests.
#pragma once

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <cstdint>
#include <fstream>
#include <string>

#include "system/large_pages.h"

namespace opref::system {

/// What a thread may work in beside the tensors.
inline constexpr std::int64_t kMostScratch = std::int64_t{32} << 20;

/// The most memory that this process had at once, in bytes, since it was last set back.
inline std::int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return 1024 * std::stoll(line.substr(6));
  return 0;
}

/// Whether a sanitizer watches, so that all takes 10 to 40 times longer.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How much more memory f takes at its peak than there was before. AddressSanitizer keeps what is freed, so that its
/// builds, which run f too, measure nothing: 0.
template <class F>
std::int64_t memory_of(const F& f) {
  if (kSanitized) {
    f();
    return 0;
  }
  release_kept_memory();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  std::ofstream("/proc/self/clear_refs") << 5;
  const std::int64_t before = peak_memory();
  f();
  return peak_memory() - before;
}

}  // namespace opref::system
