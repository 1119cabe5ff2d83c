// SPDX-License-Identifier: Apache-2.0
// What makes opref give the outputs that a backend gave.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "explain/cause.h"
#include "explain/evaluated.h"
#include "io/case.h"

namespace opref::explain {

/// One output, and the rule by which it was judged.
struct GivenOutput {
  std::string name;
  Value value;
  Tolerance tolerance;
};

/// What makes opref give these outputs. Of the first kind are "opref's own result", if the case expects something else,
/// and "reading NAME=VALUE"; both fit bit for bit, or else by the rules of the outputs. The other kinds are tried where
/// the case is one node, and are believed before a reading that fits by the rules alone, where they give the bits: see
/// explain_step. What takes longer than `seconds` is not complete.
Explanation explain_outputs(const std::shared_ptr<const ReadyCase>& ready, const std::vector<GivenOutput>& outputs,
                            double seconds, const CanReturn& can_return = nullptr);

}  // namespace opref::explain
