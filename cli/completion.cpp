// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <algorithm>

#include "cli/help_topics.h"
#include "core/dtype.h"
#include "core/error.h"
#include "ops/operators.h"
#include "schema/node.h"

namespace opref::cli {
namespace {

using Value = Completions::Value;

/// What the words before the one at the cursor say.
struct Given {
  const CommandText* command = nullptr;
  const OptionText* waiting = nullptr;  // for its value
  std::vector<std::string> arguments;   // beside options and their values
  std::string opset;
  bool only_arguments = false;  // after "--"
};

const OptionText* find_option(const CommandText& command, std::string_view name) {
  const auto found = std::ranges::find_if(command.options, [name](const OptionText& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
  return found == command.options.end() ? nullptr : &*found;
}

/// Of the command, or of the program; null where there is none.
const OptionText* find_option(std::span<const CommandText> commands, const Given& given, std::string_view name) {
  const OptionText* own = given.command == nullptr ? nullptr : find_option(*given.command, name);
  return own != nullptr ? own : find_option(commands.front(), name);
}

Given read(std::span<const CommandText> commands, std::span<const std::string> words) {
  Given given;
  for (const std::string& word : words) {
    if (given.waiting != nullptr) {
      if (given.waiting->names.front() == "--opset") given.opset = word;
      given.waiting = nullptr;
    } else if (word == "--") {
      given.only_arguments = true;
    } else if (word.starts_with('-') && word.size() > 1 && !given.only_arguments) {
      const size_t equals = word.find('=');
      if (word.starts_with("--opset=")) given.opset = word.substr(equals + 1);
      const OptionText* option = find_option(commands, given, word);
      if (option != nullptr && option->takes == OptionText::Value::needed) given.waiting = option;
    } else if (given.command == nullptr) {
      const auto command = std::ranges::find(commands.subspan(1), word, &CommandText::name);
      if (command == commands.end()) return given;
      given.command = &*command;
    } else {
      given.arguments.push_back(word);
    }
  }
  return given;
}

/// "LpPool" of "Y = LpPool <p = 2> (X)".
std::string_view node_operator(std::string_view node) {
  if (const size_t equals = node.find('='); equals != node.npos) node.remove_prefix(equals + 1);
  node = node.substr(0, node.find_first_of("<("));
  while (node.starts_with(' ')) node.remove_prefix(1);
  while (node.ends_with(' ')) node.remove_suffix(1);
  return node;
}

/// The version of the first argument's operator that is in force; null where it is none.
struct Named {
  const Operator* op = nullptr;
  const OpSchema* schema = nullptr;
};
Named named_operator(const Given& given) {
  if (given.arguments.empty()) return {};
  const NamedVersion named = split_version(node_operator(given.arguments.front()));
  try {
    const Operator& op = get_operator_named(named.name);
    std::int64_t opset = named.opset.value_or(kNewestOpset);
    if (!given.opset.empty() && given.opset.size() < 4) opset = std::stoll(given.opset);
    return {&op, &op.schema_for(opset)};
  } catch (const std::exception&) {
    return {};
  }
}

/// Whether "LpPool" alone names another operator than this row's.
bool needs_domain(const OperatorRow& row) {
  return std::ranges::find(operator_rows(), row.op_type, &OperatorRow::op_type)->domain != row.domain;
}

void add_operators(std::vector<Value>& values) {
  for (const OperatorRow& row : operator_rows())
    values.push_back({needs_domain(row) ? format("{}:{}", row.domain, row.op_type) : std::string(row.op_type),
                      std::string(find_operator(row.domain, row.op_type)->summary())});
}

void add_attributes(std::vector<Value>& values, const Given& given, std::string_view word) {
  const OpSchema* schema = named_operator(given).schema;
  if (schema == nullptr) return;
  const size_t equals = word.find('=');
  for (const AttributeSchema& attribute : schema->attributes()) {
    const std::string range = to_text(attribute.range, attribute.type);
    const std::string meaning = format("{}{}{}", attribute.type, range.empty() ? "" : " ", range);
    if (equals == word.npos) values.push_back({format("{}=", attribute.name), meaning});
    if (equals == word.npos || word.substr(0, equals) != attribute.name) continue;
    for (const std::string_view choice : attribute.range.words)
      values.push_back({format("{}={}", attribute.name, choice), ""});
    if (attribute.range == flag())
      for (const int choice : {0, 1}) values.push_back({format("{}={}", attribute.name, choice), ""});
  }
}

void add_readings(std::vector<Value>& values, const Operator& op, const OpSchema* schema) {
  for (const Reading& reading : op.readings()) {
    const std::string_view standard = schema == nullptr ? "" : default_of(reading, schema->since_version());
    if (schema != nullptr && standard.empty()) continue;
    for (size_t i = 0; i < reading.alternatives.size(); ++i)
      values.push_back({format("{}={}", reading.name, reading.alternatives[i]),
                        format("{}{}", reading.alternatives[i] == standard ? "default; " : "", reading.meanings[i])});
  }
}

void add_readings(std::vector<Value>& values, const Given& given) {
  if (const Named named = named_operator(given); named.op != nullptr)
    return add_readings(values, *named.op, named.schema);
  for (const OperatorRow& row : operator_rows()) add_readings(values, *find_operator(row.domain, row.op_type), nullptr);
}

void add_parameters(std::vector<Value>& values, const std::vector<FormalParameter>& parameters) {
  for (const FormalParameter& parameter : parameters)
    values.push_back({format("{}=", parameter.name), std::string(parameter.meaning)});
}

void add_versions(std::vector<Value>& values, const Given& given) {
  if (const Operator* op = named_operator(given).op)
    for (const OpSchema& schema : op->versions()) values.push_back({format("{}", schema.since_version()), ""});
}

void add_topics(std::vector<Value>& values, std::span<const CommandText> commands) {
  for (const CommandText& command : commands.subspan(1))
    values.push_back({command.name, std::string(command.help.summary)});
  for (const HelpTopic& topic : help_topics())
    values.push_back({std::string(topic.name), std::string(topic.meaning())});
  for (const DataTopic& topic : data_topics()) values.push_back({std::string(topic.name), std::string(topic.meaning)});
}

/// The values of an option or argument, by the word that stands for them in --help.
Completions values_of(const OptionText& option, const Given& given, std::span<const CommandText> commands,
                      std::string_view word) {
  Completions found;
  std::vector<Value>& values = found.values;
  for (const std::string_view choice : option.choices) values.push_back({std::string(choice), ""});
  const std::string& kind = option.value;
  const bool is_attribute = !option.is_argument() && option.names.back() == "--attribute";
  if (kind == "NODE" || kind == "OPERATOR" || kind == "RECIPE") add_operators(values);
  if (kind == "TOPIC") add_topics(values, commands);
  if (kind == "NAME=VALUE" && is_attribute) add_attributes(values, given, word);
  if (kind == "NAME=VALUE" && !is_attribute) add_readings(values, given);
  if (kind == "NAME=FILE" && word.find('=') == word.npos)
    if (const OpSchema* schema = named_operator(given).schema)
      add_parameters(values, option.is_argument() ? schema->inputs() : schema->outputs());
  if (kind == "DTYPE")
    for (const DTypeInfo& dtype : all_dtypes()) values.push_back({std::string(dtype.name), ""});
  if (!option.is_argument() && option.names.front() == "--opset") add_versions(values, given);
  static constexpr std::string_view kFiles[] = {"NODE", "RECIPE", "PATH",   "FILE",     "NAME=FILE", "OUT",
                                                "DIR",  "CMD",    "ACTUAL", "EXPECTED", "MODEL"};
  found.files = std::ranges::find(kFiles, kind) != std::end(kFiles) || kind.starts_with("OUT.");
  return found;
}

void add_options(std::vector<Value>& values, const CommandText& command) {
  for (const OptionText& option : command.options)
    for (const std::string& name : option.names) {
      values.push_back({name, std::string(option.meaning)});
      if (option.takes == OptionText::Value::possible) values.push_back({name + "=", std::string(option.meaning)});
    }
}

Completions all_completions(std::span<const CommandText> commands, const Given& given, const std::string& word) {
  if (given.waiting != nullptr) return values_of(*given.waiting, given, commands, word);
  if (const size_t equals = word.find('='); word.starts_with("--") && equals != word.npos && !given.only_arguments) {
    const OptionText* option = find_option(commands, given, word.substr(0, equals));
    if (option == nullptr || option->takes == OptionText::Value::none) return {};
    Completions found = values_of(*option, given, commands, word.substr(equals + 1));
    for (Value& value : found.values) value.text.insert(0, word, 0, equals + 1);
    return found;
  }
  Completions found;
  if (word.starts_with('-') && !given.only_arguments) {
    add_options(found.values, given.command == nullptr ? commands.front() : *given.command);
    if (given.command != nullptr) add_options(found.values, commands.front());
    return found;
  }
  if (given.command == nullptr) {
    for (const CommandText& command : commands.subspan(1))
      found.values.push_back({command.name, std::string(command.help.summary)});
    return found;
  }
  std::vector<const OptionText*> arguments;
  for (const OptionText& option : given.command->options)
    if (option.is_argument()) arguments.push_back(&option);
  const size_t place = given.arguments.size();
  if (place < arguments.size()) return values_of(*arguments[place], given, commands, word);
  if (!arguments.empty() && arguments.back()->repeats) return values_of(*arguments.back(), given, commands, word);
  return {};
}

}  // namespace

Completions completions(std::span<const CommandText> commands, std::span<const std::string> words) {
  if (words.size() < 2) return {};
  const std::string& word = words.back();
  const Given given = read(commands, words.subspan(1, words.size() - 2));
  if (given.command == nullptr && given.waiting == nullptr && words.size() > 2 && !words[1].starts_with('-')) return {};
  Completions found = all_completions(commands, given, word);
  std::erase_if(found.values, [&](const Value& value) { return !value.text.starts_with(word); });
  std::vector<Value> unique;
  for (Value& value : found.values)
    if (std::ranges::find(unique, value.text, &Value::text) == unique.end()) unique.push_back(std::move(value));
  found.values = std::move(unique);
  return found;
}

}  // namespace opref::cli
