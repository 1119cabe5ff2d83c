// SPDX-License-Identifier: Apache-2.0
#include "models/region.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "check/rounding_noise.h"
#include "compare/error_bound.h"

namespace opref::models {
namespace {

/// Nodes by the names that they give.
size_t producer_of(const Model& model, const std::string& name, size_t before) {
  for (size_t place = before; place-- > 0;) {
    const auto& outputs = model.nodes()[place].node->outputs;
    if (std::ranges::find(outputs, name) != outputs.end()) return place;
  }
  return kNone;
}

class RegionSearch {
 public:
  RegionSearch(const Model& model, const std::function<bool(size_t)>& is_stop) : model_(model), is_stop_(is_stop) {}

  Region find(size_t entity) {
    const Entity& wanted = model_.entities()[entity];
    for (const std::string& cut : wanted.cuts)
      if (cut != wanted.name) add_looked_through(cut, model_.nodes().size());
    add(wanted.producer);
    while (!open_.empty()) {
      const size_t place = open_.back();
      open_.pop_back();
      for (const std::string& name : model_.runner().reads(place)) read(name, place);
    }
    return {{nodes_.begin(), nodes_.end()}, {inputs_.begin(), inputs_.end()}};
  }

 private:
  void add(size_t place) {
    if (place != kNone && nodes_.insert(place).second) open_.push_back(place);
  }

  /// Nodes between the name and its entity.
  void add_looked_through(const std::string& name, size_t before) {
    const size_t entity = model_.root(name);
    std::string at = name;
    while (entity != kNone && at != model_.entities()[entity].name) {
      const size_t place = producer_of(model_, at, before);
      if (place == kNone || !nodes_.insert(place).second) return;
      at = model_.nodes()[place].node->inputs.front();
      before = place;
    }
  }

  void read(const std::string& name, size_t by) {
    if (!model_.is_live(name)) return;
    const size_t entity = model_.root(name);
    if (entity == kNone) return;
    add_looked_through(name, by);
    const size_t producer = model_.entities()[entity].producer;
    if (producer == kNone || is_stop_(entity))
      inputs_.insert(entity);
    else
      add(producer);
  }

  const Model& model_;
  const std::function<bool(size_t)>& is_stop_;
  std::set<size_t> nodes_, inputs_;
  std::vector<size_t> open_;
};

}  // namespace

Region region_of(const Model& model, size_t entity, const std::function<bool(size_t)>& is_stop) {
  return RegionSearch(model, is_stop).find(entity);
}

std::optional<Value> evaluate(const RegionRun& run, const std::string& wanted) {
  Values made;
  std::set<std::string_view> fixed;  // where regions begin: not made anew by those that look through
  for (const size_t input : run.region.inputs)
    for (const std::string& cut : run.model.entities()[input].cuts) fixed.insert(cut);
  const ValueOf value_of = [&](const std::string& name) -> const Value* {
    const auto found = made.find(name);
    return found != made.end() ? &found->second : run.value_of(name);
  };
  for (const size_t place : run.region.nodes) {
    if (!run.model.runner().has_inputs(place, value_of)) continue;
    for (auto& [name, value] : run.model.runner().run(place, value_of, run.held, run.alter).values)
      if (!fixed.contains(name)) made.insert_or_assign(name, std::move(value));
  }
  const auto found = made.find(wanted);
  return found == made.end() ? std::nullopt : std::optional(std::move(found->second));
}

namespace {

double number_between(const Random& random, std::int64_t i, std::uint32_t number) {
  return static_cast<double>(word64(random.draw(i, number), 0) >> 11) * 0x1p-52 - 1;
}

Tensor moved(const Tensor& tensor, std::int64_t roundings, const Random& random, std::uint32_t number) {
  Numbers numbers = *numbers_of(tensor);
  double squares = 0;
  std::int64_t finite = 0;
  for (const double y : numbers.values)
    if (std::isfinite(y)) squares += y * y, ++finite;
  const double rms = finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
  const double u = tensor.dtype() == DType::float64 ? 0x1p-53 : 0x1p-24;
  const double size = 2 * u * std::sqrt(static_cast<double>(roundings));
  for (std::int64_t i = 0; i < std::ssize(numbers.values); ++i)
    if (double& y = numbers.values[static_cast<size_t>(i)]; std::isfinite(y))
      y += size * std::max(std::abs(y), rms) * number_between(random, i, number);
  return tensor_of(numbers, tensor.type());
}

}  // namespace

Spread spread_of(const RegionRun& run, const std::string& wanted, const Numbers& right, int runs) {
  Spread spread{std::vector<double>(right.values.size()), runs};
  for (int k = 0; k < runs; ++k) {
    const Random random(static_cast<std::uint64_t>(k));
    std::uint32_t drawn = 0;
    RegionRun noisy = run;
    noisy.alter = [&](const Step& step, std::vector<Value>& values) {
      for (size_t output = 0; output < values.size() && output < step.node->outputs.size(); ++output) {
        const Tensor* tensor = values[output].tensor();
        if (tensor == nullptr || step.node->outputs[output].empty() || step.call.subgraphs() != nullptr) continue;
        const std::int64_t roundings = roundings_of(step, output, *tensor);
        if (roundings > 0) values[output] = moved(*tensor, roundings, random, drawn++);
      }
    };
    const std::optional<Value> value = evaluate(noisy, wanted);
    const auto numbers = value ? run.model.real(wanted, *value) : std::nullopt;
    if (!numbers || numbers->values.size() != right.values.size()) continue;
    for (size_t i = 0; i < right.values.size(); ++i) {
      const double d = numbers->values[i] - right.values[i];
      if (std::isfinite(d)) spread.squares[i] += d * d;
    }
  }
  return spread;
}

}  // namespace opref::models
