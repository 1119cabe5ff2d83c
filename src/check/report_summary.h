// How a whole check went.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "check/report.h"

namespace opref {

inline constexpr std::array kVerdicts = {Verdict::pass, Verdict::fail, Verdict::error, Verdict::unsupported,
                                         Verdict::skip};
/// Numbers of cases, in the order of kVerdicts.
using VerdictCounts = std::array<std::pair<Verdict, std::int64_t>, kVerdicts.size()>;
VerdictCounts count_verdicts(const CheckReport& report);

/// "24 cases: 20 pass, 1 fail, 0 error, 3 unsupported, 0 skip"
std::string summary_text(const VerdictCounts& counts);

/// What else than fail and error is a failure, and whether nothing judged is one.
struct ExitRules {
  bool require_all = false, allow_empty = false;
};
/// The exit code of `check` and `report merge`: 1 after a fail or error (with require_all also after an unsupported or
/// skip), 5 where no case passed or failed (unless allow_empty), else 0.
int exit_code(const VerdictCounts& counts, const ExitRules& rules);

}  // namespace opref
