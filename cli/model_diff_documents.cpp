// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "cli/model_diff_output.h"
#include "cli/report_files.h"
#include "cli/version.h"
#include "compare/compare.h"

namespace opref::cli {
namespace {

class Document {
 public:
  Document(const Both& both, const Pairing& pairing, const ModelComparison& found)
      : both_(both), pairing_(pairing), found_(found) {}

  Json json(int exit_code) const {
    Json json = document("diff"), inputs = Json::list(), outputs = Json::list(), counts;
    json.set("arithmetic", name(found_.arithmetic)).set("reference_is_it", found_.is_reversed);
    if (found_.least_sqnr) json.set("least_sqnr", *found_.least_sqnr);
    for (const ValueInfo& info : both_.reference.graph.inputs) inputs.append(input_json(info));
    for (const JudgedOutput& output : found_.outputs) outputs.append(output_json(output));
    counts.set("equal", found_.count(Agreement::equal)).set("rounding", found_.count(Agreement::rounding));
    counts.set("differs", found_.count(Agreement::differs)).set("rewritten", found_.rewritten.size());
    json.set("data_sets", std::int64_t(both_.data_sets)).set("data_set", std::int64_t(both_.data_set));
    json.set("inputs", inputs).set("outputs", outputs).set("paired", pairing_.size());
    json.set("unpaired_new", names_of(fresh(), found_.unpaired));
    json.set("unpaired_reference", names_of(reference(), found_.unpaired_reference));
    json.set("not_evaluated_new", titles(fresh(), fresh().unknown_nodes()));
    json.set("not_evaluated_reference", titles(reference(), reference().unknown_nodes()));
    json.set("pairs", counts);
    add_differing(json);
    if (found_.together) add_nodes(json);
    return std::move(json.set("exit_code", exit_code));
  }

 private:
  const Model& fresh() const { return *both_.fresh_model; }
  const Model& reference() const { return *both_.reference_model; }

  Json input_json(const ValueInfo& info) const {
    Json json = Json().set("name", info.name);
    if (const ValueType* type = reference().type_of_name(info.name))
      json.set("dtype", name(type->dtype())).set("shape", type->tensor.shape);
    const auto made = std::ranges::find(both_.generated, info.name, &GeneratedInput::name);
    if (made == both_.generated.end())
      json.set("generated", nullptr);
    else
      json.set("generated", made->values);
    return json;
  }

  static void add_figures(Json& json, const Figures& figures, const Dims& shape) {
    json.set("count", figures.count).set("differ", figures.differ).set("nonfinite", figures.nonfinite);
    json.set("max", figures.max).set("at", figures.count == 0 ? Dims{} : coordinates(figures.at, shape));
    json.set("rms", figures.rms()).set("reference_rms", figures.reference_rms()).set("sqnr", figures.sqnr());
    if (const auto cosine = figures.cosine())
      json.set("cosine", *cosine);
    else
      json.set("cosine", nullptr);
  }

  static Json output_json(const JudgedOutput& output) {
    Json json = Json().set("name", output.name).set("passes", output.passes).set("state", name(output.state));
    add_figures(json, output.figures, output.type.tensor.shape);
    return std::move(json.set("spread", output.spread).set("ratio", output.ratio));
  }

  static Json names_of(const Model& model, const std::vector<size_t>& entities) {
    Json names = Json::list();
    for (const size_t entity : entities) names.append(model.entities()[entity].name);
    return names;
  }

  static Json titles(const Model& model, const std::vector<size_t>& places) {
    Json nodes = Json::list();
    for (const size_t place : places)
      nodes.append(Json().set("name", model.nodes()[place].name()).set("op_type", model.nodes()[place].node->op_type));
    return nodes;
  }

  Json pair_json(const JudgedPair& judged) const {
    const Description described = describe(pairing_, judged.pair);
    const Entity& entity = reference().entities()[judged.pair.reference];
    Json json = Json().set("tensor", entity.name), culprits = Json::list();
    json.set("new_tensor", fresh().entities()[judged.pair.fresh].name).set("matched_by", to_text(judged.pair.found));
    json.set("state", name(judged.agreement)).set("nodes", titles(reference(), described.reference_nodes));
    json.set("new_nodes", titles(fresh(), described.fresh_nodes));
    for (const size_t place : described.culprits) culprits.append(reference().nodes()[place].name());
    json.set("culprits", culprits).set("differences", described.sentences);
    json.set("inputs", names_of(reference(), described.inputs));
    add_figures(json, judged.figures, entity.type.tensor.shape);
    return std::move(json.set("ratio", judged.ratio));
  }

  void add_differing(Json& json) const {
    constexpr size_t kMost = 100;
    Json differing = Json::list();
    size_t count = 0;
    for (const JudgedPair& judged : found_.pairs) {
      if (found_.arithmetic != Arithmetic::same || judged.agreement != Agreement::differs || count++ >= kMost) continue;
      Json one = pair_json(judged);
      if (count == 1 && !found_.closest.empty()) one.set("closest", found_.closest);
      if (count == 1) json.set("first", one);
      differing.append(one);
    }
    if (count == 0) json.set("first", nullptr);
    json.set("differing", differing);
  }

  void add_nodes(Json& json) const {
    Json nodes = Json::list();
    for (const size_t ranked : found_.ranked) {
      const JudgedPair& judged = found_.pairs[ranked];
      const Entity& entity = reference().entities()[judged.pair.reference];
      const ModelNode& node = reference().nodes()[entity.producer];
      Json one = Json().set("name", node.name()).set("op_type", node.node->op_type).set("tensor", entity.name);
      one.set("share", *judged.share).set("alone", *judged.alone);
      add_figures(one, judged.figures, entity.type.tensor.shape);
      nodes.append(one);
    }
    json.set("nodes", nodes).set("together", *found_.together);
  }

  const Both& both_;
  const Pairing& pairing_;
  const ModelComparison& found_;
};

}  // namespace

Json diff_document(const Both& both, const Pairing& pairing, const ModelComparison& found, int exit_code) {
  return Document(both, pairing, found).json(exit_code);
}

void write_regions(const ModelDiffArguments& arguments, const Both& both, const Pairing& pairing,
                   const ModelComparison& found, const std::vector<std::string>& notes) {
  CheckReport report;
  report.opref = version_number();
  report.commit = version_commit();
  report.rule = found.arithmetic == Arithmetic::same ? "4 times the spread of right kernels" : "SQNR of the outputs";
  report.title = format("opref diff {} {}", arguments.fresh, arguments.reference);
  report.notes = notes;
  std::vector<const JudgedPair*> rows;
  for (const JudgedPair& judged : found.pairs) rows.push_back(&judged);
  std::ranges::stable_sort(rows, {}, [&](const JudgedPair* judged) {
    const bool fails = found.arithmetic == Arithmetic::same && judged->agreement == Agreement::differs;
    return std::pair(!fails, -judged->share.value_or(0));
  });
  std::vector<std::string> names;
  const size_t width = std::to_string(rows.size()).size();
  for (const JudgedPair* judged : rows) {
    const Description described = describe(pairing, judged->pair);
    const Entity& entity = both.reference_model->entities()[judged->pair.reference];
    CaseRecord record;
    std::string rank = std::to_string(names.size() + 1);
    rank.insert(0, width - rank.size(), '0');
    record.name = format("{} {}", rank, entity.name);
    const bool fails = found.arithmetic == Arithmetic::same && judged->agreement == Agreement::differs;
    record.verdict = fails ? Verdict::fail : Verdict::pass;
    record.inputs = {{"REFERENCE", titles_of(*both.reference_model, described.reference_nodes)},
                     {"NEW", titles_of(*both.fresh_model, described.fresh_nodes)}};
    if (!described.reference_nodes.empty())
      record.op_type = both.reference_model->nodes()[described.reference_nodes.front()].node->op_type;
    record.dtype = name(entity.type.dtype());
    record.reason = format("{}: {} of {} differ, largest error {}", name(judged->agreement), judged->figures.differ,
                           counted(judged->figures.count, "element"), short_number(judged->figures.max));
    if (fails)
      record.advice =
          "Computed from the reference's own values, the tensor is another one in NEW: its page says which nodes give "
          "it, and what is changed at them.";
    if (judged->share)
      record.warnings.push_back(format("{} of the outputs' error; alone {}, at the node {}", percent(*judged->share),
                                       decibel_text(*judged->alone), decibel_text(judged->figures.sqnr())));
    if (judged->agreement != Agreement::equal)
      record.warnings.insert(record.warnings.end(), described.sentences.begin(), described.sentences.end());
    if (fails && judged == found.first() && !found.closest.empty())
      record.warnings.push_back("closest: " + found.closest);
    names.push_back(record.name);
    report.cases.add(record);
  }
  write_node_page(std::move(report), names, arguments.html);
}

}  // namespace opref::cli
