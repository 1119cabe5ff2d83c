// SPDX-License-Identifier: Apache-2.0
#include "ops/common/pooling.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/nearly.h"
#include "exact/power_sum.h"
#include "exact/rows.h"
#include "exact/storage.h"

namespace opref::ops {
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
              "the text allows no pads beside an automatic mode; onnxruntime and OpenVINO ignore them there, ONNX's "
              "inference "
              "of ConvTranspose-1 lets them win"};
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
