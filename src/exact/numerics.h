// SPDX-License-Identifier: Apache-2.0
// How an evaluation's numbers are worked out, and how often which way was taken.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "exact/slack.h"

namespace opref::exact {

/// How many output elements each tier decided. Integer elements, which need no tiers, count as exact.
struct Stats {
  std::atomic<std::int64_t> estimated = 0, exact = 0;
  std::atomic<std::int64_t> quick = 0;  ///< of the estimated ones, those of real formulas by the quick tier
};

class TermSink;

/// Tests leave the quick tier out, or ask it alone: what it does not decide is kLeft then.
enum class QuickUse { first, none, alone };
constexpr std::uint32_t kLeft = 0x7fabcdef;  ///< the bits of a NaN that no formula gives, in float32

/// Nothing here can change an element that is asked for; but with a sink there is none.
struct Numerics {
  bool exact_only = false;  ///< every element by the exact tier
  QuickUse quick = QuickUse::first;
  Stats* stats = nullptr;    ///< where counts are added; may be null
  TermSink* sink = nullptr;  ///< not null: takes the terms (see term_sink.h), and the outputs are zeros
  int threads = 1;           ///< at most so many work on one node
  /// Only the element at this flat position of the outputs is asked for: evaluators compute no other.
  std::optional<std::int64_t> only = {};
  Slack slack = {};  ///< of the estimates' error bounds; less is for tests
};

/// Results are right only where the processor rounds to nearest and keeps subnormal numbers; a shared library that was
/// built with fast-math can change both. A `system` error if it does not. For the program's start.
void require_ieee_environment();

}  // namespace opref::exact
