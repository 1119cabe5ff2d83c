// SPDX-License-Identifier: Apache-2.0
// The rule of comparison `bound`: within the rigorous error bound of a kernel (see error_bound.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/compare.h"
#include "run/evaluate.h"

namespace opref::check {

/// Which of two tensors a foreign kernel computed; the other one is opref's.
enum class Foreign : std::uint8_t { actual, expected };

/// Whether the foreign values of one output of a graph can be those of the kernel that `tolerance` describes.
/// Comparison::bound_ratio is the greatest error over its bound; a mismatch's distance and errors are those from
/// opref's value. Integers and what an operator only moves are compared exactly, NaN with NaN. What keeps a sum from
/// being judged at all (too many terms, subnormal inputs that are flushed) is the comparison's reason. Faults: `usage`
/// where no bound is known: an input of the output's node is itself computed, a graph computes its values, numbers of 8
/// or 4 bits are computed, dtypes are ignored; where there are more than `most_terms`.
Comparison compare_bound(std::span<const Step> steps, std::string_view output, const Tensor& actual,
                         const Tensor& expected, Foreign foreign, const Tolerance& tolerance,
                         std::int64_t most_terms = INT64_MAX);

/// The same by the default kernel, where a bound of the output is known: not of values that a subgraph or several nodes
/// compute, nor of what has too many terms, nor where flushing or overflow leaves nothing to say.
std::optional<Comparison> compare_known_bound(std::span<const Step> steps, std::string_view output,
                                              const Tensor& actual, const Tensor& expected, Foreign foreign);

/// An explain::CanReturn by the bounds of such kernels, which round wider inputs to `type`; false where no bound of an
/// output is known.
bool can_return(const Step& step, std::span<const size_t> places, std::span<const Tensor> actual,
                std::span<const Tensor> right, DType type);

/// About how far that kernel may be from each element of `ours`, which opref computed: 0 of what an operator only
/// moves. Nothing where no bound is known.
std::optional<std::vector<double>> rough_bounds(std::span<const Step> steps, std::string_view output,
                                                const Tensor& ours, const BoundedKernel& kernel);

}  // namespace opref::check
