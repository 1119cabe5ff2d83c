// SPDX-License-Identifier: Apache-2.0
#include "cli/judged_outputs.h"

#include <algorithm>
#include <memory>

#include "check/bound.h"
#include "check/record.h"
#include "check/typical.h"
#include "core/error.h"
#include "explain/explain.h"
#include "run/argument.h"
#include "system/file.h"

namespace opref::cli {

NamedSource parse_output(const Bound& bound, const std::string& argument) {
  const bool is_value = argument.starts_with('[') || argument.find('=') == std::string::npos || is_file(argument);
  Bound asked = bound;
  want_only(asked, {});
  const std::vector<ValueInfo>& outputs = asked.graph.outputs;
  const bool is_named = argument.find('=') != std::string::npos && outputs.size() != 1;
  NamedSource source = !outputs.empty() && is_value && !is_named
                           ? NamedSource{outputs.front().name, parse_value(argument)}
                           : parse_binding(bound, argument, Names::outputs);
  if (auto* file = std::get_if<TensorSource::File>(&source.source.from)) file->may_change = true;
  return source;
}

CaseRecord causes_of(const Bound& bound, const CaseReport& report, size_t judged) {
  constexpr double kSeconds = 60;
  CaseRecord record;
  const bool differ =
      std::ranges::any_of(report.outputs, [](const OutputReport& output) { return output.comparison.differs(); });
  const bool are_untypical =
      std::ranges::any_of(report.outputs, [](const OutputReport& output) { return output.comparison.is_untypical(); });
  if (!differ && !are_untypical) return record;
  std::vector<GivenOutput> given;
  for (size_t i = 0; i < report.outputs.size(); ++i) {
    const OutputReport& output = report.outputs[i];
    const bool is_judged = i + judged >= report.outputs.size();
    given.push_back({output.name, is_judged ? output.actual : output.expected, output.tolerance});
  }
  const auto ready = std::make_shared<const ReadyCase>(ReadyCase{bound});
  if (differ)
    describe_causes(record, explain_outputs(ready, given, kSeconds, can_return));
  else if (const Explanation wrong = explain_untypical(ready, given, kSeconds); !wrong.causes.empty())
    describe_causes(record, wrong);
  return record;
}

Json causes_json(const CaseRecord& record) {
  Json json, causes = Json::list();
  for (const CauseRecord& cause : record.causes)
    causes.append(Json().set("name", cause.name).set("meaning", cause.meaning).set("link", cause.link));
  json.set("causes", causes).set("within", record.within).set("doubt", record.doubt);
  return std::move(json.set("unexplained", record.unexplained));
}

}  // namespace opref::cli
