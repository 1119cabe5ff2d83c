// SPDX-License-Identifier: Apache-2.0
#include "evaluators/taps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/index.h"

namespace opref::evaluators {
namespace {

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

/// The row-major strides of an array of these sizes; zeros where it would be too large to exist.
std::vector<std::int64_t> strides_of(const TapAxes& axes, std::int64_t TapAxis::*size) {
  std::vector<std::int64_t> strides(axes.size(), 1);
  std::int64_t elements = 1;
  for (size_t a = axes.size(); a-- > 0;) {
    strides[a] = elements;
    if (__builtin_mul_overflow(elements, axes[a].*size, &elements)) return std::vector<std::int64_t>(axes.size(), 0);
  }
  return strides;
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

Taps::Taps(const TapAxes& axes, TermSink* sink) : sink_(sink) {
  constexpr std::int64_t kMostLines = std::int64_t{1} << 12;
  const std::vector<std::int64_t> x = strides_of(axes, &TapAxis::input), w = strides_of(axes, &TapAxis::kernel);
  for (size_t a = 0; a < axes.size(); ++a) {
    check_range(axes[a]);
    const std::int64_t common = std::gcd(axes[a].kernel_step, axes[a].divisor);
    Axis axis{axes[a], x[a], w[a], axes[a].divisor / common, 0, 0, {}};
    const std::int64_t i_step = axes[a].kernel_step / common;
    // Else no coordinate has two taps.
    if (std::abs(i_step) < axes[a].input && axis.period < axes[a].kernel)
      axis.x_step = i_step * x[a], axis.w_step = axis.period * w[a];
    for (std::int64_t o = 0; axes[a].output <= kMostLines && o < axes[a].output; ++o)
      axis.lines.push_back(axis.line(o));
    axes_.push_back(std::move(axis));
  }
}

/// Taps k at which the numerator o*output_step + k*kernel_step + offset is a multiple of the divisor: every so manieth.
Taps::Line Taps::Axis::line(std::int64_t o) const {
  if (o >= sizes.computed || sizes.input == 0) return {0, 0, 0};
  const std::int64_t base = o * sizes.output_step + sizes.offset, step = sizes.kernel_step,
                     most = last_numerator(sizes);
  // The numerator is in [0, most] for these k.
  const std::int64_t from = step > 0 ? -floor_divide(base, step) : -floor_divide(most - base, -step);
  const std::int64_t to = step > 0 ? floor_divide(most - base, step) : floor_divide(base, -step);
  const std::int64_t first = std::max<std::int64_t>(from, 0), last = std::min(to, sizes.kernel - 1);
  for (std::int64_t k = first; k <= last && k - first < period; ++k)
    if (const std::int64_t numerator = base + k * step; numerator % sizes.divisor == 0)
      return {numerator / sizes.divisor * x_stride, k * w_stride, (last - k) / period + 1};
  return {0, 0, 0};
}

void Taps::tell_missing(size_t axis, std::int64_t o) const {
  const TapAxis& sizes = axes_[axis].sizes;
  if (sizes.computed == 0) return;  // no place reads anything: X has no channels
  if (o >= sizes.computed)
    return sink_->leaves_out(
        format("along spatial axis {}, nothing is computed at {}: only below {}", axis, o, sizes.computed));
  const auto tell = [&](std::string_view one, std::string_view several, std::int64_t count, const auto& position) {
    constexpr std::int64_t kMost = 8;
    if (count == 0) return;
    std::vector<std::string> positions;
    for (std::int64_t n = 0; n < std::min(count, kMost); ++n) positions.push_back(std::to_string(position(n)));
    const bool all = count <= kMost;
    if (!all) positions.push_back("…");
    sink_->leaves_out(format("along spatial axis {}, kernel position{} {} ({}of {}) {}", axis, count == 1 ? "" : "s",
                             join_text(positions, ", "), all ? "" : format("{} ", count), sizes.kernel,
                             count == 1 ? one : several));
  };
  // Kernel positions first, first + period, … have a place, in or beside the input; a window may be of any size.
  const std::int64_t period = axes_[axis].period, base = o * sizes.output_step + sizes.offset;
  const auto numerator = [&](std::int64_t k) { return base + k * sizes.kernel_step; };
  std::int64_t first = 0;
  while (first < std::min(period, sizes.kernel) && numerator(first) % sizes.divisor != 0) ++first;
  const std::int64_t placed = first < std::min(period, sizes.kernel) ? (sizes.kernel - 1 - first) / period + 1 : 0;
  tell(format("is skipped by stride {}", sizes.divisor), format("are skipped by stride {}", sizes.divisor),
       sizes.kernel - placed, [&](std::int64_t n) {
         if (placed == 0 || n < first) return n;
         return first + (n - first) / (period - 1) * period + 1 + (n - first) % (period - 1);
       });
  if (placed == 0) return;
  // The n-th of them has the place at + n*step. They cross an end of the input at one n each.
  const std::int64_t at = numerator(first) / sizes.divisor, step = sizes.kernel_step / (sizes.divisor / period);
  const auto crossing = [&](std::int64_t end) {  // how many lie on the side where they begin
    return std::clamp<std::int64_t>(step > 0 ? ceil_divide(end - at, step) : floor_divide(at - end, -step) + 1, 0,
                                    placed);
  };
  const std::int64_t zero = crossing(0), last = crossing(sizes.input);
  const auto from = [&](std::int64_t n) { return [&, n](std::int64_t k) { return first + (n + k) * period; }; };
  tell("lies before the first element", "lie before the first element", step > 0 ? zero : placed - zero,
       from(step > 0 ? 0 : zero));
  tell("lies behind the last element", "lie behind the last element", step > 0 ? placed - last : last,
       from(step > 0 ? last : 0));
}

TapList Taps::of(std::int64_t o) const {
  TapList list;
  std::array<Line, Dims::kCapacity> lines;
  std::int64_t count = 1;
  for (size_t a = axes_.size(); a-- > 0;) {
    const std::int64_t outer = o / axes_[a].sizes.output, at = o - outer * axes_[a].sizes.output;
    if (sink_ != nullptr) tell_missing(a, at);
    lines[a] = axes_[a].lines.empty() ? axes_[a].line(at) : axes_[a].lines[static_cast<size_t>(at)];
    count = checked_multiply(count, lines[a].count);
    o = outer;
  }
  if (count == 0) return list;
  if (count > TapList::kFew) list.many_.resize(static_cast<size_t>(count));
  Tap* taps = list.many_.empty() ? list.few_.data() : list.many_.data();
  taps[0] = {0, 0};
  list.size_ = 1;
  // Axis by axis, the last combination first, so that the list grows in place.
  for (size_t a = 0; a < axes_.size(); ++a) {
    const Line& line = lines[a];
    for (std::int64_t t = list.size_; t-- > 0;) {
      const Tap outer = {taps[t].x + line.x, taps[t].w + line.w};
      for (std::int64_t k = line.count; k-- > 0;)
        taps[t * line.count + k] = {outer.x + k * axes_[a].x_step, outer.w + k * axes_[a].w_step};
    }
    list.size_ *= line.count;
  }
  return list;
}

/// How many coordinates from o on have taps that lie output_step apart.
std::int64_t Taps::Axis::alike(std::int64_t o) const {
  if (line(o).count < sizes.kernel) return 1;
  const std::int64_t last_base = last_numerator(sizes) - (sizes.kernel - 1) * sizes.kernel_step;
  return std::min((last_base - sizes.offset) / sizes.output_step + 1, sizes.computed) - o;
}

std::vector<Taps::Axis::Stretch> Taps::Axis::windows() const {
  std::vector<Stretch> all;
  for (std::int64_t o = 0, size = 0; o < sizes.output; o += size) {
    size = alike(o);
    // Of one alone, the step may be any number.
    all.push_back({o, size, 1, size == 1 ? 0 : sizes.output_step * x_stride});
  }
  return all;
}

/// Coordinates a period apart read inputs that are as far apart at the same taps, as long as these lie in X.
std::vector<Taps::Axis::Stretch> Taps::Axis::phases() const {
  const std::int64_t common = std::gcd(sizes.output_step, sizes.divisor), output = std::ssize(lines),
                     step = std::min(sizes.divisor / common, output), x = sizes.output_step / common * x_stride;
  std::vector<Stretch> all;
  for (std::int64_t phase = 0; phase < std::min(step, output); ++phase)
    for (std::int64_t o = phase; o < output; o += step) {
      const Line& line = lines[static_cast<size_t>(o)];
      const bool goes_on = o > phase && [&] {
        const Line& before = lines[static_cast<size_t>(o - step)];
        return line.count == before.count && line.w == before.w && (line.count == 0 || line.x == before.x + x);
      }();
      if (goes_on)
        ++all.back().size;
      else
        all.push_back({o, 1, step, x});
    }
  return all;
}

Neighbours Taps::neighbours(std::int64_t planes, std::optional<std::int64_t> x_plane) const {
  if (planes == 0) return {};
  constexpr std::int64_t kLeastOfABox = 4;  // elements, on the average
  std::int64_t plane = 1, size_of_x = 1;
  for (const Axis& axis : axes_) {
    plane = checked_multiply(plane, axis.sizes.output);
    size_of_x = checked_multiply(size_of_x, axis.sizes.input);
  }
  std::vector<NeighbourBox> boxes{{0, {{planes, plane, x_plane.value_or(size_of_x)}}}};
  std::int64_t y_stride = plane;
  for (const Axis& axis : axes_) {
    const TapAxis& sizes = axis.sizes;
    const bool are_windows = sizes.divisor == 1 && sizes.kernel_step >= 1;
    if (sizes.input == 0 || sizes.output_step < 0 || (!are_windows && axis.lines.empty())) return {};
    y_stride /= sizes.output;
    std::vector<NeighbourBox> next;
    for (const auto& [first, size, step, x] : are_windows ? axis.windows() : axis.phases()) {
      for (const NeighbourBox& box : boxes) {
        next.push_back({box.first + first * y_stride, box.axes});
        next.back().axes.push_back({size, step * y_stride, x});
      }
      if (std::ssize(next) * kLeastOfABox > planes * plane + kLeastOfABox * 16) return {};
    }
    boxes = std::move(next);
  }
  return Neighbours(std::move(boxes));
}

}  // namespace opref::evaluators
