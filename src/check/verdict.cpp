#include "check/verdict.h"

#include <algorithm>

#include "check/bound.h"
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

std::string difference_text(const Comparison& comparison) {
  if (!comparison.bound_ratio) return "differs";
  if (!comparison.reason.empty()) return format("has no error bound: {}", comparison.reason);
  return format("has an error of {} times its bound", *comparison.bound_ratio);
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

CaseReport compare_expected(const Case& loaded, std::span<const NamedSource> expected, const Environment& environment,
                            std::span<const Step> steps, const ToleranceChoice& choice) {
  CaseReport report;
  report.verdict = expected.empty() ? Verdict::skip : Verdict::pass;
  if (expected.empty()) report.reason = "nothing is expected";
  for (const NamedSource& named : expected) {
    const std::string& output = named.name;
    const auto actual = environment.find(output);
    if (actual == environment.end() || !actual->second.value)
      fail(Fault::malformed, "'{}' is expected, but is no output", printable(output));
    at_place([&] { return format("in expected output '{}'", printable(output)); },
             [&] {
               const Value value = settle(load(named.source), actual->second.type.dtype);
               if (value.tensor() == nullptr) fail(Fault::unsupported, "it is no tensor");
               Tolerance tolerance = choice.rule.value_or(tolerance_of(loaded, value.tensor()->dtype()));
               tolerance.ignore_dtype |= choice.ignore_dtype;
               report.outputs.push_back({output, tolerance,
                                         tolerance.rule == Tolerance::Rule::bound
                                             ? compare_bound(steps, output, *actual->second.value, *value.tensor(),
                                                             Foreign::expected, tolerance)
                                             : compare(*actual->second.value, *value.tensor(), tolerance)});
             });
    const Comparison& comparison = report.outputs.back().comparison;
    if (comparison.equal() || report.verdict == Verdict::fail) continue;
    report.verdict = Verdict::fail;
    report.reason = format("output '{}' {}", printable(output), difference_text(comparison));
  }
  return report;
}

CaseReport judge(const std::string& path, const EvaluationOptions& options, const ToleranceChoice& choice) {
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
    const std::vector<Step> steps = run(loaded.graph, environment, own);
    if (loaded.expect_error) {
      CaseReport report;
      report.verdict = Verdict::fail;
      report.reason = format("it is accepted, but \"{}\" is expected", loaded.expect_error->message);
      return report;
    }
    CaseReport report = compare_expected(loaded, loaded.expected, environment, steps, choice);
    report.title = title_of(loaded, own);
    report.warnings = std::move(warnings);
    return report;
  } catch (const Error& error) {
    if (error.fault() == Fault::internal) throw;
    return report_error(loaded, error);
  } catch (const std::exception& error) {  // no memory, …: this case's trouble, not the others'
    CaseReport report;
    report.verdict = Verdict::error;
    report.reason = error.what();
    return report;
  }
}

}  // namespace opref
