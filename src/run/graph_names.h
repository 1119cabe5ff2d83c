// SPDX-License-Identifier: Apache-2.0
// What a graph says of its names: found at once, however many there are.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "run/evaluate.h"
#include "schema/node.h"

namespace opref::run {

/// Of a graph that stays as it is.
class GraphNames {
 public:
  explicit GraphNames(const Graph& graph);
  /// As schema::declaration.
  const ValueInfo* declaration(std::string_view tensor) const;
  /// Whether a node of the graph reads it, or a subgraph of one.
  bool is_read(std::string_view tensor) const;
  bool is_output(std::string_view tensor) const;

 private:
  const Graph& graph_;
  std::map<std::string_view, const ValueInfo*> declared_;
  std::set<std::string_view> outputs_;
  mutable std::optional<std::unordered_set<std::string_view>> read_;
};

/// Which values of a graph nobody reads any more once a node is evaluated: of those that its nodes give, without its
/// `results`.
class LastReaders {
 public:
  LastReaders(const Graph& graph, std::span<const ValueInfo> results);
  /// Once the node at this place is evaluated.
  std::span<const std::string> done_after(size_t node) const { return done_[node]; }

 private:
  std::vector<std::vector<std::string>> done_;
};

/// Sizes by symbols ("N").
using Symbols = std::map<std::string, std::int64_t, std::less<>>;

/// What the types that are known of a graph's inputs say of the symbols that it declares them with. Of two sizes for a
/// symbol none is meant.
Symbols bound_symbols(const Graph& graph, const Environment& environment);

/// The shape of a tensor that is declared with sizes, or symbols that are bound; nothing where one is open.
std::optional<Dims> declared_shape(const ValueInfo& info, const Symbols& symbols);

/// States the type; sizes that are declared already stay.
void declare(ValueInfo& info, const ValueType& type);

}  // namespace opref::run
