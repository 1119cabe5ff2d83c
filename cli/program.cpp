#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "cli/output.h"
#include "cli/version.h"
#include "core/error.h"

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

constexpr std::string_view kProgramExamples =
    "  # an official ONNX case: evaluate its node, print the result\n"
    "  $ opref run /usr/share/libonnx-testdata/data/node/test_maxunpool_export_without_output_shape\n"
    "  # one operator on tensors written in the command\n"
    "  $ opref run MaxUnpool --opset 11 -a kernel_shape=2 -a strides=2 'X=[[[5,6]]]:float32' 'I=[[[1,2]]]'\n"
    "  # types and attributes only, nothing computed\n"
    "  $ opref infer MaxUnpool -a kernel_shape=2,2 X=float32[1,3,32,32] I=int64[1,3,32,32]\n";

constexpr std::string_view kExitCodes =
    "Exit codes\n"
    "  0  done, equal\n"
    "  1  values, dtype or shape differ; check: a case failed\n"
    "  2  usage: options, unknown names, missing values, nothing to check\n"
    "  3  malformed: a file that cannot be read as what it is\n"
    "  4  invalid: the node breaks its specification\n"
    "  5  unsupported: an operator, opset or type that opref does not know\n"
    "  6  system: files, disk space, threads, memory limit\n"
    "  70 internal: a bug in opref\n";

void complete(CLI::App& app) {
  if (const auto add_options = std::exchange(commands().at(&app).add_options, nullptr)) add_options(app);
}

const CLI::App& chosen(const CLI::App& program) {
  const auto named = program.get_subcommands();
  return named.empty() ? program : *named.front();
}

std::string options_text(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // taken, to be refused with a reason
    const std::string value = option->get_items_expected_max() > 0 ? option->get_type_name() : "";
    std::string name = option->get_positional() ? option->get_name(true) : option->get_name(false, true);
    if (const size_t brace = name.find('{'); brace != std::string::npos)
      name.replace(brace, name.npos, format("[={}]", option->get_type_name()));
    text += two_columns(format("  {}{}{}", name, value.empty() || option->get_positional() ? "" : " ",
                               option->get_positional() ? "" : value),
                        option->get_description(), 28);
  }
  return text;
}

enum class HelpLength : std::uint8_t { brief, full };

/// Of a subcommand or the program.
void print_help(const CLI::App& program, const CLI::App& app, HelpLength length) {
  const bool top = &app == &program;
  std::string text;
  if (top) {
    text = "opref - what does the specification say this operator returns?\n\nusage: opref COMMAND … [OPTIONS]\n\n";
    if (length == HelpLength::full) text += format("Examples\n{}\n", kProgramExamples);
    text += "Commands\n";
    for (const CLI::App* command : app.get_subcommands({}))
      text += two_columns("  " + command->get_name(), command->get_description(), 12);
    text += "\nOptions\n" + options_text(app);
    if (length == HelpLength::full) text += format("\n{}", kExitCodes);
    text += "\n'opref COMMAND --help' tells more, with examples.\n";
  } else {
    const HelpText& help = commands().at(&app).help;
    text = format("opref {} - {}\n\nusage: opref {} {}\n", app.get_name(), app.get_description(), app.get_name(),
                  help.usage);
    if (length == HelpLength::full && !help.examples.empty()) text += format("\nExamples\n{}", help.examples);
    text += "\nOptions\n" + options_text(app);
    if (length == HelpLength::full && !help.details.empty()) text += format("\n{}", help.details);
  }
  print(text);
}

/// Of few names also one that is not so near: the only one with this first letter, if it is about as long.
std::string nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  if (std::string near = did_you_mean(name, candidates); !near.empty()) return near;
  const size_t first = name.find_first_not_of('-');
  if (first == std::string_view::npos) return "";
  std::vector<std::string_view> alike;
  for (const std::string_view candidate : candidates) {
    const auto [shorter, longer] = std::minmax(candidate.size(), name.size());
    if (candidate.starts_with(name.substr(0, first + 1)) && longer - shorter <= 2) alike.push_back(candidate);
  }
  return alike.size() == 1 ? format(", did you mean '{}'?", alike.front()) : "";
}

/// An argument that no option or command takes.
[[noreturn]] void reject(const CLI::App& program, const std::string& argument) {
  const CLI::App& app = chosen(program);
  const bool top = &app == &program;
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  if (top) std::ranges::copy(command_names(program), std::back_inserter(names));
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string name = argument.substr(0, argument.find('='));
  if (!top && !argument.starts_with('-'))
    fail(Fault::usage, "'{}' is one argument too many: opref {} {}", printable(argument), app.get_name(),
         commands().at(&app).help.usage);
  fail(Fault::usage, "'{}' is not {}{} (see 'opref{}{} -h')", printable(argument),
       top ? "a command" : format("an option of 'opref {}'", app.get_name()), nearest_name(name, candidates),
       top ? "" : " ", top ? "" : app.get_name());
}

/// Help on something that there is not.
void reject_unknown_command(const CLI::App& program) {
  if (&chosen(program) != &program) return;
  for (const std::string& argument : program.remaining(true))
    if (!argument.starts_with('-')) reject(program, argument);
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
  return format("{} = {}: the option does not take this value", last->get_name(), join_text(last->results(), ","));
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

/// The library takes "--bound=" for an option without a value.
void require_values(std::span<char* const> arguments) {
  for (const std::string_view argument : arguments) {
    if (argument == "--") return;
    if (argument.starts_with("--") && argument.ends_with('='))
      fail(Fault::usage, "{} has no value", printable(argument));
  }
}

}  // namespace

void add_command(CLI::App& program, std::string_view name, std::string_view summary, const HelpText& text,
                 std::function<void(CLI::App&)> add_options) {
  CLI::App& command = *program.add_subcommand(std::string(name), std::string(summary));
  command.allow_extras();
  commands()[&command] = {text,
                          [add_options = std::move(add_options)](CLI::App& app) {
                            app.set_help_flag("-h", "short help");
                            app.set_help_all_flag("--help", "long help, with examples");
                            add_options(app);
                          },
                          nullptr};
  command.preparse_callback([&command](size_t) { complete(command); });
}

void describe_program(CLI::App& program) {
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
          "auto, always or never (NO_COLOR is heeded)")
      ->type_name("WHEN");
  program.require_subcommand(0, 1);
  program.fallthrough();
  program.allow_extras();
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

void set_action(CLI::App& command, std::function<int()> action) { commands()[&command].action = std::move(action); }

int parse_and_run(CLI::App& program, int argc, char** argv) {
  const std::span given(argv, static_cast<size_t>(argc));
  require_values(given);
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
    const bool as_json = std::ranges::find(given, std::string_view("--json")) != given.end();
    print(as_json ? version_json() : version_text());
    return 0;
  } catch (const CLI::RequiredError&) {
    for (const CLI::App* app : {&chosen(program), static_cast<const CLI::App*>(&program)})
      for (const std::string& argument : app->remaining(true))
        if (argument.starts_with('-')) reject(program, argument);  // rather than what is missing beside it
    refuse_arguments(program, missing_text(program));
  } catch (const CLI::ConversionError&) {
    refuse_arguments(program, unreadable_text(program));
  } catch (const CLI::ArgumentMismatch&) {
    refuse_arguments(program, mismatch_text(program, given.back()));
  } catch (const CLI::ParseError& error) {
    refuse_arguments(program, error.what());
  }
  const CLI::App& app = chosen(program);
  for (const std::string& argument : app.remaining(true)) reject(program, argument);
  for (const std::string& argument : program.remaining(true)) reject(program, argument);
  if (&app != &program) return commands().at(&app).action();
  print_help(program, program, HelpLength::brief);
  return static_cast<int>(Fault::usage);
}

}  // namespace opref::cli
