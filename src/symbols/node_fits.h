// SPDX-License-Identifier: Apache-2.0
// The sizes of a graph's tensors as expressions, found node by node at the sizes that were tried.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "symbols/fit.h"
#include "symbols/trial.h"

namespace opref::symbols {

/// A tensor's sizes as expressions.
struct SymbolicTensor {
  std::optional<Sizes> sizes = {};  ///< nothing where the rank is not known
  std::string why = {};             ///< it is not: a sentence
  /// Of each size: it holds only where sizes are equal that a node takes too where one of them is 1.
  std::vector<bool> if_equal = {};
};

/// A size that values decide.
struct DecidedSize {
  std::string name;
  size_t node;
  std::string output;
  size_t axis;
  std::int64_t least, most;  ///< in what was tried
};

using Expressions = std::vector<Expression>;
using TrialList = std::vector<const Trial*>;

/// Each once, in the order in which they come.
inline void add_once(Expressions& list, const Expression& e) {
  if (std::ranges::find(list, e) == list.end()) list.push_back(e);
}

/// A node, which some sizes get past and others do not.
struct Refusal {
  std::ptrdiff_t node;
  TrialList passed, refused;
  std::vector<std::optional<Sizes>> read;  ///< the sizes of what it reads
  std::vector<Sizes> numbers;              ///< what it reads of numbers
};

/// What was found at the trials so far.
struct Fitted {
  std::map<std::string, SymbolicTensor, std::less<>> tensors;
  std::vector<DecidedSize> decided;
  std::vector<OpenOffset> open_offsets;
  std::vector<Refusal> refusals;
};

/// Fits the sizes of all tensors, node by node, each at all trials that come so far: `alive`, of which `fewest` say
/// something.
Fitted fit_nodes(const Trials& model, std::span<const std::string> names, TrialList alive, size_t fewest);

}  // namespace opref::symbols
