#include "system/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "system/file.h"
#include "system/machine_error.h"

namespace opref::system {

namespace fs = std::filesystem;

namespace {

void require_done(const fs::path& path, const std::error_code& error) {
  if (error) fail_machine("cannot write {}: {}", shown(path), error.message());
}

bool lacks_descriptors(const std::error_code& error) {
  return error == std::errc::too_many_files_open || error == std::errc::too_many_files_open_in_system;
}

/// As remove_all, which opens as many folders at a time as lie in each other, but one only.
void remove_by_one(const fs::path& path, std::error_code& error) {
  if (fs::is_directory(fs::symlink_status(path, error))) {
    std::vector<fs::path> entries;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
      entries.push_back(at->path());
    for (const fs::path& entry : entries) {
      if (error) return;
      remove_by_one(entry, error);
    }
  }
  if (!error) fs::remove(path, error);
}

void require_read(const fs::path& folder, const std::error_code& error) {
  if (!error) return;
  if (lacks_descriptors(error)) fail_machine("cannot read the folder {}: {}", shown(folder), error.message());
  fail(Fault::system, "cannot read the folder {}: {}", shown(folder), error.message());
}

}  // namespace

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  require_done(folder, error);
}

void make_subfolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  require_done(folder, error);
}

void remove_path(const fs::path& path) {
  std::error_code error;
  remove_path(path, error);
  if (error) fail_machine("cannot remove {}: {}", shown(path), error.message());
}

void remove_path(const fs::path& path, std::error_code& error) {
  fs::remove_all(path, error);
  if (lacks_descriptors(error)) remove_by_one(path, error);
}

void make_link(const fs::path& link, const fs::path& to) {
  std::error_code error;
  fs::create_symlink(to, link, error);
  require_done(link, error);
}

void rename_path(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  require_done(to, error);
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (!is_folder(at->path())) files.push_back(at->path());
  require_read(folder, error);
  std::ranges::sort(files);
  return files;
}

std::int64_t entries_in(const fs::path& folder) {
  std::int64_t count = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) ++count;
  require_read(folder, error);
  return count;
}

void sync_file_system(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool done = descriptor >= 0 && syncfs(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (!done) fail_machine("cannot write {}: {}", shown(folder), std::generic_category().message(error));
}

}  // namespace opref::system
