// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <span>

#include "cli/commands.h"
#include "cli/help_topics.h"
#include "cli/options.h"
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

void add_help_options(Options& options) {
  options.add("-h", {.value = "", .meaning = "short help"},
              [](CLI::App& parser) { return parser.set_help_flag("-h"); });
  options.add("--help", {.value = "", .meaning = "long help, with examples"},
              [](CLI::App& parser) { return parser.set_help_all_flag("--help"); });
}

/// Those that may stand beside every command.
void add_general_options(Options& options) {
  options.add("--version", {.value = "", .meaning = "version, commit, compiler; --json too"},
              [](CLI::App& parser) { return parser.set_version_flag("--version", version_number()); });
  const auto set = [](const std::string& when) {
    if (when != "auto" && when != "always" && when != "never")
      fail(Fault::usage, "--color {}: it is auto, always or never", printable(when));
    set_color(when == "auto" ? Color::automatic : when == "always" ? Color::always : Color::never);
  };
  add_parsed(options, "--color", "WHEN", "auto, always or never; auto respects NO_COLOR", set)
      .offers({"auto", "always", "never"});
}

/// A subcommand, or the program itself.
struct Command {
  std::string name;  ///< empty: the program
  Options options = {};
  Action action = nullptr;

  explicit Command(const CommandRow* row) : name(row == nullptr ? "" : row->name) {
    add_help_options(options);
    if (row == nullptr) add_general_options(options);
    if (row != nullptr) action = row->add(options);
  }

  CommandText text() const {
    HelpText help = command_help(name);
    if (name.empty() || name == "help") help.topics = topics_text();
    return {name, help, options.texts()};
  }
  std::string usage() const { return format("opref {} {}", name, command_help(name).usage); }
  /// " (see 'opref run -h')"
  std::string hint() const { return format(" (see 'opref{}{} -h')", name.empty() ? "" : " ", name); }
};

const CommandRow* find_command(std::string_view name) {
  const auto rows = command_rows();
  const auto found = std::ranges::find(rows, name, &CommandRow::name);
  return found == rows.end() ? nullptr : &*found;
}

void print_help(const Command& command, HelpLength length) {
  if (!command.name.empty()) return print(help_text(command.text(), length));
  std::vector<CommandText> texts;
  for (const CommandRow& row : command_rows()) texts.push_back({std::string(row.name), command_help(row.name), {}});
  print(help_text(command.text(), texts, length));
}

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

/// A command line: a command, and what stands beside its name.
class CommandLine {
 public:
  CommandLine(const CommandRow* row, std::vector<char*> given)
      : command_(row), given_(std::move(given)), parser_("", command_.name.empty() ? "opref" : command_.name) {
    if (row != nullptr) add_general_options(general_);
    parser_.set_help_flag();
    parser_.allow_extras();
    command_.options.declare(parser_, before_mark());
    general_.declare(parser_, before_mark());
  }

  /// The exit code. Trouble with the arguments is a `usage` error.
  int run() {
    const std::span options = before_mark();
    const bool as_json = std::ranges::find(options, std::string_view("--json")) != options.end();
    if (as_json) report_as_json(command_.name);
    for (const std::string_view argument : options) require_well_formed(argument);
    require_joined_values();
    require_version_alone();
    try {
      std::vector<std::string> arguments(given_.rbegin(), given_.rend());
      parser_.parse(arguments);
    } catch (const CLI::CallForHelp&) {
      return help(HelpLength::brief);
    } catch (const CLI::CallForAllHelp&) {
      return help(HelpLength::full);
    } catch (const CLI::CallForVersion&) {
      return print(as_json ? version_json() : version_text()), 0;
    } catch (const CLI::RequiredError&) {
      for (const std::string& argument : not_taken())
        if (argument.starts_with('-')) reject(argument);  // rather than what is missing beside it
      refuse(missing_text());
    } catch (const CLI::ConversionError&) {
      refuse(unreadable_text());
    } catch (const CLI::ArgumentMismatch&) {
      refuse(mismatch_text(given_.back()));
    } catch (const CLI::ParseError& error) {
      refuse(error.what());
    }
    if (!command_.action && options.size() < given_.size()) fail(Fault::usage, "a command stands before '--'");
    for (const std::string& argument : not_taken()) reject(argument);
    if (command_.action) return command_.action();
    print_help(command_, HelpLength::brief);
    return static_cast<int>(Fault::usage);
  }

 private:
  /// The arguments among which options are.
  std::span<char* const> before_mark() const {
    return std::span(given_).first(
        static_cast<size_t>(std::ranges::find(given_, std::string_view("--")) - given_.begin()));
  }
  bool has_option(std::string_view name) { return name.empty() || command_.options.find(name) != nullptr; }

  /// What no option took, but for the mark that ends the options.
  std::vector<std::string> not_taken() const {
    std::vector<std::string> arguments = parser_.remaining();
    std::erase(arguments, "--");
    return arguments;
  }

  int help(HelpLength length) const {
    for (const std::string& argument : not_taken())
      if (command_.name.empty() && !argument.starts_with('-')) reject_command(argument);
    return print_help(command_, length), 0;
  }

  // What the library would take for something else.

  void require_well_formed(std::string_view argument) {
    if (argument.starts_with("--") && argument.ends_with('='))  // it would be an option without a value
      fail(Fault::usage, "{} has no value", printable(argument));
    const std::string_view word = argument.substr(0, argument.find('='));
    if (word.size() < argument.size())  // a flag would be off by "=false", and on by other words
      for (Options* options : {&command_.options, &general_})
        if (const Options::Declared* option = options->find(word);
            option != nullptr && !option->text.is_argument() && option->text.takes == OptionText::Value::none)
          fail(Fault::usage, "{} takes no value, but has '{}'", word, printable(argument.substr(word.size() + 1)));
    if (word.size() > 2 && word[0] == '-' && word[1] != '-' && has_option(format("-{}", word)))  // -o with value pset
      fail(Fault::usage, "'{}' is not an option of 'opref {}', did you mean '-{}'?", word, command_.name, word);
  }

  /// --bound KERNEL with a space: of an option that has its value only after "=" the next argument is none.
  void require_joined_values() {
    const std::span options = before_mark();
    for (size_t i = 0; i + 1 < options.size(); ++i) {
      const Options::Declared* option = command_.options.find(options[i]);
      if (option == nullptr || option->text.takes != OptionText::Value::possible || option->hidden) continue;
      const std::string_view next = options[i + 1];
      const auto is_key_of = [next](std::string_view choice) {
        return next.find('=') != std::string_view::npos && choice.starts_with(next.substr(0, next.find('=') + 1));
      };
      const auto is_type_of = [next](std::string_view choice) {
        const size_t equals = choice.find('=');
        return equals != std::string_view::npos && dtype_meant(next) && dtype_meant(choice.substr(equals + 1));
      };
      const std::vector<std::string_view>& choices = option->text.choices;
      if (const auto choice = std::ranges::find_if(choices, is_type_of); choice != choices.end())
        fail(Fault::usage, "{} has its value after '=': {}={}={}", options[i], options[i],
             choice->substr(0, choice->find('=')), next);
      if (std::ranges::any_of(choices, is_key_of))
        fail(Fault::usage, "{} has its value after '=': {}={}", options[i], options[i], printable(next));
    }
  }

  /// `opref ops LpPool --version 11`: the program's version is not what is asked for.
  void require_version_alone() {
    constexpr std::string_view kAlone[] = {"--version", "--json"};
    const std::span options = before_mark();
    if (command_.name.empty() || std::ranges::find(options, kAlone[0]) == options.end()) return;
    for (const std::string_view argument : options)
      if (std::ranges::find(kAlone, argument) == std::end(kAlone))
        fail(Fault::usage,
             "--version is the version of opref and stands alone; an operator's version is --opset N, or LpPool-18");
  }

  // What the library refuses: its errors name no option but in their words; which one they are about is read off the
  // options instead.

  [[noreturn]] void refuse(std::string_view why) const {
    fail(Fault::usage, "{}{}", printable(why, 200), command_.hint());
  }

  /// What is required is missing.
  std::string missing_text() const {
    for (const CLI::Option* option : parser_.get_options())
      if (option->get_required() && option->count() == 0) return option->get_name() + " is missing";
    return "an argument is missing";
  }

  /// The value that was read last is none of its option's.
  std::string unreadable_text() const {
    const CLI::Option* last = nullptr;
    for (const CLI::Option* option : parser_.get_options())
      if (option->get_callback_run()) last = option;
    if (last == nullptr) return "an option does not take its value";
    const std::string value = join_text(last->results(), ",");
    const std::string number = value.substr(0, value.find_first_not_of("0123456789."));
    if (last->get_type_name() == "S" && !number.empty() && value == number + "s")
      return format("{} {}: it is a number of seconds: {}", last->get_name(), value, number);
    return format("{} = {}: the option does not take this value", last->get_name(), value);
  }

  /// An option stands there twice; or one stands last, without its value.
  std::string mismatch_text(std::string_view last_argument) const {
    for (const CLI::Option* option : parser_.get_options()) {
      const bool takes_one = option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
      if (takes_one && option->get_items_expected_max() <= 1 && option->count() > 1)
        return format("{} is given {} times", option->get_name(), option->count());
    }
    const std::string in_group = last_argument.empty() ? "" : format("-{}", last_argument.back());
    for (const CLI::Option* option : parser_.get_options())
      if (option->check_name(std::string(last_argument)) || option->check_name(in_group))
        return format("{} needs a value: {}", option->get_name(), option->get_type_name());
    return "an option has too few or too many values";
  }

  // What no option takes.

  [[noreturn]] void reject(const std::string& argument) {
    if (command_.name.empty()) reject_command(argument);
    if (argument.starts_with('-')) reject_option(argument);
    fail(Fault::usage, "'{}' is one argument too many: {}", printable(argument), command_.usage());
  }

  [[noreturn]] void reject_option(const std::string& argument) {
    const std::string name = argument.substr(0, argument.find('='));
    const std::string problem = format("'{}' is not an option of 'opref {}'", printable(name), command_.name);
    if (has_option("--attribute"))
      if (const std::string attribute = as_attribute(argument); !attribute.empty())
        throw Error(Fault::usage, problem, {kGiveAttribute, printable(attribute)});
    for (const Hint& foreign : hints("option"))
      if (foreign.written == name && has_option(foreign.where)) fail(Fault::usage, "{}: {}", problem, foreign.more);
    if (const std::string others = commands_with(name); !others.empty())
      fail(Fault::usage, "'{}' is an option of {}, but not of 'opref {}': {}", printable(name), others, command_.name,
           command_.usage());
    std::vector<std::string_view> names;
    const std::vector<OptionText> own = command_.options.texts(), general = general_.texts();
    for (const std::vector<OptionText>* texts : {&own, &general})
      for (const OptionText& option : *texts) names.insert(names.end(), option.names.begin(), option.names.end());
    const std::string near = did_you_mean(name, names);
    fail(Fault::usage, "{}{}", problem, near.empty() ? command_.hint() : near);
  }

  /// The operator that the command evaluates; null of anything but one node.
  const Operator* operator_given() const {
    for (const char* argument : {"NODE", "NAME=FILE"})  // the value of an unknown option may stand first
      for (const std::string& text : parser_.get_option(argument)->results())
        if (const Operator* op = operator_of(text)) return op;
    return nullptr;
  }

  /// "kernel_shape=2,2" of "--kernel-shape=2,2", or of "--kernel_shape" and what follows it; empty of what is no
  /// attribute of the operator in any version.
  std::string as_attribute(const std::string& argument) const {
    std::string name = argument.substr(0, argument.find('='));
    name.erase(0, name.find_first_not_of('-'));
    std::ranges::replace(name, '-', '_');
    const Operator* op = operator_given();
    if (op == nullptr || std::ranges::none_of(op->versions(), [&](const OpSchema& version) {
          return version.find_attribute(name) != nullptr;
        }))
      return "";
    if (const size_t equals = argument.find('='); equals != std::string::npos) return name + argument.substr(equals);
    auto place = std::ranges::find(given_, std::string_view(argument));
    const std::string_view value = place == given_.end() || ++place == given_.end() ? std::string_view() : *place;
    return format("{}={}", name, value.empty() || value.starts_with('-') ? "VALUE" : value);
  }

  /// The other commands that have the option: "'opref check' and 'opref diff'".
  std::string commands_with(std::string_view name) const {
    std::vector<std::string> with;
    for (const CommandRow& row : command_rows()) {
      Command other(&row);
      const Options::Declared* option = row.name == command_.name ? nullptr : other.options.find(name);
      if (option != nullptr && !option->hidden) with.push_back(format("'opref {}'", row.name));
    }
    const std::string last = with.empty() ? "" : with.back();
    if (with.size() > 1) with.pop_back();
    return with.empty() || with.back() == last ? last : format("{} and {}", join_text(with, ", "), last);
  }

  /// What stands where a command should.
  [[noreturn]] static void reject_command(const std::string& argument) {
    if (argument == "-V" || argument == "-v")
      fail(Fault::usage, "'{}' is not an option of 'opref', did you mean '--version'?", argument);
    std::error_code ignored;
    const std::string_view op_type = split_version(argument).name;
    if (std::filesystem::exists(argument, ignored) ||
        std::ranges::find(operator_rows(), op_type, &OperatorRow::op_type) != operator_rows().end())
      fail(Fault::usage, "'{}' is not a command, did you mean 'opref run {}'?", printable(argument),
           printable(argument));
    if (const std::string_view own = meant("command", argument); !own.empty())
      fail(Fault::usage, "'{}' is not a command, did you mean '{}'?", argument, own);
    std::vector<std::string_view> known = {"--help", "--version", "--color"};
    for (const CommandRow& row : command_rows()) known.push_back(row.name);
    const std::string near = did_you_mean(argument, known);
    fail(Fault::usage, "'{}' is not a command{}", printable(argument), near.empty() ? " (see 'opref -h')" : near);
  }

  Command command_;
  Options general_ = {};
  std::vector<char*> given_;
  CLI::App parser_;
};

/// Whether the next argument is the value of this one, an option of some command.
bool takes_next(std::string_view argument) {
  if (argument == "--color") return true;
  return argument.starts_with('-') && std::ranges::any_of(command_rows(), [argument](const CommandRow& row) {
           Command command(&row);
           const Options::Declared* option = command.options.find(argument);
           return option != nullptr && option->text.takes == OptionText::Value::needed;
         });
}

}  // namespace

bool print_long_help(std::string_view name) {
  const CommandRow* row = find_command(name);
  if (row == nullptr && !name.empty()) return false;
  print_help(Command(row), HelpLength::full);
  return true;
}

std::vector<CommandText> command_texts() {
  std::vector<CommandText> texts = {Command(nullptr).text()};
  for (const CommandRow& row : command_rows()) texts.push_back(Command(&row).text());
  return texts;
}

int parse_and_run(std::span<char* const> arguments) {
  std::vector<char*> given(arguments.begin(), arguments.end());
  for (auto word = given.begin(); word != given.end() && *word != std::string_view("--"); ++word) {
    if (takes_next(*word) && word + 1 != given.end())
      ++word;  // and its value
    else if (const std::string_view text = *word; !text.starts_with('-')) {
      const CommandRow* row = find_command(text);
      if (row == nullptr) return CommandLine(nullptr, given).run();
      given.erase(word);
      return CommandLine(row, given).run();
    }
  }
  return CommandLine(nullptr, given).run();
}

}  // namespace opref::cli
