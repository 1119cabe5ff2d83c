// SPDX-License-Identifier: Apache-2.0
// Faults that are told with a result.
#pragma once

#include "core/error.h"

namespace opref::system {

/// In a handler: what was caught, where the work was on one case, request or node alone and others go on. What is no
/// Error is `internal`, a bug in opref. What the machine lacks is thrown on, as a MachineError: others lack it too.
Error caught_error();

}  // namespace opref::system
