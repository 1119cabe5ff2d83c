#include "golden/golden_files.h"

#include <vector>

#include "core/error.h"
#include "golden/manifest.h"
#include "system/file.h"

namespace opref::golden {

namespace fs = std::filesystem;

bool is_leftover(std::string_view name) {
  return name == kScratchFolder || (name.starts_with(format(".{}.", kManifestFile)) && name.ends_with(".part"));
}

void cannot_write(const fs::path& path, const std::error_code& error) {
  fail(Fault::system, "cannot write {}: {}", shown(path), error.message());
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) cannot_write(folder, error);
}

void remove_path(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) cannot_write(path, error);
}

void rename_path(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) cannot_write(to, error);
}

void remove_leftovers(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (is_leftover(at->path().filename().string())) found.push_back(at->path());
  for (const fs::path& path : found) remove_path(path);
}

}  // namespace opref::golden
