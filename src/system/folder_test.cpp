// SPDX-License-Identifier: Apache-2.0
#include "system/folder.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <utility>

#include "io/folder_testing.h"
#include "system/file.h"
#include "system/machine_error.h"

namespace folder_test {

using namespace opref::system;
using opref::io::content_of;
using opref::io::TemporaryFolder;

namespace fs = std::filesystem;

namespace {

/// While it lives no further file can be opened, but for some.
class NoMoreFiles {
 public:
  explicit NoMoreFiles(int but = 0) {
    getrlimit(RLIMIT_NOFILE, &former_);
    const int next = dup(STDIN_FILENO);
    close(next);
    const rlimit none{static_cast<rlim_t>(next + but), former_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &former_); }

 private:
  rlimit former_{};
};

std::string fault_of_machine(const auto& act) {
  try {
    act();
  } catch (const MachineError& error) {
    return error.message();
  }
  return "none";
}

/// Told the name of what this thread removes next, once.
thread_local const std::function<void(const char*)>* before_next_removal = nullptr;

}  // namespace

/// In place of the system's, which it calls.
extern "C" int unlinkat(int folder, const char* name, int flags) noexcept {
  if (const auto* act = std::exchange(before_next_removal, nullptr)) (*act)(name);
  return static_cast<int>(syscall(SYS_unlinkat, folder, name, flags));
}

TEST_CASE("a folder that was removed is not made again", "[system]") {
  const TemporaryFolder root;
  make_subfolder(root.path() / "a");
  make_subfolder(root.path() / "a");
  CHECK(is_folder(root.path() / "a"));
  CHECK(fault_of_machine([&] { make_subfolder(root.path() / "b/c"); }).ends_with("b/c: No such file or directory"));
  CHECK(!is_folder(root.path() / "b"));
  make_folder(root.path() / "b/c");
  CHECK(is_folder(root.path() / "b/c"));
  remove_path(root.path() / "b");
  remove_path(root.path() / "b");
  CHECK(!is_folder(root.path() / "b"));
}

TEST_CASE("all files below a folder, links among them", "[system]") {
  const TemporaryFolder root;
  make_folder(root.path() / "b/c");
  for (const char* name : {"z", "b/c/y", "a"}) std::ofstream(root.path() / name) << name;
  fs::create_symlink("nowhere", root.path() / "b/link");
  const std::vector<fs::path> files = {root.path() / "a", root.path() / "b/c/y", root.path() / "b/link",
                                       root.path() / "z"};
  CHECK(files_below(root.path()) == files);
  CHECK(entries_of(root.path()) == std::vector<fs::path>{root.path() / "a", root.path() / "b", root.path() / "z"});
  CHECK_THROWS_WITH(files_below(root.path() / "x"), Catch::Matchers::EndsWith("x: No such file or directory"));
  CHECK_THROWS_WITH(entries_of(root.path() / "x"), Catch::Matchers::EndsWith("x: No such file or directory"));
  sync_file_system(root.path());
}

TEST_CASE("too many open files are the machine's fault, not a file's", "[system]") {
  const TemporaryFolder root;
  const fs::path file = root.path() / "file";
  std::ofstream(file) << "text";
  const NoMoreFiles limit;
  CHECK(fault_of_machine([&] { read_file(file); }).ends_with("file: Too many open files"));
  CHECK(fault_of_machine([&] { FileWriter{root.path() / "new"}; }).ends_with("new: Too many open files"));
  CHECK(fault_of_machine([&] { files_below(root.path()); }).ends_with(": Too many open files"));
  CHECK(fault_of_machine([&] { entries_of(root.path()); }).ends_with(": Too many open files"));
  CHECK(fault_of_machine([&] { sync_file_system(root.path()); }).ends_with(": Too many open files"));
  CHECK(is_file(file));
}

TEST_CASE("a folder is removed with one descriptor, and links in it with it", "[system]") {
  const TemporaryFolder root;
  make_folder(root.path() / "a/b/c/d");
  make_folder(root.path() / "kept");
  for (const char* name : {"kept/x", "a/x", "a/b/c/x"}) std::ofstream(root.path() / name) << name;
  fs::create_directory_symlink(root.path() / "kept", root.path() / "a/b/link");
  {
    const NoMoreFiles limit(1);
    remove_path(root.path() / "a");
  }
  CHECK(!is_folder(root.path() / "a"));
  CHECK(is_file(root.path() / "kept/x"));
}

TEST_CASE("a folder is removed however long the paths in it are", "[system]") {
  const TemporaryFolder root;
  const std::string name(200, 'd');
  constexpr int kDepth = 30;  // 6,000 bytes of a path, which may have 4,096
  {
    const NoMoreFiles limit(8);
    fs::path above = root.path() / "deep";
    make_folder(above);
    for (int i = 0; i < kDepth; ++i) {
      make_folder(above / name);
      fs::rename(above, root.path() / "moved");
      make_folder(above);
      fs::rename(root.path() / "moved", above / name);
    }
    std::ofstream(above / ".0") << "a name that is wanted";
    remove_path(above);
  }
  CHECK(entries_of(root.path()).empty());
}

TEST_CASE("a removal stops at its time, and goes on where it stopped", "[system]") {
  const TemporaryFolder root;
  make_folder(root.path() / "a/b/c");
  std::error_code error;
  remove_path(root.path() / "a", error, std::chrono::steady_clock::now());
  CHECK(error == std::errc::timed_out);
  CHECK(is_folder(root.path() / "a/b"));
  remove_path(root.path() / "a", error);
  CHECK_FALSE(error);
  CHECK(entries_of(root.path()).empty());
}

TEST_CASE("a folder that somebody moves while it is emptied takes nothing outside with it", "[system]") {
  const TemporaryFolder root;
  for (const char* name : {"0", "1"})
    for (const char* folder : {"doomed", "kept"}) {
      make_folder(root.path() / folder / name);
      std::ofstream(root.path() / folder / name / name) << name;
    }
  std::string moved;
  const std::function<void(const char*)> move = [&](const char* name) {
    moved = name;
    remove_path(root.path() / "kept" / moved);
    fs::rename(root.path() / "doomed" / moved, root.path() / "kept" / moved);
  };
  before_next_removal = &move;
  std::error_code error;
  remove_path(root.path() / "doomed", error);
  CHECK(error == std::errc::directory_not_empty);
  const std::string other = moved == "0" ? "1" : "0";
  CHECK(is_file(root.path() / "kept" / other / other));
}

TEST_CASE("a copy has a file's bytes, and is changed apart from it", "[system]") {
  const TemporaryFolder root;
  const std::string bytes(3'000'000, 'x');
  std::ofstream(root.path() / "a") << bytes;
  for (int time = 0; time < 2; ++time) {
    clone_file(root.path() / "a", root.path() / "b");
    CHECK(content_of(root.path() / "b") == bytes);
    std::ofstream(root.path() / "b") << "y";
  }
  CHECK(content_of(root.path() / "a") == bytes);
  clone_file("/proc/self/auxv", root.path() / "auxv");  // Linux 6 refuses sendfile here
  CHECK(content_of(root.path() / "auxv") == content_of("/proc/self/auxv"));
  CHECK_THROWS_WITH(clone_file(root.path() / "none", root.path() / "c"),
                    Catch::Matchers::EndsWith("none: No such file or directory"));
  CHECK(fault_of_machine([&] {
          clone_file(root.path() / "a", root.path() / "no/c");
        }).ends_with("no/c: No such file or directory"));
  const NoMoreFiles limit;
  CHECK(
      fault_of_machine([&] { clone_file(root.path() / "a", root.path() / "c"); }).ends_with("a: Too many open files"));
}

}  // namespace folder_test
