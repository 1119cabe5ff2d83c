// SPDX-License-Identifier: Apache-2.0
// The type in which a node says that it computes, whatever the type of its inputs is.
#pragma once

#include <optional>

#include "schema/call.h"

namespace opref::ops {

/// stash_type of the normalizations, "stage one's computation precision", and softmax_precision of Attention. opref's
/// values are exact all the same; a kernel that rounds to this type does what the node asks for.
std::optional<DType> stated_type(const schema::Call& call);

}  // namespace opref::ops
