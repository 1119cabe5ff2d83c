// SPDX-License-Identifier: Apache-2.0
// A JSON value on one line, always in the same way.
#pragma once

#include <string>

#include "io/json/json.h"
#include "io/json/tree.h"

namespace opref::golden {

inline std::string one_line(const JsonValue& value) {
  const std::string list = JsonWriter::list().append(value).line();
  return list.substr(1, list.rfind(']') - 1);
}

}  // namespace opref::golden
