// SPDX-License-Identifier: Apache-2.0
#include "cli/command_text.h"

#include <algorithm>

#include "cli/help_topics.h"
#include "cli/output.h"
#include "core/text.h"

namespace opref::cli {
namespace {

using core::format;

std::string options_text(const std::vector<OptionText>& options) {
  std::string text;
  for (const OptionText& option : options) text += two_columns("  " + synopsis(option), option.meaning, 28);
  return text;
}

}  // namespace

std::string synopsis(const OptionText& option) {
  if (option.is_argument()) return option.value;
  std::string names = join_text(option.names, ",");
  if (option.takes == OptionText::Value::none) return names;
  return format(option.takes == OptionText::Value::possible ? "{}[={}]" : "{} {}", names, option.value);
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

std::string help_text(const CommandText& command, HelpLength length) {
  std::string text = format("opref {} - {}\n\nusage: opref {} {}\n", command.name, command.help.summary, command.name,
                            command.help.usage);
  const bool in_full = length == HelpLength::full;
  if (in_full && !command.help.examples.empty()) text += format("\nExamples\n{}", command.help.examples);
  text += "\nOptions\n" + options_text(command.options);
  if (!command.help.topics.empty()) text += format("\n{}", command.help.topics);
  if (in_full && !command.help.details.empty()) text += format("\n{}", command.help.details);
  return text;
}

std::string help_text(const CommandText& program, const std::vector<CommandText>& commands, HelpLength length) {
  std::string text = format("opref - {}\n\nusage: opref {}\n\n", program.help.summary, program.help.usage);
  if (length == HelpLength::full) text += format("Examples\n{}\n", program.help.examples);
  text += "Commands\n";
  for (const CommandText& command : commands) text += two_columns("  " + command.name, command.help.summary, 14);
  text += "\nOptions\n" + options_text(program.options);
  if (length == HelpLength::full) text += format("\n{}\n{}", program.help.topics, program.help.details);
  return text + "\n'opref COMMAND --help' tells more, with examples; '--' ends the options.\n";
}

}  // namespace opref::cli
