// SPDX-License-Identifier: Apache-2.0
// Which readings of the specification matter for a result.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/node.h"
#include "schema/operator.h"
#include "schema/resolve.h"

namespace opref::run {

/// A reading that another choice would have made visible.
struct ReadingReport {
  std::string_view name;
  std::string_view in_force;               ///< the alternative chosen, by default or by the user
  std::string_view stands_for;             ///< the alternative that `in_force` meant here, if it decides by the values
  bool selected;                           ///< by the user or the case
  std::vector<std::string_view> others;    ///< the alternatives that give another result
  std::vector<std::string_view> possible;  ///< those that may give another one: they were not evaluated
  std::string_view reason = {};            ///< one line: why the default is it
};

/// The readings that decide the call's result, or may. `types` are those of its outputs. `values` are the outputs, with
/// which those of the alternatives are compared; null where they are not known, or too large to be computed again.
std::vector<ReadingReport> report_readings(const Call& call, const std::vector<ValueType>& types,
                                           const std::vector<Value>* values);

/// The names of chosen readings are those of the graph's operators, else a `usage` error: it offers the one whose part
/// after the point is near ("lp_pool.nan" for "nan"), and lists all.
void require_known_readings(const Graph& graph, const ReadingChoices& choices);

/// "reading max_unpool.index_space = auto (inferred) decides this result; output gives another"
std::string to_text(const ReadingReport& report);

}  // namespace opref::run
