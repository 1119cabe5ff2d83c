// SPDX-License-Identifier: Apache-2.0
#include "check/non_finite.h"

#include <algorithm>
#include <cmath>

#include "compare/compare.h"
#include "core/error.h"
#include "exact/rounding.h"
#include "exact/term_sink.h"
#include "run/node_subgraphs.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

/// Of a tensor of floats.
std::optional<std::int64_t> first_non_finite(const Tensor& tensor) {
  if (!is_floating(tensor.dtype())) return std::nullopt;
  for (std::int64_t i = 0; i < tensor.count(); ++i)
    if (!std::isfinite(floating_element(tensor, i))) return i;
  return std::nullopt;
}

/// Hears whether an element comes from elsewhere as it is.
class MoveSink : public TermSink {
 public:
  void moves(const Place&) override { moves_ = true; }
  void fills() override { moves_ = true; }
  bool moves() const { return moves_; }

 private:
  bool moves_ = false;
};

bool is_moved(const Graph& graph, const Node& node, const Environment& values, const EvaluationOptions& options,
              const Asked& asked) {
  if (has_subgraph(node)) return false;
  MoveSink sink;
  try {
    const Call call = resolve_node(graph, node, values, options);
    call.op().kernel(call, outputs_of(call, call.op().output_types(call), asked, &sink));
  } catch (const Error& error) {  // it is not known
    pass_on(error);
  }
  return sink.moves();
}

double greatest_magnitude(const Tensor& tensor) {
  double greatest = 0;
  for (std::int64_t i = 0; i < tensor.count(); ++i)
    greatest = std::max(greatest, std::abs(floating_element(tensor, i)));
  return greatest;
}

}  // namespace

bool NonFiniteSearch::has_some(const std::string& name, const Environment& values) {
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  const auto found = values.find(name);
  bool has = false;
  if (found != values.end() && found->second.value)
    for (const Tensor& tensor : tensors_in(*found->second.value)) has |= first_non_finite(tensor).has_value();
  return known_[name] = has;
}

void NonFiniteSearch::look_at(size_t place, const Environment& values) {
  if (first_) return;
  const Node& node = graph_.nodes[place];
  const auto read = names_read(node);
  const bool reads_some = std::ranges::any_of(read, [&](const auto& name) { return has_some(name, values); });
  for (size_t k = 0; k < node.outputs.size() && !first_; ++k) {
    const std::string& name = node.outputs[k];
    if (name.empty() || !has_some(name, values) || reads_some || read.empty()) continue;
    const Tensor* tensor = values.find(name)->second.value->tensor();
    if (tensor == nullptr) continue;
    const std::int64_t at = *first_non_finite(*tensor);
    if (is_moved(graph_, node, values, options_, {k, at})) continue;
    first_ = NonFinite{place,
                       node.name.empty() ? name : node.name,
                       node.op_type,
                       name,
                       coordinates(at, tensor->shape()),
                       floating_element(*tensor, at),
                       tensor->dtype(),
                       {}};
    for (const std::string& input : read) {
      const auto known = values.find(input);
      const Tensor* given = known == values.end() || !known->second.value ? nullptr : known->second.value->tensor();
      if (given != nullptr && is_floating(given->dtype()))
        first_->inputs.push_back({input, greatest_magnitude(*given)});
    }
  }
}

std::string to_text(const NonFinite& found) {
  const std::string_view value = std::isnan(found.value) ? "NaN" : found.value > 0 ? "Inf" : "-Inf";
  std::vector<std::string> inputs;
  for (const NonFinite::Read& read : found.inputs)
    inputs.push_back(format("{} up to {}", printable(read.name), short_number(read.greatest)));
  return format("the first Inf or NaN: {} ({}) gives {}{} = {} in {}, though none is in its inputs{}{}",
                printable(found.node), printable(found.op_type), printable(found.output), found.index, value,
                found.dtype, inputs.empty() ? "" : ": ", join_text(inputs, ", "));
}

}  // namespace opref::check
