// SPDX-License-Identifier: Apache-2.0
// opref help
#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/help_topics.h"
#include "cli/output.h"
#include "core/error.h"
#include "ops/operators.h"

namespace opref::cli {
namespace {

bool is_reading(std::string_view name) {
  return std::ranges::any_of(operator_rows(), [name](const OperatorRow& row) {
    const std::vector<Reading>& readings = get_operator(row.domain, row.op_type).readings();
    return std::ranges::find(readings, name, &Reading::name) != readings.end();
  });
}

void print_topic(const std::string& topic) {
  for (const HelpTopic& page : help_topics())
    if (topic == page.name) return print(page.text);
  for (const DataTopic& data : data_topics())
    if (topic == data.name) return print(data.text());
  if (topic.empty() || is_command(topic)) return print(help_text(Command(topic), HelpLength::full));
  if (print_operator(topic)) return;
  std::vector<std::string_view> topics;
  for (const CommandRow& row : command_rows()) topics.push_back(row.name);
  for (const HelpTopic& page : help_topics()) topics.push_back(page.name);
  for (const DataTopic& data : data_topics()) topics.push_back(data.name);
  std::vector<std::string_view> known = topics;
  for (const OperatorRow& row : operator_rows()) known.push_back(row.op_type);
  const std::string near = did_you_mean(topic, known);
  fail(Fault::usage, "there is no help on '{}'{}", printable(topic),
       is_reading(topic) ? "; 'opref ops OPERATOR' describes its readings"
       : near.empty()    ? format(" ({})", join_text(topics, ", "))
                         : near);
}

}  // namespace

Action add_help(Options& command) {
  const auto topic = std::make_shared<std::string>();
  add_argument(command, "TOPIC", *topic, "a command, an operator, or one of the topics below");
  return [topic] {
    print_topic(*topic);
    return 0;
  };
}

}  // namespace opref::cli
