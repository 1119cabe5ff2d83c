// SPDX-License-Identifier: Apache-2.0
// Filling the record of a case.
#pragma once

#include "check/expected.h"
#include "explain/cause.h"
#include "explain/evaluated.h"
#include "report/report.h"

namespace opref::check {

/// What the case's own file says of its first node.
void describe_node(CaseRecord& record, const ReadyCase& ready);
/// What an evaluation, or the inference alone, says of it: attributes in force, types of all inputs, warnings.
void describe_steps(CaseRecord& record, const std::vector<Step>& steps, const std::vector<std::string>& warnings);
/// The readings that decide what these steps give.
void describe_readings(CaseRecord& record, const std::vector<Step>& steps);
/// What reproduces its outputs, or that nothing does.
void describe_causes(CaseRecord& record, const explain::Explanation& explanation);
OutputRecord record_output(const OutputReport& output);
/// Takes the output and what its comparison warns of.
void add_output(CaseRecord& record, const OutputReport& output);
/// An `internal` error, in place of a verdict on what was judged.
void describe_bug(CaseRecord& record, const Error& bug);
/// What an error of opref's own is: that time or memory ran out, a bug, else `otherwise`.
Trouble trouble_with(const Error& error, Trouble otherwise);
/// The same of an error about a case.
Trouble trouble_of(const Error& error);

}  // namespace opref::check
