// SPDX-License-Identifier: Apache-2.0
#include "ops/common/windows.h"

#include <algorithm>

#include "core/error.h"

namespace opref::ops {
namespace {

__extension__ using Wide = unsigned __int128;

bool is_same(AutoPad mode) { return mode == AutoPad::same_upper || mode == AutoPad::same_lower; }

// "In case the padding is an odd number, the extra padding is added at the end for SAME_UPPER and at the beginning for
// SAME_LOWER." A stride beyond the kernel can make the text's total negative: then there is no padding.
Pads same_pads(const PoolingWindows& w, const WindowRules& rules) {
  const Dims kernel = rules.same_ignores_dilations ? w.k : w.span();
  Pads pads = w.pads;
  for (size_t axis = 0; axis < w.L.size(); ++axis) {
    const std::int64_t L = w.L[axis], s = w.s[axis];
    const std::int64_t O = rules.same_size_is_input ? L : ceil_divide(L, s);
    const std::int64_t before_last = checked_multiply(O - 1, s);
    const std::int64_t total = std::max<std::int64_t>(0, checked_add(before_last - L, kernel[axis]));
    pads.begin[axis] = rules.mode == AutoPad::same_upper ? total / 2 : total - total / 2;
    pads.end[axis] = total - pads.begin[axis];
  }
  return pads;
}

/// Σ floor((a·i + b)/m) for i in [0, count), modulo 2^128; a, b >= 0, m > 0.
Wide floor_sum(Wide count, Wide a, Wide b, Wide m) {
  Wide sum = 0;
  while (true) {
    sum += count * (count - 1) / 2 * (a / m) + count * (b / m);
    a %= m, b %= m;
    const Wide end = a * count + b;
    if (end < m) return sum;
    count = end / m, b = end % m;
    std::swap(a, m);
  }
}

/// Whether (a·i + b) mod m >= least for an i in [0, count); 0 < least <= m.
bool some_rest_is_least(std::int64_t count, std::int64_t a, std::int64_t b, std::int64_t m, std::int64_t least) {
  const Wide n = static_cast<Wide>(count), A = static_cast<Wide>(a), B = static_cast<Wide>(b), M = static_cast<Wide>(m);
  return floor_sum(n, A, B + M - static_cast<Wide>(least), M) != floor_sum(n, A, B, M);
}

[[noreturn]] void refuse_size(std::int64_t O, size_t axis, std::int64_t span, std::int64_t padded,
                              std::int64_t truncated) {
  fail(Fault::invalid,
       "spatial axis {} of the output would have size {}, but must be > 0: a window spans {}, the padded input {}{}",
       axis, O, span, padded, truncated > 0 ? format("; tools whose division truncates give {}", truncated) : "");
}

}  // namespace

PoolingWindows placed(PoolingWindows w, const WindowRules& rules) {
  const bool ceil = rules.ceil && (!is_same(rules.mode) || rules.same_rounds_up);
  const Dims span = w.span();
  if (is_same(rules.mode)) w.pads = same_pads(w, rules);
  const Dims before_end = w.L + w.pads.begin, padded = before_end + w.pads.end;
  for (size_t axis = 0; axis < w.L.size(); ++axis) {
    const std::int64_t s = w.s[axis], room = checked_subtract(padded[axis], span[axis]);
    std::int64_t& O = w.O[axis];
    O = (ceil ? ceil_divide(room, s) : floor_divide(room, s)) + 1;
    if (ceil && rules.drops_ceil_window && checked_multiply(O - 1, s) >= before_end[axis]) --O;
    if (O <= 0) refuse_size(O, axis, span[axis], padded[axis], (ceil ? room + (s - 1) : room) / s + 1);
  }
  return w;
}

// Taps of a window begin at -pb or behind; tap k lies before L + pe iff o*s + k*d < pb + L + pe.
std::int64_t taps_inside_pads(const PoolingWindows& w, std::int64_t o) {
  std::int64_t taps = 1;
  for (size_t axis = w.L.size(); axis-- > 0; o /= w.O[axis]) {
    const std::int64_t room = w.pads.begin[axis] + w.L[axis] + w.pads.end[axis] - o % w.O[axis] * w.s[axis];
    taps = checked_multiply(taps, std::clamp<std::int64_t>(ceil_divide(room, w.d[axis]), 0, w.k[axis]));
  }
  return taps;
}

bool has_partial_window(const PoolingWindows& w) {
  const Dims end = (w.O - 1) * w.s + w.span() - w.pads.begin;
  const auto positive = [](std::int64_t pad) { return pad > 0; };
  return std::ranges::any_of(w.pads.begin, positive) || !std::ranges::equal(end, w.L, std::less_equal{});
}

// Windows begin at -pb, s - pb, … Of those that begin before X, at x, the first tap that is not before X is x mod d.
bool has_empty_window(const PoolingWindows& w) {
  for (size_t axis = 0; axis < w.L.size(); ++axis) {
    const std::int64_t L = w.L[axis], s = w.s[axis], d = w.d[axis], first = -w.pads.begin[axis];
    if (first + w.span()[axis] <= 0 || first + (w.O[axis] - 1) * s >= L) return true;
    const std::int64_t before = std::min(w.O[axis], ceil_divide(-first, s));
    if (L < d && some_rest_is_least(before, s, first - floor_divide(first, d) * d, d, L)) return true;
  }
  return false;
}

}  // namespace opref::ops
