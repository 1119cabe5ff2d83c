// SPDX-License-Identifier: Apache-2.0
// What a graph says of its names: found at once, however many there are.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

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

 private:
  const Graph& graph_;
  std::map<std::string_view, const ValueInfo*> declared_;
  mutable std::optional<std::set<std::string, std::less<>>> read_;
};

/// Sizes by symbols ("N").
using Symbols = std::map<std::string, std::int64_t, std::less<>>;

/// What the types that are known of a graph's inputs say of the symbols that it declares them with. Of two sizes for a
/// symbol none is meant.
Symbols bound_symbols(const Graph& graph, const Environment& environment);

/// The shape of a tensor that is declared with sizes, or symbols that are bound; nothing where one is open.
std::optional<Dims> declared_shape(const ValueInfo& info, const Symbols& symbols);

}  // namespace opref::run
