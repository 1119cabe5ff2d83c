#include "ops/common/taps.h"

#include <algorithm>

namespace opref::ops {
namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t positive) { return a / positive - (a % positive < 0 ? 1 : 0); }

/// The largest numerator of the formula of TapAxis that reads an element.
std::int64_t last_numerator(const TapAxis& axis) { return checked_multiply(axis.input - 1, axis.divisor); }

void check_range(const TapAxis& axis) {
  if (axis.input == 0 || axis.computed == 0) return;
  const std::int64_t last = last_numerator(axis);
  const std::int64_t last_base = checked_add(checked_multiply(axis.computed - 1, axis.output_step), axis.offset);
  for (const std::int64_t base : {axis.offset, last_base}) {
    checked_subtract(last, base);
    checked_subtract(base, last);
  }
}

/// Calls f(i, k) for each tap k, ascending, that reads an element i.
template <class F>
void for_each_tap(const TapAxis& axis, std::int64_t o, const F& f) {
  if (o >= axis.computed || axis.input == 0) return;
  const std::int64_t base = o * axis.output_step + axis.offset;
  const std::int64_t step = axis.kernel_step, most = last_numerator(axis);
  // The numerator is in [0, most] for these k.
  const std::int64_t from = step > 0 ? -floor_divide(base, step) : -floor_divide(most - base, -step);
  const std::int64_t to = step > 0 ? floor_divide(most - base, step) : floor_divide(base, -step);
  for (std::int64_t k = std::max<std::int64_t>(from, 0); k <= std::min(to, axis.kernel - 1); ++k) {
    const std::int64_t numerator = base + k * step;
    if (axis.divisor == 1)
      f(numerator, k);
    else if (numerator % axis.divisor == 0)
      f(numerator / axis.divisor, k);
  }
}

Dims output_shape(const TapAxes& axes) {
  Dims shape;
  for (const TapAxis& axis : axes) shape.push_back(axis.output);
  return shape;
}

}  // namespace

TapAxes window_axes(const Dims& input, const Dims& kernel, const Dims& output, const Dims& strides,
                    const Dims& dilations, const Dims& pads_begin) {
  TapAxes axes;
  for (size_t d = 0; d < input.size(); ++d)
    axes.push_back(
        {input[d], kernel[d], output[d], strides[d], dilations[d], checked_subtract(0, pads_begin[d]), 1, output[d]});
  return axes;
}

TapAxes transposed_axes(const Dims& input, const Dims& kernel, const Dims& output, const Dims& strides,
                        const Dims& dilations, const Dims& pads_begin) {
  TapAxes axes;
  for (size_t d = 0; d < input.size(); ++d)
    axes.push_back(
        {input[d], kernel[d], output[d], 1, checked_subtract(0, dilations[d]), pads_begin[d], strides[d], output[d]});
  return axes;
}

TapAxes without_taps(TapAxes axes) {
  for (TapAxis& axis : axes) axis.computed = 0;
  return axes;
}

TapBlocks::TapBlocks(TapAxes axes, std::int64_t most_taps)
    : axes_(std::move(axes)),
      most_taps_(most_taps),
      positions_(element_count(output_shape(axes_))),
      end_(positions_),
      at_(Dims::filled(axes_.size(), 0)),
      partial_(axes_.size() - 1) {
  for (const TapAxis& axis : axes_) check_range(axis);
}

void TapBlocks::rewind() { rewound_ = true; }

void TapBlocks::seek(std::int64_t first, std::int64_t last) {
  begin_ = first, end_ = last;
  ends_.clear();
  rewound_ = true;
}

/// Appends the taps of axes 0 … axis at `at_`, given those of the axes before it.
void TapBlocks::expand(size_t axis, std::vector<Tap>& to) const {
  static const std::vector<Tap> origin{{0, 0}};
  const TapAxis& here = axes_[axis];
  for (const Tap& outer : axis == 0 ? origin : partial_[axis - 1])
    for_each_tap(here, at_[axis], [&](std::int64_t i, std::int64_t k) {
      to.push_back({outer.x * here.input + i, outer.w * here.kernel + k});
    });
}

/// To the next output position, in row-major order.
void TapBlocks::advance() {
  changed_ = axes_.size() - 1;
  while (++at_[changed_] == axes_[changed_].output && changed_ > 0) at_[changed_--] = 0;
  ++next_;
}

bool TapBlocks::next() {
  if (rewound_) {
    rewound_ = false;
    if (holds_all()) return true;
    next_ = begin_;
    changed_ = 0;
    if (next_ < end_) at_ = begin_ == 0 ? Dims::filled(axes_.size(), 0) : coordinates(begin_, output_shape(axes_));
  }
  if (next_ >= end_) return false;
  first_ = next_;
  taps_.clear();
  ends_.clear();
  do {
    for (size_t axis = changed_; axis + 1 < axes_.size(); ++axis) {
      partial_[axis].clear();
      expand(axis, partial_[axis]);
    }
    expand(axes_.size() - 1, taps_);
    ends_.push_back(taps_.size());
    advance();
  } while (next_ < end_ && static_cast<std::int64_t>(taps_.size()) < most_taps_ && size() < most_taps_);
  return true;
}

}  // namespace opref::ops
