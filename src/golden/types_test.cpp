// SPDX-License-Identifier: Apache-2.0
// Is each type that a version allows a type variable in a case, or in one that a shipped recipe makes?
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "check/discover.h"
#include "core/error.h"
#include "golden/recipe.h"
#include "golden/shipped_recipes.h"
#include "io/json/json.h"
#include "io/json/tree.h"
#include "ops/operators.h"
#include "run/bind.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

using namespace opref::check;
using namespace opref::golden;

namespace {

/// A version, a type variable and one of its types: "13 T = sequence of float32".
using Facts = std::set<std::string>;

std::string fact(const OpSchema& schema, std::string_view variable, const ValueType& type) {
  return format("{} {} = {}", schema.since_version(), variable, kind_text(type));
}
std::string fact(const OpSchema& schema, std::string_view variable, Form form, DType dtype) {
  return fact(schema, variable, ValueType(form, dtype));
}

void add(const OpSchema& schema, const FormalParameter& formal, const ValueType& type, Facts& facts) {
  facts.insert(fact(schema, formal.type, type));
}

/// What the inputs and outputs of the node's call are, as far as types alone decide it; nothing where it is refused.
void add_facts(const Bound& bound, std::map<std::string, Facts>& facts) {
  try {
    EvaluationOptions options = bound.options;
    options.generate = false;
    std::vector<std::string> warnings;
    Environment environment = load_inputs(bound, options, warnings);
    const std::vector<Step> steps = infer(bound.graph, environment, options);
    const Step& step = steps.front();
    const OpSchema& schema = step.call.schema();
    Facts& own = facts[format("{} {}", step.call.op().domain(), step.call.op().op_type())];
    for (size_t i = 0; i < step.call.inputs().size(); ++i)
      if (const Input& input = step.call.inputs()[i]; !input.name.empty())
        add(schema, OpSchema::formal(schema.inputs(), i), input.type, own);
    for (size_t i = 0; i < step.types.size(); ++i)
      add(schema, OpSchema::formal(schema.outputs(), i), step.types[i], own);
  } catch (const Error& error) {
    if (error.fault() != Fault::invalid && error.fault() != Fault::unsupported && error.fault() != Fault::usage) throw;
  }
}

std::map<std::string, Facts> facts_of_cases() {
  std::map<std::string, Facts> facts;
  CaseReader reader(1);
  const std::vector<std::string> folders = {OPREF_SOURCE_DIR "/testdata"};
  for (const FoundCase& found : discover(folders)) {
    try {
      const Case read = reader.read(found.path);
      if (read.expect_error || read.graph.nodes.size() != 1) continue;
      add_facts(bind_case(read), facts);
    } catch (const Error&) {
      continue;  // a case that must fail
    }
  }
  return facts;
}

/// Whether an input or output has the variable. T1 of Tile-1 is nothing's type.
bool is_used(const OpSchema& schema, std::string_view variable) {
  const auto has = [&](const FormalParameter& parameter) { return parameter.type == variable; };
  return std::ranges::any_of(schema.inputs(), has) || std::ranges::any_of(schema.outputs(), has);
}

/// Types that the schema allows and no case can have.
std::set<std::string> impossible(const Operator& op) {
  std::set<std::string> facts;
  const auto add_all = [&](std::string_view variable, std::vector<DType> dtypes) {
    for (const OpSchema& schema : op.versions())
      for (const DType dtype : dtypes)
        if (schema.types_of(variable).contains(dtype)) facts.insert(fact(schema, variable, Form::tensor, dtype));
  };
  // Any type, the pages of windows say; but none says how to compute with these.
  // Patches are moved alone.
  if (op.domain() == "openvino" && op.versions().back().find_attribute("strides") != nullptr &&
      op.op_type() != "ExtractImagePatches") {
    const bool has_t1 = op.versions().front().constraints().front().variable == "T1";
    add_all(has_t1 ? "T1" : "T", {DType::int4, DType::uint4, DType::uint2, DType::float8_e4m3fn, DType::float8_e5m2,
                                  DType::float8_e8m0fnu, DType::float4_e2m1fn});
  }
  // Identity alone hands on an optional that stays one.
  if (op.op_type() == "If")
    for (const OpSchema& schema : op.versions()) {
      const OpSchema& identity = find_operator("", "Identity")->schema_for(schema.since_version());
      for (const Form form : {Form::optional, Form::optional_sequence})
        for (const DType dtype : (schema.types_of("V") - identity.types_of(identity.inputs().front())).dtypes(form))
          facts.insert(fact(schema, "V", form, dtype));
    }
  if (op.op_type() == "ExperimentalDetectronDetectionOutput") add_all("T_IND", {DType::int64});  // classes are int32
  if (op.domain() == "openvino" && op.op_type() == "NonMaxSuppression")  // output_type came with version 3
    facts.insert(fact(op.versions().front(), "T_IND", Form::tensor, DType::int32));
  if (op.op_type() == "Col2Im") add_all("T", {DType::boolean, DType::string});  // which cannot be added
  if (op.op_type() == "GroupQueryAttention") {  // opref knows no quantized cache, nor its scales
    add_all("T_CACHE", {DType::float8_e4m3fn, DType::int8, DType::uint8});
    add_all("T_KV_SCALE", {DType::float32});
  }
  return facts;
}

}  // namespace

TEST_CASE("data: every type of every type variable of every version is in a case or a recipe", "[recipes][release]") {
  std::map<std::string, Facts> facts = facts_of_cases();
  for (const OperatorRow& row : operator_rows()) {
    const std::string key = format("{} {}", row.domain, row.op_type);
    const Operator& op = *find_operator(row.domain, row.op_type);
    const std::vector<RecipeFile> files =
        op.has_kernel() ? recipes_named(format("{}:{}", row.domain, row.op_type)) : std::vector<RecipeFile>{};
    for (const GoldenCase& golden : expand(files, std::nullopt)) {
      add_facts(bind_case(read_json_case(golden.stated.root(), {}, golden.folder)), facts);
    }
    std::set<std::string> missing;
    for (const OpSchema& schema : op.versions())
      for (const TypeConstraint& constraint : schema.constraints())
        if (is_used(schema, constraint.variable))
          for (const Form form : opref::core::kForms)
            for (const DType keys : {DType::int64, DType::string})
              for (const DType dtype : constraint.types.dtypes(form, keys)) {
                const ValueType type(form, dtype, opref::core::is_of_maps(form) ? keys : DType::int64);
                if (const std::string one = fact(schema, constraint.variable, type); !facts[key].contains(one))
                  missing.insert(one);
              }
    INFO(key);
    CHECK(missing == (op.has_kernel() ? impossible(op) : missing));  // others' values are not determined
  }
}
