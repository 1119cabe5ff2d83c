#include "golden/golden_files.h"

#include <vector>

#include "golden/manifest.h"
#include "system/folder.h"

namespace opref::golden {

namespace fs = std::filesystem;

bool is_leftover(std::string_view name) {
  return name == kScratchFolder || (name.starts_with(format(".{}.", kManifestFile)) && name.ends_with(".part"));
}

void remove_leftovers(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (is_leftover(at->path().filename().string())) found.push_back(at->path());
  for (const fs::path& path : found) remove_path(path);
}

}  // namespace opref::golden
