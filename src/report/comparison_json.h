// SPDX-License-Identifier: Apache-2.0
// A comparison as a JSON object, the same in every document that opref writes.
#pragma once

#include "compare/compare.h"
#include "io/json/json.h"

namespace opref::report {

/// {"equal", "rule", "reason" (where there is one), "count", "mismatches", "bit_equal", "within_one_ulp", "max_ulp",
/// "absolute", "relative", "ulp": {"max", "mean", "count"} each, "histogram": {"0": 12, "3-4": 1, "none": 2} without
/// empty bins, "where": [sentences]} and, where elements differ, "first", "worst" and "worst_mismatches", each one
/// {"place" (inside a sequence), "index", "actual", "expected", "actual_bits", "expected_bits" (not of strings),
/// "absolute", "relative", "ulp" (where there is a distance)}. Distances above 2^63 - 1 are written as that.
Json comparison_json(const Comparison& comparison, const Tolerance& tolerance);

}  // namespace opref::report
