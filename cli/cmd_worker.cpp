// SPDX-License-Identifier: Apache-2.0
// opref worker
#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/entry.h"
#include "cli/output.h"
#include "core/error.h"
#include "core/utf8.h"
#include "io/json/fields.h"
#include "io/json/json.h"
#include "io/json/parse.h"
#include "io/json/tree.h"
#include "io/onnx/onnx.h"
#include "run/evaluate.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/write_outputs.h"
#include "system/caught_error.h"
#include "system/deadline.h"
#include "system/file.h"
#include "system/machine_error.h"

namespace opref::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  NodeArguments node;
  std::optional<std::int64_t> max_bytes, threads;
  std::optional<double> timeout;
  bool npy = false;
};

/// The next line of standard input without its end; nothing after the last one. No request is as long as what is kept
/// of a line, and what is cut is no JSON.
std::optional<std::string> next_line() {
  constexpr size_t kMost = size_t{1} << 20;
  std::string line;
  int byte = 0;
  while ((byte = std::getchar()) != EOF && byte != '\n')
    if (line.size() < kMost) line += static_cast<char>(byte);
  return byte == EOF && line.empty() ? std::nullopt : std::optional(line);
}

constexpr size_t kLongestId = 200;
/// Of an answer that carries no command's texts; an id of kLongestId bytes fits into it however JSON escapes it.
constexpr size_t kLongestAnswer = 2000;

struct Request {
  std::string model;
  fs::path inputs, outputs;
  std::optional<double> timeout;                      ///< instead of the worker's own
  std::optional<std::vector<std::string>> arguments;  ///< of a command; then the three before it are empty
};

/// A path or an argument, which the system ends at a NUL character.
std::string text_of(const JsonValue& value) {
  if (value.text().find('\0') != std::string_view::npos) fail(Fault::malformed, "{} has a NUL character", place(value));
  return string_of(value);
}

/// A text or a number.
JsonValue id_of(const JsonValue& value) {
  if (value.kind() != JsonKind::number && value.kind() != JsonKind::string) must_be(value, "a string or a number");
  if (value.text().size() > kLongestId) fail(Fault::malformed, "an id has at most {} bytes", kLongestId);
  return value;
}

std::vector<std::string> parse_arguments(const JsonValue& list) {
  std::vector<std::string> arguments;
  if (list.kind() != JsonKind::list) fail(Fault::malformed, "'arguments' is a list of texts");
  for (const JsonValue argument : list) {
    if (argument.kind() != JsonKind::string) fail(Fault::malformed, "'{}' is not a text", argument.path());
    arguments.push_back(text_of(argument));
  }
  return arguments;
}

double seconds_of(const JsonValue& number) {
  const double seconds = real_of(number);
  require_timeout("'timeout'", seconds);
  return seconds;
}

/// The answer gets its id as soon as that is known: also an answer to what is wrong with the rest has it.
Request parse_request(const std::string& line, Json& answer) {
  const Json document = parse_json(line);
  const auto member = [&](std::string_view key) {
    return document.root().kind() == JsonKind::object ? document.root().find(key) : std::nullopt;
  };
  const auto given = [&](std::string_view key) {
    const auto value = member(key);
    if (!value)
      fail(Fault::malformed, "a request is an object with the texts id, model, inputs and outputs: there is no '{}'",
           key);
    return *value;
  };
  answer.set("id", id_of(given("id")));
  if (const auto arguments = member("arguments")) return {"", "", "", {}, parse_arguments(*arguments)};
  const auto timeout = member("timeout");
  return {text_of(given("model")), text_of(given("inputs")), text_of(given("outputs")),
          timeout ? std::optional(seconds_of(*timeout)) : std::nullopt, std::nullopt};
}

/// The answer to a request for a command.
std::string run_command(const Request& request, Json& answer) {
  const EndedCommand ended = run_in_child(*request.arguments);
  if (!is_utf8(ended.output))
    fail(Fault::usage, "the command's output is no text, which an answer is: name a file instead of '-'");
  answer.set("status", "ok").set("why", "").set("exit_code", ended.exit_code);
  return answer.set("output", ended.output).set("errors", ended.errors).line();
}

void evaluate(const Arguments& arguments, const Request& request) {
  if (request.model == "-") fail(Fault::usage, "standard input has the requests: no model can be read from it");
  for (const fs::path& folder : {request.inputs, request.outputs})
    if (!is_folder(folder)) fail(Fault::system, "no such folder: {}", shown(folder));
  Bound bound =
      bind_case(arguments.node, read_handed_case(request.model, request.inputs, limit_of(arguments.max_bytes)));
  bound.options.threads = static_cast<int>(arguments.threads.value_or(1));
  if (arguments.max_bytes) bound.options.max_bytes = *arguments.max_bytes;
  bound.options.keep = Keep::results;
  const bool is_layer = is_of_openvino(bound.read->format);
  if (!is_layer && !arguments.npy)
    bound.options.before_value = [&](const std::string& name, const ValueType& type) {
      if (std::ranges::count(bound.graph.outputs, name, &ValueInfo::name) > 0) require_onnx_size(type);
    };
  Environment environment;
  in_given_time(request.timeout ? request.timeout : arguments.timeout, "evaluated", [&] {
    std::vector<std::string> warnings;
    environment = load_inputs(bound, bound.options, warnings);
    return run_graph(bound.graph, environment, bound.options);
  });
  for (size_t k = 0; k < bound.graph.outputs.size(); ++k) {
    const std::string& name = bound.graph.outputs[k].name;
    const Value& value = *environment.at(name).value;
    const std::string stem = is_layer ? file_name_of(name) : format("output_{}", k);
    const bool as_pb = !is_layer && (!arguments.npy || value.tensor() == nullptr);
    write_value((request.outputs / (stem + (as_pb ? ".pb" : ".npy"))).string(), name, value, Link::replaced);
  }
}

/// The answer of an error. Its sentence is cut where the line would be too long.
std::string failed(Json& answer, const Error& error) {
  answer.set("status", error.fault() == Fault::unsupported ? "unsupported" : "error").set("fault", name(error.fault()));
  std::string line = answer.set("why", error.message()).line();
  for (size_t most = kLongestAnswer; line.size() > kLongestAnswer; most -= 100)
    line = answer.set("why", printable(error.message(), most)).line();
  return line;
}

/// A line's answer. What the machine lacks is thrown; a bug in opref is told on standard error too, and `met_bug` set.
std::string answer_to(const Arguments& arguments, const std::string& line, bool& met_bug) {
  Json answer;
  answer.set("id", "");
  try {
    const Request request = parse_request(line, answer);
    if (request.arguments) return run_command(request, answer);
    evaluate(arguments, request);
    return answer.set("status", "ok").set("why", "").line();
  } catch (const PathError& error) {  // of the request's files or folders
    return failed(answer, error);
  } catch (const std::exception&) {
    const Error error = caught_error();
    if (error.fault() == Fault::internal) {
      met_bug = true;
      report(error);
    }
    return failed(answer, error);
  }
}

int serve(const Arguments& arguments) {
  bool met_bug = false;
  while (const std::optional<std::string> line = next_line()) {
    print(answer_to(arguments, *line, met_bug));
    finish_output();
  }
  return met_bug ? static_cast<int>(Fault::internal) : 0;
}

}  // namespace

Action add_worker(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_reading(command, arguments->node.readings);
  add_flag(command, "--npy", arguments->npy, "tensors as output_K.npy, for programs without protobuf");
  add_bytes(command, "--max-bytes", arguments->max_bytes,
            "limit of the tensors and scratch of a request; default half the memory");
  add_timeout(command, arguments->timeout, "seconds for the evaluation of a request; default: no limit");
  add_number(command, "--threads", arguments->threads, {1, kMostThreads}, "threads for one node; default 1");
  return [arguments] { return serve(*arguments); };
}

}  // namespace opref::cli
