// SPDX-License-Identifier: Apache-2.0
#include "check/judge.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>

#include "check/bound.h"
#include "check/deciding_readings.h"
#include "check/drawn.h"
#include "check/judge_backend.h"
#include "check/record.h"
#include "check/tiers.h"
#include "check/whole.h"
#include "core/error.h"
#include "explain/evaluated.h"
#include "explain/explain.h"
#include "run/fixed_names.h"
#include "run/version.h"
#include "system/caught_error.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

/// What was refused is a failure only where outputs are expected: else there is nothing to judge by.
Verdict verdict_of(Fault fault, const Case& read) {
  if (fault == Fault::unsupported) return Verdict::unsupported;
  return fault == Fault::invalid && !read.expected.empty() ? Verdict::fail : Verdict::error;
}

void record_error(CaseRecord& record, const Case& read, const Error& error) {
  const std::optional<ExpectedError>& expected = read.expect_error;
  if (error.fault() == Fault::internal) return describe_bug(record, error);
  // Not to know the operator, or to have no memory or time for it, is no refusal.
  const bool refusal = error.fault() != Fault::unsupported && error.fault() != Fault::system;
  if (expected && (refusal || expected->fault == error.fault())) {
    record.reason = unexpected_error(*expected, error);
    record.verdict = record.reason.empty() ? Verdict::pass : Verdict::fail;
  } else {
    record.verdict = verdict_of(error.fault(), read);
    record.reason = error.message();
    record.trouble = trouble_of(error);
    record.way_out = error.way_out();
    record.transient = record.verdict == Verdict::error && error.fault() == Fault::system;
  }
}

Bound bound_with(const std::shared_ptr<const Case>& read, const JudgeOptions& judge) {
  const EvaluationOptions& options = judge.evaluation;
  Bound bound =
      bind_case(read, {}, {.attributes = {}, .nodes = judge.nodes, .opset = {}, .readings = options.readings});
  const ReadingChoices readings = std::move(bound.options.readings);
  bound.options = options;
  bound.options.readings = readings;
  std::vector<std::string> expected;
  for (const NamedSource& output : bound.expected) expected.push_back(output.name);
  if (judge.backend == nullptr && !bound.read->expect_error) keep_needed(bound, expected);
  return bound;
}

/// The rule bound computes all terms once more.
CaseReport compare_in_time(const std::shared_ptr<const ReadyCase>& ready,
                           const std::shared_ptr<const Evaluated>& evaluated, const JudgeOptions& options) {
  const auto compare_now = [&] {
    const Bound& bound = ready->bound;
    return compare_expected(*bound.read, bound.expected, evaluated->environment, evaluated->steps, options.tolerance,
                            bound.options.max_bytes);
  };
  if (!is_bound(*ready->bound.read, options.tolerance)) return compare_now();
  return in_time(options.timeout, "compare this", compare_now);
}

void judge_reference(CaseRecord& record, const std::shared_ptr<const ReadyCase>& ready, const JudgeOptions& options) {
  const Case& loaded = *ready->bound.read;
  require_known_operators(ready->bound.graph);
  const auto evaluated = std::make_shared<const Evaluated>(evaluate(ready, options.timeout));
  describe_steps(record, evaluated->steps, evaluated->warnings);
  if (loaded.expect_error) {
    record.verdict = Verdict::fail;
    record.reason = format("it is accepted, but \"{}\" is expected", printable(loaded.expect_error->message, 1000));
    return;
  }
  const CaseReport report = compare_in_time(ready, evaluated, options);
  record.verdict = report.verdict;
  record.reason = report.reason;
  record.output_differs = report.output_differs;
  std::vector<GivenOutput> expected;
  for (const OutputReport& output : report.outputs) {
    add_output(record, output);
    expected.push_back({output.name, output.expected, output.tolerance});
  }
  describe_readings(record, with_deciding_readings(*evaluated, options.tolerance, options.timeout));
  if (record.verdict == Verdict::fail)
    describe_causes(record, explain_outputs(ready, expected, options.timeout, can_return));
  else if (options.exact_tier)
    judge_tiers(record, *evaluated, options.timeout);
}

/// Of a case whose values are random: those that it expects are checked.
void judge_drawn(CaseRecord& record, const std::shared_ptr<const ReadyCase>& ready, const JudgeOptions& options) {
  describe_drawn(record, *ready, in_time(options.timeout, "check this", [&] {
                   return check_drawn(*ready, read_given(*ready, ready->bound.expected), options.tolerance);
                 }));
}

void judge_ready(CaseRecord& record, const std::shared_ptr<const ReadyCase>& ready, const JudgeOptions& options) {
  describe_node(record, *ready);
  const Case& loaded = *ready->bound.read;
  if (options.backend == nullptr && !loaded.expect_error && !ready->bound.expected.empty() && draws(*ready))
    judge_drawn(record, ready, options);
  else if (options.backend == nullptr)
    judge_reference(record, ready, options);
  else
    judge_backend(record, ready, options);
}

}  // namespace

CaseRecord judge(const FoundCase& found, const JudgeOptions& options) {
  CaseRecord record;
  record.name = found.name;
  record.path = found.path;
  const auto start = std::chrono::steady_clock::now();
  auto read = std::make_shared<const Case>();
  const auto lacks_memory = std::make_shared<std::atomic<bool>>(false);
  try {
    read = std::make_shared<const Case>(options.reader == nullptr
                                            ? read_case(record.path, {}, options.evaluation.max_bytes)
                                            : options.reader->read(record.path, options.evaluation.max_bytes));
    if (options.fix_names) {
      auto fixed = std::make_shared<Case>(*read);
      for (const std::string& change : fix_names(*fixed)) record.warnings.push_back(change);
      read = std::move(fixed);
    }
    if (options.files != nullptr) record.files = options.files->digest(found, *read);
    if (options.earlier != nullptr)
      if (auto known = options.earlier->find(found, record.files)) return *std::move(known);
    require_whole(*read, record.path);
    judge_ready(record, std::make_shared<const ReadyCase>(ReadyCase{bound_with(read, options), lacks_memory}), options);
  } catch (const BackendError&) {
    throw;
  } catch (MachineError& error) {
    error.add_place("in the case " + printable(record.name));
    throw;
  } catch (const std::bad_alloc&) {  // this case's trouble, not the others'
    record.verdict = Verdict::error;
    record.transient = true;
    record.reason = "this machine has no memory for it";
    record.trouble = Trouble::memory_of_opref;
    record.lacks_memory = true;
  } catch (const std::exception&) {
    const Error error = caught_error();
    record.lacks_memory = error.remedy() == kMoreMemory;
    const bool is_bug = error.fault() == Fault::internal;
    if (read->expect_error && options.backend != nullptr && !is_bug) {  // it says nothing about the backend
      record.verdict = Verdict::unsupported;
      record.reason = "it cannot be handed to a backend: " + error.message();
      record.trouble = trouble_of(error);
      record.way_out = error.way_out();
    } else {
      record_error(record, *read, error);
    }
  }
  if (record.verdict == Verdict::pass) record.values.clear();
  record.lacks_memory |= *lacks_memory;
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return record;
}

}  // namespace opref::check
