// SPDX-License-Identifier: Apache-2.0
// Maps in JSON: an object of the keys, integers as strings of their decimal digits; a sequence of maps is a list of
// such objects. Elements are written as in a case's "data".
#pragma once

#include <string_view>

#include "core/value_type.h"
#include "io/json/tree.h"

namespace opref::io {

/// "map(string,float)", "seq(map(int64,float))"; another type is `malformed`.
ValueType read_map_type(const JsonValue& text);
/// Of a type of maps. Faults: `malformed`, with the place.
Value read_maps(const JsonValue& maps, const ValueType& type);
/// {"map": {"a": 4}, "type": "map(string,int64)"}: in a case and, alone, in a file.
Value read_map_member(const JsonValue& value);
Value read_map_document(std::string_view text);
/// Whether the text is such a document, rather than a case or something else.
bool is_map_document(std::string_view text);
/// The same as the user writes it: its faults are `usage`.
Value parse_maps(std::string_view text, const ValueType& type);

/// One map's object.
Json map_json(const Map& map);
/// What read_map_member reads: bits come back as they were.
Json map_member_json(const Value& maps);

}  // namespace opref::io
