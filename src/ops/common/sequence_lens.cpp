// SPDX-License-Identifier: Apache-2.0
#include "ops/common/sequence_lens.h"

#include "core/error.h"

namespace opref::ops {

SequenceLens::SequenceLens(const Call& call, std::int64_t batches, std::int64_t longest)
    : batches_(batches), longest_(longest) {
  if (!call.has("sequence_lens")) return;
  stated_ = call.integers("sequence_lens");
  require(std::ssize(stated_) == batches, "sequence_lens has {}, but must have a length for each of {}",
          counted(std::ssize(stated_), "value"), counted(batches, "sequence"));
  for (size_t b = 0; b < stated_.size(); ++b)
    require(stated_[b] >= 0 && stated_[b] <= longest, "sequence_lens[{}] is {}, but must be from 0 to {}", b,
            stated_[b], longest);
}

}  // namespace opref::ops
