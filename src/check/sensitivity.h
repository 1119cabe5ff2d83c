// SPDX-License-Identifier: Apache-2.0
// How far right backends may be apart on a model: the spread of runs in which each node's result is moved at random by
// what kernels lose.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check/non_finite.h"
#include "run/evaluate.h"

namespace opref::check {

struct SensitivityOptions {
  int runs = 4;  ///< with noise
  std::uint64_t seed = 0;
  std::function<void()> after_node = [] {};
};

/// A node that makes differences larger.
struct Amplifier {
  size_t place = 0;  ///< in the graph
  std::string node;  ///< its name, or its first output's
  std::string op_type;
  /// The relative difference that noise before the node makes of its outputs, over that of its inputs: rms over rms,
  /// of several inputs or outputs the root of the sum of their squares.
  double factor = 0;
};

/// What noise does to an output of the graph.
struct OutputSpread {
  std::string name;
  ValueType type;
  bool is_numeric = false;              ///< a tensor of floats or integers; only then are the next four known
  double rms = 0;                       ///< of its finite elements without noise
  double spread = 0;                    ///< rms of the differences that noise makes, over all runs
  double greatest = 0;                  ///< of their magnitudes
  Dims at;                              ///< where the greatest is
  std::int64_t count = 0, changed = 0;  ///< elements; those whose bits some run changes
  std::int64_t lost = 0;                ///< elements that some run makes Inf or NaN, or a number of one
  bool changes_type = false;            ///< some run gives another shape, or another length of a sequence
  std::vector<Amplifier> amplifiers;    ///< the three that amplify most, of the nodes that it needs; factor > 1

  /// Of the rms; infinite where that is 0, but the spread is not.
  double relative() const;
  /// Where nothing can be said of a backend by this output.
  bool amplifies() const { return relative() > kLargest; }
  static constexpr double kLargest = 0.03;
  /// So many times the spread right backends may be apart.
  static constexpr double kTimes = 4;
};

struct Sensitivity {
  std::vector<OutputSpread> outputs;
  std::optional<NonFinite> non_finite;  ///< without noise
};

/// Evaluates the graph once exactly, and some times with noise (see rounding_noise.h), also in the graphs inside its
/// nodes. The same on every machine and with any number of threads. All runs together keep within options.max_bytes.
/// Faults: those of run_graph, also of values that noise leads to.
Sensitivity sensitivity_of(const Graph& graph, const Environment& given, const EvaluationOptions& options,
                           const SensitivityOptions& how = {});

/// The rms of the differences of all elements that are finite in both; nothing where these are no tensors of numbers
/// of one type.
std::optional<double> rms_difference(const Value& a, const Value& b);

}  // namespace opref::check
