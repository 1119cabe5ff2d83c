// SPDX-License-Identifier: Apache-2.0
// What both kinds of runner share. Nothing else includes this.
#pragma once

#include <atomic>
#include <chrono>

#include "backend/backend.h"
#include "core/error.h"
#include "system/process.h"

namespace opref::backend {

/// A program that answers, in place of a command that does not exist.
inline constexpr Remedy kWriteRunner{"write_runner"};

/// A worker stays up and gets case after case: one JSON object per line on stdin, {"id", "model", "inputs", "outputs"}
/// (the id is the case's name), and one answer per line on stdout, {"id", "status": "ok"|"unsupported"|"error", "why"}.
/// There are as many as threads ask at once. One that takes too long is replaced for the next case; one that ends or
/// breaks the protocol at once, and this case is asked again, unless it was the worker's first: so what a worker does
/// after an answer costs no other case.
std::unique_ptr<Backend> worker_runner(const std::string& command, const RunnerOptions& options);

/// The time that a runner has for one case.
class Deadline {
 public:
  explicit Deadline(const RunnerOptions& options);
  /// It took too long, or nobody wants the answer any more.
  bool is_over() const;
  /// Until then, but at most `slice`, as poll() takes it.
  int milliseconds(int slice) const;
  /// "no answer within 60 s"
  Answer answer(const OutputTail& tail) const;

 private:
  const RunnerOptions& options_;
  std::chrono::steady_clock::time_point end_;
};

/// Of a process that ended: "exit code 3", "killed by SIGSEGV". A shell's 128 + N means signal N too.
struct Ending {
  enum class Kind : std::uint8_t { code, signal } kind;
  int number;
};
Ending ending_of(int status);
std::string to_text(const Ending& ending);

/// Whether the shell says that there is no such command, or that it cannot be executed.
bool is_not_started(const Ending& ending);

/// A runner whose command does not exist judges nothing: that shows with the first of its processes that ends.
class FirstStart {
 public:
  /// Fault: `system`, if the shell could not start the command and no process has been there before.
  void require(const Ending& ending, const OutputTail& tail);
  void succeeded() { started_ = true; }

 private:
  std::atomic<bool> started_ = false;
};

/// What the end of a process that was started for one case says of it; without outputs.
Answer answer_of(const Ending& ending, std::string last_lines);

/// The answer to the case `id` that one line of a worker is; broken with a sentence where it is none.
Answer parse_answer(std::string_view line, std::string_view id);

/// Reads what is there of what nobody answers, at most a megabyte.
void drain(Pipe& pipe, OutputTail& tail);

}  // namespace opref::backend
