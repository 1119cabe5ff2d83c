// SPDX-License-Identifier: Apache-2.0
#include "system/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "system/errno_text.h"
#include "system/file.h"
#include "system/folder.h"
#include "system/interrupt.h"
#include "system/machine_error.h"
#include "system/parallel.h"

extern char** environ;

namespace opref::system {
namespace {

namespace fs = std::filesystem;

/// What an interrupt has to end and remove.
struct Running {
  std::mutex mutex;
  std::set<pid_t> groups;
  fs::path folder;
};

Running& running() {
  static auto& everything = *new Running;  // never destroyed: the watching thread outlives main
  return everything;
}

void remove_folder(const fs::path& folder) {
  if (folder.empty()) return;
  // Under another name other threads find it no more and write nothing into it.
  fs::path doomed = folder;
  doomed += ".end";
  std::error_code error;
  fs::rename(folder, doomed, error);
  if (error) doomed = folder;
  // Folders that another thread is removing still vanish under way, which is an error too.
  constexpr int kMostTries = 100;
  // Who ends a program does not wait for long: what a backend left may take longer, and then stays.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  for (int i = 0; i < kMostTries && error != std::errc::timed_out && is_folder(doomed); ++i)
    remove_path(doomed, error, end);
}

/// Never gives the mutex back: nothing may start any more. Who comes second waits for the first to be through.
void end_everything() {
  static std::atomic<bool> begun = false, done = false;
  if (begun.exchange(true)) {
    while (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return;
  }
  Running& everything = running();
  everything.mutex.lock();
  for (const pid_t group : everything.groups) ::kill(-group, SIGKILL);
  remove_folder(everything.folder);
  done = true;
}

struct PipePair {
  PipePair() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail_machine("cannot make a pipe: {}", errno_text(errno));
    from = ends[0];
    to = ends[1];
  }
  PipePair(const PipePair&) = delete;
  PipePair& operator=(const PipePair&) = delete;
  ~PipePair() {
    for (const int end : {from, to})
      if (end >= 0) ::close(end);
  }
  Pipe take_from() { return Pipe(std::exchange(from, -1)); }
  Pipe take_to() { return Pipe(std::exchange(to, -1)); }
  int from = -1, to = -1;
};

/// What posix_spawn is to do; freed at the end.
struct SpawnPlan {
  SpawnPlan() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

/// This program's variables, but for these, and these.
std::vector<std::string> environment_with(std::span<const Variable> variables) {
  std::vector<std::string> all;
  for (const auto& [name, value] : variables) all.push_back(format("{}={}", name, value));
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
    const std::string_view text = *one;
    if (std::ranges::find(variables, text.substr(0, text.find('=')), &Variable::first) == variables.end())
      all.emplace_back(text);
  }
  return all;
}

/// The group is registered before an interrupt can miss it.
pid_t spawn(const std::string& command, const SpawnPlan& plan, std::span<const Variable> variables) {
  std::string shell = "sh", option = "-c", text = command;
  std::vector<std::string> environment = environment_with(variables);
  std::vector<char*> pointers;
  for (std::string& one : environment) pointers.push_back(one.data());
  pointers.push_back(nullptr);
  const std::array<char*, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
  const std::lock_guard lock(running().mutex);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, "/bin/sh", &plan.files, &plan.attributes, arguments.data(), pointers.data());
  if (error != 0) fail_machine("cannot start /bin/sh: {}", errno_text(error));
  running().groups.insert(pid);
  return pid;
}

}  // namespace

Pipe::Pipe(int descriptor) : descriptor_(descriptor) {
  fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) | O_NONBLOCK);
}

Pipe::Pipe(Pipe&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Pipe& Pipe::operator=(Pipe&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

void Pipe::close() {
  if (is_open()) ::close(std::exchange(descriptor_, -1));
}

std::span<const char> Pipe::read(std::span<char> buffer) {
  if (!is_open()) return {};
  const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) close();
  return buffer.first(count > 0 ? static_cast<size_t>(count) : 0);
}

std::size_t Pipe::write(std::string_view text) {
  if (!is_open()) return 0;
  const ssize_t count = ::write(descriptor_, text.data(), text.size());
  if (count < 0 && errno != EAGAIN && errno != EINTR) close();
  return count > 0 ? static_cast<size_t>(count) : 0;
}

Process::Process(const std::string& command, Streams streams, std::span<const Variable> variables) {
  PipePair error;
  SpawnPlan plan;
  posix_spawn_file_actions_adddup2(&plan.files, error.to, STDERR_FILENO);
  if (streams == Streams::output) {
    posix_spawn_file_actions_addopen(&plan.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&plan.files, error.to, STDOUT_FILENO);
    pid_ = spawn(command, plan, variables);
  } else {
    PipePair input, output;
    posix_spawn_file_actions_adddup2(&plan.files, input.from, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&plan.files, output.to, STDOUT_FILENO);
    pid_ = spawn(command, plan, variables);
    input_ = input.take_to();
    output_ = output.take_from();
  }
  error_ = error.take_from();
}

bool Process::ended() {
  if (status_) return true;
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) return false;
  kill();
  return true;
}

void Process::kill() {
  if (status_) return;
  // Until it is waited for, its number and that of its group are nobody else's.
  ::kill(-pid_, SIGKILL);
  {
    const std::lock_guard lock(running().mutex);
    running().groups.erase(pid_);
  }
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = status;
}

void OutputTail::add(std::span<const char> bytes) {
  constexpr size_t kMost = 8192;
  bytes = bytes.last(std::min(bytes.size(), kMost));
  bytes_.append(bytes.data(), bytes.size());
  if (bytes_.size() > kMost) bytes_.erase(0, bytes_.size() - kMost);
}

namespace {

/// Without the sequences by which terminals are told colours: ESC [ … letter.
std::string without_colours(std::string_view line) {
  std::string text;
  for (size_t at = 0; at < line.size(); ++at) {
    if (!line.substr(at).starts_with("\x1b[")) {
      text += line[at];
      continue;
    }
    for (at += 2; at < line.size() && (line[at] < '@' || line[at] > '~');) ++at;
  }
  return text;
}

}  // namespace

std::string OutputTail::text() const {
  constexpr size_t kMostLines = 20, kMostCharacters = 200;
  std::deque<std::string> lines;
  for (size_t begin = 0; begin < bytes_.size();) {
    const size_t end = std::min(bytes_.find('\n', begin), bytes_.size());
    if (end > begin)
      lines.push_back(printable(without_colours(std::string_view(bytes_).substr(begin, end - begin)), kMostCharacters));
    if (lines.size() > kMostLines) lines.pop_front();
    begin = end + 1;
  }
  return join_text(lines, "\n");
}

ScratchFolder::ScratchFolder() {
  end_on_interrupt(end_everything);
  const std::lock_guard lock(running().mutex);
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "opref-check-XXXXXX").string();
  if (error || mkdtemp(name.data()) == nullptr) {
    const char* const variable = std::getenv("TMPDIR");
    fail_machine("cannot make a temporary folder in {}: {}; TMPDIR names another place",
                 variable == nullptr ? "/tmp" : printable(variable), error ? error.message() : errno_text(errno));
  }
  path_ = running().folder = name;
}

ScratchFolder::~ScratchFolder() {
  constexpr int kMostAttempts = 3;  // a disk may fail once
  std::error_code error;
  for (int attempt = 0; attempt == 0 || (error && attempt < kMostAttempts); ++attempt) remove_path(path_, error);
  const std::lock_guard lock(running().mutex);  // till then an interrupt ends the program, however long that takes
  running().folder.clear();
}

}  // namespace opref::system
