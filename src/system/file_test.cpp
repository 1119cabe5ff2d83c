// SPDX-License-Identifier: Apache-2.0
#include "system/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "io/folder_testing.h"
#include "io/onnx/testing.h"
#include "system/interrupt.h"

namespace file_test {

using namespace opref::system;
using namespace opref::io;
namespace fs = std::filesystem;

namespace {

/// While it lives, files are opened without the rights of the superuser.
class WithoutPrivilege {
 public:
  WithoutPrivilege() {
    constexpr uid_t kNobody = 65534;
    if (former_ == 0) REQUIRE(seteuid(kNobody) == 0);
  }
  ~WithoutPrivilege() {
    if (former_ == 0) static_cast<void>(!seteuid(former_));
  }

 private:
  uid_t former_ = geteuid();
};

int permissions(const fs::path& path) { return static_cast<int>(fs::status(path).permissions()); }

/// The status with which a child process ends that runs `body`; 0 if it returns, 99 if it throws.
template <class Body>
int status_of_child(const Body& body) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGABRT}) std::signal(signal, SIG_DFL);
    try {
      body();
    } catch (...) {
      _exit(99);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string error_reading(const fs::path& path) {
  return error_of([&] { read_file(path); });
}

std::string error_writing(const fs::path& path) {
  return error_of([&] {
    FileWriter writer(path);
    writer.write(std::string_view("new"));
    writer.commit();
  });
}

void write_whole(const fs::path& path, std::string_view text) {
  FileWriter writer(path);
  writer.write(text);
  writer.commit();
}

}  // namespace

TEST_CASE("a large file is mapped, a small one read; its bytes outlive its name", "[system]") {
  const TemporaryFolder folder;
  for (const size_t size : {size_t{1}, size_t{65536}, size_t{65537}}) {
    const std::string content(size, 'c');
    const fs::path path = folder.write("x.bin", content);
    const FileBytes file = read_file(path);
    CHECK((content_of("/proc/self/maps").find(path.string()) != std::string::npos) == (size > 65536));
    fs::remove(path);
    CHECK(file.text() == content);
    CHECK(file.owner.get() == file.bytes.data());
  }
}

TEST_CASE("what is read into memory does not change with the file", "[system]") {
  const TemporaryFolder folder;
  for (const size_t size : {size_t{3}, size_t{1} << 20}) {
    const fs::path path = folder.write("x.bin", std::string(size, 'a'));
    const FileBytes bytes = read_into_memory(path);
    folder.write("x.bin", "b");
    CHECK(bytes.text() == std::string(size, 'a'));
  }
}

TEST_CASE("a file that grows while it is read is not read for ever", "[system]") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("growing", std::string(1 << 20, 'x'));
  std::atomic<bool> is_over = false;
  std::jthread writer([&] {
    const std::string more(1 << 14, 'x');
    std::ofstream file(path, std::ios::app);
    for (int i = 0; i < 10000 && !is_over; ++i) file << more << std::flush;
  });
  std::string message;
  for (int tries = 0; tries < 1000 && message.empty(); ++tries) {
    try {
      read_into_memory(path);
    } catch (const Error& error) {
      message = error.message();
    }
  }
  is_over = true;
  CHECK(message.find("growing changed while it was read: it had ") != std::string::npos);
}

TEST_CASE("empty files, and files that only seem empty", "[system]") {
  const TemporaryFolder folder;
  CHECK(read_file(folder.write("empty", "")).bytes.empty());
  CHECK(read_file("/proc/self/status").text().find("Pid:") != std::string::npos);
}

TEST_CASE("what may never end is refused at once", "[system]") {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);  // nobody writes to it
  const auto error_reading = [](const fs::path& path) -> std::string {
    try {
      read_file(path);
    } catch (const Error& error) {
      return format("{}: {}", name(error.fault()), error.message());
    }
    return "it is read";
  };
  CHECK(error_reading(pipe) == format("system: {} is no regular file, but a pipe: it may never end", pipe.string()));
  CHECK(error_reading("/dev/zero") == "system: /dev/zero is no regular file, but a device: it may never end");
}

TEST_CASE("a pipe on standard input is read to its end", "[system]") {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::string sent;
  while (sent.size() < 300'000) sent += std::to_string(sent.size());
  std::thread writer([&] { std::ofstream(pipe) << sent; });
  CHECK(status_of_child([&] {
          dup2(open(pipe.c_str(), O_RDONLY), STDIN_FILENO);
          _exit(read_file("-").text() == sent ? 7 : 1);
        }) == 7);
  writer.join();
}

TEST_CASE("standard input beyond a limit is refused as soon as it is passed", "[system]") {
  const int former = dup(STDIN_FILENO), endless = open("/dev/zero", O_RDONLY);
  dup2(endless, STDIN_FILENO);
  CHECK_THROWS_WITH(read_file("-", 1000), "standard input does not end within 1000 bytes, the limit");
  dup2(former, STDIN_FILENO);
  close(former);
  close(endless);
}

TEST_CASE("a minus sign is standard input", "[system]") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("input", "typed");
  CHECK(status_of_child([&] {
          dup2(open(path.c_str(), O_RDONLY), STDIN_FILENO);
          _exit(read_file("-").text() == "typed" ? 7 : 1);
        }) == 7);
  CHECK(shown("-") == "standard input");
}

TEST_CASE("why a file cannot be read", "[system]") {
  const TemporaryFolder folder;
  const std::string name = folder.path().string();
  CHECK(error_reading(folder / "x.npy") == "system: no such file: " + name + "/x.npy");
  CHECK(error_reading(folder.path()) == "system: " + name + " is a folder");
  const fs::path file = folder.write("f", "");
  CHECK(error_reading(file / "x") == "system: no such file: " + name + "/f/x");
  CHECK(error_reading("") == "system: no such file: .");
  fs::permissions(file, fs::perms::none);
  const WithoutPrivilege unprivileged;
  CHECK(error_reading(file) == "system: permission denied: " + name + "/f");
}

TEST_CASE("a file appears when it is committed, with ordinary permissions and nothing beside it", "[system]") {
  const TemporaryFolder folder;
  const mode_t former = umask(027);
  FileWriter writer(folder / "y.npy");
  umask(former);
  writer.write(std::string_view("one "));
  writer.write(std::string_view("two"));
  CHECK_FALSE(fs::exists(folder / "y.npy"));
  CHECK(folder.entries() == 1);
  writer.commit();
  CHECK(content_of(folder / "y.npy") == "one two");
  CHECK(permissions(folder / "y.npy") == 0640);
  CHECK(folder.entries() == 1);
}

TEST_CASE("what is not committed leaves no trace", "[system]") {
  const TemporaryFolder folder;
  folder.write("y.npy", "old");
  {
    FileWriter writer(folder / "y.npy");
    writer.write(std::string_view("half"));
    CHECK(content_of(folder / "y.npy") == "old");
  }
  CHECK(content_of(folder / "y.npy") == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("an existing file keeps its permissions", "[system]") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("y.npy", "old");
  fs::permissions(path, static_cast<fs::perms>(0604));
  write_whole(path, "new");
  CHECK(content_of(path) == "new");
  CHECK(permissions(path) == 0604);
}

TEST_CASE("several writers, also of the same file", "[system]") {
  const TemporaryFolder folder;
  FileWriter first(folder / "y"), second(folder / "y"), third(folder / "z");
  first.write(std::string_view("1"));
  second.write(std::string_view("2"));
  third.write(std::string_view("3"));
  CHECK(folder.entries() == 3);
  first.commit();
  second.commit();
  CHECK(content_of(folder / "y") == "2");
  CHECK(folder.entries() == 2);
}

TEST_CASE("names as long as the file system allows", "[system]") {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  write_whole(folder / name, "x");
  CHECK(content_of(folder / name) == "x");
}

TEST_CASE("links are followed and stay", "[system]") {
  const TemporaryFolder folder;
  folder.write("target", "old");
  fs::create_symlink("target", folder / "link");
  fs::create_symlink("link", folder / "link to link");
  write_whole(folder / "link to link", "new");
  CHECK(fs::is_symlink(folder / "link to link"));
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(content_of(folder / "target") == "new");
  fs::create_symlink(folder / "later", folder / "dangling");
  write_whole(folder / "dangling", "born");
  CHECK(fs::is_symlink(folder / "dangling"));
  CHECK(content_of(folder / "later") == "born");
  fs::create_symlink("loop", folder / "loop");
  CHECK(error_writing(folder / "loop").starts_with("system: cannot write "));
}

TEST_CASE("devices and pipes are written directly", "[system]") {
  const TemporaryFolder folder;
  write_whole("/dev/null", "gone");
  CHECK(fs::is_character_file("/dev/null"));
  const fs::path pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::string received;
  std::thread reader([&] { received = content_of(pipe); });
  write_whole(pipe, "through");
  reader.join();
  CHECK(received == "through");
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("why a file cannot be written", "[system]") {
  const TemporaryFolder folder;
  const std::string name = folder.path().string();
  CHECK(error_writing(folder / "none/y") ==
        "system: cannot write " + name + "/none/y: there is no folder " + name + "/none");
  CHECK(error_writing("/proc/y") == "system: cannot write /proc/y: no file can be made in the folder /proc");
  const TemporaryFolder other;
  const std::string plain = other.write("plain", "x").string();
  CHECK(error_writing(other / "plain/y") == "system: cannot write " + plain + "/y: " + plain + " is no folder");
  CHECK(error_writing(folder.path()) == "system: cannot write " + name + ": it is a folder");
  CHECK(error_writing(folder / "") == "system: cannot write '" + name + "/': it names no file");
  CHECK(error_writing("/dev/full") == "system: cannot write /dev/full: No space left on device");
  const fs::path read_only = folder.write("fixed", "old");
  fs::permissions(read_only, static_cast<fs::perms>(0444));
  fs::permissions(folder.path(), static_cast<fs::perms>(0777));
  {
    const WithoutPrivilege unprivileged;
    CHECK(error_writing(folder / "fixed") == "system: cannot write " + name + "/fixed: permission denied");
  }
  fs::permissions(folder.path(), static_cast<fs::perms>(0555));
  {
    const WithoutPrivilege unprivileged;
    CHECK(error_writing(folder / "new") == "system: cannot write " + name + "/new: permission denied");
  }
  fs::permissions(folder.path(), static_cast<fs::perms>(0755));
  CHECK(content_of(read_only) == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("an interrupt removes unfinished files and keeps finished ones", "[system]") {
  const TemporaryFolder folder;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    CHECK(status_of_child([&] {
            remove_unfinished_files_on_interrupt();
            { FileWriter forgotten(folder / "forgotten"); }
            write_whole(folder / "finished", "whole");
            std::vector<std::unique_ptr<FileWriter>> writers;
            for (int i = 0; i < 20; ++i)
              writers.push_back(std::make_unique<FileWriter>(folder / ("unfinished" + std::to_string(i))));
            writers.back()->commit();
            if (folder.entries() != 21) _exit(1);
            raise(signal);
          }) == 128 + signal);
    CHECK(folder.entries() == 2);
    CHECK(content_of(folder / "finished") == "whole");
    CHECK(fs::exists(folder / "unfinished19"));
  }
}

TEST_CASE("a signal that the program was started to ignore stays ignored", "[system]") {
  CHECK(status_of_child([] {
          std::signal(SIGHUP, SIG_IGN);
          remove_unfinished_files_on_interrupt();
          raise(SIGHUP);
          _exit(5);
        }) == 5);
}

TEST_CASE("a minus sign is standard output", "[system]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "output";
  CHECK(status_of_child([&] {
          dup2(open(path.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
          write_whole("-", "first ");
          write_whole("-", "second");
        }) == 0);
  CHECK(content_of(path) == "first second");
}

TEST_CASE("a reader of standard output that goes away ends the program quietly", "[system]") {
  const TemporaryFolder folder;
  CHECK(status_of_child([&] {
          std::signal(SIGPIPE, SIG_IGN);
          int ends[2];
          if (pipe(ends) != 0) _exit(1);
          dup2(ends[1], STDOUT_FILENO);
          close(ends[0]);
          FileWriter unfinished(folder / "y");
          write_whole("-", "nobody reads this");
        }) == 128 + SIGPIPE);
  CHECK(folder.entries() == 0);
}

}  // namespace file_test
