// SPDX-License-Identifier: Apache-2.0
// A runner that stays up.
#include <poll.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend/runner.h"
#include "core/error.h"
#include "io/json/json.h"
#include "io/json/parse.h"
#include "io/json/tree.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::backend {
namespace {

/// One process and the dialogue with it.
class Worker {
 public:
  explicit Worker(const std::string& command) : process_(command, Streams::dialogue) {}

  /// Whether it waits for a case: it is there, and has said nothing that nobody asked for.
  bool is_ready() {
    drain(process_.error(), tail_);
    read_answers();
    return !process_.ended() && process_.output().is_open() && received_.empty();
  }

  /// After `broken`, or an ending, it is of no more use.
  Answer ask(const HandedCase& handed, const Deadline& deadline) {
    constexpr size_t kLongestName = 10000;
    const std::string id = printable(handed.name, kLongestName);  // comes back as it is, whatever its bytes
    Json request;
    request.set("id", id).set("model", handed.model.string()).set("inputs", handed.inputs.string());
    request.set("outputs", handed.outputs.string());
    const std::string line = request.line();
    std::string_view unsent = line;
    tail_ = {};
    has_answered_before_ = std::exchange(has_answered_, false);
    while (!deadline.is_over()) {
      wait(deadline, unsent.empty() ? 0 : POLLOUT);
      drain(process_.error(), tail_);
      if (!unsent.empty()) unsent.remove_prefix(process_.input().write(unsent));
      read_answers();
      constexpr size_t kLongestAnswer = 1 << 20;
      if (const size_t end = received_.find('\n'); end != std::string::npos) {
        Answer answer = parse_answer(received_.substr(0, end), id);
        received_.erase(0, end + 1);
        drain(process_.error(), tail_);
        answer.last_lines = tail_.text();
        has_answered_ = answer.status != Answer::Status::broken;
        return answer;
      }
      if (received_.size() > kLongestAnswer) return broken("the worker's answer has no end");
      if (process_.ended()) return end_of_process();
      if (closed_for_long())
        return broken(format("the worker closed its standard {}", process_.output().is_open() ? "input" : "output"));
    }
    is_late_ = true;
    return deadline.answer(tail_);
  }

  /// Whether it has answered cases, all that it was asked.
  bool has_answered() const { return has_answered_; }
  /// Whether it did not take too long.
  bool is_in_time() const { return !is_late_; }

  /// How it ended, if it did while it was asked.
  const std::optional<Ending>& ending() const { return ending_; }
  const OutputTail& tail() const { return tail_; }

  /// No more cases come.
  void finish() { process_.input().close(); }
  bool ended() {
    OutputTail ignored;
    drain(process_.error(), ignored);
    drain(process_.output(), ignored);
    return process_.ended();
  }

 private:
  void wait(const Deadline& deadline, short events) {
    constexpr int kSlice = 50, kSliceWithoutStream = 2;
    std::array<pollfd, 3> waiting = {pollfd{process_.output().descriptor(), POLLIN, 0},
                                     pollfd{process_.error().descriptor(), POLLIN, 0},
                                     pollfd{process_.input().descriptor(), events, 0}};
    poll(waiting.data(), waiting.size(),
         deadline.milliseconds(process_.output().is_open() ? kSlice : kSliceWithoutStream));
    if ((waiting.back().revents & POLLERR) != 0) process_.input().close();  // nobody reads it any more
  }

  void read_answers() {
    std::array<char, 1 << 16> buffer;
    const std::span<const char> bytes = process_.output().read(buffer);
    received_.append(bytes.data(), bytes.size());
  }

  /// A process that ends closes its streams a moment before.
  bool closed_for_long() {
    constexpr auto kMoment = std::chrono::milliseconds(500);
    // One that never answered may do so yet.
    if (process_.output().is_open() && (process_.input().is_open() || !has_answered_before_)) return false;
    const auto now = std::chrono::steady_clock::now();
    if (!closed_since_) closed_since_ = now;
    return now - *closed_since_ > kMoment;
  }

  Answer broken(std::string_view why) { return {Answer::Status::broken, std::string(why), tail_.text(), {}}; }

  Answer end_of_process() {
    drain(process_.error(), tail_);
    ending_ = ending_of(process_.status());
    Answer answer = answer_of(*ending_, tail_.text());  // as a command's that is started for each case
    if (answer.status == Answer::Status::ok) answer.status = Answer::Status::broken;
    answer.why =
        format("the worker {} {}", ending_->kind == Ending::Kind::signal ? "was" : "ended with", to_text(*ending_));
    return answer;
  }

  Process process_;
  std::string received_;
  OutputTail tail_;
  std::optional<std::chrono::steady_clock::time_point> closed_since_;
  std::optional<Ending> ending_;
  bool has_answered_ = false, has_answered_before_ = false, is_late_ = false;
};

class WorkerRunner : public Backend {
 public:
  WorkerRunner(std::string command, const RunnerOptions& options) : command_(std::move(command)), options_(options) {}
  WorkerRunner(const WorkerRunner&) = delete;
  WorkerRunner& operator=(const WorkerRunner&) = delete;

  /// They may end by themselves, if that does not take long.
  ~WorkerRunner() override {
    for (const auto& worker : idle_) worker->finish();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    const auto all_ended = [&] {
      return std::ranges::all_of(idle_, [](const auto& worker) { return worker->ended(); });
    };
    while (!all_ended() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  Needs needs() const override { return Needs::files; }

  Answer evaluate(const HandedCase& handed) override {
    const Deadline deadline(options_);
    std::unique_ptr<Worker> worker = take();
    const bool has_answered = worker->has_answered();
    Answer answer = worker->ask(handed, deadline);
    if (has_answered && !worker->has_answered() && worker->is_in_time()) {
      // It broke after the case before, or by this one: only one that is new can tell.
      if (is_folder(handed.outputs.parent_path())) {
        remove_path(handed.outputs);
        make_subfolder(handed.outputs);
        worker = std::make_unique<Worker>(command_);
        answer = worker->ask(handed, deadline);
      } else {
        answer.why += ", and the folder that it was handed is gone";
      }
    }
    answer.outputs = handed.outputs;
    require_any_answer(*worker, answer);
    if (worker->ending()) {
      start_.require(*worker->ending(), worker->tail());
    } else {
      start_.succeeded();
    }
    if (answer.status != Answer::Status::broken && !worker->ending()) {
      const std::lock_guard lock(guard_);
      idle_.push_back(std::move(worker));
    }
    return answer;
  }

 private:
  std::unique_ptr<Worker> take() {
    std::unique_ptr<Worker> worker;
    {
      const std::lock_guard lock(guard_);
      if (!idle_.empty()) worker = std::move(idle_.back()), idle_.pop_back();
    }
    return worker != nullptr && worker->is_ready() ? std::move(worker) : std::make_unique<Worker>(command_);
  }

  /// One that answers none of the first cases will answer none.
  void require_any_answer(const Worker& worker, const Answer& answer) {
    constexpr int kTries = 3;
    const std::lock_guard lock(guard_);
    any_answer_ |= worker.has_answered();
    if (any_answer_ || (options_.stopped != nullptr && *options_.stopped) || ++unanswered_ < kTries) return;
    Error error(
        Fault::system,
        format("the worker answered none of {} cases: {}{}; a command without {{model}}, {{inputs}} or "
               "{{outputs}} is a worker, which answers one request a line: with them it is started for each case",
               kTries, answer.why, answer.last_lines.empty() ? "; it wrote nothing on standard error" : ""));
    std::istringstream lines(answer.last_lines);
    for (std::string line; std::getline(lines, line);) error.add_place("| " + printable(line, 1000));
    throw error;
  }

  std::string command_;
  RunnerOptions options_;
  FirstStart start_;
  bool any_answer_ = false;
  int unanswered_ = 0;
  std::mutex guard_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace

Answer parse_answer(std::string_view line, std::string_view id) {
  const auto broken = [&](std::string_view what) {
    return Answer{Answer::Status::broken, format("{}: {}", what, printable(line)), "", {}};
  };
  try {
    const Json document = parse_json(line);
    const JsonValue root = document.root();
    if (root.kind() != JsonKind::object) return broken("the worker's answer is no JSON object");
    const auto its_id = root.find("id"), status = root.find("status"), why = root.find("why");
    if (!its_id || its_id->text() != id) return broken(format("the worker does not answer to id {}", id));
    constexpr size_t kLongestReason = 4000;
    const std::string reason = why ? printable(why->text(), kLongestReason) : "";
    const std::string_view text = status ? status->text() : "";
    if (text == "ok") return {Answer::Status::ok, "", "", {}};
    if (text == "unsupported")
      return {Answer::Status::unsupported, reason.empty() ? "the worker answers unsupported" : reason, "", {}};
    const auto fault = root.find("fault");
    if (text == "error" && fault && fault->text() == name(Fault::internal))
      return {Answer::Status::broken, "the worker met a bug of its own: " + reason, "", {}, Answer::How::bug};
    if (text == "error") return {Answer::Status::refused, reason.empty() ? "the worker answers error" : reason, "", {}};
    return broken("the worker's status is not ok, unsupported or error");
  } catch (const Error&) {
    return broken("the worker's answer is no JSON");
  }
}

std::unique_ptr<Backend> worker_runner(const std::string& command, const RunnerOptions& options) {
  return std::make_unique<WorkerRunner>(command, options);
}

}  // namespace opref::backend
