// SPDX-License-Identifier: Apache-2.0
// The members of a JSON text by their keys, without reading the text as a document.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "core/rooms.h"

namespace opref::io {

struct JsonMember {
  size_t depth;           ///< how many objects and lists it is in: 1 in the outermost object
  std::string_view key;   ///< as it is written, without the quotes
  std::string_view rest;  ///< the text from the member's value on
};

/// Calls `found` for each member of an object, in the order of the text, until it returns false. Nothing is checked and
/// nothing kept, which makes it many times as fast as parse_json; a text that is no JSON has members or none.
void each_member(std::string_view text, const std::function<bool(const JsonMember&)>& found);

}  // namespace opref::io
