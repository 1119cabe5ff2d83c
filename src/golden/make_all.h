// SPDX-License-Identifier: Apache-2.0
// All cases of a request, on several threads.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "golden/golden.h"
#include "golden/make_case.h"

namespace opref::golden {

struct GoldenProgress {
  std::mutex guard;
  std::vector<std::optional<MadeCase>> made;                                         ///< by the case's number
  std::chrono::steady_clock::time_point written = std::chrono::steady_clock::now();  ///< the manifest
};

/// Makes the cases that are not made yet in folders below `scratch`, until all are or the program is to end; each is
/// handed to `take(number, its folder, what it is)`, on the thread that made it.
void make_all(const std::vector<GoldenCase>& cases, const MakeOptions& options, const GoldenWork& work,
              const std::filesystem::path& scratch, GoldenProgress& progress,
              const std::function<void(size_t, const std::filesystem::path&, MadeCase&&)>& take);

}  // namespace opref::golden
