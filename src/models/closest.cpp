// SPDX-License-Identifier: Apache-2.0
#include "models/closest.h"

#include <algorithm>

#include "explain/mistakes.h"
#include "system/deadline.h"
#include "system/machine_error.h"

namespace opref::models {
namespace {

constexpr size_t kMostNodes = 16;
constexpr std::int64_t kMostElements = std::int64_t{1} << 21;

class ClosestSearch {
 public:
  ClosestSearch(const Model& reference, const Meeting& meeting) : reference_(reference), meeting_(meeting) {
    for (const size_t place : meeting.reference_region.nodes) {
      if (!reference.runner().has_inputs(place, value_of(made_))) continue;
      for (auto& [name, value] : reference.runner().run(place, value_of(made_), meeting.held).values)
        made_.insert_or_assign(name, std::move(value));
    }
    least_ = figures_of(*meeting.x, *meeting.y).error_squares / 64;
  }

  std::string find() {
    for (const size_t place : meeting_.reference_region.nodes)
      if (!reference_.nodes()[place].is_looked_through) try_node(place);
    return closest_;
  }

 private:
  ValueOf value_of(const Values& made) const {
    return [this, &made](const std::string& name) {
      const auto found = made.find(name);
      return found != made.end() ? &found->second : meeting_.reference_value(name);
    };
  }

  void try_node(size_t place) {
    if (!reference_.runner().has_inputs(place, value_of(made_))) return;
    const Call call = reference_.runner().call(place, value_of(made_));
    const std::vector<ValueType> types = call.op().output_types(call);
    const auto accepts = [&](const Call& other) { return other.op().output_types(other) == types; };
    for (const Changed& changed : misunderstandings(call, accepts)) {
      try {
        try_call(place, changed, types);
      } catch (const Error& error) {  // what is refused is not what the model does
        pass_on(error);
        require_time();
      }
    }
  }

  void try_call(size_t place, const Changed& changed, const std::vector<ValueType>& types) {
    Values made = made_;
    const std::vector<std::string>& outputs = reference_.nodes()[place].node->outputs;
    std::vector<Value> values = changed.call.op().kernel(changed.call, std::span<const ValueType>(types));
    for (size_t k = 0; k < std::min(values.size(), outputs.size()); ++k) {
      if (outputs[k].empty()) continue;
      const Tensor* tensor = values[k].tensor();
      made.insert_or_assign(outputs[k],
                            tensor != nullptr && changed.result ? Value(changed.result(*tensor)) : values[k]);
    }
    for (const size_t later : meeting_.reference_region.nodes) {
      if (later <= place || !reference_.runner().has_inputs(later, value_of(made))) continue;
      for (auto& [name, value] : reference_.runner().run(later, value_of(made), meeting_.held).values)
        made.insert_or_assign(name, std::move(value));
    }
    weigh(place, changed, made);
  }

  void weigh(size_t place, const Changed& changed, const Values& made) {
    const std::string& wanted = reference_.entities()[meeting_.pair.reference].cuts.front();
    const auto found = made.find(wanted);
    if (found == made.end()) return;
    const auto numbers = reference_.real(wanted, found->second);
    if (!numbers || numbers->values.size() != meeting_.x->values.size()) return;
    const Figures figures = figures_of(*meeting_.x, *numbers);
    if (figures.nonfinite > 0 || !(figures.error_squares < least_)) return;
    least_ = figures.error_squares;
    closest_ = format("{}: {}", reference_.nodes()[place].title(), changed.name);
  }

  const Model& reference_;
  const Meeting& meeting_;
  Values made_;
  double least_ = 0;
  std::string closest_;
};

}  // namespace

std::string closest_mistake(const Model& reference, const Meeting& meeting) {
  const Region& region = meeting.reference_region;
  if (region.nodes.size() > kMostNodes || std::ssize(meeting.y->values) > kMostElements) return "";
  return ClosestSearch(reference, meeting).find();
}

}  // namespace opref::models
