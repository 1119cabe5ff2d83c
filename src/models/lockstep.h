// SPDX-License-Identifier: Apache-2.0
// Two models side by side: each region of one is evaluated on the other's values.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/pairing.h"
#include "models/region.h"

namespace opref::models {

/// A pair whose values are both known: the other model's region is evaluated on the reference's values.
struct Meeting {
  Pair pair;
  const Value &value, &expected;       ///< the region's, and the reference's
  const std::optional<Numbers>&x, &y;  ///< of both, in the reference's order; nothing where they are no numbers
  /// The reference's region on the same values, as the other model stores them; null: the same as y.
  const Numbers* base;
  const Region &fresh_region, &reference_region;
  ValueOf fresh_value, reference_value;  ///< of what the regions read
  std::int64_t held;                     ///< bytes of values that live
};

struct LockstepOptions {
  bool with_base = false;             ///< the reference's regions are evaluated on rounded values too
  bool as_stored = false;             ///< what the other model quantises and dequantises its nodes read so
  const ValueIndex* index = nullptr;  ///< finds candidates for what is in no pair; null: they are not looked for
  bool sketches = false;              ///< of what is in no pair
  std::set<size_t> only = {};         ///< pairs of these entities alone are met; empty: all
  std::function<void()> after_node = {};
};

/// What a run found of entities that are in no pair.
struct StepFindings {
  Candidates candidates;
  std::map<size_t, Sketch> sketches;
};

class Lockstep {
 public:
  /// `max_bytes`: of values of both models together; the reference's stay from one run to the next where they take at
  /// most a quarter of it, and at most 256 MiB.
  Lockstep(Pairing& pairing, std::int64_t max_bytes);
  ~Lockstep();
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  /// Calls `meet` for each pair, in the order in which the other model's nodes give them; what a pair's layout is
  /// becomes known there. Faults: those of run_graph.
  StepFindings run(const LockstepOptions& options, const std::function<void(const Meeting&)>& meet);
  /// Of the reference, after a run, where its values stay; else null.
  ValueOf kept_reference() const;

 private:
  class Side;
  class Run;
  Pairing& pairing_;
  bool keeps_reference_;
  std::unique_ptr<Side> reference_;
};

}  // namespace opref::models
