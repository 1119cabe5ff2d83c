// Which elements of X and W an output position reads: geometry per axis, expanded to offsets once for all channels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/index.h"

namespace opref::ops {

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

/// The taps of all output positions in row-major order, block by block, so that memory stays small and a block serves
/// all channels and batches. Taps are in row-major order of the kernel.
///   TapBlocks blocks(axes);
///   for (blocks.rewind(); blocks.next();)
///     for (std::int64_t i = 0; i < blocks.size(); ++i) … blocks.taps(i) … output position blocks.first() + i
class TapBlocks {
 public:
  /// A block ends with the position that brings it to `most_taps` taps or as many positions. An axis whose coordinates
  /// leave 64 bits is `invalid`.
  explicit TapBlocks(TapAxes axes, std::int64_t most_taps = std::int64_t{1} << 13);

  /// Before the first block; if all positions fit into one block, it is kept.
  void rewind();
  /// Before the block that begins with position `first`; the positions end before `last`.
  void seek(std::int64_t first, std::int64_t last);
  /// The next block, or false after the last one.
  bool next();

  /// Of all output coordinates.
  std::int64_t positions() const { return positions_; }
  std::int64_t first() const { return first_; }
  std::int64_t size() const { return static_cast<std::int64_t>(ends_.size()); }
  std::span<const Tap> taps(std::int64_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[static_cast<size_t>(i - 1)];
    return {taps_.data() + begin, ends_[static_cast<size_t>(i)] - begin};
  }

 private:
  bool holds_all() const { return begin_ == first_ && first_ + size() == end_ && size() > 0; }
  void expand(size_t axis, std::vector<Tap>& to) const;
  void advance();

  TapAxes axes_;
  std::int64_t most_taps_, positions_;
  std::int64_t begin_ = 0, end_;  ///< of the positions to visit
  bool rewound_ = true;
  Dims at_;                                ///< coordinates of the next output position
  size_t changed_ = 0;                     ///< the first axis whose coordinate differs from the position before
  std::vector<std::vector<Tap>> partial_;  ///< [axis]: axes 0 … axis combined, of all axes but the last
  std::int64_t first_ = 0, next_ = 0;
  std::vector<Tap> taps_;     ///< of all positions of the block
  std::vector<size_t> ends_;  ///< where each position's end
};

}  // namespace opref::ops
