// SPDX-License-Identifier: Apache-2.0
// The input sequence_lens of operators on batches of sequences.
#pragma once

#include <vector>

#include "schema/operator.h"

namespace opref::ops {

/// The length of each batch, from 0 to `longest`, which all have where the input is omitted; else `invalid`.
std::vector<std::int64_t> sequence_lens(const Call& call, std::int64_t batches, std::int64_t longest);

}  // namespace opref::ops
