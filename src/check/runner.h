// What both kinds of runner share. Nothing else includes this.
#pragma once

#include <chrono>

#include "check/backend.h"
#include "check/process.h"

namespace opref {

/// A worker stays up and gets case after case: one JSON object per line on stdin, {"id", "model", "inputs", "outputs"}
/// (the id is the case's name), and one answer per line on stdout, {"id", "status": "ok"|"unsupported"|"error", "why"}.
/// There are as many as threads ask at once. One that ends, breaks the protocol or takes too long is replaced for the
/// next case.
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

/// Reads what is there of what nobody answers, at most a megabyte.
void drain(Pipe& pipe, OutputTail& tail);

}  // namespace opref
