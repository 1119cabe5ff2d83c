// SPDX-License-Identifier: Apache-2.0
// "where" of a recipe: which combinations are dropped.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/json/tree.h"

namespace opref::golden {

/// A value as text that is alike for equal values: 2, 2.0 and 20e-1; objects whatever the order of their members.
std::string comparable_text(const JsonValue& value);

/// The rules of a recipe, and which values their paths had in the combinations that were asked about.
class Where {
 public:
  /// The rules must outlive it. Faults: `malformed` (no list of objects of lists, an entry without paths or a path
  /// without values: it would drop nothing).
  explicit Where(const JsonValue& recipe);

  size_t entries() const { return entries_.size(); }
  std::vector<std::string_view> paths(size_t entry) const;

  /// Whether every path of the entry, else of any, has one of its values; what is absent is null.
  bool drops(const JsonValue& combination, std::optional<size_t> entry = {});

  /// After all combinations: a `malformed` error that offers what there is, where a path or value is in none of them.
  void require_all_seen(const JsonValue& recipe) const;

 private:
  struct Path {
    std::string name, now;             ///< `now`: its value in the combination that is asked about
    bool found = false;                ///< in one of them
    std::set<std::string> seen;        ///< comparable texts of its values
    std::vector<std::string> written;  ///< the same values as they stand in the recipe, in its order
  };
  struct Value {
    JsonValue stated;
    std::string text;
  };
  struct Condition {
    size_t path;
    std::vector<Value> values;
  };

  void require_seen(const Path& path, const Value& value) const;

  std::vector<Path> paths_;
  std::vector<std::vector<Condition>> entries_;
};

}  // namespace opref::golden
