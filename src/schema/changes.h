// SPDX-License-Identifier: Apache-2.0
// What changed from one version of an operator to the next, told from its schemas and readings.
#pragma once

#include <string>
#include <vector>

#include "schema/operator.h"

namespace opref::schema {

struct Change {
  enum class Kind : std::uint8_t {
    rule,     ///< an attribute, input, output or default, or what the page says
    reading,  ///< a choice, or its default
    type,     ///< allowed element types
    wording,  ///< only what the page says
  } kind;
  std::string text;
};
std::string_view name(Change::Kind kind);

struct VersionChanges {
  std::int64_t since_version;
  std::vector<Change> changes;  ///< from the version before
};

/// Of every version but the first, ascending.
std::vector<VersionChanges> changes_of(const Operator& op);

}  // namespace opref::schema
