// SPDX-License-Identifier: Apache-2.0
// Reading what is bound to the inputs of a graph, and giving every input its final type.
#pragma once

#include <string>
#include <vector>

#include "run/bind.h"
#include "run/evaluate.h"

namespace opref::run {

/// A `usage` error for what is neither a generator of any input nor of an operator that takes this one, which has a
/// fill.
void require_generator(const Graph& graph, const NamedSource& input);

/// Reads all bound inputs of the graph. An element type that a file or literal leaves open is what the graph declares,
/// what the operator allows, or what other inputs of the same type variable have. Declared inputs that are not bound
/// are known by their type. Together they take at most options.max_bytes; what would be more is refused before it is
/// decoded, tensors that a model holds after that.
Environment load_inputs(const Bound& bound, const EvaluationOptions& options, std::vector<std::string>& warnings);

/// Whether the only node, which refuses its outputs, accepts others: it has these from now on. Of a bare operator
/// nobody said which outputs it has: others are those that it always gives (BatchNormalization that is not training).
/// `whole`: the graph before want_only, which stands again; null: nothing was wanted alone.
bool take_accepted_outputs(Bound& bound, const Environment& inputs, const Graph* whole);

/// What `evaluate` returns, called once more where take_accepted_outputs helps.
template <class Evaluate>
auto with_accepted_outputs(Bound& bound, const Environment& inputs, const Graph* whole, const Evaluate& evaluate) {
  try {
    return evaluate();
  } catch (const Error&) {
    if (!take_accepted_outputs(bound, inputs, whole)) throw;
  }
  return evaluate();
}

}  // namespace opref::run
