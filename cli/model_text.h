// SPDX-License-Identifier: Apache-2.0
// Models, described for `show`.
#pragma once

#include <string>

#include "io/case.h"
#include "io/json/json.h"

namespace opref::cli {

/// Opsets, inputs and outputs, sizes that are free, nodes by operator (how many, and whether it is known), and
/// initializers with their types. An initializer that takes more than `max_bytes`, or cannot be read, has the error
/// instead of its type.
std::string model_text(const io::Case& model, std::int64_t max_bytes);
io::Json model_json(const io::Case& model, std::int64_t max_bytes);

}  // namespace opref::cli
