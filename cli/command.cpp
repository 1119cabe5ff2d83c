// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <algorithm>

#include "cli/help_topics.h"
#include "cli/output.h"
#include "core/error.h"

namespace opref::cli {
namespace {

void choose_color(const std::string& when) {
  if (when != "auto" && when != "always" && when != "never")
    fail(Fault::usage, "--color {}: it is auto, always or never", printable(when));
  set_color(when == "auto" ? Color::automatic : when == "always" ? Color::always : Color::never);
}

/// "-a,--attribute NAME=VALUE"
std::string synopsis(const Option& option) {
  if (option.is_argument()) return std::string(option.value);
  const std::string names = join_text(option.names, ",");
  if (option.takes == Option::Value::none) return names;
  return format(option.takes == Option::Value::possible ? "{}[={}]" : "{} {}", names, option.value);
}

}  // namespace

bool is_command(std::string_view name) {
  return std::ranges::find(command_rows(), name, &CommandRow::name) != command_rows().end();
}

Command::Command(std::string_view its_name) : name(its_name) {
  const auto add_question = [this](std::string_view question, std::string_view meaning) -> Option& {
    return options.emplace_back(Option{{question}, "", meaning, {}, Option::Value::none, true});
  };
  add_question("-h", "short help");
  add_question("--help", "long help, with examples");
  if (!name.empty()) action = std::ranges::find(command_rows(), name, &CommandRow::name)->add(options);
  Option& version = add_question("--version", "version, commit, compiler; --json too");
  Option& color = add_option(options, "--color", choose_color, "WHEN", "auto, always or never; auto respects NO_COLOR");
  version.is_general = color.is_general = true;
  color.offers({"auto", "always", "never"});
}

HelpText command_help(std::string_view name) {
  std::string_view rest = std::ranges::find(command_files(), name.empty() ? "opref" : name, &HelpFile::name)->text;
  const auto take = [&rest](std::string_view until) {
    const size_t end = std::min(rest.find(until), rest.size());
    const std::string_view taken = rest.substr(0, end);
    rest.remove_prefix(std::min(end + until.size(), rest.size()));
    return taken;
  };
  HelpText help;
  take(" - ");
  help.summary = take("\n\nusage: opref ");
  if (!name.empty()) take(" ");
  help.usage = take("\n\nExamples\n");
  const size_t end = std::min(rest.find("\n\n"), rest.size() - 1);
  help.examples = rest.substr(0, end + 1);
  help.details = rest.substr(std::min(end + 2, rest.size()));
  return help;
}

std::string help_text(const Command& command, HelpLength length) {
  const bool in_full = length == HelpLength::full, is_program = command.name.empty();
  const HelpText help = command_help(command.name);
  const std::string name = format("{}{}", is_program ? "" : " ", command.name);
  std::string text = format("opref{} - {}\n\nusage: opref{} {}\n", name, help.summary, name, help.usage);
  if (in_full && !help.examples.empty()) text += format("\nExamples\n{}", help.examples);
  if (is_program) text += "\nCommands\n";
  for (const CommandRow& row : command_rows())
    if (is_program) text += two_columns(format("  {}", row.name), command_help(row.name).summary, 14);
  text += "\nOptions\n";
  for (const Option& option : command.options)
    if (!option.is_hidden && (is_program || !option.is_general))
      text += two_columns("  " + synopsis(option), option.meaning, 28);
  if (command.name == "help" || (is_program && in_full)) text += format("\n{}", topics_text());
  if (in_full && !help.details.empty()) text += format("\n{}", help.details);
  if (is_program) text += "\n'opref COMMAND --help' tells more, with examples; '--' ends the options.\n";
  return text;
}

}  // namespace opref::cli
