// SPDX-License-Identifier: Apache-2.0
#include "system/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "system/descriptor.h"
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

std::vector<fs::path> listed(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  return entries;
}

std::error_code last_error() { return {errno, std::generic_category()}; }

/// A folder that is being emptied.
struct Emptied {
  std::string name;  ///< in the one above it
  dev_t device = 0;
  ino_t number = 0;
  std::vector<std::string> folders = {};  ///< that are left in it
};

bool is_one(const struct stat& what, const Emptied& folder) {
  return what.st_dev == folder.device && what.st_ino == folder.number;
}

/// Removes all files in an open folder. What another thread removed at the same time is no error.
Emptied remove_files(int folder, std::string name, std::error_code& error) {
  struct stat what {};
  const int listed = fstat(folder, &what) == 0 ? openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  Emptied emptied{std::move(name), what.st_dev, what.st_ino};
  DIR* listing = listed < 0 ? nullptr : fdopendir(listed);
  if (listing == nullptr) {
    error = last_error();
    if (listed >= 0) close(listed);
    return emptied;
  }
  while (const dirent* entry = readdir(listing)) {
    const std::string_view found = entry->d_name;
    if (found == "." || found == "..") continue;
    const bool is_known = entry->d_type == DT_DIR;
    if (!is_known && unlinkat(folder, entry->d_name, 0) == 0) continue;
    if (is_known || errno == EISDIR)
      emptied.folders.emplace_back(found);
    else if (errno != ENOENT)
      error = last_error();
  }
  closedir(listing);
  return emptied;
}

/// With one open at a time, for a process that can open no more; by paths, which cannot be long.
void remove_by_paths(const fs::path& folder, std::error_code& error) {
  for (const fs::path& entry : listed(folder, error)) {
    if (error) return;
    if (fs::is_directory(fs::symlink_status(entry, error)))
      remove_by_paths(entry, error);
    else
      fs::remove(entry, error);
  }
  if (!error) fs::remove(folder, error);
}

/// As remove_all, which opens as many folders at a time as lie in each other, and by paths that the system limits. Here
/// two are open at a time, and each is found in the one beside it: so it takes no longer the deeper they lie.
void remove_folder(const fs::path& root, std::error_code& error, std::chrono::steady_clock::time_point end) {
  constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor here(open(root.c_str(), kFolder));
  if (!here.is_open()) {
    if (errno != ENOENT) error = last_error();
    return;
  }
  std::vector<Emptied> above;
  Emptied emptied = remove_files(here.number(), "", error);
  while (!error && (!emptied.folders.empty() || !above.empty())) {
    if (std::chrono::steady_clock::now() >= end) error = std::make_error_code(std::errc::timed_out);
    if (!emptied.folders.empty()) {
      std::string name = std::move(emptied.folders.back());
      emptied.folders.pop_back();
      Descriptor inside(openat(here.number(), name.c_str(), kFolder));
      if (!inside.is_open() && errno == ENOENT) continue;
      if (!inside.is_open()) {
        error = last_error();
        continue;
      }
      above.push_back(std::move(emptied));
      here = std::move(inside);
      emptied = remove_files(here.number(), std::move(name), error);
      continue;
    }
    struct stat what {};
    here = Descriptor(openat(here.number(), "..", kFolder));
    if (!here.is_open() || fstat(here.number(), &what) != 0)
      error = last_error();
    else if (!is_one(what, above.back()))  // somebody moved it elsewhere
      error = std::make_error_code(std::errc::directory_not_empty);
    else if (unlinkat(here.number(), emptied.name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
      error = last_error();
    emptied = std::move(above.back());
    above.pop_back();
  }
  if (!error && rmdir(root.c_str()) != 0 && errno != ENOENT) error = last_error();
}

void require_read(const fs::path& folder, const std::error_code& error) {
  if (!error) return;
  if (lacks_descriptors(error)) fail_machine("cannot read the folder {}: {}", shown(folder), error.message());
  fail(Fault::system, "cannot read the folder {}: {}", shown(folder), error.message());
}

/// For file systems that sendfile does not know.
void copy_by_reading(int from, const fs::path& file, int copy, const fs::path& to) {
  std::array<char, size_t{1} << 16> bytes;
  for (ssize_t read_now = 1; read_now != 0;) {
    read_now = read(from, bytes.data(), bytes.size());
    if (read_now < 0 && errno != EINTR) fail(Fault::system, "cannot read {}: {}", shown(file), last_error().message());
    for (ssize_t written = 0; written < read_now;) {
      const ssize_t count = write(copy, bytes.data() + written, static_cast<size_t>(read_now - written));
      if (count < 0 && errno != EINTR) require_done(to, last_error());
      written += std::max<ssize_t>(count, 0);
    }
  }
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

void remove_path(const fs::path& path, std::error_code& error, std::chrono::steady_clock::time_point end) {
  const bool is_one = fs::is_directory(fs::symlink_status(path, error));
  error.clear();
  if (is_one)
    remove_folder(path, error, end);
  else
    fs::remove(path, error);
  if (!is_one || !lacks_descriptors(error)) return;
  error.clear();
  remove_by_paths(path, error);
}

void share_file(const fs::path& file, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(file, to, error);
  if (error) clone_file(file, to);
}

void clone_file(const fs::path& file, const fs::path& to) {
  constexpr size_t kMostAtOnce = size_t{1} << 30;
  const Descriptor from(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!from.is_open()) {
    if (lacks_descriptors(last_error())) fail_machine("cannot read {}: {}", shown(file), last_error().message());
    fail(Fault::system, "cannot read {}: {}", shown(file), last_error().message());
  }
  constexpr mode_t kAnyMay = 0666;
  const Descriptor copy(open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kAnyMay));
  if (!copy.is_open()) require_done(to, last_error());
  if (ioctl(copy.number(), FICLONE, from.number()) == 0) return;
  ssize_t count = 1;
  while (count > 0 || (count < 0 && errno == EINTR))
    count = sendfile(copy.number(), from.number(), nullptr, kMostAtOnce);
  if (count == 0) return;
  if (errno != EINVAL && errno != ENOSYS) require_done(to, last_error());
  copy_by_reading(from.number(), file, copy.number(), to);  // from where sendfile stopped
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
