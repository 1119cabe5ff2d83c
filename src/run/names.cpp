// SPDX-License-Identifier: Apache-2.0
#include "run/names.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/hints.h"
#include "run/argument.h"
#include "run/remedies.h"

namespace opref::run {

void KnownNames::add(std::string name, std::vector<std::string> tensors, std::string list, bool ambiguous) {
  if (!name.empty() && place_of_.try_emplace(name, names_.size()).second)
    names_.push_back({std::move(name), std::move(tensors), std::move(list), ambiguous});
}

const KnownName* KnownNames::find(std::string_view name) const {
  const auto found = place_of_.find(std::string(name));
  return found == place_of_.end() ? nullptr : &names_[found->second];
}

std::string KnownNames::by_name(std::string_view argument) const {
  if (!argument.starts_with('@') || longest(argument) != nullptr) return std::string(argument);
  size_t place = 0;
  const char* const last = argument.data() + argument.size();
  const auto [end, error] = std::from_chars(argument.data() + 1, last, place);
  if (error != std::errc{} || end == last || (*end != '=' && *end != ':')) return std::string(argument);
  const bool has_list = places_ > 0 && names_[places_ - 1].is_list();
  if (place == 0 || (place > places_ && !has_list)) {
    std::vector<std::string_view> names;
    for (size_t i = 0; i < places_; ++i) names.push_back(names_[i].name);
    const std::string_view noun = which_ == Names::inputs ? "input" : "output";
    fail(Fault::usage, names.empty() ? WayOut() : WayOut(kKnownNames, printable_names(names)), "no {} has the place {}",
         noun, place);
  }
  return names_[std::min(place, places_) - 1].name + std::string(end, last);
}

const KnownName* KnownNames::longest(std::string_view argument) const {
  const KnownName* found = nullptr;
  for (const KnownName& candidate : names_) {
    if (!argument.starts_with(candidate.name) || argument.size() == candidate.name.size()) continue;
    const std::string_view rest = argument.substr(candidate.name.size());
    const bool typed = rest[0] == ':' && parse_type(rest.substr(1, rest.find('=') - 1)).has_value();
    if ((rest[0] == '=' || typed) && (found == nullptr || candidate.name.size() > found->name.size()))
      found = &candidate;
  }
  return found;
}

const KnownName& KnownNames::of_argument(std::string_view argument) const {
  if (const KnownName* known = longest(argument)) return *known;
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos)
    fail(Fault::usage, "'{}' is neither an option nor NAME=FILE", printable(argument));
  const std::string_view name = argument.substr(0, equals);
  // A known name with an unknown type, rather than an unknown name.
  const size_t colon = name.find(':');
  if (colon != std::string_view::npos && find(name.substr(0, colon)) != nullptr)
    fail(Fault::usage, "'{}' is not a type such as float32 or float32[1,3]", printable(name.substr(colon + 1)));
  unknown(name);
}

namespace {

/// ", did you mean 'Scale'?" of "gamma": what papers and frameworks call an input, else the nearest name.
std::string input_meant(std::string_view name, std::span<const std::string_view> candidates) {
  if (const std::string near = did_you_mean(name, candidates); !near.empty()) return near;
  for (const Hint& known : hints("input"))
    if (known.written == name && std::ranges::count(candidates, known.meant) > 0)
      return format(", did you mean '{}'?", known.meant);
  return "";
}

}  // namespace

void KnownNames::unknown(std::string_view name) const {
  const std::string_view problem = has_read_inside_           ? "is neither an input here nor read by a subgraph"
                                   : which_ == Names::inputs  ? "is not an input here"
                                   : which_ == Names::outputs ? "is not an output here"
                                                              : "is not a tensor here";
  std::vector<std::string_view> candidates, shown, weights;
  for (size_t i = 0; i < names_.size(); ++i) {
    const KnownName& known = names_[i];
    if (known.ambiguous) continue;
    candidates.push_back(known.name);
    const bool has_own_value = which_ == Names::inputs && !has_read_inside_ && places_ > 0 && i >= places_;
    if (!known.inner) (has_own_value ? weights : shown).push_back(known.name);
  }
  const auto list = std::ranges::find_if(names_, &KnownName::is_list);
  const std::string others = weights.empty() ? "" : format("; with values of its own: {}", printable_names(weights));
  const std::string repeated = which_ != Names::inputs || list == names_.end()
                                   ? ""
                                   : format("; repeat {}=FILE for each of its tensors", list->name);
  fail(Fault::usage, "'{}' {} ({}{}{}){}", printable(name), problem,
       shown.empty() ? "there is none" : printable_names(shown), others, repeated,
       weights.empty() ? input_meant(name, candidates) : did_you_mean(name, candidates));
}

const std::string& tensor_of(const KnownName& known) {
  if (known.tensors.size() != 1)
    fail(Fault::usage, "'{}' stands for {} here ({}): name one of them", printable(known.name),
         counted(static_cast<long long>(known.tensors.size()), "tensor"), printable_names(known.tensors));
  const std::string& tensor = known.tensors.front();
  if (known.ambiguous)
    fail(
        Fault::usage,
        "'{}' has two meanings: the operator's name of '{}', and another tensor of the graph, which is not one of this "
        "node: write {}=FILE for the first",
        printable(known.name), printable(tensor), printable(tensor));
  return tensor;
}

std::vector<KnownName> by_parameters(std::span<const FormalParameter> formal, std::span<const std::string> actual) {
  std::vector<KnownName> names;
  for (size_t i = 0; i < std::min(formal.size(), actual.size()); ++i) {
    const std::string name(formal[i].name);
    if (is_variadic(formal[i].arity))
      names.push_back({name, {actual.begin() + static_cast<std::ptrdiff_t>(i), actual.end()}, name});
    else if (!actual[i].empty())
      names.push_back({name, {actual[i]}});
  }
  return names;
}

TensorSource parse_source(const KnownName& known, std::string_view argument) {
  return at_place([&] { return format("in the argument '{}'", printable(argument)); },
                  [&] {
                    if (!known.is_list()) tensor_of(known);
                    const std::string_view rest = argument.substr(known.name.size());
                    if (rest[0] == '=') return parse_value(rest.substr(1));
                    const size_t sign = rest.find('=');
                    if (sign == std::string_view::npos) fail(Fault::usage, "'=FILE' is missing");
                    const StatedType type = parse_type(rest.substr(1, sign - 1)).value();
                    TensorSource source = parse_value(rest.substr(sign + 1));
                    if (!source.has_values()) fail(Fault::usage, "the type is stated twice");
                    if (is_of_maps(source.form)) fail(Fault::usage, "the type is stated twice");
                    if (source.dtype && source.dtype != type.dtype)
                      fail(Fault::usage, "the type is stated as {} and as {}", type.dtype, *source.dtype);
                    source.dtype = type.dtype;
                    source.shape = type.shape;
                    source.form = type.form;
                    source.key = type.key;
                    return source;
                  });
}

}  // namespace opref::run
