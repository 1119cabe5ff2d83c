// SPDX-License-Identifier: Apache-2.0
// What infer prints of sizes that are symbols.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/json/json.h"
#include "run/survey.h"
#include "symbols/declared.h"
#include "symbols/open_inputs.h"
#include "symbols/survey.h"

namespace opref::cli {

/// What was found of a graph whose inputs have symbols.
struct SymbolicTypes {
  std::vector<symbols::NamedSymbol> symbols;
  symbols::SymbolicSurvey survey;

  std::vector<std::string> names() const;
};

/// How the types of a graph's tensors are shown: as they are, or with expressions for sizes.
class ShownTypes {
 public:
  ShownTypes() = default;
  explicit ShownTypes(const SymbolicTypes& symbolic) : symbolic_(&symbolic) {}
  std::string text(const std::string& name, const ValueType& type) const;
  Json json(const std::string& name, const ValueType& type) const;

 private:
  const symbols::SymbolicTensor* tensor(const std::string& name) const;
  const SymbolicTypes* symbolic_ = nullptr;
};

/// The nodes at the first of these sizes. What is resolved otherwise at others is "by size", so are notes, which keep
/// the first one's text, and what a reading stands for.
std::vector<SurveyedNode> merged(std::vector<std::vector<SurveyedNode>> at_sizes);

/// The symbols, the rules, what no rule explains, and the basis: the end of infer's text.
std::string symbols_text(const SymbolicTypes& types, const Graph& graph);
/// Adds "symbols", "rules", "open" and "basis".
void add_symbols(Json& document, const SymbolicTypes& types, const Graph& graph);
/// "limit of 500 sizes": why the sizes that were tried may be too few; empty where they are not.
std::string limit_text(const SymbolicTypes& types);
/// What a model is to declare: `environment` knows it at some sizes.
symbols::DeclaredTypes declared_types(const SymbolicTypes& types, const Graph& graph, const Environment& environment);

/// Of "N=1..64,H=32": the sizes of each symbol; all others may have any. Faults: `usage`.
std::vector<symbols::Bounds> parse_bounds(const std::string& text, std::span<const std::string> names);

}  // namespace opref::cli
