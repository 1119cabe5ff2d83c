// SPDX-License-Identifier: Apache-2.0
// Python's pickle as data. Nothing of it is executed: what would be calls stays a name and its arguments.
// https://github.com/python/cpython/blob/main/Lib/pickletools.py
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/rooms.h"

namespace opref::io {

/// A value of a pickle. Other values are meant by their places in Pickle::values.
struct PickleValue {
  enum class Kind : std::uint8_t {
    none,
    boolean,
    integer,
    real,  ///< its value is not kept
    text,
    tuple,      ///< `items`
    list,       ///< `items`
    dict,       ///< `items`: a key, its value, …
    global,     ///< "module.name" in `text`
    call,       ///< of items[0] with the tuple items[1]
    persistent  ///< items[0] names what is stored elsewhere
  };
  Kind kind = Kind::none;
  std::int64_t number = 0;
  std::string text = {};
  std::vector<std::size_t> items = {};
};

struct Pickle {
  std::deque<PickleValue> values;
  std::size_t result = 0;

  const PickleValue& at(std::size_t place) const { return values[place]; }
};

/// Protocols 2 to 5, as far as dicts, lists, tuples, numbers, texts, names, calls and persistent ids go. `may_name`
/// says which names of modules a pickle may have: another one is an `unsupported` error. What takes more memory than so
/// many times the bytes is none of these. Faults: `malformed`, `unsupported`, with the place in bytes.
Pickle read_pickle(std::span<const std::byte> bytes, bool (*may_name)(std::string_view name));

}  // namespace opref::io
