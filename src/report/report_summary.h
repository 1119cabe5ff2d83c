// SPDX-License-Identifier: Apache-2.0
// How a whole check went.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace opref::report {

/// "24 cases: 20 pass, 1 fail, 0 error, 3 unsupported, 0 skip"
std::string summary_text(const VerdictCounts& counts);

/// What `check` and `report merge` say in the end, in lines: why cases are unsupported, the commonest reason first and
/// at most 12 of them; which readings decide how many cases; how near the outputs are; how many
/// elements have no error bound of their own; the causes of what does not pass, at most `most_causes`, with
/// the option that takes their filters; what differs from an earlier run, of each kind as many cases; that it is not
/// complete; summary_text, and changes_text of the earlier run.
std::vector<std::string> summary_lines(const CheckReport& report, std::size_t most_causes,
                                       std::string_view filter_option);

/// What else than fail and error is a failure, and whether nothing judged is one.
struct ExitRules {
  bool require_all = false, allow_empty = false;
};
/// Fail and error; with require_all also what was not judged.
bool is_failure(Verdict verdict, const ExitRules& rules);
/// The exit code of `check` and `report merge`: 70 after a bug in opref, else 1 after a failure, of a run that
/// was compared with an earlier one after a new failure; 0 for a shard into which none of the cases falls, 5 where no
/// case passed or failed (unless allow_empty), else 0.
int exit_code(const CheckReport& report, const ExitRules& rules);

}  // namespace opref::report
