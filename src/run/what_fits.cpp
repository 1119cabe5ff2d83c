// SPDX-License-Identifier: Apache-2.0
#include "run/swapped_inputs.h"

#include <optional>
#include <utility>
#include <vector>

#include "ops/operators.h"
#include "run/node_subgraphs.h"
#include "run/remedies.h"
#include "system/machine_error.h"

namespace opref::run {
namespace {

/// Values and types change places, names stay.
std::vector<Input> swapped(std::span<const Input> inputs, size_t i, size_t j) {
  std::vector<Input> others(inputs.begin(), inputs.end());
  std::swap(others[i], others[j]);
  std::swap(others[i].name, others[j].name);
  return others;
}

/// For what the operator refuses the inputs; nothing where it accepts them.
std::optional<Fault> refusal(const Version& version, const Node& node, std::vector<Input> inputs,
                             const ReadingChoices& readings) {
  try {
    version.op.output_types(resolve(version, node, std::move(inputs), readings));
    return std::nullopt;
  } catch (const Error& error) {
    pass_on(error);
    return error.fault();
  }
}

/// Whether the types and shapes alone are accepted, as far as no value is asked for: then a value is at fault.
bool fits_without_values(const Version& version, const Node& node, std::span<const Input> inputs,
                         const ReadingChoices& readings) {
  std::vector<Input> types(inputs.begin(), inputs.end());
  for (Input& input : types) input.value = {};
  return refusal(version, node, std::move(types), readings).value_or(Fault::usage) == Fault::usage;
}

bool is_candidate(const Input& input, const FormalParameter& formal) {
  return !input.name.empty() && !is_variadic(formal.arity);
}

}  // namespace

WayOut swapped_inputs(const Version& version, const Node& node, std::span<const Input> inputs,
                      const ReadingChoices& readings) {
  const auto& formal = version.schema.inputs();
  const bool is_function = find_operator(version.op.domain(), version.op.op_type()) != &version.op;
  if (is_function || has_subgraph(node) || inputs.size() > formal.size() ||
      fits_without_values(version, node, inputs, readings))
    return {};
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t j = i + 1; j < inputs.size(); ++j)
      if (is_candidate(inputs[i], formal[i]) && is_candidate(inputs[j], formal[j]) &&
          !refusal(version, node, swapped(inputs, i, j), readings))
        return {kSwapInputs, format("{} and {}", formal[i].name, formal[j].name)};
  return {};
}

}  // namespace opref::run
