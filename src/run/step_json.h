// SPDX-License-Identifier: Apache-2.0
// An evaluated node in JSON.
#pragma once

#include "io/json/json.h"
#include "run/evaluate.h"

namespace opref::run {

/// The node in force: operator, opset, attributes with defaults, what is resolved of them, types by the graph's names.
/// An attribute that is a tensor of more than `most_elements` comes as its dtype and shape alone.
Json node_json(const Step& step, std::int64_t most_elements = INT64_MAX);

/// "name", "in_force", "stands_for" where in_force decides by the values, "others".
Json reading_json(const ReadingReport& report);

}  // namespace opref::run
