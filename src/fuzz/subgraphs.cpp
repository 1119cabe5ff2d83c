// SPDX-License-Identifier: Apache-2.0
// Models whose nodes have subgraphs, or give and take sequences, that bytes choose; some stand in a local function.
#include <array>

#include "fuzz/choices.h"
#include "fuzz/targets.h"
#include "io/onnx/onnx.h"
#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_inputs.h"
#include "system/deadline.h"

namespace opref::fuzz {
namespace {

constexpr std::array<std::string_view, 9> kInitializers = {
    "float[2] {1, -2}", "float {0.5}", "float[2, 2] {1, 2, 3, 4}", "int64 {2}", "int64[1] {1}", "bool {1}",
    "bool[1] {0}",      "int64 {0}",   "string[2] {\"a\", \"bc\"}"};
constexpr std::array<std::string_view, 14> kPlain = {"Neg",
                                                     "Add",
                                                     "Identity",
                                                     "Concat <axis = 0>",
                                                     "SequenceConstruct",
                                                     "SequenceInsert",
                                                     "SequenceAt",
                                                     "SequenceErase",
                                                     "SequenceEmpty",
                                                     "SequenceLength",
                                                     "SplitToSequence",
                                                     "Optional",
                                                     "Unsqueeze",
                                                     "ConcatFromSequence <axis = 0>"};
constexpr std::array<std::string_view, 3> kDeclared = {"", "float ", "float[2] "};
constexpr size_t kDeepest = 3;

/// A graph's nodes are written one after the other; each may read what is known there.
class Writer {
 public:
  explicit Writer(Choices& choices) : choices_(choices) {}

  /// Nodes, of which the last gives the names in `outputs`.
  std::string nodes(std::vector<std::string> known, const std::vector<std::string>& outputs, size_t depth) {
    std::string text;
    for (size_t i = 0, count = choices_.of(3); i < count; ++i) {
      const std::string name = format("t{}", ++names_);
      text += node(known, {name}, depth);
      known.push_back(name);
    }
    // What a graph gives may be missing, or given by a node of its own.
    for (const std::string& output : outputs)
      if (!choices_.one_in(16)) text += node(known, {output}, depth);
    return text;
  }

 private:
  std::string some(const std::vector<std::string>& known, size_t count) {
    std::string list;
    for (size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + choices_.one_of(known);
    return list;
  }

  std::string body(const std::vector<std::string>& known, size_t inputs, size_t outputs, size_t depth) {
    std::vector<std::string> inner = known, given;
    std::string taken, names;
    for (size_t i = 0; i < inputs; ++i) {
      inner.push_back(format("i{}", ++names_));
      taken += (i == 0 ? "" : ", ") + std::string(choices_.one_of(kDeclared)) + inner.back();
    }
    for (size_t i = 0; i < outputs; ++i) {
      given.push_back(format("o{}", ++names_));
      names += (i == 0 ? "" : ", ") + given.back();
    }
    return format("g{} ({}) => ({}) {{ {}}}", ++names_, taken, names, nodes(inner, given, depth + 1));
  }

  /// As many as wanted, or one more or less.
  size_t about(size_t count) { return choices_.one_in(12) ? count + choices_.of(3) : count; }

  std::string node(const std::vector<std::string>& known, std::vector<std::string> outputs, size_t depth) {
    while (choices_.one_in(8)) outputs.push_back(format("t{}", ++names_));  // too many, or what a loop scans
    const std::string given = join_text(outputs, ", ");
    const size_t count = outputs.size(), kind = depth < kDeepest ? choices_.of(8) : 7;
    if (kind == 0)
      return format("{} = If <then_branch = {}, else_branch = {}> ({}) ", given, body(known, 0, about(count), depth),
                    body(known, 0, about(count), depth), some(known, 1));
    if (kind == 1 || kind == 2) {
      const size_t carried = choices_.of(count + 1);
      const std::string iterations = choices_.one_in(4) ? "" : choices_.one_of(known);
      return format("{} = Loop <body = {}> ({}, {}{}{}) ", given,
                    body(known, about(2 + carried), about(1 + count), depth), iterations,
                    choices_.one_in(2) ? "" : choices_.one_of(known), carried > 0 ? ", " : "", some(known, carried));
    }
    if (kind == 3) {
      const size_t states = choices_.of(count + 1), scanned = 1 + choices_.of(2);
      return format("{} = Scan <body = {}, num_scan_inputs = {}> ({}) ", given,
                    body(known, about(states + scanned), about(count), depth), scanned, some(known, states + scanned));
    }
    if (kind == 4)
      return format("{} = SequenceMap <body = {}> ({}) ", given, body(known, 1, about(count), depth), some(known, 1));
    if (kind == 5 && may_call_) return format("{} = own.F ({}) ", given, some(known, 1));
    return format("{} = {} ({}) ", given, choices_.one_of(kPlain), some(known, 1 + choices_.of(2)));
  }

 public:
  void may_call(bool may) { may_call_ = may; }

 private:
  Choices& choices_;
  bool may_call_ = true;
  size_t names_ = 0;
};

std::string model(Choices& choices) {
  constexpr std::array kOpsets = {21, 18, 17, 13, 11};
  const int opset = choices.one_of(kOpsets);
  std::string values;
  std::vector<std::string> known;
  for (const std::string_view value : kInitializers) {
    const size_t brace = value.find(" {");
    known.push_back(format("c{}", known.size()));
    values +=
        format("{}{} {} ={}", known.size() == 1 ? "" : ", ", value.substr(0, brace), known.back(), value.substr(brace));
  }
  Writer writer(choices);
  std::string text = format("<ir_version: 10, opset_import: [\"\" : {}, \"own\" : 1]> g () => (y) <{}> {{ {}}}\n",
                            opset, values, writer.nodes(known, {"y"}, 0));
  writer.may_call(false);
  return text + format("<domain: \"own\", opset_import: [\"\" : {}]> F (x) => (z) {{ {}}}\n", opset,
                       writer.nodes({"x"}, {"z"}, 0));
}

/// An output without a name: a file can state it, but not ONNX text.
void take_names(Choices& choices, Graph& graph) {
  for (Node& node : graph.nodes)
    for (std::string& output : node.outputs)
      if (choices.one_in(32)) output.clear();
  for (ValueInfo& output : graph.outputs)
    if (choices.one_in(32)) output.name.clear();
}

}  // namespace

void evaluate_model(Case read) {
  const Bound bound = bind_case(std::move(read));
  EvaluationOptions options = bound.options;
  options.max_bytes = 1 << 15;
  const Deadline deadline(0.5);  // a loop that does not end is an answer
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, options, warnings);
  Environment types = environment;
  answered([&] { infer(bound.graph, types, options); });
  run_graph(bound.graph, environment, options);
}

void evaluate_subgraphs(std::string_view bytes) {
  Choices choices(bytes);
  Case read = read_onnx_text(model(choices));
  take_names(choices, read.graph);
  evaluate_model(std::move(read));
}

}  // namespace opref::fuzz
