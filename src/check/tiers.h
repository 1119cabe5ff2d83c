// SPDX-License-Identifier: Apache-2.0
// Whether the exact tier alone gives a case the same bytes.
#pragma once

#include <vector>

#include "check/expected.h"
#include "explain/evaluated.h"
#include "report/report.h"

namespace opref::check {

/// The outputs of `ordinary` that have other bytes in `exact`, which stands for what is expected. Both are of one case.
std::vector<OutputReport> other_bytes(const Evaluated& ordinary, const Evaluated& exact);

/// Adds them to the record: the first one is why it fails. A case that expects nothing passes where there is none.
void record_tiers(CaseRecord& record, const Evaluated& ordinary, const Evaluated& exact);

/// Evaluates the case once more by the exact tier alone. Other bytes than those of `ordinary` are a failure, and so is
/// a refusal. Where that takes longer than `seconds`,
/// or more memory than the limit leaves beside `ordinary`, a `system` error says so.
void judge_tiers(CaseRecord& record, const Evaluated& ordinary, double seconds);

}  // namespace opref::check
