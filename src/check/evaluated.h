// Cases that are ready to be evaluated, and what opref makes of them. Between the files of `judge`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/case.h"
#include "run/evaluate.h"

namespace opref {

/// A prepared case with the options in force: the user's and its own readings.
struct ReadyCase {
  Case loaded;
  EvaluationOptions options;
};

struct Evaluated {
  std::shared_ptr<const ReadyCase> ready;  ///< the steps refer to its nodes
  Environment environment;
  std::vector<Step> steps;
  std::vector<std::string> warnings;
};

/// All nodes; a `system` error if that takes longer than `seconds`. Other faults are those of load_inputs and run.
Evaluated evaluate(const std::shared_ptr<const ReadyCase>& ready, double seconds);

/// One output, and the rule by which it was judged.
struct GivenOutput {
  std::string name;
  Value value;
  Tolerance tolerance;
};

/// What makes opref give these outputs: "opref's own result" if it gives them anyway, "reading NAME=VALUE" if one of
/// the alternative readings does, the known mistake that does; bit for bit, or, where that is said, by the rules of the
/// outputs. Empty where nothing is found within `seconds`.
std::string explain(const std::shared_ptr<const ReadyCase>& ready, const std::vector<GivenOutput>& outputs,
                    double seconds);

}  // namespace opref
