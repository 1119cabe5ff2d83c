// SPDX-License-Identifier: Apache-2.0
// Which readings change a verdict: what another one gives need not be another verdict.
#pragma once

#include <vector>

#include "check/expected.h"
#include "explain/evaluated.h"

namespace opref::check {

/// Drops the alternatives of the steps' readings that give each output of their node within the rule by which
/// `environment`'s, opref's own, would be judged; and readings without alternatives then. What cannot be evaluated
/// stays. Faults: those of compare_output.
void keep_deciding_readings(std::vector<Step>& steps, const Environment& environment, const Case& loaded,
                            const ToleranceChoice& choice);

/// The evaluation's steps with such readings alone, as far as that is known after `seconds`.
std::vector<Step> with_deciding_readings(const Evaluated& evaluated, const ToleranceChoice& choice, double seconds);

}  // namespace opref::check
