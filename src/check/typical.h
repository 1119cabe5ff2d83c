// SPDX-License-Identifier: Apache-2.0
// Whether an output within its bound is as exact as usual kernels make it. The bound allows 100 to 1000 times what they
// lose, so a mistake as small as that lies within it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/compare.h"
#include "explain/explain.h"
#include "report/case_record.h"
#include "run/evaluate.h"

namespace opref::check {

/// How the shares of the output's elements compare with those of simulated kernels (exact/real/faithful.h): two of
/// them, more where there are few elements, of each formula. They are compared at no more than 4,096 elements: drawn
/// ones, and `worst`, the one with the greatest share. `foreign` and `ours`, which is correctly rounded, have one
/// floating type. Nothing is said of kernels that round inputs or flush subnormal numbers, nor of outputs without a
/// bound.
std::optional<Typicality> typicality_of(const Step& step, std::string_view output, const Tensor& foreign,
                                        const Tensor& ours, const BoundedKernel& kernel, std::int64_t worst);

/// The output as simulated kernels that keep the range of its results return it, `runs` of each formula, at no more
/// than 4,096 of its elements; where nothing is known of an element it is that of `ours`. Of a recurrence each step
/// begins with the states of `ours`.
std::vector<Tensor> simulated_outputs(const Step& step, std::string_view output, const Tensor& ours,
                                      const BoundedKernel& kernel, std::uint32_t runs);

/// "output 'Y' is within its bound, but its median error is 15 times that of a usual kernel" of one that is untypical,
/// else "".
std::string untypical_reason(std::string_view output, const Comparison& comparison);

/// What gives the bits of all these outputs, which are within their bounds: causes for which they are wrong. No causes
/// where nothing does, or right kernels may do the same, or the evidence is weak.
Explanation explain_untypical(const std::shared_ptr<const ReadyCase>& ready, std::vector<GivenOutput> outputs,
                              double seconds);

/// A case that passes, with an output that is untypical for this reason: it fails where there is a cause or the choice
/// is strict, else it has a warning.
void judge_untypical(CaseRecord& record, const std::string& reason, const Explanation& explanation, bool is_strict);

}  // namespace opref::check
