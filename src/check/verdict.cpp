#include "check/verdict.h"

#include <algorithm>

#include "core/error.h"
#include "run/bind.h"
#include "run/load_case.h"

namespace opref {
namespace {

Verdict verdict_of(Fault fault) {
  switch (fault) {
    case Fault::unsupported:
      return Verdict::unsupported;
    case Fault::invalid:
      return Verdict::fail;
    default:
      return Verdict::error;
  }
}

CaseReport report_error(const Case& loaded, const Error& error) {
  CaseReport report;
  const bool unknown = error.fault() == Fault::unsupported;
  if (loaded.expect_error && (!unknown || loaded.expect_error->fault == Fault::unsupported)) {
    report.reason = unexpected_error(*loaded.expect_error, error);
    report.verdict = report.reason.empty() ? Verdict::pass : Verdict::fail;
  } else {
    report.verdict = verdict_of(error.fault());
    report.reason = error.message();
  }
  return report;
}

std::string title_of(const Case& loaded, const EvaluationOptions& options) {
  const Node& node = loaded.graph.nodes.front();
  const Operator& op = get_operator(canonical_domain(node.domain), node.op_type);
  return format("{}-{}", op.op_type(), op.schema_for(opset_in_force(loaded.graph, node, options)).since_version());
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::error:
      return "error";
    case Verdict::unsupported:
      return "unsupported";
    case Verdict::skip:
      break;
  }
  return "skip";
}

Tolerance tolerance_of(const Case& loaded, DType expected) {
  if (loaded.tolerance) return *loaded.tolerance;
  if (loaded.format != CaseFormat::onnx_folder) return {};
  return {.rule = Tolerance::Rule::relative, .rtol = expected == DType::bfloat16 ? 0x1p-6 : 1e-3, .atol = 1e-7};
}

std::string unexpected_error(const ExpectedError& expected, const Error& error) {
  if (expected.fault != error.fault())
    return format("the fault is {} ({}), but {} is expected", name(error.fault()), error.message(),
                  name(expected.fault));
  if (expected.message != error.message())
    return format("the message is \"{}\", but \"{}\" is expected", error.message(), expected.message);
  return "";
}

CaseReport compare_expected(const Case& loaded, const Environment& environment,
                            const std::optional<Tolerance>& chosen) {
  CaseReport report;
  report.verdict = loaded.expected.empty() ? Verdict::skip : Verdict::pass;
  if (loaded.expected.empty()) report.reason = "nothing is expected";
  for (const NamedSource& expected : loaded.expected) {
    const auto actual = environment.find(expected.name);
    if (actual == environment.end() || !actual->second.value)
      fail(Fault::malformed, "'{}' is expected, but is no output", printable(expected.name));
    at_place(
        [&] { return format("in expected output '{}'", printable(expected.name)); },
        [&] {
          LoadedTensor tensor = load(expected.source);
          const Value value = settle(std::move(tensor), actual->second.type.dtype);
          if (value.tensor() == nullptr) fail(Fault::unsupported, "it is no tensor");
          report.tolerance = chosen.value_or(tolerance_of(loaded, value.tensor()->dtype()));
          report.outputs.push_back({expected.name, compare(*actual->second.value, *value.tensor(), report.tolerance)});
        });
    const Comparison& comparison = report.outputs.back().comparison;
    if (comparison.equal() || report.verdict == Verdict::fail) continue;
    report.verdict = Verdict::fail;
    report.reason = format("output '{}' differs", printable(expected.name));
  }
  return report;
}

CaseReport judge(const std::string& path, const EvaluationOptions& options, const std::optional<Tolerance>& chosen) {
  Case loaded{};
  try {
    const NodeOptions node_options{.attributes = {}, .node = "", .opset = options.opset};
    loaded = read_case(path);
    prepare_case(loaded, node_options);
    drop_unbound_inputs(loaded, node_options);
    EvaluationOptions own = options;
    for (const auto& [reading, value] : loaded.readings) own.readings.try_emplace(reading, value);
    require_known_operators(loaded.graph, own);
    std::vector<std::string> warnings = loaded.warnings;
    Environment environment = load_inputs(loaded, own, warnings);
    run(loaded.graph, environment, own);
    if (loaded.expect_error) {
      CaseReport report;
      report.verdict = Verdict::fail;
      report.reason = format("it is accepted, but \"{}\" is expected", loaded.expect_error->message);
      return report;
    }
    CaseReport report = compare_expected(loaded, environment, chosen);
    report.title = title_of(loaded, own);
    report.warnings = std::move(warnings);
    return report;
  } catch (const Error& error) {
    if (error.fault() == Fault::internal) throw;
    return report_error(loaded, error);
  }
}

}  // namespace opref
