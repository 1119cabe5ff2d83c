// SPDX-License-Identifier: Apache-2.0
#include "golden/make_all.h"

#include <algorithm>

#include "system/file.h"
#include "system/folder.h"
#include "system/interrupt.h"
#include "system/parallel.h"

namespace opref::golden {

namespace fs = std::filesystem;

void make_all(const std::vector<GoldenCase>& cases, const MakeOptions& options, const GoldenWork& work,
              const fs::path& scratch, GoldenProgress& progress,
              const std::function<void(size_t, const fs::path&, MadeCase&&)>& take) {
  if (work.begin)
    work.begin(static_cast<size_t>(std::ranges::count(progress.made, false, &std::optional<MadeCase>::has_value)));
  for_each_job(cases.size(), work.jobs, [&](size_t i) {
    if (progress.made[i] || InterruptDelay::requested() != 0) return;
    const fs::path folder = scratch / std::to_string(i);
    remove_path(folder);
    make_folder(folder);
    take(i, folder, work.make ? work.make(cases[i], folder) : make_case(cases[i], options, folder));
    remove_path(folder);
    const std::lock_guard lock(progress.guard);
    if (work.advance) work.advance();
  });
}

}  // namespace opref::golden
