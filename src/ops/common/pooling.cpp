// SPDX-License-Identifier: Apache-2.0
#include "ops/common/pooling.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "exact/rows.h"
#include "exact/storage.h"

namespace opref::ops {
namespace {

constexpr std::string_view kReject = "reject", kPadsWin = "pads_win", kAutoPadWins = "auto_pad_wins";

__extension__ using Wide = unsigned __int128;

bool is_same(AutoPad mode) { return mode == AutoPad::same_upper || mode == AutoPad::same_lower; }

bool ceil_mode(const Call& call) { return call.has("ceil_mode") && call.integer("ceil_mode") == 1; }

// "This attribute cannot be used simultaneously with auto_pad attribute."
AutoPad mode_in_force(const Call& call, std::string_view reading, Pads& pads) {
  const AutoPad mode = auto_pad(call);
  if (mode == AutoPad::notset || !call.stated("pads")) return mode;
  const std::string_view chosen = reading.empty() ? kReject : call.reading(reading);
  require(chosen != kReject || (mode == AutoPad::valid && is_zero(pads)),
          "attribute 'pads' is {}, but cannot be used with auto_pad {}{}", pads, call.string("auto_pad"),
          reading.empty()
              ? ""
              : format(": leave one out, or choose the reading {}={} or {}", reading, kPadsWin, kAutoPadWins));
  if (chosen == kPadsWin) return AutoPad::notset;
  pads.begin = pads.end = Dims::filled(pads.begin.size(), 0);
  return mode;
}

// "In case the padding is an odd number, the extra padding is added at the end for SAME_UPPER and at the beginning for
// SAME_LOWER." A stride beyond the kernel can make the text's total negative: then there is no padding.
Pads same_pads(const PoolingWindows& w, AutoPad mode, const PoolingReadings& readings) {
  const Dims kernel = readings.same_ignores_dilations ? w.k : w.span();
  Pads pads = w.pads;
  for (size_t axis = 0; axis < w.L.size(); ++axis) {
    const std::int64_t L = w.L[axis], s = w.s[axis];
    const std::int64_t O = readings.same_size_is_input ? L : ceil_divide(L, s);
    const std::int64_t before_last = checked_multiply(O - 1, s);
    const std::int64_t total = std::max<std::int64_t>(0, checked_add(before_last - L, kernel[axis]));
    pads.begin[axis] = mode == AutoPad::same_upper ? total / 2 : total - total / 2;
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

Reading pads_with_auto_pad_reading(std::string_view name, std::int64_t first) {
  return {name,
          {"reject: both together are invalid", "pads_win: auto_pad is ignored", "auto_pad_wins: pads is ignored"},
          {{first, kReject}},
          "the text allows no pads beside an automatic mode; onnxruntime takes them beside SAME_* and ignores them"};
}

PoolingWindows pooling_windows(const Call& call, const PoolingReadings& readings) {
  const Dims L = spatial(call.type("X").shape);
  return windows_over(call, L, per_axis(call, "kernel_shape", L.size(), 1), readings);
}

PoolingWindows windows_over(const Call& call, const Dims& L, const Dims& kernel, const PoolingReadings& readings) {
  PoolingWindows w{L,
                   kernel,
                   per_axis(call, "strides", L.size(), 1),
                   per_axis(call, "dilations", L.size(), 1),
                   explicit_pads(call, L.size()),
                   L};
  const AutoPad mode = mode_in_force(call, readings.pads_with_auto_pad, w.pads);
  const bool ceil = ceil_mode(call) && !is_same(mode) && !(mode == AutoPad::valid && readings.valid_ignores_ceil_mode);
  const Dims span = w.span();
  if (is_same(mode)) w.pads = same_pads(w, mode, readings);
  const Dims before_end = L + w.pads.begin, padded = before_end + w.pads.end;
  for (size_t axis = 0; axis < L.size(); ++axis) {
    const std::int64_t s = w.s[axis], room = checked_subtract(padded[axis], span[axis]);
    std::int64_t& O = w.O[axis];
    O = (ceil ? ceil_divide(room, s) : floor_divide(room, s)) + 1;
    if (ceil && readings.drops_ceil_window && checked_multiply(O - 1, s) >= before_end[axis]) --O;
    if (O <= 0) refuse_size(O, axis, span[axis], padded[axis], (ceil ? room + (s - 1) : room) / s + 1);
  }
  return w;
}

std::vector<Note> window_notes(const Call& call, const PoolingWindows& w) {
  return in_force(call, {{"strides", to_text(w.s)},
                         {"dilations", to_text(w.d)},
                         {"kernel_shape", to_text(w.k)},
                         {"pads", to_text(w.pads)}});
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

bool indices_lie_in_windows(const Tensor& indices, const Dims& space, const Dims& k, const Dims& s,
                            const Dims& pad_begin) {
  const Dims &x = indices.shape(), first = join(Dims{0, 0}, pad_begin);
  const Dims step = join(Dims{1, 1}, s), width = join(Dims{1, 1}, k);
  const auto in_window = [&](std::int64_t index, const Dims& i) {
    for (size_t axis = x.size(); axis-- > 0; index /= space[axis]) {
      const std::int64_t begin = i[axis] * step[axis] - first[axis], o = index % space[axis];
      if (o < begin || o - width[axis] >= begin) return false;
    }
    return true;
  };
  const std::int64_t size = element_count(space);
  Dims i = Dims::filled(x.size(), 0);  // the element's coordinates
  for (const std::int64_t index : indices.values<std::int64_t>()) {
    if (index < 0 || index >= size || !in_window(index, i)) return false;
    for (size_t axis = x.size(); axis-- > 0 && ++i[axis] == x[axis];) i[axis] = 0;
  }
  return true;
}

bool has_nan(const Call& call, std::string_view input) {
  if (!call.has_value(input)) return false;
  const Tensor& x = call.input(input);
  return with_storage(x.dtype(), [&]<class S>(S) {
    if constexpr (std::is_floating_point_v<S>)
      return with_element<S>(
          x.dtype(), [&]<class T>(T) { return row_has_nan(x.values<T>().data(), static_cast<size_t>(x.count())); });
    return false;
  });
}

}  // namespace opref::ops
