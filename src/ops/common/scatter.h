// Elements that go to places which a tensor names.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/parallel.h"

namespace opref::ops {

/// y[at[e]] = x[e] for e in [first, last), ascending, and zero elsewhere in [begin, end); returns the first e whose
/// place is not there, at which it stops, else `last`. `is_zero`: y is already, and stays zero elsewhere.
///
/// As places mostly ascend, zeros are put just before the first element after them, into lines that were asked for
/// before. What is read is mostly mapped in small pages, at whose ends a processor's own prefetching ends.
template <class Unit>
std::size_t scatter_part(const Unit* x, const std::int64_t* at, std::size_t first, std::size_t last, Unit* y,
                         std::size_t begin, std::size_t end, bool is_zero) {
  constexpr std::size_t kStep = 16, kAheadReading = 256, kLines = 8;
  constexpr std::size_t kLine = std::max<std::size_t>(1, 64 / sizeof(Unit)), kClear = 16 * kLine, kAhead = 256 * kLine;
  y += begin;
  const std::size_t size = end - begin;
  std::size_t cleared = is_zero ? size : 0, prefetched = 0;
  while (first < last) {
    __builtin_prefetch(at + first + kAheadReading);
    __builtin_prefetch(at + first + kAheadReading + kStep / 2);
    __builtin_prefetch(x + first + kAheadReading);
    if (!is_zero) {
      prefetched = std::max(prefetched, cleared);
      const std::size_t wanted = std::min({size, cleared + kAhead, prefetched + kLines * kLine});
      for (; prefetched < wanted; prefetched += kLine) __builtin_prefetch(y + prefetched, 1);
    }
    for (const std::size_t stop = std::min(last, first + kStep); first < stop; ++first) {
      const std::uint64_t place = static_cast<std::uint64_t>(at[first]) - begin;
      if (place >= cleared) [[unlikely]] {
        if (place >= size) return first;
        const std::size_t next = std::min<std::size_t>(size, place + kClear);
        std::fill(y + cleared, y + next, Unit{});
        cleared = next;
      }
      y[place] = x[first];
    }
  }
  std::fill(y + cleared, y + size, Unit{});
  return first;
}

/// y[at[e]] = x[e], e ascending, zero elsewhere; returns the first e whose place is outside y, at which it stops, else
/// x.size(). `planes` divides both sizes. `is_zero`: y is already. Where each plane of x stays in the same plane of y,
/// as after a pooling, several threads share the planes. That it does not shows on the way, and then everything is put
/// once more in order: of zeros, each place that was written is written again.
template <class Unit>
std::size_t scatter(std::span<const Unit> x, const std::int64_t* at, std::span<Unit> y, bool is_zero,
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

}  // namespace opref::ops
