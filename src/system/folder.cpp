// SPDX-License-Identifier: Apache-2.0
#include "system/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "system/file.h"
#include "system/machine_error.h"

namespace opref::system {

namespace fs = std::filesystem;

namespace {

void require_done(const fs::path& path, const std::error_code& error) {
  if (error) fail_path(error.value(), "cannot write {}: {}", shown(path), error.message());
}

bool lacks_descriptors(const std::error_code& error) {
  return error == std::errc::too_many_files_open || error == std::errc::too_many_files_open_in_system;
}

/// Of the folder `name` in that one; by descriptors, for so many folders that paths take time.
std::uint64_t bytes_in(int above, const char* name) {
  const int descriptor = openat(above, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  DIR* folder = fdopendir(descriptor);
  if (folder == nullptr) {
    close(descriptor);
    return 0;
  }
  std::uint64_t bytes = 0;
  while (const dirent* entry = readdir(folder)) {
    const std::string_view found = entry->d_name;
    struct stat what {};
    if (found == "." || found == "..") continue;
    const bool is_known = entry->d_type == DT_DIR || fstatat(descriptor, entry->d_name, &what, 0) == 0;
    if (entry->d_type == DT_DIR || (entry->d_type == DT_UNKNOWN && is_known && S_ISDIR(what.st_mode)))
      bytes += bytes_in(descriptor, entry->d_name);
    else if (is_known && S_ISREG(what.st_mode))
      bytes += static_cast<std::uint64_t>(what.st_size);
  }
  closedir(folder);
  return bytes;
}

bool is_real_folder(const fs::path& path, std::error_code& error) {
  return fs::is_directory(fs::symlink_status(path, error));
}

std::vector<fs::path> listed(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  return entries;
}

/// As remove_all, which opens as many folders at a time as lie in each other. Here one is open at a time, and no path
/// is longer than that of a folder in `folder`: what lies deeper is moved up to there first.
void remove_flattened(const fs::path& folder, std::error_code& error) {
  std::int64_t moved = 0;
  const auto move_up = [&](const fs::path& path) {
    fs::path target;
    do target = folder / format(".{}", moved++);
    while (fs::exists(fs::symlink_status(target, error)));
    fs::rename(path, target, error);
  };
  const auto remove_one = [&](const fs::path& path, const auto& each_inside) {
    if (is_real_folder(path, error))
      for (const fs::path& inside : listed(path, error))
        if (!error) each_inside(inside);
    if (!error) fs::remove(path, error);
  };
  std::vector<fs::path> entries;
  do {
    entries = listed(folder, error);
    for (const fs::path& entry : entries)
      if (!error) remove_one(entry, move_up);
  } while (!error && !entries.empty());
  if (!error) fs::remove(folder, error);
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
  if (error) fail_path(error.value(), "cannot remove {}: {}", shown(path), error.message());
}

void remove_path(const fs::path& path, std::error_code& error) {
  fs::remove_all(path, error);
  if (lacks_descriptors(error) || error == std::errc::filename_too_long) remove_flattened(path, error);
}

void make_link(const fs::path& link, const fs::path& to) {
  std::error_code error;
  fs::create_symlink(to, link, error);
  require_done(link, error);
}

void share_file(const fs::path& file, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(file, to, error);
  if (error) fs::copy_file(file, to, error);
  require_done(to, error);
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

std::uint64_t bytes_below(const fs::path& folder) { return bytes_in(AT_FDCWD, folder.c_str()); }

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries = listed(folder, error);
  require_read(folder, error);
  std::ranges::sort(entries);
  return entries;
}

void sync_file_system(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool done = descriptor >= 0 && syncfs(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (!done) fail_path(error, "cannot write {}: {}", shown(folder), std::generic_category().message(error));
}

}  // namespace opref::system
