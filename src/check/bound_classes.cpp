// SPDX-License-Identifier: Apache-2.0
#include "check/bound_classes.h"

#include <algorithm>

#include "check/bound_sinks.h"
#include "check/simulated.h"
#include "check/told_output.h"
#include "core/error.h"
#include "kernels/kernels.h"

namespace opref::check {

using Subnormals = BoundedKernel::Subnormals;

const Step& step_of(std::span<const Step> steps, std::string_view output) {
  const auto giver = [&](std::string_view name) {
    return std::ranges::find_if(steps, [name](const Step& step) {
      return !name.empty() && std::ranges::find(step.node->outputs, name) != step.node->outputs.end();
    });
  };
  const auto found = giver(output);
  if (found == steps.end()) fail(Fault::usage, "no node gives '{}': it has no error bound", printable(output));
  for (const std::string& input : found->node->inputs) {
    if (giver(input) != steps.end())
      fail(Fault::usage, "no rigorous bound of '{}' is known: the input '{}' of its node is itself computed",
           printable(output), printable(input));
  }
  return *found;
}

void judge_other_formulas(const Step& step, std::string_view output, const Judge& judge, Verdicts& verdicts) {
  for (const kernels::OtherFormula& formula : kernels::other_formulas(step.call)) {
    if (verdicts.failing.empty()) return;
    FormulaSink sink(judge, [&](std::int64_t index) { return verdicts.fails(index); });
    formula.tell(output_told(step, output, sink));
    if (sink.has_bounds()) verdicts.take(sink.verdicts());
  }
}
namespace {
/// Whether all elements that fail are those of a kernel of any of the formulas. A few are asked first.
bool fits(const Step& step, std::string_view output, const BoundedKernel& kernel, const Tensor& foreign,
          const Tensor& ours, const Verdicts& verdicts) {
  constexpr size_t kFew = 64;
  const WithKernel with_kernel(model_of(kernel, ours.dtype()));
  const Judge judge(kernel, foreign, ours);
  const KnownStates states(step, output, foreign, kernel);
  const auto pass = [&](const Verdicts& asked) {
    Verdicts rest = asked;
    FormulaSink sink(
        judge, [&](std::int64_t index) { return asked.fails(index); }, &states);
    tell(step, output, sink);
    rest.take(sink.verdicts());
    judge_other_formulas(step, output, judge, rest);
    return rest.failing.empty();
  };
  Verdicts few = verdicts;
  few.failing.resize(std::min(few.failing.size(), kFew));
  return pass(few) && (verdicts.failing.size() <= kFew || pass(verdicts));
}

}  // namespace

std::optional<BoundClass> weaker_class(const Step& step, std::string_view output, const BoundedKernel& kernel,
                                       const Tensor& foreign, const Tensor& ours, const Verdicts& verdicts) {
  BoundedKernel weaker = kernel;
  weaker.subnormals = Subnormals::flushed;
  if (fits(step, output, weaker, foreign, ours, verdicts)) return BoundClass::flush;
  weaker = kernel;
  weaker.functions.absolute = true;
  if (fits(step, output, weaker, foreign, ours, verdicts)) return BoundClass::absolute;
  weaker.subnormals = Subnormals::flushed;
  if (fits(step, output, weaker, foreign, ours, verdicts)) return BoundClass::flush;
  return std::nullopt;
}

}  // namespace opref::check
