// SPDX-License-Identifier: Apache-2.0
// Outputs that `run` compares with its own: whose they are, and what reproduces them.
#pragma once

#include <string>
#include <vector>

#include "check/expected.h"
#include "io/json/json.h"
#include "report/report.h"
#include "run/bind.h"

namespace opref::cli {

/// What --expect or --judge names: NAME=FILE, or FILE alone where there is one output. Faults: those of parse_binding.
NamedSource parse_output(const Bound& bound, const std::string& argument);

/// What reproduces the outputs that differ, as check finds it; the last `judged` of them are somebody's, of the others
/// the expected ones are. Nothing where all are equal.
CaseRecord causes_of(const Bound& bound, const CaseReport& report, size_t judged);
Json causes_json(const CaseRecord& record);

}  // namespace opref::cli
