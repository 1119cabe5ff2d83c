// SPDX-License-Identifier: Apache-2.0
#include "system/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "system/deadline.h"
#include "system/descriptor.h"
#include "system/errno_text.h"
#include "system/interrupt.h"
#include "system/machine_error.h"
#include "system/mapping.h"

namespace opref::system {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_reading(int error, const fs::path& path) {
  const std::string name = shown(path);
  if (error == ENOENT || error == ENOTDIR) fail(Fault::system, "no such file: {}", name);
  if (error == EISDIR) fail(Fault::system, "{} is a folder", name);
  if (error == EACCES || error == EPERM) fail(Fault::system, "permission denied: {}", name);
  if (error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO)
    fail_path(error, "cannot read {}: {}", name, errno_text(error));
  fail(Fault::system, "cannot read {}: {}", name, errno_text(error));
}

[[noreturn]] void fail_writing(int error, const fs::path& path) {
  const std::string name = path == "-" ? "standard output" : shown(path);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (error == ENOENT && is_folder(folder))  // as /proc answers
    fail_path(error, "cannot write {}: no file can be made in the folder {}", name, shown(folder));
  if (error == ENOENT) fail_path(error, "cannot write {}: there is no folder {}", name, shown(folder));
  if (error == ENOTDIR) fail_path(error, "cannot write {}: {} is no folder", name, shown(folder));
  if (error == EISDIR) fail_path(error, "cannot write {}: it is a folder", name);
  if (error == EACCES || error == EPERM) fail_path(error, "cannot write {}: permission denied", name);
  fail_path(error, "cannot write {}: {}", name, errno_text(error));
}

struct Free {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};

/// More than this is mapped: below, a read costs less.
constexpr size_t kSmall = size_t{1} << 16;

/// Waits until there is something to read, as long as this thread's work has time.
void wait_for_input(int descriptor) {
  constexpr int kMilliseconds = 20;
  if (Deadline::current() == nullptr) return;
  pollfd input{descriptor, POLLIN, 0};
  for (int ready = 0; ready == 0 || (ready < 0 && errno == EINTR); ready = poll(&input, 1, kMilliseconds))
    require_time();
}

/// Up to its end, or until there are more than `most` bytes.
FileBytes read_stream(int descriptor, const fs::path& path, size_t first_capacity, size_t most) {
  std::unique_ptr<std::byte, Free> buffer;
  size_t capacity = 0, size = 0;
  while (size <= most) {
    if (size == capacity) {
      if (capacity > 0 && capacity > static_cast<size_t>(physical_memory() / 4))
        fail(Fault::system, "{} does not end within {} bytes, and this machine has no memory for more", shown(path),
             size);
      capacity = capacity == 0 ? first_capacity : std::max(kSmall, capacity * 2);
      auto* grown = static_cast<std::byte*>(std::realloc(buffer.get(), capacity));
      if (grown == nullptr) fail_reading(ENOMEM, path);
      static_cast<void>(buffer.release());
      buffer.reset(grown);
    }
    wait_for_input(descriptor);
    const ssize_t count = read(descriptor, buffer.get() + size, capacity - size);
    if (count == 0) break;
    if (count < 0 && errno != EINTR) fail_reading(errno, path);
    if (count > 0) size += static_cast<size_t>(count);
  }
  const std::shared_ptr<const std::byte> owner(std::move(buffer));
  return {owner, std::span(owner.get(), size)};
}

/// An open file that has an end.
class RegularFile {
 public:
  // Without O_NONBLOCK a pipe that nobody writes to would not even open.
  explicit RegularFile(const fs::path& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status {};
    if (file_.number() < 0 || fstat(file_.number(), &status) != 0) fail_reading(errno, path);
    if (S_ISDIR(status.st_mode)) fail_reading(EISDIR, path);
    if (!S_ISREG(status.st_mode))
      fail(Fault::system, "{} is no regular file, but a {}: it may never end", shown(path),
           S_ISFIFO(status.st_mode) ? "pipe" : "device");
    size_ = static_cast<size_t>(status.st_size);
  }
  int number() const { return file_.number(); }
  size_t size() const { return size_; }

 private:
  Descriptor file_;
  size_t size_ = 0;
};

/// A file may grow for ever while it is read. The system does not know the sizes of some that it makes up (/proc).
FileBytes read_regular(const RegularFile& file, const fs::path& path) {
  const size_t most = std::max(file.size(), kSmall);
  FileBytes bytes = read_stream(file.number(), path, file.size() + 1, most);  // one more, to see the end
  if (bytes.bytes.size() > most)
    fail(Fault::system, "{} changed while it was read: it had {} bytes", shown(path), file.size());
  return bytes;
}

/// More than a limit, by no more than a header may have, is left to who knows what the bytes are.
size_t with_header(std::int64_t most) {
  return most > INT64_MAX - static_cast<std::int64_t>(kSmall) ? SIZE_MAX - 1 : static_cast<size_t>(most) + kSmall;
}

/// Where a chain of links ends, whether or not a file is there.
fs::path followed(fs::path path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  for (int i = 0; fs::is_symlink(path, error); ++i) {
    if (i == kMostLinks) fail_writing(ELOOP, path);
    const fs::path target = fs::read_symlink(path, error);
    if (error) fail_writing(error.value(), path);
    path = path.parent_path() / target;
  }
  return path;
}

/// A hidden name beside `path` that no other process or writer has.
fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> counter = 0;
  constexpr size_t kMostKept = 200;  // of the name, which may have 255 bytes
  return path.parent_path() /
         format(".{}.{}-{}.part", path.filename().string().substr(0, kMostKept), getpid(), counter++);
}

}  // namespace

std::string canonical_name(const fs::path& path) {
  std::error_code ignored;
  return path == "-" ? "-" : fs::weakly_canonical(fs::absolute(path, ignored), ignored).string();
}

std::string shown(const fs::path& path) {
  constexpr size_t kMost = 1000;
  if (path == "-") return "standard input";
  return path.empty() ? "." : printable(path.string(), kMost);
}

std::int64_t physical_memory() { return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE); }

FileBytes in_memory(std::string bytes) {
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  const auto view = std::as_bytes(std::span(*owner));
  return {std::shared_ptr<const std::byte>(owner, view.data()), view};
}

FileBytes read_file(const fs::path& path, std::int64_t most_of_stream) {
  if (path == "-") {
    FileBytes bytes = read_stream(STDIN_FILENO, path, kSmall, with_header(most_of_stream));
    if (bytes.bytes.size() > with_header(most_of_stream))
      fail(Fault::system, kMoreMemory, "{} does not end within {} bytes, the limit", shown(path), most_of_stream);
    return bytes;
  }
  const RegularFile file(path);
  if (file.size() <= kSmall) return read_regular(file, path);
  if (FileBytes mapped = map_file(file.number(), file.size(), path); mapped.owner != nullptr) return mapped;
  if (errno == ENOMEM) fail_reading(errno, path);
  return read_regular(file, path);
}

FileBytes read_into_memory(const fs::path& path, std::int64_t most) {
  const RegularFile file(path);
  if (file.size() > with_header(most))
    fail(Fault::system, kMoreMemory, "{} has {} bytes, but the limit leaves {}", shown(path), file.size(), most);
  if (file.size() > static_cast<size_t>(physical_memory()))
    fail(Fault::system, "{} has {} bytes, more than this machine's memory ({})", shown(path), file.size(),
         physical_memory());
  return read_regular(file, path);
}

FileReader::FileReader(fs::path path) : path_(std::move(path)) {
  if (path_ == "-") return;
  const auto file = std::make_shared<const RegularFile>(path_);
  descriptor_ = file->number();
  file_ = file;
}

std::size_t FileReader::read(std::span<char> buffer) {
  for (;;) {
    const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail_reading(errno, path_);
  }
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

FileWriter::FileWriter(fs::path path, Link link) : path_(std::move(path)) {
  if (is_standard_output()) {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  const bool is_replaced = link == Link::replaced;
  if (!is_replaced) path_ = followed(std::move(path_));
  if (path_.filename().empty()) fail(Fault::system, "cannot write '{}': it names no file", shown(path_));
  struct stat status {};
  const bool is_there = (is_replaced ? lstat : stat)(path_.c_str(), &status) == 0;
  const bool exists = is_there && S_ISREG(status.st_mode);
  if (is_there && !exists && !is_replaced) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail_writing(errno, path_);
    return;
  }
  if (exists && faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0) fail_writing(errno, path_);
  unfinished_ = UnfinishedFile::take();
  do {
    unfinished_->state = UnfinishedFile::taken;
    temporary_ = temporary_name(path_);
    const std::string& name = temporary_.native();
    if (name.size() < sizeof(unfinished_->path)) {
      std::memcpy(unfinished_->path, name.c_str(), name.size() + 1);
      unfinished_->state = UnfinishedFile::armed;
    }
    descriptor_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    const int error = errno;
    unfinished_->state = UnfinishedFile::unused;
    fail_writing(error, path_);
  }
  if (exists) fchmod(descriptor_, status.st_mode & 0777);
}

FileWriter::~FileWriter() {
  if (is_standard_output()) return;
  if (descriptor_ >= 0) close(descriptor_);
  if (unfinished_ == nullptr) return;
  unlink(temporary_.c_str());
  unfinished_->state = UnfinishedFile::unused;
}

void FileWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EPIPE && is_standard_output()) end_by(SIGPIPE);
    if (const std::string changed = count < 0 && errno == EFAULT ? mapped_file_at(bytes.data()) : ""; !changed.empty())
      fail(Fault::system, "{} changed while it was read", changed);
    if (count < 0) fail_writing(errno, path_);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

void FileWriter::commit(Sync sync) {
  if (is_standard_output()) return;
  const bool is_file_of_its_own = unfinished_ != nullptr;
  if (sync == Sync::yes && is_file_of_its_own && fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP)
    fail_writing(errno, path_);
  if (close(std::exchange(descriptor_, -1)) != 0) fail_writing(errno, path_);
  if (unfinished_ == nullptr) return;
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail_writing(errno, path_);
  std::exchange(unfinished_, nullptr)->state = UnfinishedFile::unused;
}

}  // namespace opref::system
