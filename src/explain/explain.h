// What makes opref give the outputs that a backend gave.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "explain/evaluated.h"
#include "io/case.h"

namespace opref::explain {

/// One output, and the rule by which it was judged.
struct GivenOutput {
  std::string name;
  Value value;
  Tolerance tolerance;
};

/// What makes opref give these outputs: "opref's own result" if it gives them anyway, "reading NAME=VALUE" if one of
/// the alternative readings does, the known mistake that does; bit for bit, or, where that is said, by the rules of the
/// outputs. Empty where nothing is found within `seconds`.
std::string explain_outputs(const std::shared_ptr<const ReadyCase>& ready, const std::vector<GivenOutput>& outputs,
                            double seconds);

}  // namespace opref::explain
