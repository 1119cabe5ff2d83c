// SPDX-License-Identifier: Apache-2.0
// Why cases do not pass, over a whole run: what reproduces their outputs, and errors that are the same.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace opref::report {

/// What stands for a failure that was looked into without success.
inline constexpr std::string_view kNothingKnown = "no known mistake explains this difference";
/// Where causes were looked for, and time or memory ran out before all were tried.
inline constexpr std::string_view kSearchNotEnded = "the search for causes did not end: none was found until then";

/// Bytes of a cause in a table; the page, the JSON report and the case's own lines have an error in full.
inline constexpr std::size_t kLongestCause = 300;

/// Chooses for each case, of the causes that fit it equally, the one that fits most cases of the run, and lists all
/// causes with their cases in `causes`, those with most cases first, and last of all what nothing known reproduces; of
/// very many, those that come last are one. The result follows from the cases alone. `all` are the names that the
/// causes' filters choose from.
void settle_causes(CheckReport& report, const NameWalk& all);

/// What a case that does not pass is counted by: the chosen cause, that nothing known reproduces it, or the reason.
std::string cause_of(const CaseRecord& record);
/// The same without numbers and names in a reason: equal keys are one cause.
std::string cause_key(const CaseRecord& record);
/// Whether that key is the case's own, or that of another cause which fits it equally.
bool has_cause(const CaseRecord& record, std::string_view key);

/// "reproduced by: reading a.b=c (rtol 0.001)", one line for each cause that fits equally; or that nothing known does;
/// none of cases that were not looked into.
std::vector<std::string> explanation_lines(const CaseRecord& record);

/// "weak evidence", "not to the bit in 2 of 5 cases": what restricts a cause; empty: nothing does.
std::string restriction(const CauseGroup& group);

/// The table of causes in lines of text; of more than `most` only the first ones, what nothing known reproduces, and
/// how many are left. The option that takes a row's filter is named. None where all cases pass.
std::vector<std::string> cause_lines(const CheckReport& report, std::size_t most, std::string_view filter_option);

}  // namespace opref::report
