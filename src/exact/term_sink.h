// SPDX-License-Identifier: Apache-2.0
// Where the terms of output elements can go instead of becoming the output's values: the accumulators of `--bound`, the
// known mistakes and `explain` see every formula through this interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/rooms.h"

namespace opref::exact {

class Faithful;
class Interval;
struct Integers;
struct Ratio;

/// Between these all results of a formula lie, ends included.
struct ResultRange {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
};

/// Where an element was read: of the tensor whose bytes begin here, at this flat position.
struct Place {
  const std::byte* tensor;
  std::int64_t at;
};

/// Takes the terms of one element after another, in the order in which the definition adds them. A kernel that has no
/// terms (data movement) calls nothing.
class TermSink {
 public:
  TermSink() = default;
  TermSink(const TermSink&) = delete;
  TermSink& operator=(const TermSink&) = delete;
  virtual ~TermSink() = default;

  /// Before all elements: they are p-norms of their terms, which are the x themselves; else they are sums.
  virtual void norms(double /*p*/) {}
  /// The terms up to `end` belong to the element at flat position `index` of the output. Integers are rounded to
  /// double.
  virtual void begin(std::int64_t /*index*/) {}
  virtual void add(double) {}
  virtual void add(double, double) {}  ///< the product
  /// After the terms, where the element is the sum, or the norm's sum under the root, times this.
  virtual void scale(const Ratio&) {}
  virtual void end() {}
  /// Before all elements: the sums become integers by this rule.
  virtual void rounds(const Integers&) {}
  /// Instead of elements: they are computed, but are neither sums nor norms.
  virtual void other() {}
  /// Instead of elements: what computes them rounds nothing, or rounds a given number once. All right kernels give the
  /// same bits.
  virtual void exact() { other(); }

  /// Whether the terms of the element at flat position `index` are asked for.
  virtual bool asks_for_terms(std::int64_t /*index*/) const { return true; }

  // What bounds of real formulas are made of.
  /// Whether elements that are neither sums nor norms are told as what kernels may compute, by Faithful::kernel.
  virtual bool asks_for_bounds() { return false; }
  /// Whether that of the element at flat position `index` of the output is asked for.
  virtual bool asks_for_bound(std::int64_t /*index*/) const { return false; }
  /// A kernel's results lie in `range`.
  virtual void bound(std::int64_t /*index*/, const Faithful& /*y*/, const ResultRange& /*range*/) {}
  /// Before all: the elements are of a recurrence, each made of those before it; whether the node's first output has
  /// all states.
  virtual void recurs(bool /*lists_states*/) {}
  /// What a kernel has made of this element of an output of the node, where the sink knows it: the steps after it go on
  /// with that.
  virtual std::optional<Faithful> known(std::size_t /*output*/, std::int64_t /*index*/) const;

  // What `explain` tells beside the terms.
  /// Where the factors of the next term lie, in order; of a real function, its operands.
  virtual void reads(const Place&) {}
  /// The element is that one, unless a later call says another; an update that was written over is told too.
  virtual void moves(const Place&) {}
  /// The element says where that one lies.
  virtual void names(const Place&) {}
  /// The element comes from nowhere: it is the fill.
  virtual void fills() {}
  /// An element that may be chosen.
  virtual void considers(const Place&) {}
  /// A number that the formula names, and the result itself where `name` is empty. Told again in higher precision.
  virtual void real(std::string_view /*name*/, const Interval&) {}
  /// The element is what was read, taken by this rule of conversion.
  virtual void converts(const std::string& /*rule*/) {}
  /// Why something that one would expect has no part in it; a sentence.
  virtual void leaves_out(const std::string& /*sentence*/) {}
};

}  // namespace opref::exact
