// SPDX-License-Identifier: Apache-2.0
// Which kernels an output's elements can be of: the operator's own formula's, those of other stated formulas, weaker
// ones.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "check/element_verdicts.h"
#include "compare/compare.h"
#include "run/evaluate.h"

namespace opref::check {

/// The step that gives `output`, whose inputs are given; a `usage` error where there is none.
const Step& step_of(std::span<const Step> steps, std::string_view output);
/// What other kernels than the operator's own formula say of the elements that it does not pass.
void judge_other_formulas(const Step& step, std::string_view output, const Judge& judge, Verdicts& verdicts);
/// The class of weaker kernels that these elements are of, if any.
std::optional<BoundClass> weaker_class(const Step& step, std::string_view output, const BoundedKernel& kernel,
                                       const Tensor& foreign, const Tensor& ours, const Verdicts& verdicts);

}  // namespace opref::check
