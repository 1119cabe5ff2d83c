// SPDX-License-Identifier: Apache-2.0
// What runners' ends and answers mean.
#include "backend/runner.h"

#include <signal.h>

#include <catch2/catch.hpp>

namespace runner_test {

using namespace opref::backend;
using Status = Answer::Status;

TEST_CASE("runner: what an exit code says of a case", "[backend][runner]") {
  struct Row {
    int status;  // as waitpid gives it
    std::string lines;
    Status expected;
    std::string why;
  };
  const auto code = [](int number) { return number << 8; };
  const Row rows[] = {
      {code(0), "done", Status::ok, ""},
      {code(5), "one\nnot this operator", Status::unsupported, "not this operator"},
      {code(5), "", Status::unsupported, "the runner ended with exit code 5"},
      {code(1), "bad", Status::refused, "the runner ended with exit code 1"},
      {code(255), "", Status::refused, "the runner ended with exit code 255"},
      {code(6), "No space left", Status::broken, "the runner ended with exit code 6"},
      {code(70), "a bug", Status::broken, "the runner ended with exit code 70"},
      {code(126), "", Status::broken, "the runner ended with exit code 126"},
      {code(127), "", Status::broken, "the runner ended with exit code 127"},
      {SIGSEGV, "", Status::broken, "the runner was killed by SIGSEGV"},
      {code(128 + SIGABRT), "", Status::broken, "the runner was killed by SIGABRT"},
  };
  for (const Row& row : rows) {
    const Answer answer = answer_of(ending_of(row.status), row.lines);
    CHECK(answer.status == row.expected);
    CHECK(answer.why == row.why);
    CHECK(answer.last_lines == row.lines);
  }
}

TEST_CASE("runner: a worker's line", "[backend][runner]") {
  const auto told = [](std::string_view line) {
    const Answer answer = parse_answer(line, "a#1");
    const char* const names[] = {"ok", "unsupported", "refused", "broken", "absent"};
    return std::string(names[static_cast<int>(answer.status)]) + (answer.why.empty() ? "" : ": " + answer.why);
  };
  CHECK(told(R"({"id": "a#1", "status": "ok", "why": "not said"})") == "ok");
  CHECK(told(R"({"id": "a#1", "status": "unsupported", "why": "int4"})") == "unsupported: int4");
  CHECK(told(R"({"id": "a#1", "status": "unsupported"})") == "unsupported: the worker answers unsupported");
  const std::string why(3000, 'x');  // in full
  CHECK(told(R"({"id": "a#1", "status": "error", "why": ")" + why + R"("})") == "refused: " + why);
  CHECK(told(R"({"id": "a#1", "status": "error", "why": "bad\nnode"})") == "refused: bad\\x0anode");
  CHECK(told(R"({"id": "a#1", "status": "error"})") == "refused: the worker answers error");
  CHECK(told(R"({"id": "a#1", "status": "error", "fault": "invalid", "why": "no"})") == "refused: no");
  CHECK(told(R"({"id": "a#1", "status": "error", "fault": "internal", "why": "no"})") ==
        "broken: the worker met a bug of its own: no");
  CHECK(told(R"({"id": "a#1", "status": "fine"})").starts_with("broken: the worker's status is not ok"));
  CHECK(told(R"({"id": "a", "status": "ok"})").starts_with("broken: the worker does not answer to id a#1"));
  CHECK(told(R"({"status": "ok"})").starts_with("broken: the worker does not answer to id a#1"));
  CHECK(told("[]").starts_with("broken: the worker's answer is no JSON object"));
  CHECK(told("Hello").starts_with("broken: the worker's answer is no JSON: Hello"));
}

}  // namespace runner_test
