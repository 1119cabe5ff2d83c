// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/windows.h"
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/nearly.h"
#include "evaluators/elements.h"
#include "exact/power_sum.h"
#include "exact/rows.h"
#include "exact/storage.h"
namespace opref::ops {
namespace {
void require_length(const Call& call, std::string_view attribute, size_t length, size_t axes) {
  const std::vector<std::int64_t> values = call.integers(attribute);
  require(values.size() == length, "attribute '{}' has {}, but {} has {} spatial {}{}", attribute,
          counted(static_cast<long long>(values.size()), "value"), call.schema().inputs().front().name, axes,
          axes == 1 ? "axis" : "axes", length == axes ? "" : format(" and it takes {}", length));
}
}  // namespace
Dims per_axis(const Call& call, std::string_view attribute, size_t axes, std::int64_t by_default) {
  if (!call.has_here(attribute)) return Dims::filled(axes, by_default);
  require_length(call, attribute, axes, axes);
  return Dims(call.integers(attribute));
}

AttributeSchema per_axis_attribute(std::string_view name, std::int64_t least, DefaultStated stated) {
  const std::string_view value = least == 1 ? "1 along each spatial axis" : "0 along each spatial axis";
  return {name, INTS, Presence::optional, at_least(nearly(least)), {}, value, stated};
}

AttributeSchema pads_attribute(DefaultStated stated) {
  AttributeSchema pads = per_axis_attribute("pads", 0, stated);
  pads.default_text = "0 along start and end of each spatial axis";
  return pads;
}

AttributeSchema auto_pad_attribute() {
  return with_default("auto_pad", "NOTSET", one_of({"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}));
}

std::string to_text(const Pads& pads) {
  std::vector<std::int64_t> all(pads.begin.begin(), pads.begin.end());
  all.insert(all.end(), pads.end.begin(), pads.end.end());
  return "[" + join_some(all, ",") + "]";
}

bool is_zero(const Pads& pads) {
  const Dims none = Dims::filled(pads.begin.size(), 0);
  return pads.begin == none && pads.end == none;
}

Pads explicit_pads(const Call& call, size_t axes) {
  if (!call.has_here("pads")) return {Dims::filled(axes, 0), Dims::filled(axes, 0)};
  require_length(call, "pads", 2 * axes, axes);
  const std::vector<std::int64_t> list = call.integers("pads");
  const std::span values(list);
  return {Dims(values.first(axes)), Dims(values.last(axes))};
}

AutoPad auto_pad(const Call& call) { return call.choice<AutoPad>("auto_pad"); }

std::vector<ShortName> spatial_short_names() {
  return {{"kernel_shape", "k"},
          {"strides", "s"},
          {"dilations", "d"},
          {"pads", "pad"},
          {"pads_begin", "pb"},
          {"pads_end", "pe"},
          {"output_padding", "op"},
          {"output_shape", "os"},
          {"group", "g"},
          {"storage_order", "order"},
          {"auto_pad", ""},
          {"auto_pad=same_upper", "upper"},
          {"auto_pad=same_lower", "lower"},
          {"ceil_mode", "ceil"},
          {"ceil_mode=0", "floor"},
          {"ceil_mode=1", "ceil"}};
}

Dims spatial(const Dims& shape) { return shape.without_first(2); }

bool all_positive(const Dims& sizes) {
  return std::ranges::all_of(sizes, [](std::int64_t size) { return size > 0; });
}

std::vector<Note> in_force(const Call& call, std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::vector<Note> notes;
  for (const auto& [attribute, value] : values) {
    if (call.schema().find_attribute(attribute) == nullptr) continue;
    const auto stated = call.attributes().find(attribute);
    if (stated == call.attributes().end() || to_text(stated->second) != value)
      notes.push_back(resolved(attribute, value));
  }
  return notes;
}

void warn_of_denotation(const Call& call, std::string_view input, std::vector<Note>& notes) {
  const auto& stated = call.denotation(input);
  for (size_t axis = 0; axis < stated.size(); ++axis) {
    const std::string_view expected = axis == 0 ? "DATA_BATCH" : axis == 1 ? "DATA_CHANNEL" : "DATA_FEATURE";
    if (!stated[axis].empty() && stated[axis] != expected)
      notes.push_back(warning(input, format("axis {} is denoted {}, but {} expects {}", axis, printable(stated[axis]),
                                            call.title(), expected)));
  }
}

void require_spatial(const Call& call, std::string_view input) {
  const TensorType& type = call.type(input);
  require(type.rank() >= 3, "{} has rank {}, but must be (N, C, D1, …): rank 3 or more", input, type.rank());
}

void require_spatial_sizes(const Call& call, std::string_view input, const Dims& sizes) {
  require(all_positive(sizes), "{} has shape {}, but its spatial sizes must be > 0", input, call.type(input).shape);
}
namespace {
void require_each(const Tensor& tensor, std::string_view name, bool (*is_wanted)(double), std::string_view wanted) {
  const evaluators::Elements elements(tensor);
  for (std::int64_t i = 0; i < tensor.count(); ++i)
    if (const double x = elements.number(i); !is_wanted(x))
      fail(Fault::invalid, "{}{} is {}, but must be {}", name, coordinates(i, tensor.shape()), x, wanted);
}
}  // namespace
void require_finite(const Call& call, std::string_view name) {
  if (call.attributes().contains(name)) {
    const double x = call.number(name);
    require(std::isfinite(x), "attribute '{}' is {}, but must be finite", name, x);
    return;
  }
  require_each(
      call.input(name), name, [](double x) { return std::isfinite(x); }, "finite");
}

void require_no_nan(const Call& call, std::string_view input) {
  require_each(
      call.input(input), input, [](double x) { return !std::isnan(x); }, "a number");
}
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
namespace {
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
}  // namespace
Reading ceil_drop_reading(std::string_view name, std::int64_t first) {
  return {
      .name = name,
      .alternatives = {"keep: a last window that starts in the end padding counts", "drop: it does not"},
      .defaults = {{first, "keep"}, {22, "drop"}},
      .reason =
          "the text and ONNX's inference of 22 drop a last ceil window that starts in the end padding, earlier ones "
          "keep it"};
}

Reading same_size_reading(std::string_view name) {
  return {.name = name,
          .alternatives = {"ceil: the output has ceil(L/strides) elements", "input: it has X's size, L"},
          .defaults = {{1, "ceil"}, {11, ""}},
          .reason = "inference and the text from 11 on give ceil(L/strides); earlier texts want X's size"};
}

Reading same_dilation_reading(std::string_view name, std::int64_t first) {
  return {.name = name,
          .alternatives = {"effective: SAME_* pads for the dilated kernel", "ignored: for kernel_shape alone"},
          .defaults = {{first, "effective"}},
          .reason = "ONNX's inference pads SAME_* for the dilated kernel; onnxruntime pads for kernel_shape alone"};
}

Reading valid_ceil_reading(std::string_view name, std::int64_t first) {
  return {.name = name,
          .alternatives = {"honoured: VALID rounds up with ceil_mode", "ignored: VALID rounds down always"},
          .defaults = {{first, "honoured"}},
          .reason = "inference honours ceil_mode with VALID; the text's formula of VALID is that of the floor mode"};
}

Reading pads_with_auto_pad_reading(std::string_view name, std::int64_t first) {
  return {.name = name,
          .alternatives = {"reject: both together are invalid", "pads-win: auto_pad is ignored",
                           "auto_pad-wins: pads is ignored"},
          .defaults = {{first, "reject"}},
          .reason =
              "the text allows no pads beside an automatic mode; OpenVINO and onnxruntime's pools ignore them, ONNX's "
              "inference of ConvTranspose-1 lets them win"};
}

// "This attribute cannot be used simultaneously with auto_pad attribute."
AutoPad auto_pad_in_force(const Call& call, Pads& pads, ZeroPads zeros) {
  const AutoPad mode = call.has_here("auto_pad") ? auto_pad(call) : AutoPad::notset;
  if (mode == AutoPad::notset || !call.stated("pads")) return mode;
  const std::string_view reading = name_of_reading(call, ".pads_with_auto_pad"), chosen = call.reading(reading);
  const bool agree = zeros == ZeroPads::agree_with_valid && mode == AutoPad::valid && is_zero(pads);
  require(chosen != "reject" || agree,
          "attribute 'pads' is {}, but cannot be used with auto_pad {}: leave one out, or choose the reading "
          "{}=pads-win or auto_pad-wins",
          pads, call.string("auto_pad"), reading);
  if (chosen == "pads-win") return AutoPad::notset;
  pads.begin = pads.end = Dims::filled(pads.begin.size(), 0);
  return mode;
}

PoolingWindows windows_over(const Call& call, const Dims& L, const Dims& kernel) {
  PoolingWindows w{L,
                   kernel,
                   per_axis(call, "strides", L.size(), 1),
                   per_axis(call, "dilations", L.size(), 1),
                   explicit_pads(call, L.size()),
                   L};
  const AutoPad mode = auto_pad_in_force(call, w.pads);
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
  s.other_rule("SAME_* of auto_pad gives ceil(input / strides); before, the output \"matches the input\"");
}

std::vector<Note> window_notes(const Call& call, const PoolingWindows& w) {
  return in_force(call, {{"strides", to_text(w.s)},
                         {"dilations", to_text(w.d)},
                         {"kernel_shape", to_text(w.k)},
                         {"pads", to_text(w.pads)}});
}

double power_of_norm(const Call& call) {
  const double p = call.version() == 1 ? call.number("p") : nearly(call.integer("p"));
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
