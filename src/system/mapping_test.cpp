// SPDX-License-Identifier: Apache-2.0
#include "system/mapping.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/error.h"
#include "io/folder_testing.h"
#include "system/interrupt.h"
#include "system/process.h"

namespace mapping_test {

using namespace opref::system;
using namespace opref::io;
namespace fs = std::filesystem;

namespace {

constexpr size_t kSize = size_t{1} << 20;

struct Ended {
  int status;  ///< the exit code, or the negative number of a signal
  std::string said;
};

/// How a child process ends that runs `body` as the program would, and what it writes to standard error.
template <class Body>
Ended child(const TemporaryFolder& folder, const Body& body) {
  const fs::path said = folder.write("said", "");
  const pid_t process = fork();
  REQUIRE(process >= 0);
  if (process == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGABRT}) std::signal(signal, SIG_DFL);
    static_cast<void>(!std::freopen(said.c_str(), "w", stderr));
    remove_unfinished_files_on_interrupt();
    try {
      body();
    } catch (...) {
      _exit(99);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), content_of(said)};
}

/// The last byte of a mapped file that was cut meanwhile.
std::byte lost_byte(const fs::path& path) {
  const FileBytes file = read_file(path);
  fs::resize_file(path, 1000);
  return file.bytes.back();
}

}  // namespace

TEST_CASE("a mapped file that gets shorter ends the program, with a sentence and without what is unfinished",
          "[system]") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("x.bin", std::string(kSize, 'c'));
  const Ended ended = child(folder, [&] {
    FileWriter writer(folder / "y.bin");
    writer.write(std::string_view("half"));
    static_cast<void>(std::to_integer<int>(lost_byte(path)) == 0 ? _exit(98) : _exit(97));
  });
  CHECK(ended.status == 6);
  CHECK(ended.said == format("error: {} changed while it was read\n", path.string()));
  CHECK(folder.entries() == 2);  // x.bin and what was said
}

TEST_CASE("a mapped file that gets shorter in a thread takes the temporary folder with it", "[system]") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("x.bin", std::string(kSize, 'c'));
  const Ended ended = child(folder, [&] {
    setenv("TMPDIR", folder.path().c_str(), 1);
    const ScratchFolder scratch;
    FileWriter(scratch.path() / "z").commit();
    std::thread([&] { _exit(std::to_integer<int>(lost_byte(path))); }).join();
  });
  CHECK(ended.status == 6);
  CHECK(folder.entries() == 2);
}

TEST_CASE("SIGBUS that no mapped file is the cause of ends the program as ever", "[system]") {
  const TemporaryFolder folder;
  CHECK(child(folder, [] {
          raise(SIGBUS);
          raise(SIGBUS);
        }).status == -SIGBUS);
}

TEST_CASE("a mapped file that gets shorter while it is copied to another is an error", "[system]") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("x.bin", std::string(kSize, 'c'));
  const FileBytes file = read_file(path);
  CHECK(mapped_file_at(file.bytes.data() + kSize - 1) == path.string());
  CHECK(mapped_file_at(file.bytes.data() + kSize).empty());
  fs::resize_file(path, 0);
  FileWriter writer(folder / "y.bin");
  CHECK_THROWS_WITH(writer.write(file.bytes), path.string() + " changed while it was read");
}

TEST_CASE("what is read into memory keeps to its limit, and to what the machine has", "[system]") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("x.bin", "");
  fs::resize_file(path, kSize);
  CHECK(read_into_memory(path, kSize - 65536).bytes.size() == kSize);
  CHECK(mapped_file_at(read_into_memory(path).bytes.data()).empty());
  CHECK_THROWS_WITH(read_into_memory(path, kSize - 65537),
                    path.string() + " has 1048576 bytes, but the limit leaves 983039");
}

namespace {

/// Bytes of mapped files in memory; those of a file system in memory count as shared.
std::int64_t mapped_memory() {
  std::ifstream status("/proc/self/status");
  std::int64_t bytes = 0;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssFile:") || line.starts_with("RssShmem:"))
      bytes += 1024 * std::stoll(line.substr(line.find(':') + 1));
  return bytes;
}

}  // namespace

TEST_CASE("pages of a mapped file leave memory and come again; what is no file's stays", "[system]") {
  constexpr std::int64_t kLarge = 16 << 20, kSpare = 2 << 20;
  const TemporaryFolder folder;
  const FileBytes file = read_file(folder.write("x.bin", std::string(kLarge, 'c')));
  CHECK(file.bytes.back() == std::byte{'c'});
  const std::int64_t before = mapped_memory();
  release_pages(file.bytes.subspan(100, kLarge - 200));
  CHECK(before - mapped_memory() > kLarge - kSpare);
  CHECK(std::ranges::count(file.bytes, std::byte{'c'}) == kLarge);
  const std::string text(kLarge, 'd');
  release_pages(std::as_bytes(std::span(text)));
  CHECK(std::ranges::count(text, 'd') == kLarge);
}

}  // namespace mapping_test
