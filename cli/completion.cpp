// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <algorithm>

#include "cli/command.h"
#include "cli/help_topics.h"
#include "cli/output.h"
#include "core/dtype.h"
#include "core/error.h"
#include "ops/operators.h"
#include "schema/node.h"

namespace opref::cli {
namespace {

struct Completions {
  struct Value {
    std::string text;     ///< of the whole word; one that ends in "=" goes on
    std::string meaning;  ///< a few words, or empty
  };
  std::vector<Value> values = {};
  bool files = false;

  void add(std::string_view text, std::string_view meaning = "") {
    values.push_back(Value{std::string(text), std::string(meaning)});
  }
};

/// What the words before the one at the cursor say.
struct Given {
  Command command = Command("");            // the program until a command stands there
  const Option* waiting = nullptr;          // for its value
  std::vector<std::string> arguments = {};  // beside options and their values
  std::string opset = {};
  bool only_arguments = false;  // after "--"

  explicit Given(std::span<const std::string> words) {
    for (const std::string& word : words) take(word);
  }
  void take(const std::string& word) {
    if (waiting != nullptr) {
      if (waiting->has_name("--opset")) opset = word;
      waiting = nullptr;
    } else if (word == "--") {
      only_arguments = true;
    } else if (is_option(word)) {
      if (word.starts_with("--opset=")) opset = word.substr(word.find('=') + 1);
      const Option* option = find_option(command.options, word);
      if (option != nullptr && option->takes == Option::Value::needed) waiting = option;
    } else if (command.name.empty() && is_command(word)) {
      command = Command(word);
    } else {
      arguments.push_back(word);
    }
  }
  bool is_option(std::string_view word) const { return word.starts_with('-') && word.size() > 1 && !only_arguments; }
};

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

/// Whether "LpPool" alone does not name this row's operator.
bool needs_domain(const OperatorRow& row) { return row.domain != "ai.onnx"; }

void add_operators(Completions& found) {
  for (const OperatorRow& row : operator_rows())
    found.add(needs_domain(row) ? format("{}:{}", row.domain, row.op_type) : std::string(row.op_type),
              find_operator(row.domain, row.op_type)->summary());
}

void add_attributes(Completions& found, const Given& given, std::string_view word) {
  const OpSchema* schema = named_operator(given).schema;
  if (schema == nullptr) return;
  const size_t equals = word.find('=');
  for (const AttributeSchema& attribute : schema->attributes()) {
    const std::string range = to_text(attribute.range, attribute.type);
    const std::string meaning = format("{}{}{}", attribute.type, range.empty() ? "" : " ", range);
    if (equals == word.npos) found.add(format("{}=", attribute.name), meaning);
    if (equals == word.npos || word.substr(0, equals) != attribute.name) continue;
    for (const std::string_view choice : attribute.range.words) found.add(format("{}={}", attribute.name, choice));
    if (attribute.range == flag())
      for (const int choice : {0, 1}) found.add(format("{}={}", attribute.name, choice));
  }
}

/// Of the operator; all where none is named.
void add_readings(Completions& found, const Given& given) {
  const auto [named, schema] = named_operator(given);
  for (const OperatorRow& row : operator_rows()) {
    const Operator* op = find_operator(row.domain, row.op_type);
    for (const Reading& reading : op->readings()) {
      const std::string_view standard = schema == nullptr ? "" : default_of(reading, schema->since_version());
      if (named != nullptr && (named != op || standard.empty())) continue;
      for (size_t i = 0; i < reading.alternatives.size(); ++i)
        found.add(format("{}={}", reading.name, reading.alternatives[i]),
                  format("{}{}", reading.alternatives[i] == standard ? "default; " : "", reading.meanings[i]));
    }
  }
}

void add_commands(Completions& found) {
  for (const CommandRow& row : command_rows()) found.add(row.name, command_help(row.name).summary);
}

void add_topics(Completions& found) {
  add_commands(found);
  for (const HelpTopic& topic : help_topics()) found.add(topic.name, topic.meaning());
  for (const DataTopic& topic : data_topics()) found.add(topic.name, topic.meaning);
}

/// The values of an option or argument, by the word that stands for them in --help.
Completions values_of(const Option& option, const Given& given, std::string_view word) {
  Completions found;
  for (const std::string_view choice : option.choices) found.add(choice);
  const std::string_view kind = option.value;
  if (kind == "NODE" || kind == "OPERATOR" || kind == "RECIPE") add_operators(found);
  if (kind == "TOPIC") add_topics(found);
  if (option.has_name("--attribute")) add_attributes(found, given, word);
  if (option.has_name("--reading")) add_readings(found, given);
  const auto [op, schema] = named_operator(given);
  if (op != nullptr && option.has_name("--opset"))
    for (const OpSchema& version : op->versions()) found.add(format("{}", version.since_version()));
  if (schema != nullptr && kind == "NAME=FILE" && word.find('=') == word.npos)
    for (const FormalParameter& parameter : option.is_argument() ? schema->inputs() : schema->outputs())
      found.add(format("{}=", parameter.name), parameter.meaning);
  if (kind == "DTYPE")
    for (const DTypeInfo& dtype : all_dtypes()) found.add(dtype.name);
  static constexpr std::string_view kFiles[] = {"NODE", "RECIPE", "PATH",   "FILE",     "NAME=FILE", "OUT",
                                                "DIR",  "CMD",    "ACTUAL", "EXPECTED", "MODEL"};
  found.files = std::ranges::find(kFiles, kind) != std::end(kFiles) || kind.starts_with("OUT.");
  return found;
}

Completions completions(Given& given, const std::string& word) {
  if (given.waiting != nullptr) return values_of(*given.waiting, given, word);
  Options& options = given.command.options;
  Completions found;
  if (const size_t equals = word.find('='); word.starts_with("--") && equals != word.npos && !given.only_arguments) {
    const Option* option = find_option(options, word.substr(0, equals));
    if (option == nullptr || option->is_hidden || option->takes == Option::Value::none) return {};
    found = values_of(*option, given, word.substr(equals + 1));
    for (Completions::Value& value : found.values) value.text.insert(0, word, 0, equals + 1);
    return found;
  }
  const bool is_option = word.starts_with('-') && !given.only_arguments;
  size_t place = given.arguments.size();
  for (const Option& option : options) {
    for (const std::string_view name : option.names)
      for (const std::string_view end : {"", "="})
        if (is_option && !option.is_hidden && (end.empty() || option.takes == Option::Value::possible))
          found.add(format("{}{}", name, end), option.meaning);
    if (!is_option && option.is_argument() && (option.repeats || place-- == 0)) return values_of(option, given, word);
  }
  if (given.command.name.empty() && !is_option && given.arguments.empty()) add_commands(found);
  return found;
}

}  // namespace

bool answer_completion(std::span<char* const> arguments) {
  constexpr std::string_view kRequest[] = {"completion", "--complete"};
  if (arguments.size() < 4 || arguments[1] != kRequest[0] || arguments[2] != kRequest[1]) return false;
  const std::vector<std::string> words(arguments.begin() + 4, arguments.end());  // behind the program's name
  if (words.empty()) return true;
  const std::string& word = words.back();
  Given given = Given(std::span(words).first(words.size() - 1));
  const Completions found = completions(given, word);
  std::string text;
  for (auto value = found.values.begin(); value != found.values.end(); ++value)
    if (value->text.starts_with(word) &&
        std::ranges::find(found.values, value->text, &Completions::Value::text) == value)
      text += format("{}\t{}\n", value->text, printable(value->meaning, 100));
  print(text + (found.files ? ":files\n" : ""));
  return true;
}

}  // namespace opref::cli
