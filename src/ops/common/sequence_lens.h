// SPDX-License-Identifier: Apache-2.0
// The input sequence_lens of operators on batches of sequences.
#pragma once

#include <vector>

#include "schema/operator.h"

namespace opref::ops {

/// The length of each batch, from 0 to `longest`; else `invalid`. Where the input is omitted all have the longest, and
/// any number of batches takes no memory.
class SequenceLens {
 public:
  SequenceLens() = default;
  SequenceLens(const Call& call, std::int64_t batches, std::int64_t longest);

  std::int64_t batches() const { return batches_; }
  std::int64_t longest() const { return longest_; }
  std::int64_t operator[](std::int64_t batch) const {
    return stated_.empty() ? longest_ : stated_[static_cast<size_t>(batch)];
  }

 private:
  std::int64_t batches_ = 0, longest_ = 0;
  std::vector<std::int64_t> stated_;
};

}  // namespace opref::ops
