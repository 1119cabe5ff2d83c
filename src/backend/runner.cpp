// SPDX-License-Identifier: Apache-2.0
#include "backend/runner.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "backend/shell.h"
#include "core/error.h"

namespace opref::backend {
namespace {

std::array<Place, 3> places_of(const HandedCase& handed) {
  return {
      Place{"model", handed.model.string()}, {"inputs", handed.inputs.string()}, {"outputs", handed.outputs.string()}};
}

class CommandRunner : public Backend {
 public:
  CommandRunner(std::string command, const RunnerOptions& options) : command_(std::move(command)), options_(options) {}

  Needs needs() const override { return Needs::files; }

  Answer evaluate(const HandedCase& handed) override {
    const std::array<Variable, 4> variables = {Variable{"OPREF_CASE", handed.name},
                                               {"OPREF_MODEL", handed.model.string()},
                                               {"OPREF_INPUTS", handed.inputs.string()},
                                               {"OPREF_OUTPUTS", handed.outputs.string()}};
    Process process(with_places(command_, places_of(handed)), Streams::output, variables);
    const Deadline deadline(options_);
    OutputTail tail;
    while (!process.ended()) {
      if (deadline.is_over()) return deadline.answer(tail);
      // The end of its output wakes this up, unless it closed that before or gave it to others.
      constexpr int kReading = 50, kWaiting = 2;
      pollfd waiting{process.error().descriptor(), POLLIN, 0};
      poll(&waiting, 1, deadline.milliseconds(process.error().is_open() ? kReading : kWaiting));
      if (waiting.revents != 0) drain(process.error(), tail);
    }
    drain(process.error(), tail);
    const Ending ending = ending_of(process.status());
    start_.require(ending, tail);
    Answer answer = answer_of(ending, tail.text());
    answer.outputs = handed.outputs;
    return answer;
  }

 private:
  std::string command_;
  RunnerOptions options_;
  FirstStart start_;
};

/// The shell answers a command that it cannot parse with exit code 2, as many programs answer a case that they refuse.
void require_syntax(const std::string& command) {
  Process shell("set -n\n" + command, Streams::output);  // parses, and runs nothing
  OutputTail tail;
  while (!shell.ended()) {
    constexpr int kWaiting = 2;
    pollfd waiting{shell.error().descriptor(), POLLIN, 0};
    poll(&waiting, 1, kWaiting);
    drain(shell.error(), tail);
  }
  drain(shell.error(), tail);
  if (ending_of(shell.status()).number != 0) fail(Fault::usage, "the shell cannot parse the command: {}", tail.text());
}

}  // namespace

std::unique_ptr<Backend> runner(const std::string& command, const RunnerOptions& options) {
  const std::string example = with_places(command, places_of({"", "/model.onnx", "/inputs", "/outputs"}));
  require_syntax(example);
  if (example != command) return std::make_unique<CommandRunner>(command, options);
  return worker_runner(command, options);
}

void FirstStart::require(const Ending& ending, const OutputTail& tail) {
  if (is_not_started(ending) && !started_)
    fail(Fault::system, kWriteRunner, "the runner cannot be started: {}; it is a command, as python3 FILE",
         tail.text().empty() ? format("its shell ended with {}", to_text(ending)) : tail.text());
  started_ = true;
}

Answer answer_of(const Ending& ending, std::string last_lines) {
  const std::string what = to_text(ending);
  Answer answer{Answer::Status::refused, "the runner ended with " + what, std::move(last_lines), {}};
  if (ending.kind == Ending::Kind::signal) {
    answer.status = Answer::Status::broken;
    answer.how = Answer::How::killed;
    answer.why = "the runner was " + what;
  } else if (is_not_started(ending) || ending.number == static_cast<int>(Fault::system) ||
             ending.number == static_cast<int>(Fault::internal)) {
    answer.status = Answer::Status::broken;
    answer.how = ending.number == static_cast<int>(Fault::internal) ? Answer::How::bug : Answer::How::machine;
  } else if (ending.number == 0) {
    answer.status = Answer::Status::ok;
    answer.why = "";
  } else if (ending.number == static_cast<int>(Fault::unsupported)) {
    answer.status = Answer::Status::unsupported;
    if (!answer.last_lines.empty()) answer.why = answer.last_lines.substr(answer.last_lines.rfind('\n') + 1);
  }
  return answer;
}

Deadline::Deadline(const RunnerOptions& options)
    : options_(options),
      end_(std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                  std::chrono::duration<double>(options.timeout))) {}

bool Deadline::is_over() const {
  return std::chrono::steady_clock::now() >= end_ || (options_.stopped != nullptr && *options_.stopped);
}

int Deadline::milliseconds(int slice) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, slice));
}

Answer Deadline::answer(const OutputTail& tail) const {
  return {
      Answer::Status::broken, format("no answer within {} s", options_.timeout), tail.text(), {}, Answer::How::late};
}

Ending ending_of(int status) {
  constexpr int kShell = 128;
  if (WIFSIGNALED(status)) return {Ending::Kind::signal, WTERMSIG(status)};
  const int code = WEXITSTATUS(status);
  if (code > kShell && code - kShell < NSIG && sigabbrev_np(code - kShell) != nullptr)
    return {Ending::Kind::signal, code - kShell};
  return {Ending::Kind::code, code};
}

std::string to_text(const Ending& ending) {
  if (ending.kind == Ending::Kind::code) return format("exit code {}", ending.number);
  const char* name = sigabbrev_np(ending.number);
  return name == nullptr ? format("killed by signal {}", ending.number) : format("killed by SIG{}", name);
}

bool is_not_started(const Ending& ending) {
  return ending.kind == Ending::Kind::code && (ending.number == 126 || ending.number == 127);
}

void drain(Pipe& pipe, OutputTail& tail) {
  constexpr int kMostReads = 16;
  std::array<char, 1 << 16> buffer;
  for (int i = 0; i < kMostReads; ++i) {
    const std::span<const char> bytes = pipe.read(buffer);
    if (bytes.empty()) return;
    tail.add(bytes);
  }
}

}  // namespace opref::backend
