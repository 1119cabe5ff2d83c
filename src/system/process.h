// SPDX-License-Identifier: Apache-2.0
// Processes of a runner: each in a group of its own, so that it and all it started can be ended, also when this program
// is interrupted.
#pragma once

#include <sys/types.h>

#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/rooms.h"

namespace opref::system {

/// Where a process's standard streams go.
enum class Streams : std::uint8_t {
  output,    ///< stdin is empty; stdout and stderr both go to error()
  dialogue,  ///< stdin is input(), stdout is output(), stderr is error()
};

/// One end of a pipe; never blocks.
class Pipe {
 public:
  Pipe() = default;
  explicit Pipe(int descriptor);
  Pipe(Pipe&& other) noexcept;
  Pipe& operator=(Pipe&& other) noexcept;
  ~Pipe() { close(); }

  int descriptor() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  void close();
  /// What is there now, at most as much as fits; empty where nothing is. Closes itself at the end of the stream.
  std::span<const char> read(std::span<char> buffer);
  /// Bytes that were taken now. Closes itself where nobody reads any more.
  std::size_t write(std::string_view text);

 private:
  int descriptor_ = -1;
};

/// NAME and value of an environment variable.
using Variable = std::pair<std::string, std::string>;

/// A command that /bin/sh runs, in a process group of its own.
class Process {
 public:
  /// With these variables and the others of this program. Fault: `system`.
  Process(const std::string& command, Streams streams, std::span<const Variable> variables = {});
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  /// Kills the whole group.
  ~Process() { kill(); }

  Pipe& input() { return input_; }
  Pipe& output() { return output_; }
  Pipe& error() { return error_; }

  /// Whether it has ended by itself; what it left running is killed then.
  bool ended();
  /// Kills the group and waits for the process.
  void kill();
  /// As waitpid gives it; only after the end.
  int status() const { return *status_; }

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
  Pipe input_, output_, error_;
};

/// The last lines that a process wrote, however many they were.
class OutputTail {
 public:
  void add(std::span<const char> bytes);
  /// At most 20 lines of at most 200 characters, printable; without a final newline.
  std::string text() const;

 private:
  std::string bytes_;
};

/// A folder for the files of a run, removed at its end, also when that is an interrupt or a closed pipe. From the first
/// one on, SIGINT, SIGTERM and SIGHUP also kill all processes, and SIGPIPE is ignored: writing fails instead.
/// There is at most one at a time. Must be made before the first thread.
class ScratchFolder {
 public:
  /// In the system's temporary folder. Fault: `system`.
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace opref::system
