// SPDX-License-Identifier: Apache-2.0
#include "golden/golden_files.h"

#include "golden/manifest.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::golden {

namespace fs = std::filesystem;

bool is_leftover(std::string_view name) {
  return name == kScratchFolder || (name.starts_with(format(".{}.", kManifestFile)) && name.ends_with(".part"));
}

void remove_leftovers(const fs::path& folder) {
  if (!is_folder(folder)) return;
  for (const fs::path& path : entries_of(folder))
    if (is_leftover(path.filename().string())) remove_path(path);
}

}  // namespace opref::golden
