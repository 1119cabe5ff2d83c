// SPDX-License-Identifier: Apache-2.0
// What a comparison leaves out.
#pragma once

#include <span>
#include <string>

#include "check/expected.h"

namespace opref::check {

/// Where the specification leaves elements of the output open, the foreign value gets the other one's: they then agree.
/// Values of other types stay as they are.
void leave_out_unspecified(const std::string& output, Value& actual, Value& expected, Foreign foreign,
                           std::span<const Step> steps);

}  // namespace opref::check
