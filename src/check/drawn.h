// SPDX-License-Identifier: Apache-2.0
// Outputs that follow from numbers drawn at random: opref does not compute them, but checks what somebody else gave.
#pragma once

#include <string_view>
#include <vector>

#include "check/expected.h"
#include "explain/evaluated.h"
#include "report/report.h"

namespace opref::check {

/// What is said of outputs that pass.
inline constexpr std::string_view kCheckedNotComputed = "checked, not computed";

/// Whether a node of the graph draws, by its operator's own word. False where types cannot be inferred, or where it
/// takes an evaluation to see it.
bool draws(const explain::ReadyCase& ready);

/// One output that somebody gave.
struct GivenValue {
  std::string name;
  Value value;
};
/// The values of these outputs, of the types that `infer` finds where they do not state their own.
std::vector<GivenValue> read_given(const explain::ReadyCase& ready, std::span<const NamedSource> sources);

/// Checks all of them: their types and shapes; what a node drew, by its operator's rules; and what follows from that,
/// as the case's outputs are compared anywhere. Of numbers that nobody gives the check is that a condition made of them
/// leaves each element one of two values. Passing, the reason is kCheckedNotComputed. Faults: those of an evaluation;
/// `unsupported` for an output of which nothing but its type can be known.
CaseReport check_drawn(const explain::ReadyCase& ready, const std::vector<GivenValue>& given,
                       const ToleranceChoice& choice);

/// What the check found, in the record.
void describe_drawn(CaseRecord& record, const explain::ReadyCase& ready, const CaseReport& report);

}  // namespace opref::check
