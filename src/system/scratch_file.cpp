// SPDX-License-Identifier: Apache-2.0
#include "system/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "system/machine_error.h"

namespace opref::system {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTail = std::size_t{1} << 20;

std::string folder() {
  std::error_code error;
  const fs::path path = fs::temp_directory_path(error);
  if (error) fail_machine("there is no temporary folder: {}", error.message());
  return path.string();
}

int open_nameless() {
  std::string name = folder() + "/opref-records-XXXXXX";
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) fail_machine("cannot make a temporary file in {}: {}", folder(), std::strerror(errno));
  unlink(name.c_str());
  return descriptor;
}

}  // namespace

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::uint64_t ScratchFile::append(std::string_view bytes) {
  const std::lock_guard lock(guard_);
  if (tail_.size() + bytes.size() > kMostTail) write_tail();
  const std::uint64_t at = written_ + tail_.size();
  tail_ += bytes;
  return at;
}

void ScratchFile::write_tail() {
  if (descriptor_ < 0) descriptor_ = open_nameless();
  for (std::size_t done = 0; done < tail_.size();) {
    const ssize_t count =
        pwrite(descriptor_, tail_.data() + done, tail_.size() - done, static_cast<off_t>(written_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_machine("cannot write to a temporary file in {}: {}", folder(), std::strerror(errno));
    done += static_cast<std::size_t>(count);
  }
  written_ += tail_.size();
  tail_.clear();
}

std::string ScratchFile::read(std::uint64_t at, std::size_t size) const {
  const std::lock_guard lock(guard_);
  if (at >= written_) return tail_.substr(static_cast<std::size_t>(at - written_), size);
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = pread(descriptor_, bytes.data() + done, size - done, static_cast<off_t>(at + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      fail_machine("cannot read from a temporary file in {}: {}", folder(),
                   count < 0 ? std::strerror(errno) : "it has become shorter");
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace opref::system
