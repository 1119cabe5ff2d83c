// SPDX-License-Identifier: Apache-2.0
// Named choices where the specification is ambiguous or contradicts its own published data.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/call.h"

namespace opref::schema {

struct Reading {
  std::string_view name;                       ///< "max_unpool.index_space"
  std::vector<std::string_view> alternatives;  ///< all of them, the defaults among them
  /// The default in force from each since_version on, ascending. Versions before the first, and those from an empty
  /// default on, leave no choice: the reading is none of theirs.
  std::vector<std::pair<std::int64_t, std::string_view>> defaults;
  std::string_view reason;     ///< one line: why this default
  std::string_view link = {};  ///< empty: the operator's page
  /// Whether an alternative may give other values where types and placement stay the same; cheap: shapes and
  /// attributes, at most one look at values. Null: never.
  bool (*may_change_values)(const Call&) = nullptr;
  /// For an alternative that decides by the values ("auto"): the alternative that it stands for in this call. Null:
  /// there is none.
  std::string_view (*stands_for)(const Call&) = nullptr;
  /// Of each alternative, in a few words: "NaN is left out of the window".
  std::vector<std::string_view> meanings = {};
};

/// Empty where the version has no such reading.
std::string_view default_of(const Reading& reading, std::int64_t since_version);
std::string_view link_of(const Reading& reading, const Operator& op);

/// "versions 1 to 10", "versions 18 and later": where the reading is a choice.
std::string versions_text(const Reading& reading);

/// The alternative that the one in force stands for in this call; empty where it stands for itself.
std::string_view alternative_here(const Reading& reading, const Call& call);

enum class Effect : std::uint8_t { none, possible, certain };

/// Whether `call`, which its operator accepted, has another result with `alternative`: certainly, where the types
/// differ or the call is refused; possibly, where the placement differs or other values are possible. Evaluates
/// nothing.
Effect effect(const Reading& reading, const Call& call, std::string_view alternative);

}  // namespace opref::schema
