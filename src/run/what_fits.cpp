// SPDX-License-Identifier: Apache-2.0
#include "run/what_fits.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ops/operators.h"
#include "run/node_subgraphs.h"
#include "run/remedies.h"
#include "schema/remedies.h"
#include "system/machine_error.h"

namespace opref::run {
namespace {

/// A refused node, and what its operator says of the node with a change.
class Refused {
 public:
  Refused(const Version& version, const Node& node, std::span<const Input> inputs, const ReadingChoices& readings)
      : version_(version), node_(node), inputs_(inputs), readings_(readings) {}

  WayOut way_out() const {
    if (fits_without_values()) return {};
    for (const auto try_kind : {&Refused::swapped, &Refused::repeated_number, &Refused::size_of_input,
                                &Refused::list_along_axis, &Refused::transposed, &Refused::converted})
      if (WayOut found = (this->*try_kind)(); !(found.remedy == kNoRemedy)) return found;
    return {};
  }

 private:
  using Inputs = std::vector<Input>;

  /// For what the operator refuses the node; nothing where it accepts it.
  std::optional<Fault> refusal(const Node& node, Inputs inputs) const {
    try {
      version_.op.output_types(resolve(version_, node, std::move(inputs), readings_));
      return std::nullopt;
    } catch (const Error& error) {
      pass_on(error);
      return error.fault();
    }
  }
  bool accepts(Inputs inputs) const { return !refusal(node_, std::move(inputs)); }
  /// Whether the operator accepts the inputs, and its first output has this shape then.
  bool gives(Inputs inputs, const Dims& shape) const {
    if (!accepts(inputs)) return false;
    const ValueType type = version_.op.output_types(resolve(version_, node_, std::move(inputs), readings_)).at(0);
    return type.form == Form::tensor && type.has_shape && type.tensor.shape == shape;
  }

  Inputs all() const { return {inputs_.begin(), inputs_.end()}; }

  /// With another shape of one input, whose values nobody has then.
  Inputs with_shape(size_t i, Dims shape) const {
    Inputs others = all();
    others[i].type.tensor.shape = std::move(shape);
    others[i].value = {};
    return others;
  }

  /// Whether the types and shapes alone are accepted, as far as no value is asked for: then a value is at fault.
  bool fits_without_values() const {
    Inputs types = all();
    for (Input& input : types) input.value = {};
    return refusal(node_, std::move(types)).value_or(Fault::usage) == Fault::usage;
  }

  bool is_one_tensor(size_t i) const {
    return !inputs_[i].name.empty() && !is_variadic(version_.schema.inputs()[i].arity);
  }
  const Dims* shape(size_t i) const {
    const ValueType& type = inputs_[i].type;
    return is_one_tensor(i) && type.form == Form::tensor && type.has_shape ? &type.tensor.shape : nullptr;
  }
  std::string_view formal(size_t i) const { return version_.schema.inputs()[i].name; }

  WayOut swapped() const {
    for (size_t i = 0; i < inputs_.size(); ++i)
      for (size_t j = i + 1; j < inputs_.size(); ++j) {
        if (!is_one_tensor(i) || !is_one_tensor(j)) continue;
        Inputs others = all();  // values and types change places, names stay
        std::swap(others[i], others[j]);
        std::swap(others[i].name, others[j].name);
        if (accepts(std::move(others))) return {kSwapInputs, format("{} and {}", formal(i), formal(j))};
      }
    return {};
  }

  /// "3" of kernel_shape as "3,3": for each axis, or for both ends of each; of all attributes that are one number.
  WayOut repeated_number() const {
    std::vector<const Attribute*> single;
    for (const Attribute& stated : node_.attributes) {
      const auto* const untyped = std::get_if<Untyped>(&stated.value);
      const AttributeSchema* known = version_.schema.find_attribute(stated.name);
      if (untyped != nullptr && untyped->items.size() == 1 && known != nullptr && known->type == AttributeType::INTS)
        single.push_back(&stated);
    }
    constexpr size_t kMostSingle = 4;
    if (single.empty() || single.size() > kMostSingle) return {};
    for (const size_t axes : {2, 3})
      for (size_t both_ends = 0; both_ends < size_t{1} << single.size(); ++both_ends) {
        Node node = node_;
        std::vector<std::string> lists;
        for (size_t k = 0; k < single.size(); ++k) {
          const size_t count = both_ends >> k & 1 ? 2 * axes : axes;
          const std::vector<UntypedItem> items(count, std::get<Untyped>(single[k]->value).items.front());
          std::ranges::find(node.attributes, single[k]->name, &Attribute::name)->value = Untyped{items, true};
          lists.push_back(format("{}={}", single[k]->name, join_some(items, ",", count, [](const UntypedItem& item) {
                                   return printable(item.text);
                                 })));
        }
        if (!refusal(node, all())) return {kGiveAttributes, join_text(lists, "\n")};
      }
    return {};
  }

  bool takes(std::string_view attribute, std::int64_t value) const {
    Node node = node_;
    std::erase_if(node.attributes, [&](const Attribute& stated) { return stated.name == attribute; });
    node.attributes.push_back({std::string(attribute), AttributeValue::of(value)});
    return !refusal(node, all());
  }

  /// Where no other number near it is accepted: of an axis there are others.
  WayOut size_of_input() const {
    std::set<std::int64_t> sizes;
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (const Dims* dims = shape(i)) sizes.insert(dims->begin(), dims->end());
    std::vector<std::string> found;
    for (const AttributeSchema& known : version_.schema.attributes()) {
      if (known.type != AttributeType::INT) continue;
      for (const std::int64_t size : sizes)
        if (size > 1 && takes(known.name, size) && !takes(known.name, size - 1) && !takes(known.name, size + 1))
          found.push_back(format("{}={}", known.name, size));
    }
    return found.size() == 1 ? WayOut(kGiveAttributes, found.front()) : WayOut();
  }

  /// [3] as [3,1,1]: what is as large as the largest input then.
  WayOut list_along_axis() const {
    const Dims* largest = nullptr;
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (const Dims* dims = shape(i); dims != nullptr && (largest == nullptr || dims->size() > largest->size()))
        largest = dims;
    std::vector<std::string> found;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Dims* dims = shape(i);
      if (dims == nullptr || dims->size() != 1) continue;
      Dims longer = *dims;
      while (longer.size() < largest->size()) {
        longer.push_back(1);
        if (gives(with_shape(i, longer), *largest)) found.push_back(format("{} as {}", formal(i), longer));
      }
    }
    return found.size() == 1 ? WayOut(kOtherShape, found.front()) : WayOut();
  }

  /// Of an operator that has no attribute for it.
  WayOut transposed() const {
    if (!version_.schema.attributes().empty()) return {};
    std::vector<std::string> found;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Dims* dims = shape(i);
      if (dims != nullptr && dims->size() == 2 && accepts(with_shape(i, {(*dims)[1], (*dims)[0]})))
        found.push_back(format("{} transposed", formal(i)));
    }
    return found.empty() ? WayOut() : WayOut(kOtherShape, join_text(found, " or "));
  }

  /// One input with numbers of another type: reals before integers.
  WayOut converted() const {
    constexpr DType kOthers[] = {DType::float32, DType::float16, DType::float64, DType::int64, DType::int32};
    for (const DType other : kOthers)
      for (size_t i = 0; i < inputs_.size(); ++i) {
        const DType dtype = inputs_[i].type.dtype();
        const bool is_number = info(dtype).kind == Kind::floating || is_integer(dtype);
        if (shape(i) == nullptr || !is_number || (other == DType::int32 && !is_integer(dtype))) continue;
        Inputs changed = with_shape(i, *shape(i));
        changed[i].type.tensor.dtype = other;
        if (accepts(std::move(changed))) return {kConvertFile, to_text(other)};
      }
    return {};
  }

  const Version& version_;
  const Node& node_;
  const std::span<const Input> inputs_;
  const ReadingChoices& readings_;
};

}  // namespace

WayOut what_fits(const Version& version, const Node& node, std::span<const Input> inputs,
                 const ReadingChoices& readings) {
  const bool is_function = find_operator(version.op.domain(), version.op.op_type()) != &version.op;
  if (is_function || has_subgraph(node) || inputs.size() > version.schema.inputs().size()) return {};
  return Refused(version, node, inputs, readings).way_out();
}

}  // namespace opref::run
