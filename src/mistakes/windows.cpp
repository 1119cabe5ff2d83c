// SPDX-License-Identifier: Apache-2.0
// Pads and pooling.
#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "core/nearly.h"
#include "evaluators/strided.h"
#include "evaluators/taps.h"
#include "exact/convert.h"
#include "exact/rounding.h"
#include "mistakes/tools.h"
#include "ops/shared/convolutions.h"
#include "ops/shared/openvino_windows.h"
#include "ops/shared/windows.h"

namespace opref::mistakes {
namespace {

using Integers = std::vector<std::int64_t>;

Integers no_pads(const Call& call) { return Integers(call.inputs().front().type.tensor.rank() - 2, 0); }

std::optional<Call> pads_swapped(const Call& call) {
  if (call.has_here("pads")) {
    Integers pads = call.integers("pads");
    std::rotate(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2), pads.end());
    return with_list(call, "pads", pads);
  }
  if (!call.has_here("pads_begin") && !call.has_here("pads_end")) return std::nullopt;
  const auto list = [&](std::string_view name) { return call.has(name) ? call.integers(name) : no_pads(call); };
  return with_list(with_list(call, "pads_begin", list("pads_end")), "pads_end", list("pads_begin"));
}

// [x1_begin, x1_end, x2_begin, …]
std::optional<Call> pads_by_axis(const Call& call) {
  if (!call.has_here("pads")) return std::nullopt;
  const Integers pads = call.integers("pads");
  const size_t axes = pads.size() / 2;
  Integers by_axis = pads;
  for (size_t i = 0; i < axes; ++i) by_axis[i] = pads[2 * i], by_axis[axes + i] = pads[2 * i + 1];
  return with_list(call, "pads", by_axis);
}

/// All that an axis is padded by at its end, or at its beginning.
template <bool at_end>
std::optional<Call> pads_on_one_side(const Call& call) {
  const bool in_one = call.has_here("pads");
  if (!in_one && !call.has_here("pads_begin") && !call.has_here("pads_end")) return std::nullopt;
  const auto list = [&](std::string_view name) { return call.has(name) ? call.integers(name) : no_pads(call); };
  Integers pads = in_one ? call.integers("pads") : list("pads_begin");
  if (!in_one) std::ranges::copy(list("pads_end"), std::back_inserter(pads));
  const size_t axes = pads.size() / 2;
  for (size_t i = 0; i < axes; ++i) {
    const std::int64_t both = pads[i] + pads[axes + i];
    pads[i] = at_end ? 0 : both, pads[axes + i] = at_end ? both : 0;
  }
  if (in_one) return with_list(call, "pads", pads);
  const auto half = pads.begin() + static_cast<std::ptrdiff_t>(axes);
  return with_list(with_list(call, "pads_begin", {pads.begin(), half}), "pads_end", {half, pads.end()});
}

std::optional<Call> both_pads_ignored(const Call& call) {
  return with_list(with_list(call, "pads_begin", no_pads(call)), "pads_end", no_pads(call));
}

// Every window lies as many elements further back, on each axis that is padded enough.
template <PoolingWindows (*windows_of_call)(const Call&), std::int64_t back>
std::optional<Call> windows_moved(const Call& call) {
  const Pads pads = windows_of_call(call).pads;
  Integers begin(pads.begin.begin(), pads.begin.end()), end(pads.end.begin(), pads.end.end());
  bool is_moved = false;
  for (size_t a = 0; a < begin.size(); ++a)
    if (begin[a] + back >= 0 && end[a] - back >= 0) begin[a] += back, end[a] -= back, is_moved = true;
  if (!is_moved) return std::nullopt;
  begin.insert(begin.end(), end.begin(), end.end());
  return call.without_attribute("auto_pad").with_attribute("pads", AttributeValue::of(begin));
}

// SAME_LOWER for SAME_UPPER, which is also taken for what is neither.
std::optional<Call> odd_pad_on_other_side(const Call& call) {
  const AttributeSchema* auto_pad = call.schema().find_attribute("auto_pad");
  if (auto_pad == nullptr) return std::nullopt;
  const std::string_view upper = auto_pad->range.words[1], lower = auto_pad->range.words[2];
  const std::string& side = call.string("auto_pad");
  if (side != upper && side != lower && !call.has_here("output_shape")) return std::nullopt;  // nothing is split
  return call.with_attribute("auto_pad", AttributeValue::of(std::string(side == upper ? lower : upper)));
}

// Of the greatest elements: NaN as if it were less than every number.
std::optional<Call> nan_passed_over(const Call& call) {
  const std::string_view name = name_of(call, 0);
  if (name.empty() || !has_floats(call) || !infinity_of(call.type(name).dtype, true)) return std::nullopt;
  return with_numbers(call, name, [](double x) { return std::isnan(x) ? -HUGE_VAL : x; });
}

PoolingWindows windows_of(const Call& call) {
  return call.op().domain() == "openvino" ? openvino_pooling_windows(call) : pooling_windows(call);
}

// m = first; if (x > m) m = x: a NaN stays where it is the first element of its window.
std::vector<Value> by_comparison(const Call& call, std::span<const Output> outs) {
  std::vector<Value> found = computed_rightly(call, outs);
  const std::optional<Call> numbers = nan_passed_over(call);
  if (!numbers) return found;
  const std::vector<Value> without = computed_rightly(*numbers, outs);
  const PoolingWindows w = windows_of(call);
  const Tensor& x = *call.inputs().front().value->tensor();
  const evaluators::Taps taps(evaluators::window_axes(w.L, w.k, w.O, w.s, w.d, w.pads.begin));
  const std::int64_t plane = element_count(w.O), x_plane = element_count(w.L);
  const auto begins_with_nan = [&](std::int64_t i) {
    const auto [nc, o] = evaluators::split(i, plane);
    const evaluators::TapList list = taps.of(o);
    return list.size() > 0 && std::isnan(floating_element(x, nc * x_plane + list.begin()->x));
  };
  for (size_t k = 0; k < found.size(); ++k) {
    if (found[k].tensor() == nullptr) continue;
    found[k] = tensor_of_bits(found[k].tensor()->type(), [&, right = *found[k].tensor()](std::int64_t i) {
      return element_bits(begins_with_nan(i) ? right : *without[k].tensor(), i);
    });
  }
  return found;
}

// Maxima of rows, then of columns, as x86 has them: maxps(a, b) is b where one of both is NaN. The rows of the columns
// that fill no vector of four are compared one by one: a < b ? b : a. Padding is the lowest finite number.
std::optional<Call> pooled_by_vectors(const Call& call) {
  const DType dtype = call.type("X").dtype;
  const PoolingWindows w = pooling_windows(call);
  const bool is_dense = std::ranges::all_of(w.d, [](auto d) { return d == 1; });
  constexpr std::int64_t kMostStride = 2;
  if (dtype != DType::float32 && dtype != DType::float16) return std::nullopt;
  return w.L.size() >= 2 && is_dense && w.s[w.s.size() - 1] <= kMostStride ? std::optional(call) : std::nullopt;
}
std::vector<Value> by_vector_maxima(const Call& call, std::span<const Output> outs) {
  std::vector<Value> found = computed_rightly(call, outs);
  if (!outs[0].wanted()) return found;
  constexpr std::int64_t kLanes = 4;
  constexpr double kLowest = -0x1.fffffep127;
  const PoolingWindows w = pooling_windows(call);
  const Tensor& x = call.input("X");
  const evaluators::Taps taps(evaluators::window_axes(w.L, w.k, w.O, w.s, w.d, w.pads.begin));
  const std::int64_t plane = element_count(w.O), x_plane = element_count(w.L);
  const size_t last = w.L.size() - 1;
  const std::int64_t width = w.L[last];
  const auto later = [](double a, double b) { return std::isnan(a) || std::isnan(b) ? b : std::max(a, b); };
  const auto of_window = [&](std::int64_t i) -> std::optional<double> {
    const auto [nc, o] = evaluators::split(i, plane);
    const std::int64_t first = o % w.O[last] * w.s[last] - w.pads.begin[last];
    std::vector<std::optional<double>> columns(static_cast<size_t>(w.k[last]));
    bool has_nan = false;
    for (const evaluators::Tap& tap : taps.of(o)) {
      const double number = floating_element(x, nc * x_plane + tap.x);
      const std::int64_t column = tap.x % width;
      std::optional<double>& most = columns[static_cast<size_t>(column - first)];
      has_nan = has_nan || std::isnan(number);
      if (!most)
        most = number;
      else if (column < width / kLanes * kLanes)
        most = later(*most, number);
      else if (*most < number)
        most = number;
    }
    if (!has_nan) return std::nullopt;
    double most = columns[0].value_or(kLowest);
    for (size_t k = 1; k < columns.size(); ++k) most = later(most, columns[k].value_or(kLowest));
    return most;
  };
  found[0] = tensor_of_bits(outs[0].type(), [&, right = *found[0].tensor()](std::int64_t i) {
    const std::optional<double> most = of_window(i);
    return most ? converted(Number::of(*most), right.dtype(), {}) : element_bits(right, i);
  });
  return found;
}

std::optional<Call> padding_counted(const Call& call) {
  if (call.version() < 7) return std::nullopt;
  return call.with_attribute("count_include_pad", AttributeValue::of(std::int64_t{1}));
}
std::optional<Call> pads_counted_otherwise(const Call& call) {
  const bool excluded = call.string("exclude-pad") == "true";
  return call.with_attribute("exclude-pad", AttributeValue::of(std::string(excluded ? "false" : "true")));
}

// MaxPool's Indices.

bool has_indices(const Call& call) { return call.version() >= 8 && call.wants("Indices"); }

std::vector<Value> indices_within_planes(const Call& call, std::span<const Output> outs) {
  std::vector<Value> found = computed_rightly(call, outs);
  const std::int64_t plane = element_count(call.type("X").shape.without_first(2));
  if (found.size() > 1) found[1] = with_first({found[1]}, [plane](double i) { return std::fmod(i, nearly(plane)); })[0];
  return found;
}

// onnx.reference splits the number of the chosen tap by Y's sizes, not by the kernel's, and counts within the plane.
std::optional<Call> if_windows_touch(const Call& call) {
  const PoolingWindows w = pooling_windows(call);
  const bool known = has_indices(call) && w.L.size() > 1 && std::ranges::all_of(w.s, [](auto s) { return s == 1; });
  return known ? call.without_attribute("storage_order") : std::optional<Call>();
}
std::vector<Value> indices_split_by_output(const Call& call, std::span<const Output> outs) {
  std::vector<Value> found = computed_rightly(call, outs);
  if (found.size() < 2 || found[1].tensor() == nullptr) return found;
  const PoolingWindows w = pooling_windows(call);
  const Tensor indices = *found[1].tensor();
  const std::int64_t plane = element_count(w.O), x_plane = element_count(w.L);
  const Dims strides = evaluators::strides_of(w.L);
  found[1] = tensor_of_bits(indices.type(), [&](std::int64_t i) {
    const auto index = static_cast<std::int64_t>(element_bits(indices, i));
    const Dims o = coordinates(i % plane, w.O), x = coordinates(index % x_plane, w.L);
    std::int64_t tap = 0, place = 0;
    for (size_t axis = 0; axis < o.size(); ++axis)
      tap = tap * w.k[axis] + (x[axis] + w.pads.begin[axis] - o[axis]) / w.d[axis];
    for (size_t axis = o.size(); axis-- > 0;) {
      const std::int64_t split = axis == 0 ? tap : tap % w.O[axis];
      place += (o[axis] - (call.stated("pads") ? w.pads.begin[axis] : 0) + split) * strides[axis];
      tap /= w.O[axis];
    }
    return static_cast<std::uint64_t>(place);
  });
  return found;
}

// storage_order 1 as a transposition of Indices, which are counted row by row: its spatial axes in reverse order.
std::optional<Call> row_major(const Call& call) {
  if (!has_indices(call) || !call.flag("storage_order")) return std::nullopt;
  return call.with_attribute("storage_order", AttributeValue::of(std::int64_t{0}));
}
Dims reversed_spatial(Dims dims) {
  std::reverse(dims.begin() + 2, dims.end());
  return dims;
}
std::vector<ValueType> transposed_indices_types(const Call& call) {
  std::vector<ValueType> types = right_types(call);
  types[1].tensor.shape = reversed_spatial(types[1].tensor.shape);
  return types;
}
std::vector<Value> transposed_indices(const Call& call, std::span<const Output> outs) {
  std::vector<Value> found = computed_rightly(call);
  if (outs.size() > 1 && found.size() > 1) found[1] = read_as(outs[1].type(), *found[1].tensor(), reversed_spatial);
  return found;
}

// Padding is a 0 that may be the greatest.
std::vector<Value> padded_with_zeros(const Call& call, std::span<const Output> outs) {
  std::vector<Value> found = computed_rightly(call, outs);
  if (!outs[0].wanted()) return found;
  const PoolingWindows w = pooling_windows(call);
  const Tensor numbers = *with_first({found[0]}, [](double y) { return std::max(y, 0.0); })[0].tensor();
  found[0] = tensor_of_bits(outs[0].type(), [&, right = *found[0].tensor()](std::int64_t i) {
    const Dims o = coordinates(i % element_count(w.O), w.O);
    bool is_padded = false;
    for (size_t axis = 0; axis < o.size(); ++axis) {
      const std::int64_t first = o[axis] * w.s[axis] - w.pads.begin[axis], last = first + (w.k[axis] - 1) * w.d[axis];
      is_padded = is_padded || first < 0 || last >= w.L[axis];
    }
    return element_bits(is_padded ? numbers : right, i);
  });
  return found;
}

bool has_dilations(const Call& call) { return call.has_here("dilations"); }
// Dilations decide Y's shape, but not which elements are compared: the first windows of a pooling without them.
std::vector<Value> without_dilations(const Call& call, std::span<const Output> outs) {
  const PoolingWindows w = pooling_windows(call);
  Integers pads(w.pads.begin.begin(), w.pads.begin.end());
  pads.insert(pads.end(), w.pads.end.begin(), w.pads.end.end());
  std::vector<Value> found = computed_rightly(call.without_attribute("dilations")
                                                  .without_attribute("auto_pad")
                                                  .with_attribute("pads", AttributeValue::of(pads)));
  for (size_t k = 0; k < std::min(found.size(), outs.size()); ++k)
    if (outs[k].wanted()) found[k] = read_as(outs[k].type(), *found[k].tensor(), [](const Dims& at) { return at; });
  return found;
}

}  // namespace

const Table& windows() {
  static const std::vector<std::string_view> of_openvino{"openvino.AvgPool",
                                                         "openvino.Convolution",
                                                         "openvino.ConvolutionBackpropData",
                                                         "openvino.GroupConvolution",
                                                         "openvino.GroupConvolutionBackpropData",
                                                         "openvino.MaxPool"},
      padded{"AveragePool",
             "Conv",
             "ConvInteger",
             "LpPool",
             "MaxPool",
             "QLinearConv",
             "openvino.AvgPool",
             "openvino.Convolution",
             "openvino.GroupConvolution",
             "openvino.MaxPool"},
      with_auto_pad{"AveragePool", "Conv", "ConvInteger", "ConvTranspose", "LpPool", "MaxPool", "QLinearConv"};
  static const std::vector<std::string_view> convolutions{"Conv", "ConvInteger", "QLinearConv"},
      poolings{"AveragePool", "LpPool", "MaxPool"};
  static const Table table{
      {with_auto_pad, "pads swapped", pads_swapped},
      {{"Col2Im", "DeformConv", "Pad"}, "pads swapped", pads_swapped},
      {of_openvino, "pads swapped", pads_swapped},
      {with_auto_pad, "pads read axis by axis", pads_by_axis},
      {{"Col2Im", "MaxUnpool", "Pad"}, "pads read axis by axis", pads_by_axis},
      {of_openvino, "pads ignored", both_pads_ignored},
      {padded, "all pads at the end", pads_on_one_side<true>},
      {padded, "all pads at the beginning", pads_on_one_side<false>},
      {with_auto_pad, "odd pad on the other side", odd_pad_on_other_side},
      {of_openvino, "odd pad on the other side", odd_pad_on_other_side},
      {{"AveragePool", "LpPool", "MaxPool"}, "ceil instead of floor", taken_as("ceil_mode", 1)},
      {{"openvino.AvgPool", "openvino.MaxPool"}, "ceil instead of floor", taken_as("rounding_type", "ceil")},
      {{"AveragePool"}, "padding counted", padding_counted},
      {{"openvino.AvgPool"}, "padding counted, or not, the other way round", pads_counted_otherwise},
      {{"MaxPool"}, "indices by columns", taken_as("storage_order", 1)},
      {{"MaxPool"}, "indices counted within each plane", computed_by(indices_within_planes)},
      {{"MaxPool"},
       "Indices by Y's sizes, counted within each plane",
       computed_by(if_windows_touch, indices_split_by_output)},
      {{"MaxPool"},
       "Indices transposed by storage_order",
       computed_by(row_major, transposed_indices, transposed_indices_types)},
      {{"MaxPool"}, "padding compared as 0", computed_by(padded_with_zeros)},
      {{"MaxPool"}, "dilations ignored but for the shape", computed_by(has_dilations, without_dilations)},
      {{"GlobalMaxPool", "MaxPool", "ReduceMax", "openvino.MaxPool"}, "NaN passed over", nan_passed_over},
      {{"MaxPool", "openvino.MaxPool"},
       "NaN kept only where it is first in its window",
       computed_by(has_floats, by_comparison)},
      {{"MaxPool"}, "NaN lost by vector maxima", computed_by(pooled_by_vectors, by_vector_maxima)},
      {convolutions, "windows one element earlier", windows_moved<convolution_windows, 1>},
      {convolutions, "windows one element later", windows_moved<convolution_windows, -1>},
      {poolings, "windows one element earlier", windows_moved<pooling_windows, 1>},
      {poolings, "windows one element later", windows_moved<pooling_windows, -1>},
  };
  return table;
}

}  // namespace opref::mistakes
