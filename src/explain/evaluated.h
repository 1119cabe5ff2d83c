// SPDX-License-Identifier: Apache-2.0
// Cases that are ready to be evaluated, and what opref makes of them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "run/bind.h"
#include "system/deadline.h"

namespace opref::explain {

/// A case that is judged.
struct ReadyCase {
  Bound bound;
  /// Set where the limit of memory ended what was tried beside the evaluation itself.
  std::shared_ptr<std::atomic<bool>> lacks_memory = std::make_shared<std::atomic<bool>>(false);
};

/// Whether kernels that round each operation to `type` can return `actual`, the outputs at `places` of the step's node,
/// whose right values are `right`.
using CanReturn = std::function<bool(const Step& step, std::span<const size_t> places, std::span<const Tensor> actual,
                                     std::span<const Tensor> right, DType type)>;

/// Where an error is caught: what is only tried may fail. Notes a limit of memory, and throws what is a bug again.
void forgive(const ReadyCase& ready, const Error& error);

struct Evaluated {
  std::shared_ptr<const ReadyCase> ready;  ///< the steps refer to its nodes
  Environment environment;
  std::vector<Step> steps;
  std::vector<std::string> warnings;
};

/// All nodes. Faults: those of load_inputs and run.
Evaluated evaluate(const std::shared_ptr<const ReadyCase>& ready, const EvaluationOptions& options);

/// The same as the case says; a `system` error if it takes longer than `seconds`.
Evaluated evaluate(const std::shared_ptr<const ReadyCase>& ready, double seconds);

/// What `body` returns; a `system` error if it takes longer than `seconds`. `what` is what opref does then: "compare
/// this".
template <class Body>
auto in_time(double seconds, std::string_view what, const Body& body) {
  auto result = within(seconds, body);
  if (!result) fail(Fault::system, kMoreTime, "opref itself does not {} within {} s", what, seconds);
  return *std::move(result);
}

/// The evaluation's steps with the readings that may matter confirmed, as far as that takes no longer than `seconds`.
std::vector<Step> with_confirmed_readings(const Evaluated& evaluated, double seconds);

/// Alternatives that give, or may give, the steps another result: reading and alternative, each once.
std::vector<std::pair<std::string, std::string>> other_readings(std::span<const Step> steps);

}  // namespace opref::explain
