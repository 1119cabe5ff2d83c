// SPDX-License-Identifier: Apache-2.0
#include "cli/entry.h"

#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <system_error>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/output.h"
#include "cli/program.h"
#include "core/error.h"
#include "exact/numerics.h"

namespace opref::cli {
namespace {

/// A file in memory that takes what a child writes to one of its standard streams.
class Capture {
 public:
  explicit Capture(const char* name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail(Fault::system, "cannot keep the output of a command: {}", std::strerror(errno));
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() { close(descriptor_); }

  int descriptor() const { return descriptor_; }

  std::string text() const {
    const off_t size = lseek(descriptor_, 0, SEEK_END);
    std::string text(static_cast<size_t>(size > 0 ? size : 0), '\0');
    for (size_t at = 0; at < text.size();) {
      const ssize_t count = pread(descriptor_, text.data() + at, text.size() - at, static_cast<off_t>(at));
      if (count <= 0) fail(Fault::system, "cannot read the output of a command: {}", std::strerror(errno));
      at += static_cast<size_t>(count);
    }
    return text;
  }

 private:
  int descriptor_;
};

[[noreturn]] void be_the_child(const std::vector<std::string>& arguments, const Capture& output,
                               const Capture& errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  __fpurge(stdin);  // requests that this process has read ahead
  dup2(output.descriptor(), STDOUT_FILENO);
  dup2(errors.descriptor(), STDERR_FILENO);
  restart_output();
  std::vector<std::string> words = {"opref"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int code = run_program(static_cast<int>(words.size()), pointers.data());
  std::fflush(stdout);
  _exit(code);
}

}  // namespace

std::span<const CommandRow> command_rows() {
  static constexpr CommandRow kRows[] = {{"run", add_run},
                                         {"infer", add_infer},
                                         {"diff", add_diff},
                                         {"show", add_show},
                                         {"check", add_check},
                                         {"golden", add_golden},
                                         {"explain", add_explain},
                                         {"bisect", add_bisect},
                                         {"extract", add_extract},
                                         {"ops", add_ops},
                                         {"report", add_report},
                                         {"worker", add_worker},
                                         {"completion", add_completion},
                                         {"help", add_help}};
  return kRows;
}

int run_program(int argc, char** argv) {
  try {
    require_ieee_environment();
    const std::span given(argv, static_cast<size_t>(argc));
    const int exit_code =
        answer_completion(given) ? 0 : parse_and_run(given.subspan(std::min<size_t>(1, given.size())));
    finish_output();
    return exit_code;
  } catch (const Error& error) {
    return report(error);
  } catch (const std::system_error& error) {
    return report(Error(Fault::system, error.what()));
  } catch (const std::bad_alloc&) {
    return report(Error(Fault::system, "not enough memory"));
  } catch (const std::exception& error) {
    return report(Error(Fault::internal, error.what()));
  }
}

EndedCommand run_in_child(const std::vector<std::string>& arguments) {
  const Capture output("output"), errors("errors");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) fail(Fault::system, "cannot start a process: {}", std::strerror(errno));
  if (child == 0) be_the_child(arguments, output, errors);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail(Fault::system, "cannot wait for a process: {}", std::strerror(errno));
  constexpr int kShell = 128;
  return {WIFSIGNALED(status) ? kShell + WTERMSIG(status) : WEXITSTATUS(status), output.text(), errors.text()};
}

}  // namespace opref::cli
