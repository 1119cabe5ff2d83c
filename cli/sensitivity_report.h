// SPDX-License-Identifier: Apache-2.0
// opref run --sensitivity
#pragma once

#include <optional>
#include <string>

#include "check/sensitivity.h"
#include "io/json/json.h"
#include "run/bind.h"

namespace opref::cli {

Json non_finite_json(const NonFinite& found);

/// "12 %", with two digits; "more than 1000000 %".
std::string percent_text(double share);

/// Evaluates the case, whose graph is what is asked for, and prints what noise does to each output, and where the first
/// Inf or NaN comes from. Exit code 0.
int run_sensitivity(Bound bound, int runs, std::optional<double> timeout, bool json);

}  // namespace opref::cli
