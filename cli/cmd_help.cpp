// opref help
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/help_topics.h"
#include "cli/output.h"
#include "cli/program.h"
#include "core/error.h"
#include "io/generate.h"
#include "io/json/json.h"
#include "ops/operators.h"
#include "report/report_json.h"

namespace opref::cli {
namespace {

constexpr std::string_view kTopics =
    "Topics\n"
    "  backends        how check judges a program\n"
    "  cases           cases as JSON\n"
    "  causes          what is tried on what fails, and what it means\n"
    "  comparing       rules by which values pass\n"
    "  exit-codes      what 0 to 6 and 70 say\n"
    "  farm            shards and merged reports\n"
    "  formats         files and texts that are read and written\n"
    "  golden-files    what golden makes, and of what\n"
    "  models          of which a part is asked for, or known\n"
    "  numerics        how results are exact\n"
    "  official-cases  where ONNX's published values differ from exact ones\n"
    "  peers           what onnxruntime, onnx.reference and OpenVINO get right\n"
    "  readings        choices where a specification is ambiguous\n"
    "  speed           of opref and its peers\n"
    "  generators, json, schema, report-schema\n";

constexpr HelpText kHelp{"[TOPIC]",
                         "  # a command\n"
                         "  $ opref help run\n"
                         "  # a page on a subject\n"
                         "  $ opref help exit-codes\n"
                         "  # the JSON Schema of cases and recipes\n"
                         "  $ opref help schema\n"
                         "  # the JSON Schema of the reports that check --report writes\n"
                         "  $ opref help report-schema\n"
                         "  # what NAME=float32[1,3,8,8]:normal:7 can be\n"
                         "  $ opref help generators\n"
                         "  # the documents that --json prints\n"
                         "  $ opref help json\n",
                         kTopics};

constexpr std::string_view kJsonDocuments =
    "Every --json document is one object:\n"
    "  opref         version of the program\n"
    "  command       run, infer, diff, show, check, golden, explain,\n"
    "                ops or version\n"
    "\n"
    "run, infer: nodes, a list in order of evaluation\n"
    "  op_type, domain, name, opset, since_version\n"
    "  attributes    values in force, schema defaults filled in\n"
    "  resolved      values that depend on the node (defaults per axis, pads): lists,\n"
    "                what is no list as a text\n"
    "  inputs, outputs   by the graph's names: {dtype, shape}\n"
    "  notes         sentences\n"
    "  readings      those that mattered: {name, in_force, selected, stands_for,\n"
    "                mattered: \"yes\"|\"maybe\", others, possible}; stands_for only\n"
    "                where in_force decides by the values\n"
    "run: outputs, by name: {dtype, shape, sha256, data}\n"
    "  sha256        of the elements: C order, little endian, no header\n"
    "  data          nested lists, up to 1,000 elements; NaN, infinities as strings\n"
    "run with --expect, --expect-case: comparisons, by output\n"
    "  equal, rule, reason, count, mismatches, bit_equal, within_one_ulp, max_ulp,\n"
    "  max and mean error, ULP histogram, where, first, worst, worst_mismatches: as\n"
    "  comparison in 'opref help report-schema'\n"
    "run --expect-case of a case that must fail: verdict, reason\n"
    "explain: op_type, since_version, output, at, dtype, value, bits, made\n"
    "  lines         terms, candidates or places: {what, value, running}\n"
    "  more_lines    beyond the first 1,000; left_out, sentences\n"
    "  facts         exact, below, above, midpoint, naive, parts of the formula\n"
    "  readings      those that give the element another value: texts\n"
    "  against       with --against: {value, equal, ways}\n"
    "show: files, by name: {dtype, shape, sha256, min, max, nan, inf, -inf, data};\n"
    "  errors, a list as error below, where some of several files cannot be read\n"
    "diff: equal; comparisons, by tensor, as above; what is not there was unreadable\n"
    "check, report merge: the report of all cases, without command: it is the one\n"
    "  that check --report writes, see 'opref help report-schema'\n"
    "check --list: names\n"
    "golden: folder, cases, must_fail, rejected, resumed, complete; with --list\n"
    "  names, a list, and refused, a message by name; with --verify problems, a list\n"
    "ops: operators, a list: {op_type, domain, summary, link, category, generators,\n"
    "  versions}; a version: {since_version, shape_inference, attributes, inputs,\n"
    "  outputs, types, readings}\n"
    "--version: commit, compiler, build_type, vector_instructions\n"
    "\n"
    "Of a command that ends with an error the document on standard output is\n"
    "  opref, command, error: {fault, exit_code, message, way_out, places}\n"
    "  fault         usage, malformed, invalid, unsupported, system or internal\n"
    "  message       one sentence; way_out what may be done, or empty\n"
    "  places        where it is, innermost first\n"
    "and the same stands on standard error, as text. The exit codes are those of\n"
    "'opref --help'; 1 is no error.\n";

/// Those that operators have, each once, with their names.
std::string own_generators_text() {
  std::vector<std::pair<OwnGenerator, std::vector<std::string_view>>> all;
  for (const OperatorRow& row : operator_rows())
    for (const OwnGenerator& own : find_operator(row.domain, row.op_type)->generators()) {
      const auto same = std::ranges::find_if(
          all, [&](const auto& known) { return known.first.name == own.name && known.first.text == own.text; });
      if (same != all.end())
        same->second.push_back(row.op_type);
      else
        all.push_back({own, {row.op_type}});
    }
  std::string text;
  for (const auto& [own, operators] : all)
    text += two_columns(format("  {}", own.name), format("{} ({})", own.text, join_text(operators, ", ")), 24);
  return text;
}

void print_topic(CLI::App& program, const std::string& topic) {
  if (topic == "schema") return print(json_schema());
  if (topic == "report-schema") return print(report_schema());
  if (topic == "generators") return print(std::string(generators_text()) + own_generators_text());
  if (topic == "json") return print(kJsonDocuments);
  for (const HelpTopic& page : help_topics())
    if (topic == page.name) return print(page.text);
  if (print_long_help(program, topic)) return;
  std::vector<std::string> topics = command_names(program);
  topics.insert(topics.end(), {"schema", "report-schema", "generators", "json"});
  for (const HelpTopic& page : help_topics()) topics.emplace_back(page.name);
  const std::string near = did_you_mean(topic, std::vector<std::string_view>(topics.begin(), topics.end()));
  fail(Fault::usage, "there is no help on '{}'{}", printable(topic),
       near.empty() ? format(" ({})", join_text(topics, ", ")) : near);
}

}  // namespace

void add_help(CLI::App& program) {
  add_command(program, "help", "on a command or a topic", kHelp, [&program](CLI::App& command) {
    const auto topic = std::make_shared<std::string>();
    command.add_option("TOPIC", *topic, "a command, or one of the topics in opref help help");
    set_action(command, [&program, topic] {
      print_topic(program, *topic);
      return 0;
    });
  });
}

}  // namespace opref::cli
