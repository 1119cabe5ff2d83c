// SPDX-License-Identifier: Apache-2.0
#include "ops/common/sequence_lens.h"

#include "core/error.h"

namespace opref::ops {

std::vector<std::int64_t> sequence_lens(const Call& call, std::int64_t batches, std::int64_t longest) {
  if (!call.has("sequence_lens")) return std::vector<std::int64_t>(static_cast<size_t>(batches), longest);
  const std::vector<std::int64_t> lengths = call.integers("sequence_lens");
  require(std::ssize(lengths) == batches, "sequence_lens has {}, but must have a length for each of {}",
          counted(std::ssize(lengths), "value"), counted(batches, "sequence"));
  for (size_t b = 0; b < lengths.size(); ++b)
    require(lengths[b] >= 0 && lengths[b] <= longest, "sequence_lens[{}] is {}, but must be from 0 to {}", b,
            lengths[b], longest);
  return lengths;
}

}  // namespace opref::ops
