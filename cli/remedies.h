// SPDX-License-Identifier: Apache-2.0
// The options of the command line that are the way out of an error.
#pragma once

#include <string>

#include "core/error.h"

namespace opref::cli {

/// What follows an error's message: " (--max-bytes)", ": pick one with --node"; "" where there is no way out.
std::string way_out_text(const WayOut& way_out);

}  // namespace opref::cli
