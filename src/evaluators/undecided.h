// SPDX-License-Identifier: Apache-2.0
// The error of an element that the highest precision leaves open.
#pragma once

#include <cstdint>

#include "schema/output.h"

namespace opref::evaluators {

/// An `unsupported` error that names the element at this flat position of this output, which has this shape.
[[noreturn]] void fail_undecided(const Output& out, std::int64_t position);

}  // namespace opref::evaluators
