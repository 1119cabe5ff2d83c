// Elements that go to places which a tensor names.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/parallel.h"

namespace opref::ops {

/// y[at[e]] = x[e] for e from `first`, while the places are from `begin` on, fewer than `size`; returns the e that
/// ended it, at most `last`.
template <class Unit>
std::size_t scatter_part(const Unit* x, const std::int64_t* at, Unit* y, std::size_t first, std::size_t last,
                         std::uint64_t begin, std::uint64_t size) {
  for (; first < last && static_cast<std::uint64_t>(at[first]) - begin < size; ++first) y[at[first]] = x[first];
  return first;
}

/// y[at[e]] = x[e], e ascending; returns the first e whose place is outside y, at which it stops, else x.size().
/// `planes` divides both sizes. Where each plane of x stays in the same plane of y, as after a pooling, several threads
/// share the planes. That it does not shows on the way, and then everything is put once more in order: each place that
/// was written is written again.
template <class Unit>
std::size_t scatter(std::span<const Unit> x, const std::int64_t* at, std::span<Unit> y, std::size_t planes,
                    int threads) {
  constexpr std::size_t kLeastForThreads = std::size_t{1} << 16, kJobsPerThread = 8;
  if (threads > 1 && planes > 1 && x.size() >= kLeastForThreads) {
    const std::size_t jobs = std::min(planes, kJobsPerThread * static_cast<std::size_t>(threads));
    const std::size_t x_plane = x.size() / planes, y_plane = y.size() / planes;
    std::atomic<bool> stay = true;
    for_each_job_in_shares(jobs, threads, [&](std::size_t job) {
      const std::size_t first = planes * job / jobs, last = planes * (job + 1) / jobs;
      if (stay && scatter_part(x.data(), at, y.data(), first * x_plane, last * x_plane, first * y_plane,
                               (last - first) * y_plane) < last * x_plane)
        stay = false;
    });
    if (stay) return x.size();
  }
  return scatter_part(x.data(), at, y.data(), 0, x.size(), 0, y.size());
}

}  // namespace opref::ops
