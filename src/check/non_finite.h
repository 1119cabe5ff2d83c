// SPDX-License-Identifier: Apache-2.0
// Where the first Inf or NaN of a model comes from.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "run/evaluate.h"

namespace opref::check {

/// A node that makes Inf or NaN of numbers.
struct NonFinite {
  struct Read {
    std::string name;
    double greatest = 0;  ///< magnitude of its elements
  };
  size_t place = 0;  ///< of the node in the graph
  std::string node;  ///< its name, or its operator's
  std::string op_type, output;
  Dims index;        ///< of its first element that is no number
  double value = 0;  ///< Inf, -Inf or NaN
  DType dtype = DType::float32;
  std::vector<Read> inputs;  ///< those of numbers
};

/// Looks for the first node that gives Inf or NaN although none of its inputs has one. What only moves or fills in an
/// Inf, as a Constant does, is none.
class NonFiniteSearch {
 public:
  /// Both live longer.
  NonFiniteSearch(const Graph& graph, const EvaluationOptions& options) : graph_(graph), options_(options) {}
  /// In the graph's order, each node once `values` has its inputs and outputs.
  void look_at(size_t place, const Environment& values);
  const std::optional<NonFinite>& first() const { return first_; }

 private:
  bool has_some(const std::string& name, const Environment& values);

  const Graph& graph_;
  const EvaluationOptions& options_;
  std::map<std::string, bool, std::less<>> known_;
  std::optional<NonFinite> first_;
};

/// "n2 (Exp) gives h[0,3] = Inf of float16, the first, although its inputs have none: x up to 12.5"
std::string to_text(const NonFinite& found);

}  // namespace opref::check
