// SPDX-License-Identifier: Apache-2.0
#include "symbols/free_sizes.h"

#include <algorithm>
#include <set>

#include "core/text.h"

namespace opref::symbols {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Names a size: "?", "-1" and "3" do not.
bool is_name(std::string_view declared) {
  const std::string_view digits = declared.substr(declared.starts_with('-') ? 1 : 0);
  return !declared.empty() && declared != "?" && !std::ranges::all_of(digits, is_digit);
}

std::string as_identifier(std::string_view text) {
  std::string identifier;
  for (const char c : text)
    if ((c & 0xc0) != 0x80)
      identifier += is_letter(c) || is_digit(c) ? c : '_';  // one "_" for all bytes of a character
  return is_digit(identifier.front()) ? "_" + identifier : identifier;
}

/// Places of the same name together.
std::vector<FreeSize> places_by_name(const Graph& graph) {
  std::vector<FreeSize> sizes;
  for (const ValueInfo& input : graph.inputs)
    for (size_t axis = 0; input.dims && input.form == Form::tensor && axis < input.dims->size(); ++axis) {
      const DeclaredDim& dim = (*input.dims)[axis];
      if (dim.size) continue;
      const std::string declared = is_name(dim.symbol) ? dim.symbol : "";
      const auto former = declared.empty() ? sizes.end() : std::ranges::find(sizes, declared, &FreeSize::declared);
      if (former == sizes.end())
        sizes.push_back({"", declared, {{input.name, axis}}});
      else
        former->places.push_back({input.name, axis});
    }
  return sizes;
}

}  // namespace

std::vector<FreeSize> free_sizes(const Graph& graph) {
  std::vector<FreeSize> sizes = places_by_name(graph);
  std::set<std::string> taken;
  for (FreeSize& size : sizes)
    if (is_identifier(size.declared) && !is_reserved(size.declared)) {
      size.symbol = size.declared;
      taken.insert(size.symbol);
    }
  for (FreeSize& size : sizes) {
    if (!size.symbol.empty()) continue;
    const FreeSize::Place& place = size.places.front();
    const std::string own =
        as_identifier(size.declared.empty() ? format("{}_{}", place.input, place.axis) : size.declared);
    size.symbol = own;
    for (int number = 2; is_reserved(size.symbol) || !taken.insert(size.symbol).second; ++number)
      size.symbol = format("{}_{}", own, number);
  }
  return sizes;
}

}  // namespace opref::symbols
