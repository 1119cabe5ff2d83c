// SPDX-License-Identifier: Apache-2.0
// What can be said of each node of a graph whose inputs have sizes that are symbols.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "symbols/node_fits.h"
#include "symbols/rules.h"
#include "symbols/sizes.h"
#include "symbols/trial.h"
#include "symbols/tried.h"

namespace opref::symbols {

struct SurveyOptions {
  std::vector<Bounds> bounds;  ///< of each symbol
  std::uint64_t seed = 1;
  int threads = 1;          ///< no number of them changes a byte
  size_t most_tried = 500;  ///< beside those that confirm
  size_t most_confirmed = 1000;
  std::optional<double> seconds = {};
};

/// How it was found out.
struct Basis {
  bool is_all = false;  ///< every assignment inside the bounds was tried
  size_t tried = 0, refused = 0, used = 0, confirmed = 0, taken_back = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> range = {};  ///< of each symbol, in what works
};

struct SymbolicSurvey {
  std::map<std::string, SymbolicTensor, std::less<>> tensors;  ///< inputs, and what nodes give
  std::vector<DecidedSize> decided;                            ///< behind the symbols, in the order of their places
  std::vector<Rule> rules;                                     ///< as they are said
  std::vector<Condition> conditions;                           ///< that they consist of: all hold where no node refuses
  std::vector<Rule> open;  ///< refusals that no rule explains: node, message and example
  Basis basis;
  Limit limit = Limit::none;
  std::vector<Assignment> examples;  ///< up to four that work, the first a small one
};

/// Tries sizes of the symbols, and finds for the sizes of each tensor the expressions that hold at all of them; then
/// conditions that explain which sizes nodes refuse. Faults: where no sizes work, that of the node that came furthest,
/// or `system` where the time is over before; those of load_inputs.
SymbolicSurvey survey(Trials& trials, std::span<const std::string> names, const SurveyOptions& options);

}  // namespace opref::symbols
