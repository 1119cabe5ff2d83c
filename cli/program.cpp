// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <utility>

#include "cli/help_topics.h"
#include "cli/output.h"
#include "cli/version.h"
#include "core/error.h"
#include "ops/operators.h"
#include "run/load_case.h"
#include "run/remedies.h"
#include "run/version.h"

namespace opref::cli {
namespace {

struct Command {
  HelpText help;
  std::function<void(CLI::App&)> add_options;  // empty: they are added
  std::function<int()> action;
};

std::map<const CLI::App*, Command>& commands() {
  static std::map<const CLI::App*, Command> commands;
  return commands;
}

void complete(CLI::App& app) {
  if (const auto add_options = std::exchange(commands().at(&app).add_options, nullptr)) add_options(app);
}

const CLI::App& chosen(const CLI::App& program) {
  const auto named = program.get_subcommands();
  return named.empty() ? program : *named.front();
}

/// Of the program the name is empty.
CommandText command_text(const CLI::App& program, const CLI::App& app) {
  if (&app == &program) {
    HelpText help = command_help("");
    help.topics = topics_text();
    return {"", help, options_of(app)};
  }
  return {app.get_name(), commands().at(&app).help, options_of(app)};
}

/// Of a subcommand or the program.
void print_help(const CLI::App& program, const CLI::App& app, HelpLength length) {
  if (&app != &program) return print(help_text(command_text(program, app), length));
  std::vector<CommandText> texts;
  for (const CLI::App* command : app.get_subcommands({})) texts.push_back(command_text(program, *command));
  print(help_text(command_text(program, program), texts, length));
}

/// An option of other programs, and the sentence on what stands for it where there is the option `needs` (empty:
/// everywhere).
struct ForeignOption {
  std::string_view name, needs, own;
};
constexpr ForeignOption kForeignOptions[] = {
    {"--output", "-o", "it is -o OUT"},
    {"--output", "--junit", "it is --junit FILE, or --report FILE"},
    {"--format", "--junit", "it is --junit FILE, --report FILE, --markdown FILE or --html FILE"},
    {"--out", "-o", "it is -o OUT"},
    {"--input", "-a", "it is NAME=FILE"},
    {"--inputs", "-a", "it is NAME=FILE"},
    {"-i", "-a", "it is NAME=FILE"},
    {"--dtype", "-a",
     "to say what an untyped file holds: NAME:float16=FILE; to convert: opref show FILE --to float16 -o OUT"},
    {"--shape", "-a", "it is NAME=float32[1,3], a type without values"},
    {"--domain", "--changes",
     "it is the word before an operator's name, as in opref ops openvino:AvgPool; 'opref ops openvino' lists that "
     "domain"},
    {"--domain", "", "it is openvino:AvgPool, before the operator's name"},
    {"--backend", "--runner", "it is --runner CMD"},
    {"--element", "--at", "it is --at NAME[I,J,…]"},
    {"--layer", "--node", "it is --node NAME; -o NAME=FILE writes a value between nodes"},
    {"--attr", "-a", "it is -a NAME=VALUE"},
    {"--opset-version", "--opset", "it is --opset N"},
    {"--opset_version", "--opset", "it is --opset N"},
    {"--jobs", "-j", "it is -j N"},
    {"--jobs", "--threads", "it is --threads N"},
    {"-j", "--threads", "it is --threads N"},
    {"--tolerance", "--ulp", "it is --ulp N, or --rtol R --atol A"},
    {"--tol", "--ulp", "it is --ulp N, or --rtol R --atol A"},
    {"-v", "--verbose", "it is --verbose"},
    {"-V", "", "it is opref --version"},
};

bool has_option(const CLI::App& app, std::string_view name) {
  return name.empty() || app.get_option_no_throw(std::string(name)) != nullptr;
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

/// The operator that the command evaluates; null of anything but one node.
const Operator* operator_given(const CLI::App& app) {
  std::vector<std::string> given;
  for (const char* argument : {"NODE", "NAME=FILE"})  // the value of an unknown option may stand first
    std::ranges::copy(app.get_option(argument)->results(), std::back_inserter(given));
  for (const std::string& text : given)
    if (const Operator* op = operator_of(text)) return op;
  return nullptr;
}

/// "kernel_shape=2,2" of "--kernel-shape=2,2", or of "--kernel_shape" and what follows it; empty of what is no
/// attribute of the operator in any version.
std::string as_attribute(const CLI::App& app, const std::string& argument, std::span<char* const> given) {
  std::string name = argument.substr(0, argument.find('='));
  name.erase(0, name.find_first_not_of('-'));
  std::ranges::replace(name, '-', '_');
  const Operator* op = operator_given(app);
  if (op == nullptr || std::ranges::none_of(op->versions(), [&](const OpSchema& version) {
        return version.find_attribute(name) != nullptr;
      }))
    return "";
  if (const size_t equals = argument.find('='); equals != std::string::npos) return name + argument.substr(equals);
  auto place = std::ranges::find(given, std::string_view(argument));
  const std::string_view value = place == given.end() || ++place == given.end() ? std::string_view() : *place;
  return format("{}={}", name, value.empty() || value.starts_with('-') ? "VALUE" : value);
}

/// The other commands that have the option: "'opref check' and 'opref diff'".
std::string commands_with(CLI::App& program, const CLI::App& app, const std::string& name) {
  std::vector<std::string> with;
  for (CLI::App* command : program.get_subcommands({})) {
    if (command == &app) continue;
    complete(*command);
    const CLI::Option* option = command->get_option_no_throw(name);
    if (option != nullptr && !option->get_group().empty()) with.push_back(format("'opref {}'", command->get_name()));
  }
  const std::string last = with.empty() ? "" : with.back();
  if (with.size() > 1) with.pop_back();
  return with.empty() || with.back() == last ? last : format("{} and {}", join_text(with, ", "), last);
}

std::string usage_text(const CLI::App& app) {
  return format("opref {} {}", app.get_name(), commands().at(&app).help.usage);
}

[[noreturn]] void reject_option(CLI::App& program, const CLI::App& app, const std::string& argument,
                                std::span<char* const> given) {
  const std::string name = argument.substr(0, argument.find('='));
  const std::string problem = format("'{}' is not an option of 'opref {}'", printable(name), app.get_name());
  if (has_option(app, "--attribute"))
    if (const std::string attribute = as_attribute(app, argument, given); !attribute.empty())
      throw Error(Fault::usage, problem, {kGiveAttribute, printable(attribute)});
  for (const ForeignOption& foreign : kForeignOptions)
    if (foreign.name == name && has_option(app, foreign.needs)) fail(Fault::usage, "{}: {}", problem, foreign.own);
  if (const std::string others = commands_with(program, app, name); !others.empty())
    fail(Fault::usage, "'{}' is an option of {}, but not of 'opref {}': {}", printable(name), others, app.get_name(),
         usage_text(app));
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
    for (const std::string& known : option->get_snames()) names.push_back("-" + known);
  }
  const std::string near = did_you_mean(name, std::vector<std::string_view>(names.begin(), names.end()));
  fail(Fault::usage, "{}{}", problem, near.empty() ? format(" (see 'opref {} -h')", app.get_name()) : near);
}

/// What stands where a command should.
[[noreturn]] void reject_command(const CLI::App& program, const std::string& argument) {
  if (argument == "-V" || argument == "-v")
    fail(Fault::usage, "'{}' is not an option of 'opref', did you mean '--version'?", argument);
  std::error_code ignored;
  const std::string_view op_type = split_version(argument).name;
  if (std::filesystem::exists(argument, ignored) ||
      std::ranges::find(operator_rows(), op_type, &OperatorRow::op_type) != operator_rows().end())
    fail(Fault::usage, "'{}' is not a command, did you mean 'opref run {}'?", printable(argument), printable(argument));
  constexpr std::pair<std::string_view, std::string_view> kForeignCommands[] = {
      {"compare", "diff"}, {"test", "check"},   {"list", "ops"},      {"eval", "run"},    {"evaluate", "run"},
      {"execute", "run"},  {"verify", "check"}, {"operators", "ops"}, {"gen", "golden"},  {"generate", "golden"},
      {"convert", "show"}, {"print", "show"},   {"cat", "show"},      {"shape", "infer"}, {"shapes", "infer"}};
  for (const auto& [foreign, own] : kForeignCommands)
    if (foreign == argument) fail(Fault::usage, "'{}' is not a command, did you mean '{}'?", argument, own);
  const std::vector<std::string> names = command_names(program);
  std::vector<std::string_view> candidates(names.begin(), names.end());
  candidates.insert(candidates.end(), {"--help", "--version", "--color"});
  const std::string near = did_you_mean(argument, candidates);
  fail(Fault::usage, "'{}' is not a command{}", printable(argument), near.empty() ? " (see 'opref -h')" : near);
}

/// An argument that no option or command takes.
[[noreturn]] void reject(CLI::App& program, const std::string& argument, std::span<char* const> given) {
  const CLI::App& app = chosen(program);
  if (&app == &program) reject_command(program, argument);
  if (argument.starts_with('-')) reject_option(program, app, argument, given);
  fail(Fault::usage, "'{}' is one argument too many: {}", printable(argument), usage_text(app));
}

/// What no option or command took, but for the mark that ends the options.
std::vector<std::string> not_taken(const CLI::App& app) {
  std::vector<std::string> arguments = app.remaining(true);
  std::erase(arguments, "--");
  return arguments;
}

/// The arguments among which options are.
std::span<char* const> before_mark(std::span<char* const> given) {
  return given.first(static_cast<size_t>(std::ranges::find(given, std::string_view("--")) - given.begin()));
}

/// Help on something that there is not.
void reject_unknown_command(const CLI::App& program) {
  if (&chosen(program) != &program) return;
  for (const std::string& argument : not_taken(program))
    if (!argument.starts_with('-')) reject_command(program, argument);
}

[[noreturn]] void refuse_arguments(const CLI::App& program, std::string_view why) {
  const CLI::App& app = chosen(program);
  fail(Fault::usage, "{} (see 'opref{}{} -h')", printable(why, 200), &app == &program ? "" : " ",
       &app == &program ? "" : app.get_name());
}

/// In the order in which the library reads what they were given. Its errors name no option but in their words; which
/// one they are about is read off the options instead.
std::vector<const CLI::Option*> options_in_order(const CLI::App& program) {
  std::vector<const CLI::Option*> options = program.get_options();
  if (const CLI::App& app = chosen(program); &app != &program)
    std::ranges::copy(app.get_options(), std::back_inserter(options));
  return options;
}

/// What is required is missing.
std::string missing_text(const CLI::App& program) {
  for (const CLI::Option* option : options_in_order(program))
    if (option->get_required() && option->count() == 0) return option->get_name() + " is missing";
  return "an argument is missing";
}

/// The value that was read last is none of its option's.
std::string unreadable_text(const CLI::App& program) {
  const CLI::Option* last = nullptr;
  for (const CLI::Option* option : options_in_order(program))
    if (option->get_callback_run()) last = option;
  if (last == nullptr) return "an option does not take its value";
  const std::string value = join_text(last->results(), ",");
  const std::string number = value.substr(0, value.find_first_not_of("0123456789."));
  if (last->get_type_name() == "S" && !number.empty() && value == number + "s")
    return format("{} {}: it is a number of seconds: {}", last->get_name(), value, number);
  return format("{} = {}: the option does not take this value", last->get_name(), value);
}

/// An option stands there twice; or one stands last, without its value.
std::string mismatch_text(const CLI::App& program, std::string_view last_argument) {
  for (const CLI::Option* option : options_in_order(program)) {
    const bool takes_one = option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
    if (takes_one && option->get_items_expected_max() <= 1 && option->count() > 1)
      return format("{} is given {} times", option->get_name(), option->count());
  }
  const std::string in_group = last_argument.empty() ? "" : format("-{}", last_argument.back());
  for (const CLI::Option* option : options_in_order(program))
    if (option->check_name(std::string(last_argument)) || option->check_name(in_group))
      return format("{} needs a value: {}", option->get_name(), option->get_type_name());
  return "an option has too few or too many values";
}

/// The first argument that is a command's name; empty where none is.
std::string command_given(const CLI::App& program, std::span<char* const> given) {
  const std::vector<std::string> names = command_names(program);
  const auto found = std::ranges::find_first_of(given, names, {}, [](const char* text) { return std::string(text); });
  return found == given.end() ? "" : *found;
}

/// The library reads -opset as the option -o with the value pset.
void require_two_dashes(CLI::App& program, std::span<char* const> given) {
  const std::string name = command_given(program, given);
  if (name.empty()) return;
  CLI::App& app = *program.get_subcommand(name);
  complete(app);
  for (const std::string_view argument : before_mark(given)) {
    const std::string_view word = argument.substr(0, argument.find('='));
    if (word.size() > 2 && word[0] == '-' && word[1] != '-' && app.get_option_no_throw(format("-{}", word)) != nullptr)
      fail(Fault::usage, "'{}' is not an option of 'opref {}', did you mean '-{}'?", word, name, word);
  }
}

/// --bound KERNEL with a space: of an option that has its value only after "=" the next argument is none.
void require_joined_values(CLI::App& program, std::span<char* const> given) {
  const std::string name = command_given(program, given);
  if (name.empty()) return;
  const std::span options = before_mark(given);
  for (const OptionText& option : options_of(*program.get_subcommand(name)))
    for (size_t i = 0; option.takes == OptionText::Value::possible && i + 1 < options.size(); ++i) {
      const std::string_view next = options[i + 1];
      const auto is_key_of = [next](std::string_view choice) {
        return next.find('=') != std::string_view::npos && choice.starts_with(next.substr(0, next.find('=') + 1));
      };
      const auto is_type_of = [next](std::string_view choice) {
        const size_t equals = choice.find('=');
        return equals != std::string_view::npos && dtype_meant(next) && dtype_meant(choice.substr(equals + 1));
      };
      if (std::ranges::count(option.names, options[i]) == 0) continue;
      if (const auto choice = std::ranges::find_if(option.choices, is_type_of); choice != option.choices.end())
        fail(Fault::usage, "{} has its value after '=': {}={}={}", options[i], options[i],
             std::string_view(*choice).substr(0, choice->find('=')), next);
      if (std::ranges::any_of(option.choices, is_key_of))
        fail(Fault::usage, "{} has its value after '=': {}={}", options[i], options[i], printable(next));
    }
}

/// `opref ops LpPool --version 11`: the program's version is not what is asked for.
void require_version_alone(const CLI::App& program, std::span<char* const> given) {
  constexpr std::string_view kAlone[] = {"--version", "--json"};
  const std::string name = command_given(program, given);
  const std::span options = before_mark(given);
  if (std::ranges::find(options, kAlone[0]) == options.end() || name.empty()) return;
  for (const std::string_view argument : options.subspan(1))
    if (argument != name && std::ranges::find(kAlone, argument) == std::end(kAlone))
      fail(Fault::usage,
           "--version is the version of opref and stands alone; an operator's version is --opset N, or LpPool-18");
}

/// The library takes "--bound=" for an option without a value.
void require_values(std::span<char* const> arguments) {
  for (const std::string_view argument : before_mark(arguments))
    if (argument.starts_with("--") && argument.ends_with('='))
      fail(Fault::usage, "{} has no value", printable(argument));
}

}  // namespace

void add_command(CLI::App& program, std::string_view name, std::function<void(CLI::App&)> add_options,
                 std::string_view topics) {
  CLI::App& command = *program.add_subcommand(std::string(name));
  command.allow_extras();
  HelpText help = command_help(name);
  help.topics = topics;
  commands()[&command] = {help,
                          [add_options = std::move(add_options)](CLI::App& app) {
                            app.set_help_flag("-h", "short help");
                            app.set_help_all_flag("--help", "long help, with examples");
                            add_options(app);
                          },
                          nullptr};
  command.preparse_callback([&command](size_t) { complete(command); });
}

std::shared_ptr<CLI::App> new_program() {
  const auto owner = std::make_shared<CLI::App>("", "opref");
  CLI::App& program = *owner;
  program.set_help_flag("-h", "short help");
  program.set_help_all_flag("--help", "long help, with examples");
  program.set_version_flag("--version", version_number(), "version, commit, compiler; --json too");
  program
      .add_option_function<std::string>(
          "--color",
          [](const std::string& when) {
            if (when != "auto" && when != "always" && when != "never")
              fail(Fault::usage, "--color {}: it is auto, always or never", printable(when));
            set_color(when == "auto" ? Color::automatic : when == "always" ? Color::always : Color::never);
          },
          "auto, always or never; auto respects NO_COLOR")
      ->type_name("WHEN");
  offer(program.get_option("--color"), {"auto", "always", "never"});
  program.require_subcommand(0, 1);
  program.fallthrough();
  program.allow_extras();
  return owner;
}

bool print_long_help(CLI::App& program, std::string_view name) {
  const auto apps = program.get_subcommands([name](const CLI::App* command) { return command->get_name() == name; });
  if (!name.empty() && apps.empty()) return false;
  CLI::App& app = name.empty() ? program : *apps.front();
  if (!name.empty()) complete(app);
  print_help(program, app, HelpLength::full);
  return true;
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<CommandText> command_texts(CLI::App& program) {
  std::vector<CommandText> texts = {command_text(program, program)};
  for (CLI::App* command : program.get_subcommands({})) {
    complete(*command);
    texts.push_back(command_text(program, *command));
  }
  return texts;
}

void set_action(CLI::App& command, std::function<int()> action) { commands()[&command].action = std::move(action); }

int parse_and_run(CLI::App& program, int argc, char** argv) {
  const std::span given(argv, static_cast<size_t>(argc));
  const std::span options = before_mark(given);
  const bool as_json = std::ranges::find(options, std::string_view("--json")) != options.end();
  if (as_json) report_as_json(command_given(program, given));
  require_values(given);
  require_two_dashes(program, given);
  require_joined_values(program, given);
  require_version_alone(program, given);
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    reject_unknown_command(program);
    print_help(program, chosen(program), HelpLength::brief);
    return 0;
  } catch (const CLI::CallForAllHelp&) {
    reject_unknown_command(program);
    print_help(program, chosen(program), HelpLength::full);
    return 0;
  } catch (const CLI::CallForVersion&) {
    print(as_json ? version_json() : version_text());
    return 0;
  } catch (const CLI::RequiredError&) {
    for (const CLI::App* app : {&chosen(program), static_cast<const CLI::App*>(&program)})
      for (const std::string& argument : not_taken(*app))
        if (argument.starts_with('-')) reject(program, argument, given);  // rather than what is missing beside it
    refuse_arguments(program, missing_text(program));
  } catch (const CLI::ConversionError&) {
    refuse_arguments(program, unreadable_text(program));
  } catch (const CLI::ArgumentMismatch&) {
    refuse_arguments(program, mismatch_text(program, given.back()));
  } catch (const CLI::ParseError& error) {
    refuse_arguments(program, error.what());
  }
  const CLI::App& app = chosen(program);
  for (const CLI::App* from : {&app, static_cast<const CLI::App*>(&program)})
    for (const std::string& argument : not_taken(*from)) reject(program, argument, given);
  if (&app != &program) return commands().at(&app).action();
  if (options.size() < given.size()) fail(Fault::usage, "a command stands before '--'");
  print_help(program, program, HelpLength::brief);
  return static_cast<int>(Fault::usage);
}

}  // namespace opref::cli
