// SPDX-License-Identifier: Apache-2.0
#include "ops/common/pooling.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "exact/power_sum.h"
#include "exact/rows.h"
#include "exact/storage.h"
#include "ops/common/mistakes.h"

namespace opref::ops {
namespace {

constexpr std::string_view kReject = "reject", kPadsWin = "pads_win", kAutoPadWins = "auto_pad_wins";

__extension__ using Wide = unsigned __int128;

bool is_same(AutoPad mode) { return mode == AutoPad::same_upper || mode == AutoPad::same_lower; }

bool ceil_mode(const Call& call) { return call.has_here("ceil_mode") && call.integer("ceil_mode") == 1; }

/// The operator's reading "OPERATOR" + suffix; empty where it has none.
std::string_view name_of_reading(const Call& call, std::string_view suffix) {
  for (const Reading& reading : call.op().readings())
    if (reading.name.ends_with(suffix)) return reading.name;
  return {};
}
bool reads_here(const Call& call, std::string_view suffix, std::string_view alternative) {
  const std::string_view name = name_of_reading(call, suffix);
  return !name.empty() && call.reads(name, alternative);
}

// "This attribute cannot be used simultaneously with auto_pad attribute."
AutoPad mode_in_force(const Call& call, Pads& pads) {
  const AutoPad mode = call.has_here("auto_pad") ? auto_pad(call) : AutoPad::notset;
  if (mode == AutoPad::notset || !call.stated("pads")) return mode;
  const std::string_view reading = name_of_reading(call, ".pads_with_auto_pad");
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

Reading ceil_drop_reading(std::string_view name, std::int64_t first) {
  return {name,
          {"keep: a last window that starts in the end padding counts", "drop: it does not"},
          {{first, "keep"}, {22, "drop"}},
          "the text and ONNX's inference of 22 drop a last ceil window that starts in the end padding, earlier ones "
          "keep it"};
}

Reading same_size_reading(std::string_view name) {
  return {name,
          {"ceil: the output has ceil(L/strides) elements", "input: it has X's size, L"},
          {{1, "ceil"}, {11, ""}},
          "inference and the text from 11 on give ceil(L/strides); earlier texts want X's size"};
}

Reading same_dilation_reading(std::string_view name, std::int64_t first) {
  return {name,
          {"effective: SAME_* pads for the dilated kernel", "ignored: for kernel_shape alone"},
          {{first, "effective"}},
          "ONNX's inference pads SAME_* for the dilated kernel; onnxruntime pads for kernel_shape alone"};
}

Reading valid_ceil_reading(std::string_view name, std::int64_t first) {
  return {name,
          {"honoured: VALID rounds up with ceil_mode", "ignored: VALID rounds down always"},
          {{first, "honoured"}},
          "inference honours ceil_mode with VALID; the text's formula of VALID is that of the floor mode"};
}

Reading pads_with_auto_pad_reading(std::string_view name, std::int64_t first) {
  return {name,
          {"reject: both together are invalid", "pads_win: auto_pad is ignored", "auto_pad_wins: pads is ignored"},
          {{first, kReject}},
          "the text allows no pads beside an automatic mode; onnxruntime takes them beside SAME_* and ignores them"};
}

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

PoolingWindows windows_over(const Call& call, const Dims& L, const Dims& kernel) {
  PoolingWindows w{L,
                   kernel,
                   per_axis(call, "strides", L.size(), 1),
                   per_axis(call, "dilations", L.size(), 1),
                   explicit_pads(call, L.size()),
                   L};
  const AutoPad mode = mode_in_force(call, w.pads);
  return placed(std::move(w),
                {.mode = mode,
                 .ceil = ceil_mode(call) && !(mode == AutoPad::valid && reads_here(call, ".valid_ceil", "ignored")),
                 .drops_ceil_window = reads_here(call, ".ceil_drop", "drop"),
                 .same_size_is_input = reads_here(call, ".same_size", "input"),
                 .same_ignores_dilations = reads_here(call, ".same_dilation", "ignored")});
}

PoolingWindows pooling_windows(const Call& call) {
  // LpPool-1 lists kernel_shape as optional, but defines nothing without it.
  require(call.has("kernel_shape"), "attribute 'kernel_shape' is missing; {} defines nothing without it", call.title());
  const Dims L = spatial(call.type("X").shape);
  return windows_over(call, L, per_axis(call, "kernel_shape", L.size(), 1));
}

TensorType pooled_type(const Call& call) {
  require_spatial(call, "X");
  const auto& [dtype, x] = call.type("X");
  return {dtype, join(x.first(2), pooling_windows(call).O)};
}

Operator pooling_operator(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .placement([](const Call& call) {
        const PoolingWindows w = pooling_windows(call);
        return std::vector<Dims>{w.pads.begin, w.O};
      })
      .notes([](const Call& call) { return window_notes(call, pooling_windows(call)); })
      .short_names(spatial_short_names())
      .mistakes(pooling_mistakes())
      .order([](const Call& call) { return TermOrder{.taps = element_count(pooling_windows(call).k)}; });
}

void pooling_version_1(OpSchema& s, std::string_view meaning_of_y) {
  s.attribute(auto_pad_attribute())
      .attribute(required(INTS, "kernel_shape", at_least(1)))
      .attribute(pads_attribute(DefaultStated::no))
      .attribute(per_axis_attribute("strides", 1, DefaultStated::no))
      .input("X", "T", "the data, (N, C, D1, …)")
      .output("Y", "T", meaning_of_y)
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}

void pooling_version_11(OpSchema& s) {
  s.change("strides").default_stated = s.change("pads").default_stated = DefaultStated::yes;
  s.wording("SAME_* of auto_pad gives ceil(input / strides); before, the output \"matches the input\"");
}

std::vector<Note> window_notes(const Call& call, const PoolingWindows& w) {
  return in_force(call, {{"strides", to_text(w.s)},
                         {"dilations", to_text(w.d)},
                         {"kernel_shape", to_text(w.k)},
                         {"pads", to_text(w.pads)}});
}

// Taps of a window begin at -pb or behind; tap k lies before L + pe iff o*s + k*d < pb + L + pe.
std::int64_t taps_inside_pads(const PoolingWindows& w, std::int64_t o) {
  std::int64_t taps = 1;
  for (size_t axis = w.L.size(); axis-- > 0; o /= w.O[axis]) {
    const std::int64_t room = w.pads.begin[axis] + w.L[axis] + w.pads.end[axis] - o % w.O[axis] * w.s[axis];
    taps *= std::clamp<std::int64_t>(ceil_divide(room, w.d[axis]), 0, w.k[axis]);
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

double power_of_norm(const Call& call) {
  const double p = call.version() == 1 ? call.number("p") : static_cast<double>(call.integer("p"));
  require_supported_power(p);
  return p;
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
