// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/version.h"
#include "core/error.h"
#include "core/hints.h"
#include "ops/operators.h"
#include "run/load_case.h"
#include "run/remedies.h"
#include "run/version.h"

namespace opref::cli {
namespace {

using Words = std::span<const std::string_view>;

/// A command, and what stands beside its name.
struct CommandLine {
  Command command;
  std::vector<std::string_view> given;

  /// Among which the options are.
  Words before_mark() const { return {given.begin(), std::ranges::find(given, "--")}; }
  Option* find(std::string_view name) { return find_option(command.options, name); }
  bool knows(std::string_view name) { return name.empty() || find(name) != nullptr; }
  bool asks(std::string_view name) { return find(name)->times > 0; }
  /// Several forms in one line: "opref A …, or opref B …".
  std::string usage() const {
    std::string text = format("opref {} {}", command.name, command_help(command.name).usage);
    for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end))
      text.replace(end, text.find_first_not_of(" \n", end) - end, ", or ");
    return text;
  }
  /// " (see 'opref run -h')"
  std::string hint() const { return format(" (see 'opref{}{} -h')", command.name.empty() ? "" : " ", command.name); }
};

/// What the text names, if it is one node of a known operator.
const Operator* operator_of(const std::string& text) {
  try {
    const Case read = text == "-" ? Case{} : read_case(text);
    if (read.graph.nodes.size() != 1) return nullptr;
    return find_operator(canonical_domain(read.graph.nodes.front().domain), read.graph.nodes.front().op_type);
  } catch (const Error&) {
    return nullptr;
  }
}

// What CLI11 would take for something else.

void require_well_formed(CommandLine& line, std::string_view argument) {
  if (argument.starts_with("--") && argument.ends_with('='))  // it would be an option without a value
    fail(Fault::usage, "{} has no value", printable(argument));
  const std::string_view name = argument.substr(0, argument.find('='));
  const Option* option = name.size() < argument.size() ? line.find(name) : nullptr;
  if (option != nullptr && !option->is_argument() && option->takes == Option::Value::none)
    fail(Fault::usage, "{} takes no value, but has '{}'", name, printable(argument.substr(name.size() + 1)));
  if (name.size() > 2 && name[0] == '-' && name[1] != '-' && line.knows(format("-{}", name)))  // -o with value pset
    fail(Fault::usage, "'{}' is not an option of 'opref{}{}', did you mean '-{}'?", name,
         line.command.name.empty() ? "" : " ", line.command.name, name);
}

/// --bound KERNEL with a space: of an option that has its value only after "=" the next argument is none.
void require_joined_value(CommandLine& line, std::string_view argument, std::string_view next) {
  const Option* option = line.find(argument);
  if (option == nullptr || option->takes != Option::Value::possible || option->is_hidden) return;
  for (const std::string_view choice : option->choices) {
    const std::string_view key = choice.substr(0, choice.find('=') + 1);
    const bool is_type = dtype_meant(next) && dtype_meant(choice.substr(key.size()));
    if (is_type || next.starts_with(key))
      fail(Fault::usage, "{} has its value after '=': {}={}{}", argument, argument, is_type ? key : "",
           printable(next));
  }
}

/// --junit $FILE, where the variable is empty and stands without quotes: the next option would be the value.
void require_own_value(CommandLine& line, std::string_view argument, std::string_view next) {
  const Option* option = line.find(argument);
  if (option == nullptr || option->is_argument() || option->takes != Option::Value::needed) return;
  if (next.starts_with("--") && line.find(next.substr(0, next.find('='))) != nullptr)
    fail(Fault::usage, "{} needs a value, {}, but the option {} follows (after an empty variable?)", argument,
         option->value, printable(next));
}

// What no option takes.

/// The operator among the words.
const Operator* operator_given(const CommandLine& line) {
  const Operator* op = nullptr;
  for (const std::string_view word : line.given)  // the value of an unknown option may stand first
    if (op == nullptr && (word == "-" || !word.starts_with('-'))) op = operator_of(std::string(word));
  return op;
}

/// What stands after '=' in an argument, or after the argument.
std::string value_of(const CommandLine& line, const std::string& argument) {
  if (const size_t equals = argument.find('='); equals != std::string::npos) return argument.substr(equals + 1);
  const auto place = std::ranges::find(line.given, argument);
  const std::string_view value = line.given.end() - place < 2 ? "" : place[1];
  return value.empty() || value.starts_with('-') ? "VALUE" : std::string(value);
}

/// "kernel_shape=2,2" of "--kernel-shape=2,2", or of "--kernel_shape" and what follows it; empty of what is no
/// attribute of the operator in any version.
std::string as_attribute(const CommandLine& line, const std::string& argument) {
  std::string name = argument.substr(0, argument.find('='));
  name.erase(0, name.find_first_not_of('-'));
  std::ranges::replace(name, '-', '_');
  const Operator* op = operator_given(line);
  if (op == nullptr || std::ranges::none_of(op->versions(), [&](const OpSchema& version) {
        return version.find_attribute(name) != nullptr;
      }))
    return "";
  return name + "=" + value_of(line, argument);
}

/// "transpose_b=1" of "--transpose_b": what other programs call an attribute, for which -a then says which is meant.
std::string as_foreign_attribute(const CommandLine& line, const std::string& argument) {
  std::string name = argument.substr(0, argument.find('='));
  name.erase(0, name.find_first_not_of('-'));
  std::ranges::replace(name, '-', '_');
  const bool is_known = std::ranges::count(hints("attribute"), name, &Hint::written) > 0;
  if (!is_known || operator_given(line) == nullptr) return "";
  const std::string value = value_of(line, argument);
  return name + "=" + (value == "VALUE" ? "1" : value);
}

/// "X=x.npy" of "--X x.npy"; empty of what is no input of the operator in any version.
std::string as_input(const CommandLine& line, const std::string& argument) {
  const Operator* op = operator_given(line);
  const std::string name = argument.substr(0, argument.find('=')).substr(argument.find_first_not_of('-'));
  if (op == nullptr || std::ranges::none_of(op->versions(), [&](const OpSchema& version) {
        return std::ranges::count(version.inputs(), name, &FormalParameter::name) > 0;
      }))
    return "";
  return name + "=" + value_of(line, argument);
}

/// The commands that have the option: "'opref check' and 'opref diff'".
std::string commands_with(std::string_view name) {
  std::vector<std::string> with;
  for (const CommandRow& row : command_rows()) {
    Command command(row.name);
    const Option* option = find_option(command.options, name);
    if (option != nullptr && !option->is_hidden) with.push_back(format("'opref {}'", row.name));
  }
  const std::string last = with.empty() ? "" : with.back();
  if (with.size() < 2) return last;
  with.pop_back();
  return format("{} and {}", join_text(with, ", "), last);
}

[[noreturn]] void reject_option(CommandLine& line, const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  const std::string problem = format("'{}' is not an option of 'opref {}'", printable(name), line.command.name);
  if (line.knows("--attribute"))
    if (const std::string attribute = as_attribute(line, argument); !attribute.empty())
      throw Error(Fault::usage, problem, {kGiveAttribute, printable(attribute)});
  if (line.knows("--attribute"))
    if (const std::string input = as_input(line, argument); !input.empty())
      throw Error(Fault::usage, problem, {kNameInput, printable(input)});
  for (const Hint& foreign : hints("option"))
    if (foreign.written == name && line.knows(foreign.where)) fail(Fault::usage, "{}: {}", problem, foreign.more);
  if (line.knows("--attribute"))
    if (const std::string attribute = as_foreign_attribute(line, argument); !attribute.empty())
      throw Error(Fault::usage, problem, {kGiveAttribute, printable(attribute)});
  if (const std::string others = commands_with(name); !others.empty())
    fail(Fault::usage, "'{}' is an option of {}, but not of 'opref {}': {}", printable(name), others, line.command.name,
         line.usage());
  std::vector<std::string_view> names;
  for (const Option& option : line.command.options)
    if (!option.is_hidden) names.insert(names.end(), option.names.begin(), option.names.end());
  const std::string near = did_you_mean(name, names);
  fail(Fault::usage, "{}{}", problem, near.empty() ? line.hint() : near);
}

/// What stands where a command should.
[[noreturn]] void reject_command(const std::string& argument) {
  if (argument == "-V" || argument == "-v")
    fail(Fault::usage, "'{}' is not an option of 'opref', did you mean '--version'?", argument);
  std::error_code ignored;
  const std::string_view op_type = split_version(argument).name;
  if (std::filesystem::exists(argument, ignored) ||
      std::ranges::find(operator_rows(), op_type, &OperatorRow::op_type) != operator_rows().end())
    fail(Fault::usage, "'{}' is not a command, did you mean 'opref run {}'?", printable(argument), printable(argument));
  if (const std::string_view own = meant("command", argument); !own.empty())
    fail(Fault::usage, "'{}' is not a command, did you mean '{}'?", argument, own);
  std::vector<std::string_view> known = {"--help", "--version", "--color"};
  for (const CommandRow& row : command_rows()) known.push_back(row.name);
  const std::string near = did_you_mean(argument, known);
  fail(Fault::usage, "'{}' is not a command{}", printable(argument), near.empty() ? " (see 'opref -h')" : near);
}

[[noreturn]] void reject(CommandLine& line, const std::string& argument) {
  if (line.command.name.empty()) reject_command(argument);
  if (argument.starts_with('-')) reject_option(line, argument);
  fail(Fault::usage, "'{}' is one argument too many: {}", printable(argument), line.usage());
}

// CLI11

/// Whether the word is the option: alone, joined with its value, or a letter among others.
bool may_be(const Option& option, std::string_view word) {
  return std::ranges::any_of(option.names, [word](std::string_view name) {
    const bool is_letter = !name.starts_with("--") && word.starts_with('-') && !word.starts_with("--");
    return word.starts_with(name) || (is_letter && word.find(name[1]) != word.npos);
  });
}

/// CLI11 takes "[1,2]" apart where an argument may have several values: a space after it keeps it whole.
std::string kept_whole(std::string_view word) {
  return std::string(word) + (word.starts_with('[') && word.ends_with(']') ? " " : "");
}
std::string as_given(std::string word) {
  if (word.starts_with('[') && word.ends_with("] ")) word.pop_back();
  return word;
}

/// Gives the option the values that stand beside it.
void take(const CommandLine& line, Option& option, const std::vector<std::string>& values) {
  option.times = values.size();
  if (option.times > 1 && !option.repeats && !option.takes_several)
    fail(Fault::usage, "{} is given {} times{}", option.long_name(), option.times, line.hint());
  for (const std::string& value : values) {
    if (option.refuses_empty && value.empty()) fail(Fault::usage, "{}: it is empty{}", option.long_name(), line.hint());
    if (option.take) option.take(as_given(value));
  }
}

/// The arguments, and those options that may be given: to declare all takes CLI11 longer than a small node takes.
void declare(CLI::App& parser, CommandLine& line) {
  const Words words = line.before_mark();
  for (Option& option : line.command.options) {
    const auto is_it = [&](std::string_view word) { return may_be(option, word); };
    if (!option.is_argument() && std::ranges::none_of(words, is_it)) continue;
    const CLI::callback_t callback = [&line, &option](const CLI::results_t& values) {
      return take(line, option, values), true;
    };
    CLI::Option& declared =
        *parser.add_option(option.is_argument() ? std::string(option.value) : join_text(option.names, ","), callback);
    declared.multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (option.takes != Option::Value::needed) declared.expected(0, 0);
    if (option.takes_several) declared.expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
  }
}

/// The option that has no value after it, and what that would be; the last one of a group as "-vo" too.
std::pair<std::string, std::string_view> without_value(CommandLine& line) {
  const Words words = line.before_mark();
  for (size_t i = 0; i < words.size(); ++i) {
    const Option* option = line.find(words[i]);
    const bool is_bare = i + 1 == words.size() || line.find(words[i + 1]) != nullptr;
    if (option != nullptr && option->takes == Option::Value::needed && is_bare)
      return {std::string(words[i]), option->value};
  }
  const std::string last = words.empty() ? "" : format("-{}", words.back().back());
  return {last, line.knows(last) ? line.find(last)->value : ""};
}

/// Returns what no option takes, but for the mark that ends the options.
std::vector<std::string> parse(CommandLine& line) {
  CLI::App parser;
  parser.set_help_flag();
  parser.allow_extras();
  declare(parser, line);
  try {
    std::vector<std::string> words;
    std::transform(line.given.rbegin(), line.given.rend(), std::back_inserter(words), kept_whole);
    parser.parse(std::move(words));
  } catch (const CLI::ArgumentMismatch&) {
    const auto& [name, value] = without_value(line);
    fail(Fault::usage, "{} needs a value: {}{}", name, value, line.hint());
  }
  std::vector<std::string> rest = parser.remaining();
  std::erase(rest, "--");
  std::ranges::transform(rest, rest.begin(), as_given);
  return rest;
}

/// The exit code. Trouble with the arguments is a `usage` error.
int run(CommandLine line) {
  const Words words = line.before_mark();
  const bool as_json = std::ranges::find(words, "--json") != words.end();
  if (as_json) report_as_json(line.command.name);
  for (const std::string_view word : words) require_well_formed(line, word);
  for (size_t i = 1; i < words.size(); ++i) {
    require_joined_value(line, words[i - 1], words[i]);
    require_own_value(line, words[i - 1], words[i]);
  }
  const std::vector<std::string> rest = parse(line);
  if (line.asks("--version")) {
    if (!line.command.name.empty() && words.size() > (as_json ? 2U : 1U))  // opref ops LpPool --version 11
      fail(Fault::usage,
           "--version is the version of opref and stands alone; an operator's version is --opset N, or LpPool-18");
    return print(as_json ? version_json() : version_text()), 0;
  }
  const bool in_full = line.asks("--help"), asks_help = in_full || line.asks("-h");
  if (!asks_help && line.command.name.empty() && words.size() < line.given.size())
    fail(Fault::usage, "a command stands before '--'");
  for (const std::string& argument : rest)
    if (!asks_help || (line.command.name.empty() && !argument.starts_with('-'))) reject(line, argument);
  if (asks_help) return print(help_text(line.command, in_full ? HelpLength::full : HelpLength::brief)), 0;
  for (const Option& option : line.command.options)
    if (option.is_required && option.times == 0) fail(Fault::usage, "{} is missing{}", option.long_name(), line.hint());
  if (line.command.action) return line.command.action();
  print(help_text(line.command, HelpLength::brief));
  return static_cast<int>(Fault::usage);
}

/// Whether the next argument is the value of this one, an option of some command.
bool takes_next(std::string_view argument) {
  return argument.starts_with('-') && std::ranges::any_of(command_rows(), [argument](const CommandRow& row) {
           Command command(row.name);
           const Option* option = find_option(command.options, argument);
           return option != nullptr && option->takes == Option::Value::needed;
         });
}

}  // namespace

int parse_and_run(std::span<char* const> arguments) {
  std::vector<std::string_view> given(arguments.begin(), arguments.end());
  size_t at = 0;
  while (at < given.size() && given[at].starts_with('-') && given[at] != "--") at += takes_next(given[at]) ? 2 : 1;
  const std::string_view name = at < given.size() && is_command(given[at]) ? given[at] : "";
  if (!name.empty()) given.erase(given.begin() + static_cast<std::ptrdiff_t>(at));
  return run({Command(name), given});
}

}  // namespace opref::cli
