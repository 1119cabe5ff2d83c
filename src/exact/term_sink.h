// Where the terms of output elements can go instead of becoming the output's values: the accumulators of `--bound` and
// of the known mistakes see every formula through this interface.
#pragma once

#include <cstdint>

#include "core/rooms.h"

namespace opref::exact {

/// Takes the terms of one element after another, in the order in which the definition adds them. A kernel that has no
/// terms (data movement) calls nothing.
class TermSink {
 public:
  TermSink() = default;
  TermSink(const TermSink&) = delete;
  TermSink& operator=(const TermSink&) = delete;
  virtual ~TermSink() = default;

  /// Before all elements: they are p-norms of their terms, which are the x themselves; else they are sums.
  virtual void norms(double p) = 0;
  /// The terms up to `end` belong to the element at flat position `index` of the output. Integers are rounded to
  /// double.
  virtual void begin(std::int64_t index) = 0;
  virtual void add(double x) = 0;
  virtual void add(double a, double b) = 0;  ///< the product
  /// After the terms, where the element is the sum, or the norm's sum under the root, times a/b.
  virtual void scale(double a, double b) = 0;
  virtual void end() = 0;
  /// Instead of elements: they are computed, but are neither sums nor norms.
  virtual void other() {}
};

}  // namespace opref::exact
