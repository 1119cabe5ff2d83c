// SPDX-License-Identifier: Apache-2.0
// Elements that go to places which a tensor names.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/tensor.h"
#include "exact/vector.h"
#include "system/parallel.h"

namespace opref::fast {

/// y[at[e] - begin] = x[e] for e from `first`, kStep at a time, until fewer are left or a place is not in [0, size).
/// Up to `cleared`, which moves on far before the places that need it, y is zero elsewhere. What is read is mostly
/// mapped in small pages, at whose ends a processor's own prefetching ends.
template <std::size_t kStep, class Unit>
OPREF_INLINE void scatter_steps(const Unit* x, const std::int64_t* at, std::size_t& first, std::size_t last, Unit* y,
                                std::size_t begin, std::size_t size, std::size_t& cleared) {
  constexpr std::size_t kAhead = 512, kClear = (std::size_t{1} << 17) / sizeof(Unit);  // which the second cache holds
  for (; last - first >= kStep; first += kStep) {
    for (std::size_t j = 0; j < kStep; j += 8) __builtin_prefetch(at + first + kAhead + j);
    __builtin_prefetch(x + first + kAhead);
    std::uint64_t most = 0;
    for (std::size_t j = 0; j < kStep; ++j) {
      const std::uint64_t place = static_cast<std::uint64_t>(at[first + j]) - begin;
      most = place > most ? place : most;
    }
    if (most >= cleared) [[unlikely]] {
      if (most >= size) return;
      const std::size_t next = std::min<std::size_t>(size, most + kClear);
      std::fill(y + cleared, y + next, Unit{});
      cleared = next;
    }
#pragma GCC unroll 16
    for (std::size_t j = 0; j < kStep; ++j) y[static_cast<std::uint64_t>(at[first + j]) - begin] = x[first + j];
  }
}

/// y[at[e]] = x[e] for e in [first, last), ascending, and zero elsewhere in [begin, end); returns the first e whose
/// place is not there, at which it stops, else `last`. `is_zero`: y is already, and stays zero elsewhere.
template <class Unit>
OPREF_CLONES std::size_t scatter_part(const Unit* x, const std::int64_t* at, std::size_t first, std::size_t last,
                                      Unit* y, std::size_t begin, std::size_t end, bool is_zero) {
  const std::size_t size = end - begin;
  std::size_t cleared = is_zero ? size : 0;
  scatter_steps<16>(x, at, first, last, y + begin, begin, size, cleared);
  scatter_steps<1>(x, at, first, last, y + begin, begin, size, cleared);
  std::fill(y + begin + cleared, y + end, Unit{});
  return first;
}

/// y[at[e]] = x[e], e ascending, zero elsewhere; returns the first e whose place is outside y, at which it stops, else
/// x.size(). `planes` divides both sizes. `is_zero`: y is already. Where each plane of x stays in the same plane of y,
/// as after a pooling, several threads share the planes. That it does not shows on the way, and then everything is put
/// once more in order: of zeros, each place that was written is written again.
template <class Unit>
std::size_t scatter_units(std::span<const Unit> x, const std::int64_t* at, std::span<Unit> y, bool is_zero,
                          std::size_t planes, int threads) {
  constexpr std::size_t kLeastForThreads = std::size_t{1} << 16, kJobsPerThread = 8;
  if (threads > 1 && planes > 1 && x.size() >= kLeastForThreads) {
    const std::size_t jobs = std::min(planes, kJobsPerThread * static_cast<std::size_t>(threads));
    const std::size_t x_plane = x.size() / planes, y_plane = y.size() / planes;
    std::atomic<bool> stay = true;
    for_each_job_in_shares(jobs, threads, [&](std::size_t job) {
      const std::size_t first = planes * job / jobs, last = planes * (job + 1) / jobs;
      if (stay && scatter_part(x.data(), at, first * x_plane, last * x_plane, y.data(), first * y_plane, last * y_plane,
                               is_zero) < last * x_plane)
        stay = false;
    });
    if (stay) return x.size();
  }
  return scatter_part(x.data(), at, 0, x.size(), y.data(), 0, y.size(), is_zero);
}

}  // namespace opref::fast
