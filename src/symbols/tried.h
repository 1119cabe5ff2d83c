// SPDX-License-Identifier: Apache-2.0
// The sizes that were tried so far, and which are tried next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "symbols/node_fits.h"
#include "symbols/rules.h"
#include "symbols/sizes.h"
#include "symbols/trial.h"

namespace opref::symbols {

/// Why more was not tried; the sizes that were tried give the answer.
enum class Limit : std::uint8_t { none, tried, time };

/// Kinds of sizes, one of each in turn.
inline constexpr std::array kAllStyles = {Style::small, Style::middle,       Style::blocks, Style::large,
                                          Style::huge,  Style::large_blocks, Style::mixed,  Style::constant};

class Tried {
 public:
  /// `model` has `symbols` symbols, and stays as it is for as long as this lives. At most `budget` sizes are tried.
  Tried(Trials& model, size_t symbols, Sampler sampler, int threads, size_t budget);

  const std::deque<Trial>& trials() const { return trials_; }
  Sampler& sampler() { return sampler_; }
  bool contains(const Assignment& sizes) const { return place_of_.contains(sizes); }
  /// Those that all nodes take, and that are spoken of.
  TrialList whole() const;
  /// Does not speak of a trial any more.
  void leave_out(const Trial& trial) { trials_[place_of_.at(trial.sizes)].is_left_out = true; }

  /// New trials at these sizes, or those that there are; fewer where time ran out.
  TrialList try_all(std::vector<Assignment> all);
  /// Null where time ran out.
  const Trial* try_one(const Assignment& sizes);
  /// Small and large sizes, some of them equal.
  void try_first();
  /// Sizes beside the numbers that stand in the model, or that the evaluation finds to be always the same.
  void try_beside_constants();
  /// Every one of these; the budget is as much larger.
  void try_every(const std::vector<Assignment>& all);
  /// As many new ones by which the rules hold, as far as there are some.
  TrialList try_more(size_t count, std::span<const Style> styles, std::span<const Rule> rules);
  /// New sizes by which all rules hold, beside the `others`; nothing where none are found.
  std::optional<Assignment> sample(Style style, std::span<const Rule> rules, const std::set<Assignment>& others = {});

  /// Whether no more may be tried.
  bool is_over();
  static bool is_out_of_time();
  Limit limit() const { return limit_; }

 private:
  std::set<std::int64_t> folded() const;

  Trials& model_;
  const size_t symbols_;
  Sampler sampler_;
  const int threads_;
  size_t budget_;
  std::deque<Trial> trials_;
  std::map<Assignment, size_t> place_of_;
  Limit limit_ = Limit::none;
};

}  // namespace opref::symbols
