// SPDX-License-Identifier: Apache-2.0
#include "schema/as_input.h"

#include <algorithm>

#include "core/text.h"

namespace opref::schema {

std::string as_input(const Attribute& stated, std::string_view name) {
  constexpr std::string_view kLists[] = {"K",     "axes",  "shape",  "pads", "repeats",
                                         "sizes", "split", "starts", "ends", "steps"};
  const auto* const untyped = std::get_if<Untyped>(&stated.value);
  if (untyped == nullptr || untyped->items.empty()) return format("{}=FILE", printable(name));
  const bool is_list = untyped->is_list || untyped->items.size() > 1 || std::ranges::count(kLists, name) > 0;
  const std::string items =
      join_some(untyped->items, ",", 16, [](const UntypedItem& item) { return printable(item.text); });
  return format(is_list ? "{}=[{}]" : "{}={}", printable(name), items);
}

}  // namespace opref::schema
