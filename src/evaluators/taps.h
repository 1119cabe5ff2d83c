// SPDX-License-Identifier: Apache-2.0
// Which elements of X and W an output position of a window operator meets: geometry per axis, combined per position.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/index.h"
#include "evaluators/neighbours.h"
#include "exact/term_sink.h"
#include "schema/output.h"

namespace opref::evaluators {

/// One tap of an output position: row-major positions in a plane of X and in a filter plane of W.
struct Tap {
  std::int64_t x, w;
};

/// One spatial axis. Tap k in [0, kernel) of output coordinate o in [0, computed) reads the input coordinate
///   i = (o*output_step + k*kernel_step + offset) / divisor
/// if that is a whole number in [0, input), else nothing. Output coordinates in [computed, output) read nothing.
struct TapAxis {
  std::int64_t input, kernel, output;  ///< sizes
  std::int64_t output_step, kernel_step, offset, divisor;
  std::int64_t computed;
};
using TapAxes = std::vector<TapAxis>;

/// Pooling and convolution: i = o*stride + k*dilation - pad_begin. All lists have one entry per spatial axis.
TapAxes window_axes(const Dims& input, const Dims& kernel, const Dims& output, const Dims& strides,
                    const Dims& dilations, const Dims& pads_begin);

/// Transposed convolution: i*stride + k*dilation - pad_begin = o.
TapAxes transposed_axes(const Dims& input, const Dims& kernel, const Dims& output, const Dims& strides,
                        const Dims& dilations, const Dims& pads_begin);

/// The same sizes where nothing is read: for an X without channels.
TapAxes without_taps(TapAxes axes);

/// The taps of one output position, in row-major order of the kernel.
class TapList {
 public:
  const Tap* begin() const { return many_.empty() ? few_.data() : many_.data(); }
  const Tap* end() const { return begin() + size_; }
  size_t size() const { return static_cast<size_t>(size_); }

 private:
  friend class Taps;
  static constexpr std::int64_t kFew = 64;  // on the stack
  TapList() = default;
  std::array<Tap, kFew> few_;
  std::vector<Tap> many_;
  std::int64_t size_ = 0;
};

/// The taps of each output position: for (const Tap& tap : taps.of(o)) …
class Taps {
 public:
  /// An axis whose coordinates leave 64 bits is `invalid`. Costs as much as a few thousand coordinates have taps.
  /// A sink is told which taps a position lacks.
  explicit Taps(const TapAxes& axes, TermSink* sink = nullptr);
  Taps(const TapAxes& axes, const Output& out) : Taps(axes, out.sink()) {}
  /// Of the output position that is the o-th in row-major order.
  TapList of(std::int64_t o) const;
  /// Over `planes` of X: elements (plane, o) of Y whose taps of X and W are the same, so many places of X further.
  /// Inner windows are one box, and those at edges are a few; of other geometries (transposed_axes) the phases are
  /// boxes, and nothing is known of long axes. Planes of X are x_plane elements apart, unless their size says so.
  Neighbours neighbours(std::int64_t planes, std::optional<std::int64_t> x_plane = {}) const;

 private:
  /// Of one axis's taps: where the first one is in X and W, and how many there are.
  struct Line {
    std::int64_t x, w, count;
  };
  /// Taps of one coordinate lie x_step elements of X and w_step elements of W apart.
  struct Axis {
    TapAxis sizes;
    std::int64_t x_stride, w_stride, period, x_step, w_step;
    std::vector<Line> lines;  ///< of each output coordinate, where they are few

    Line line(std::int64_t o) const;
    std::int64_t alike(std::int64_t o) const;
    /// Coordinates first, first + step, … of Y, whose taps are `x` elements of X apart.
    struct Stretch {
      std::int64_t first, size, step, x;
    };
    std::vector<Stretch> windows() const;
    std::vector<Stretch> phases() const;
  };
  void tell_missing(size_t axis, std::int64_t o) const;

  std::vector<Axis> axes_;
  TermSink* sink_;
};

}  // namespace opref::evaluators
