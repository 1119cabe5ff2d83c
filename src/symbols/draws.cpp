// SPDX-License-Identifier: Apache-2.0
#include "symbols/draws.h"

#include <algorithm>

#include "core/error.h"
#include "core/random.h"
#include "system/deadline.h"
#include "system/machine_error.h"

namespace opref::symbols {
namespace {

constexpr std::int64_t kMostDrawn = 4096;

/// One attempt's random numbers.
class Drawer {
 public:
  Drawer(std::uint64_t key, std::uint32_t attempt) : random_(key), attempt_(attempt) {}

  /// Small whole numbers, truths, real numbers with zeros among them; nothing of other types, and of long tensors.
  std::optional<Tensor> tensor(const ValueType& type) {
    if (type.form != Form::tensor || !type.has_shape || element_count(type.tensor.shape) > kMostDrawn)
      return std::nullopt;
    TensorBuilder builder(type.tensor);
    switch (type.dtype()) {
      case DType::int64:
        for (auto& x : builder.values<std::int64_t>()) x = whole();
        break;
      case DType::int32:
        for (auto& x : builder.values<std::int32_t>()) x = static_cast<std::int32_t>(whole());
        break;
      case DType::boolean:
        for (auto& x : builder.values<std::uint8_t>()) x = static_cast<std::uint8_t>(below(2));
        break;
      case DType::float32:
        for (auto& x : builder.values<float>()) x = static_cast<float>(real()) / 512;
        break;
      case DType::float64:
        for (auto& x : builder.values<double>()) x = static_cast<double>(real()) / 512;
        break;
      default:
        return std::nullopt;
    }
    return std::move(builder).finish();
  }

 private:
  std::int64_t below(std::uint32_t count) { return random_.below(count, drawn_++, attempt_); }
  std::int64_t whole() {
    constexpr std::uint32_t kMost[] = {9, 4, 30, 2};
    return 1 + below(kMost[attempt_ % 4]);
  }
  int real() { return below(3) == 0 ? 0 : static_cast<int>(below(1024)) - 512; }

  const Random random_;
  const std::uint32_t attempt_;
  std::int64_t drawn_ = 0;
};

/// What may be a list of sizes, of places or a condition.
bool is_short(const ValueType& type) {
  constexpr std::int64_t kMost = 64;
  const DType dtype = type.dtype();
  return type.form == Form::tensor && type.has_shape && element_count(type.tensor.shape) <= kMost &&
         (dtype == DType::int64 || dtype == DType::int32 || dtype == DType::boolean);
}

bool are_closed(const Step& step) {
  return std::ranges::all_of(step.types,
                             [](const ValueType& type) { return type.form != Form::tensor || type.has_shape; });
}

class Attempts {
 public:
  Attempts(const Graph& graph, const Node& node, const Environment& environment, const EvaluationOptions& options)
      : graph_(graph), node_(node), environment_(environment), options_(options), names_(names_read(node)) {
    constexpr std::int64_t kMostBytes = std::int64_t{1} << 28;
    options_.max_bytes = std::min(options_.max_bytes, kMostBytes);
    options_.tell_bodies = false;
    graphs_ = std::ranges::count_if(node.attributes,
                                    [](const Attribute& attribute) { return subgraph(attribute) != nullptr; });
  }

  bool knows_inputs() const {
    return std::ranges::all_of(names_, [&](const std::string& name) { return environment_.contains(name); });
  }
  /// One of several graphs is evaluated.
  bool has_branches() const { return graphs_ > 1; }

  /// Nothing where these values do not work.
  std::optional<Step> once(Drawer drawer) const {
    Environment all;
    for (const std::string& name : names_) {
      Input input = environment_.find(name)->second;
      if (!input.value)
        if (auto tensor = drawer.tensor(input.type)) input.value = Value(*std::move(tensor));
      all.insert_or_assign(name, std::move(input));
    }
    if (auto step = by_short_lists(all)) return step;
    const bool lacks_values = std::ranges::any_of(all, [](const auto& known) { return !known.second.value; });
    if (has_branches() || lacks_values) return std::nullopt;
    return evaluate(all, Compute::values);
  }

 private:
  std::optional<Step> by_short_lists(const Environment& all) const {
    Environment some = all;
    for (auto& [name, input] : some)
      if (!environment_.find(name)->second.value && !is_short(input.type)) input.value = {};
    std::optional<Step> step = evaluate(some, Compute::types);
    if (step && !are_closed(*step)) step.reset();
    return step;
  }

  std::optional<Step> evaluate(Environment known, Compute compute) const {
    try {
      Evaluation evaluation(graph_, known, options_, compute);
      return evaluation.evaluate(node_);
    } catch (const Error& error) {
      pass_on(error);
      require_time();
      return std::nullopt;
    }
  }

  const Graph& graph_;
  const Node& node_;
  const Environment& environment_;
  EvaluationOptions options_;
  const std::set<std::string, std::less<>> names_;
  std::ptrdiff_t graphs_ = 0;
};

/// Marks the axes that differ; false where a rank does.
bool compare(const Step& step, DrawnStep& first) {
  for (size_t o = 0; o < step.types.size(); ++o) {
    const Dims &shape = step.types[o].tensor.shape, &known = first.step.types[o].tensor.shape;
    if (shape.size() != known.size()) return false;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (shape[axis] != known[axis]) first.differs[o][axis] = true;
  }
  return true;
}

}  // namespace

std::optional<DrawnStep> draw_types(const Graph& graph, const Node& node, const Environment& environment,
                                    const EvaluationOptions& options, std::uint64_t key) {
  constexpr std::uint32_t kMostAttempts = 12;
  constexpr int kEnough = 4;
  const Attempts attempts(graph, node, environment, options);
  if (!attempts.knows_inputs()) return std::nullopt;
  std::optional<DrawnStep> first;
  int good = 0;
  for (std::uint32_t attempt = 0; attempt < kMostAttempts && good < kEnough; ++attempt) {
    std::optional<Step> step = attempts.once(Drawer(key, attempt));
    if (!step || !are_closed(*step)) continue;
    ++good;
    if (!first) {
      first.emplace(DrawnStep{*std::move(step), {}});
      for (const ValueType& type : first->step.types) first->differs.emplace_back(type.tensor.shape.size(), false);
    } else if (!compare(*step, *first)) {
      return std::nullopt;
    }
  }
  const auto has_differing = [](const std::vector<bool>& axes) { return std::ranges::count(axes, true) > 0; };
  if (first && attempts.has_branches() && std::ranges::any_of(first->differs, has_differing)) return std::nullopt;
  return first;
}

}  // namespace opref::symbols
