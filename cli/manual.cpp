// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.h"

#include "cli/examples.h"
#include "cli/help_topics.h"
#include "cli/man_text.h"
#include "cli/version.h"
#include "core/text.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::cli {
namespace {

namespace fs = std::filesystem;

/// The day of the newest version: "2026-11-23" of "## 0.2.0 (2026-11-23)", the first heading of the changelog.
std::string_view release_day() {
  for (const HelpTopic& topic : help_topics())
    if (topic.name == "changelog") {
      const std::string_view text = topic.text.substr(topic.text.find("\n## "));
      return text.substr(text.find('(') + 1, text.find(')') - text.find('(') - 1);
    }
  return "";
}

std::string head(std::string_view name, std::string_view section, std::string_view summary) {
  std::string capitals(name);
  for (char& letter : capitals)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return format(".TH {} {} {} \"opref {}\" \"opref manual\"\n.SH NAME\n{} \\- {}\n", man_escaped(capitals), section,
                release_day(), version_number(), man_escaped(name), man_escaped(summary));
}

std::string options_section(const CommandText& command) {
  std::string text = man_heading("SH", "Options");
  for (const OptionText& option : command.options)
    text += format(".TP\n\\fB{}\\fR\n{}", man_escaped(synopsis(option)), man_paragraph(option.meaning));
  return text;
}

/// Lines with a title and what is said of it behind two blanks, and further lines of that: as they are.
std::string details_section(std::string_view title, std::string_view details) {
  return details.empty() ? "" : man_heading("SH", title) + man_block(details);
}

std::string see_also(const std::vector<CommandText>& commands, std::string_view but) {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view section) {
    if (name != but) text += format("{}.BR {} ({})", text.empty() ? "" : ",\n", man_escaped(name), section);
  };
  add("opref", "1");
  for (const CommandText& command : commands)
    if (!command.name.empty()) add("opref-" + command.name, "1");
  for (const HelpTopic& topic : help_topics()) add(format("opref-{}", topic.name), "7");
  return man_heading("SH", "See also") + text + "\n";
}

std::string command_page(const std::vector<CommandText>& commands, const CommandText& command) {
  const bool is_program = command.name.empty();
  const std::string name = is_program ? "opref" : "opref-" + command.name;
  std::string text = head(name, "1", command.summary) + man_heading("SH", "Synopsis");
  text += format("\\fBopref{}{}\\fR {}\n", is_program ? "" : " ", command.name, man_escaped(command.help.usage));
  if (is_program) {
    text += man_heading("SH", "Commands");
    for (const CommandText& one : commands)
      if (!one.name.empty()) text += format(".TP\n\\fB{}\\fR\n{}", man_escaped(one.name), man_paragraph(one.summary));
  }
  text += options_section(command);
  text += details_section(is_program ? "Exit status" : "Description", command.help.details);
  text += man_heading("SH", "Examples") + man_block(examples_text(command.help.examples));
  return text + see_also(commands, name);
}

std::string topic_page(const std::vector<CommandText>& commands, const HelpTopic& topic) {
  const std::string name = format("opref-{}", topic.name);
  return head(name, "7", topic.meaning()) + man_heading("SH", "Description") + man_from_markdown(topic.text) +
         see_also(commands, name);
}

void write(const fs::path& path, const std::string& text) {
  system::FileWriter writer(path);
  writer.write(text);
  writer.commit();
}

}  // namespace

void write_manual(const std::vector<CommandText>& commands, const fs::path& folder) {
  system::make_folder(folder / "man1");
  system::make_folder(folder / "man7");
  for (const CommandText& command : commands)
    write(folder / "man1" / (command.name.empty() ? "opref.1" : format("opref-{}.1", command.name)),
          command_page(commands, command));
  for (const HelpTopic& topic : help_topics())
    write(folder / "man7" / format("opref-{}.7", topic.name), topic_page(commands, topic));
}

}  // namespace opref::cli
