// SPDX-License-Identifier: Apache-2.0
// Which element stands where: indices, axes, orders, places between pixels, boxes.
#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "core/nearly.h"
#include "evaluators/elements.h"
#include "exact/convert.h"
#include "exact/rounding.h"
#include "mistakes/tools.h"
#include "ops/shared/axes.h"
#include "ops/shared/parameters.h"
#include "ops/shared/resizing.h"
#include "ops/shared/windows.h"

namespace opref::mistakes {
namespace {

using Integers = std::vector<std::int64_t>;

// Of several elements with one index.
std::optional<Call> first_write_wins(const Call& call) {
  const auto axis = call.axis("axis", call.type("data").rank());
  return with_flipped(with_flipped(call, "indices", {axis}), "updates", {axis});
}
std::optional<Call> first_slice_wins(const Call& call) {
  const std::vector<size_t> axes = all_axes(call.type("indices").rank() - 1);
  return with_flipped(with_flipped(call, "indices", axes), "updates", axes);
}
std::optional<Call> first_unpooled_wins(const Call& call) {
  if (!call.has_value("X") || !call.has_value("I")) return std::nullopt;
  const std::vector<size_t> axes = all_axes(call.type("X").rank());
  return with_flipped(with_flipped(call, "I", axes), "X", axes);
}

// MaxUnpool: each index as one of its own plane of N and C.
std::optional<Call> indices_within_planes(const Call& call) {
  if (!call.has_value("I")) return std::nullopt;
  const Dims &x = call.type("X").shape, y = right_types(call)[0].tensor.shape;
  const std::int64_t each = element_count(spatial(x)), plane = element_count(spatial(y));
  if (element_count(x) == 0 || plane == 0) return std::nullopt;
  const auto from = call.input("I").values<std::int64_t>();
  Integers own(from.begin(), from.end());
  for (size_t e = 0; e < own.size(); ++e)
    own[e] = static_cast<std::int64_t>(e) / each * plane + std::max<std::int64_t>(own[e], 0) % plane;
  return with_list(call, "I", own);
}

std::vector<Value> last_of_equals_first(const Call& call, std::span<const Output> outs) {
  const Dims& x = call.type("X").shape;
  const size_t axis = axis_of(call, x.size());
  std::vector<Value> found = computed_rightly(with_flipped(call, "X", {axis}));
  const double last = nearly(x[axis] - 1);
  if (outs.size() > 1) found[1] = with_first({found[1]}, [last](double i) { return last - i; })[0];
  return found;
}

std::optional<Call> on_and_off_exchanged(const Call& call) { return with_flipped(call, "values", {0}); }

std::optional<Call> perm_inverted(const Call& call) {
  if (!call.has("perm")) return std::nullopt;
  const Integers perm = call.integers("perm");
  Integers inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) inverse[static_cast<size_t>(perm[i])] = static_cast<std::int64_t>(i);
  return with_list(call, "perm", inverse);
}

std::optional<Call> end_counted_in(const Call& call) {
  Integers later = call.integers("ends");
  for (std::int64_t& end : later) end = end == -1 || end == INT64_MAX ? INT64_MAX : end + 1;
  if (call.version() == 1 || call.type("ends").dtype == DType::int64) return with_list(call, "ends", later);
  return with_numbers(call, "ends", [](double end) { return end == -1 ? 0x1p31 - 1 : end + 1; });
}

std::optional<Call> whole_axis_reversed(const Call& call) {
  const double T = nearly(call.type("input").shape[static_cast<size_t>(call.integer("time_axis"))]);
  return with_numbers(call, "sequence_lens", [T](double) { return T; });
}

std::optional<Call> k_negated(const Call& call) {
  return call.with_attribute("k", AttributeValue::of(-std::max(call.integer("k"), -INT64_MAX)));
}

std::vector<Value> odd_one_on_other_side(const Call& call, std::span<const Output>) {
  const std::vector<size_t> axes = all_axes(call.type("input_data").rank());
  return {flipped(*computed_rightly(with_flipped(call, "input_data", axes))[0].tensor(), axes)};
}

std::vector<Value> elements_repeated(const Call& call, std::span<const Output> outs) {
  const Tensor& input = call.input("input");
  const Dims &x = input.shape(), &y = outs[0].type().shape;
  return {read_as(outs[0].type(), input, [&](Dims at) {
    for (size_t axis = 0; axis < at.size(); ++axis) at[axis] /= y[axis] / x[axis];
    return at;
  })};
}

// Pad: what is left by negative pads, there and back again, a period of 2·n.
bool is_reflecting(const Call& call) { return call.string("mode") == "reflect"; }
std::vector<Value> border_repeated(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  const size_t rank = data.shape().size();
  const Integers pads = list_of(call, call.version() == 1 ? "paddings" : "pads");
  const std::vector<size_t> axes = axes_of(call, rank);
  return {read_as(outs[0].type(), data, [&](Dims at) {
    for (size_t k = 0; k < axes.size(); ++k) {
      const std::int64_t begin = pads[k], end = pads[axes.size() + k], low = std::max<std::int64_t>(0, -begin),
                         n = data.shape()[axes[k]] + std::min<std::int64_t>(end, 0) - low;
      std::int64_t& i = at[axes[k]];
      i = ((i - std::max<std::int64_t>(begin, 0)) % (2 * n) + 2 * n) % (2 * n);
      i = low + std::min(i, 2 * n - 1 - i);
    }
    return at;
  })};
}

// Zeros where one reflection does not reach.
std::vector<Value> reflected_once(const Call& call, std::span<const Output> outs) {
  const Dims& x = call.type("data").shape;
  const Integers pads = list_of(call, call.version() == 1 ? "paddings" : "pads");
  const std::vector<size_t> axes = axes_of(call, x.size());
  const Tensor y = *computed_rightly(call, outs)[0].tensor();
  return {tensor_of_bits(y.type(), [&](std::int64_t i) {
    const Dims at = coordinates(i, y.shape());
    for (size_t k = 0; k < axes.size(); ++k) {
      const std::int64_t place = at[axes[k]] - pads[k], n = x[axes[k]];
      if (place <= -n || place >= 2 * n - 1) return std::uint64_t{0};
    }
    return element_bits(y, i);
  })};
}

// The end of what goes backwards: INT_MAX is no end that it reaches.
std::optional<Call> backwards_to_the_beginning(const Call& call) {
  if (call.version() == 1 || !call.has("steps")) return std::nullopt;
  const Integers steps = call.integers("steps");
  Integers ends = call.integers("ends");
  bool is_made = false;
  for (size_t k = 0; k < ends.size(); ++k) {
    const bool is_most = ends[k] == INT64_MAX || ends[k] == INT32_MAX;
    if (!is_most || steps[k] >= 0) continue;
    ends[k] = INT64_MIN, is_made = true;
  }
  if (!is_made) return std::nullopt;
  if (call.type("ends").dtype == DType::int64) return with_list(call, "ends", ends);
  return with_numbers(call, "ends", [](double end) { return end == INT32_MAX ? double{INT32_MIN} : end; });
}

// What is cut out lies as many elements further back, where steps are not 1.
template <std::int64_t back>
std::optional<Call> cut_further_back(const Call& call) {
  if (call.version() == 1 || !call.has("steps") || !call.has_value("data")) return std::nullopt;
  const Dims& x = call.type("data").shape;
  const Integers steps = call.integers("steps");
  std::vector<size_t> axes = axes_of(call, x.size());
  axes.resize(std::min(axes.size(), steps.size()));  // where none are stated, the first ones
  return with_moved(call, "data", [&](Dims at) {
    for (size_t k = 0; k < axes.size(); ++k)
      if (steps[k] != 1) at[axes[k]] = std::clamp<std::int64_t>(at[axes[k]] - back, 0, x[axes[k]] - 1);
    return at;
  });
}

// Of several updates of one element, the last alone counts.
bool adds_or_multiplies(const Call& call) {
  return call.has_here("reduction") && (call.string("reduction") == "add" || call.string("reduction") == "mul");
}
std::optional<Call> last_update_alone(const Call& call) {
  if (!adds_or_multiplies(call) || !call.has_value("indices") || !call.has_value("updates")) return std::nullopt;
  const Dims& data = call.type("data").shape;
  const Tensor &indices = call.input("indices"), &updates = call.input("updates");
  const bool is_nd = call.op().op_type() == "ScatterND";
  const size_t depth = is_nd ? static_cast<size_t>(indices.shape()[indices.shape().size() - 1]) : 0;
  const evaluators::Elements index(indices);
  const auto target = [&](std::int64_t i) {
    Dims at = coordinates(i, updates.shape());
    const auto wrapped = [&](std::int64_t place, size_t axis) {
      const std::int64_t n = index.integer(place);
      return n < 0 ? n + data[axis] : n;
    };
    if (!is_nd) {
      const auto axis = call.axis("axis", data.size());
      at[axis] = wrapped(i, axis);
      return position(at, data);
    }
    const size_t lead = indices.shape().size() - 1;
    Dims to = data;
    const std::int64_t slice = position(at.first(lead), indices.shape().first(lead));
    for (size_t axis = 0; axis < data.size(); ++axis)
      to[axis] = axis < depth
                     ? wrapped(slice * static_cast<std::int64_t>(depth) + static_cast<std::int64_t>(axis), axis)
                     : at[lead + axis - depth];
    return position(to, data);
  };
  std::vector<std::int64_t> last(static_cast<size_t>(element_count(data)), -1);
  for (std::int64_t i = 0; i < updates.count(); ++i) last[static_cast<size_t>(target(i))] = i;
  const double neutral = call.string("reduction") == "add" ? 0 : 1;
  const std::uint64_t nothing = converted(Number::of(neutral), updates.dtype(), {});
  return call.with_input("updates", tensor_of_bits(updates.type(), [&](std::int64_t i) {
                           return last[static_cast<size_t>(target(i))] == i ? element_bits(updates, i) : nothing;
                         }));
}

// Blocks that overlap overwrite each other: the last one stays, or the last place of the blocks.
template <bool last_block>
std::optional<Call> blocks_overwritten(const Call& call) {
  if (!call.has_value("input") || types::complexes.contains(call.type("input").dtype)) return std::nullopt;
  const PoolingWindows w = windows_over(call, Dims(call.integers("image_shape")), Dims(call.integers("block_shape")));
  const std::int64_t K = element_count(w.k), L = element_count(w.O);
  const auto target = [&](std::int64_t k, std::int64_t b) {
    Dims at = coordinates(b, w.O);
    const Dims tap = coordinates(k, w.k);
    for (size_t a = 0; a < at.size(); ++a) {
      at[a] = at[a] * w.s[a] + tap[a] * w.d[a] - w.pads.begin[a];
      if (at[a] < 0 || at[a] >= w.L[a]) return std::int64_t{-1};
    }
    return position(at, w.L);
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> last(static_cast<size_t>(element_count(w.L)));
  for (std::int64_t i = 0; i < K * L; ++i) {
    const std::int64_t k = last_block ? i % K : i / L, b = last_block ? i / K : i % L;
    if (const std::int64_t at = target(k, b); at >= 0) last[static_cast<size_t>(at)] = {k, b};
  }
  const Tensor& x = call.input("input");
  return call.with_input("input", tensor_of_bits(x.type(), [&](std::int64_t i) {
                           const std::int64_t k = i / L % K, b = i % L, at = target(k, b);
                           const bool stays = at < 0 || last[static_cast<size_t>(at)] == std::pair(k, b);
                           return stays ? element_bits(x, i) : 0;
                         }));
}

// numpy's array_split: the first parts are larger by one.
std::optional<Call> parts_as_even_as_can_be(const Call& call) {
  if (call.version() < 18 || !call.has("num_outputs")) return std::nullopt;
  const Dims& x = call.type("input").shape;
  const std::int64_t parts = call.integer("num_outputs"), size = x[call.axis("axis", x.size())];
  Integers sizes(static_cast<size_t>(parts), size / parts);
  for (std::int64_t k = 0; k < size % parts; ++k) ++sizes[static_cast<size_t>(k)];
  return call.without_attribute("num_outputs")
      .with_input("split", Tensor::of<std::int64_t>(DType::int64, Dims{parts}, sizes));
}

// numpy's nonzero takes a scalar for a list of one.
std::optional<Call> scalar_as_list(const Call& call) {
  if (call.type("X").rank() != 0) return std::nullopt;
  return call.with_input("X", reshaped(call.input("X"), {1}));
}

// In a version that has it.
std::optional<Call> by_columns_first(const Call& call) {
  const auto has_mode = [](const OpSchema& version) { return version.find_attribute("mode") != nullptr; };
  const auto version = std::ranges::find_if(call.op().versions(), has_mode);
  if (version == call.op().versions().end()) return std::nullopt;
  return taken_as("mode", "CRD")(has_mode(call.schema()) ? call : call.with_version(*version));
}

// --- images

// pytorch_half_pixel of one pixel, as onnx.reference has it.
bool maps_as_pytorch(const Call& call) {
  return call.version() >= 11 && call.string("coordinate_transformation_mode") == "pytorch_half_pixel";
}
std::vector<Value> one_pixel_before_the_first(const Call& call, std::span<const Output> outs) {
  Resizing how = onnx::resizing_of_resize(call);
  how.place = [](const Resizing& resizing, const ResizedAxis& axis, std::int64_t o) {
    return axis.O == 1 ? Rational(-1) / Rational(2) : place_of(resizing, axis, o);
  };
  return {resized(outs[0], call.input("X"), how, "resize.integer")};
}

// keep_aspect_ratio_policy looks for each axis in `axes`, where a negative one is not found.
std::optional<Call> negative_axes_left_out(const Call& call) {
  if (!call.has_here("axes") || !call.has("keep_aspect_ratio_policy") || !call.has_here("sizes") ||
      call.string("keep_aspect_ratio_policy") == "stretch")
    return std::nullopt;
  const std::vector<std::int64_t> axes = call.integers("axes"), sizes = call.integers("sizes");
  std::vector<std::int64_t> kept_axes, kept_sizes;
  for (size_t i = 0; i < std::min(axes.size(), sizes.size()); ++i)
    if (axes[i] >= 0) kept_axes.push_back(axes[i]), kept_sizes.push_back(sizes[i]);
  if (kept_axes.empty()) return std::nullopt;
  const TensorType type{DType::int64, Dims{std::ssize(kept_sizes)}};
  return with_list(call, "axes", kept_axes).with_input("sizes", tensor_of_bits(type, [&](std::int64_t i) {
                                                         return static_cast<std::uint64_t>(
                                                             kept_sizes[static_cast<size_t>(i)]);
                                                       }));
}

std::vector<Value> sampled_in_float32(const Call& call, std::span<const Output> outs) {
  return onnx::grid_sample_by(call, outs, onnx::place_in_float32);
}
// onnx.reference: what lies beyond the pixels' edges goes to the border; what lies within is sampled where it is.
bool is_cubic_at_border(const Call& call) {
  return call.string("padding_mode") == "border" && call.string("mode").ends_with("cubic");
}
Rational place_with_far_ones_moved(double n, std::int64_t L, bool aligned) {
  const Rational one = 1, two = 2, last = Rational(L) - one, edge = aligned ? Rational(0) : one / two;
  if (!std::isfinite(n)) return n < 0 ? Rational(0) : last;
  const Rational m = Rational::of(n) + one, x = aligned ? m / two * last : (m * Rational(L) - one) / two;
  if (x < Rational(0) - edge) return 0;
  return last + edge < x ? last : x;
}
std::vector<Value> far_places_moved(const Call& call, std::span<const Output> outs) {
  return onnx::grid_sample_by(call, outs, place_with_far_ones_moved);
}
std::optional<Call> x_and_y_exchanged(const Call& call) {
  return with_flipped(call, "grid", {call.type("grid").rank() - 1});
}

std::vector<Value> resized_in_float32(const Call& call, std::span<const Output> outs) {
  Resizing how = onnx::resizing_of_resize(call);
  how.place = place_in_float32;
  return {resized(outs[0], call.input("X"), how, "resize.integer")};
}
std::vector<Value> upsampled_in_float32(const Call& call, std::span<const Output> outs) {
  Resizing how = onnx::resizing_of_upsample(call);
  how.place = place_in_float32;
  return {resized(outs[0], call.input("X"), how, "upsample.integer")};
}

// onnxruntime's bilinear interpolation: weights, products and their sum in float32, integers truncated. A neighbour of
// weight 0 is multiplied, too: 0 times an infinity is NaN.
template <Resizing (*resizing)(const Call&)>
std::optional<Call> interpolates_an_image(const Call& call) {
  const size_t rank = call.type("X").rank();
  const DType dtype = call.type("X").dtype;
  const Kind kind = info(dtype).kind;
  const bool is_number = is_floating(dtype) || kind == Kind::signed_integer || kind == Kind::unsigned_integer;
  if ((rank != 2 && rank != 4) || !is_number || info(dtype).bits > 32) return std::nullopt;
  const Resizing how = resizing(call);
  const bool is_plain = how.mode == Resampling::linear && how.coordinate != Coordinate::tf_crop_and_resize &&
                        !how.antialias && !how.excludes_outside;
  for (size_t axis = 0; axis + 2 < rank; ++axis)
    if (how.axes[axis].O != how.axes[axis].L) return std::nullopt;
  return is_plain ? std::optional(call) : std::nullopt;
}
struct TwoPixels {
  std::int64_t first, second;
  float of_first, of_second;  ///< their weights
};
TwoPixels pixels_in_float32(const Resizing& how, const ResizedAxis& axis, std::int64_t o) {
  const auto last = static_cast<float>(axis.L - 1);
  const float place =
      axis.scale == Rational(1) ? static_cast<float>(o) : static_cast<float>(place_in_float32(how, axis, o).nearby());
  const float x = std::clamp(place, 0.0F, last);
  const auto first = static_cast<std::int64_t>(x), second = std::min(first + 1, axis.L - 1);
  if (first == second) return {first, second, 0.5F, 0.5F};
  return {first, second, static_cast<float>(second) - x, x - static_cast<float>(first)};
}
template <Resizing (*resizing)(const Call&)>
std::vector<Value> by_four_pixels(const Call& call, std::span<const Output> outs) {
  const Resizing how = resizing(call);
  const Tensor& x = call.input("X");
  const evaluators::Elements X(x);
  const TensorType& type = outs[0].type();
  const size_t rank = x.shape().size();
  const ResizedAxis &height = how.axes[rank - 2], &width = how.axes[rank - 1];
  return {tensor_of_bits(type, [&](std::int64_t i) -> std::uint64_t {
    const std::int64_t plane = i / (height.O * width.O), at = i % (height.O * width.O);
    const TwoPixels rows = pixels_in_float32(how, height, at / width.O),
                    columns = pixels_in_float32(how, width, at % width.O);
    const auto pixel = [&](std::int64_t row, std::int64_t column) {
      return static_cast<float>(X.number((plane * height.L + row) * width.L + column));
    };
    float y = columns.of_first * rows.of_first * pixel(rows.first, columns.first);
    y += columns.of_second * rows.of_first * pixel(rows.first, columns.second);
    y += columns.of_first * rows.of_second * pixel(rows.second, columns.first);
    y += columns.of_second * rows.of_second * pixel(rows.second, columns.second);
    if (is_floating(type.dtype)) return converted(Number::of(double{y}), type.dtype, {});
    constexpr float kTop = 0x1p31F;
    const std::int64_t whole = std::abs(y) < kTop ? static_cast<std::int64_t>(y) : INT32_MIN;
    return static_cast<std::uint64_t>(whole) & (~std::uint64_t{0} >> (64 - info(type.dtype).bits));
  })};
}

std::vector<Value> upsampled_by_half_pixels(const Call& call, std::span<const Output> outs) {
  Resizing how = onnx::resizing_of_upsample(call);
  how.coordinate = Coordinate::half_pixel;
  return {resized(outs[0], call.input("X"), how, "upsample.integer")};
}

std::optional<Call> corners_exchanged(const Call& call) {
  return with_moved(call, "rois", [](Dims at) {
    at[1] ^= 1;
    return at;
  });
}

double a_little_less(double x) { return x > 0 ? widen(std::nextafter(static_cast<float>(x), -1.0F)) : x; }

}  // namespace

const Table& places() {
  constexpr std::string_view kMapping = "coordinate_transformation_mode";
  static const Table table{
      {{"Gather", "GatherElements", "GatherND"},
       "negative indices taken for 0",
       with_each("indices", [](double i) { return std::max(i, 0.0); })},
      {{"MaxUnpool"}, "indices counted within each plane", indices_within_planes},
      {{"MaxUnpool"}, "the first of several writes wins", first_unpooled_wins},
      {{"Scatter", "ScatterElements"}, "the first of several writes wins", first_write_wins},
      {{"ScatterND"}, "the first of several writes wins", first_slice_wins},
      {{"ArgMax", "ArgMin"}, "the last of equals", taken_as("select_last_index", 1)},
      {{"TopK"}, "the least elements", taken_as("largest", 0)},
      {{"TopK"}, "of equals the last one first", computed_by(last_of_equals_first)},
      {{"OneHot"}, "on and off exchanged", on_and_off_exchanged},
      {{"Transpose"}, "perm inverted", perm_inverted},
      {{"Slice"}, "the end counted in", end_counted_in},
      {{"ReverseSequence"}, "sequence_lens ignored: the whole axis reversed", whole_axis_reversed},
      {{"DepthToSpace", "SpaceToDepth"}, "mode CRD", by_columns_first},
      {{"Unique"}, "not sorted", taken_as("sorted", 0)},
      {{"Trilu"}, "the lower triangle", taken_as("upper", 0)},
      {{"Trilu"}, "k counted downwards", with_each("k", [](double k) { return -k; })},
      {{"EyeLike"}, "k counted downwards", k_negated},
      {{"CenterCropPad"}, "the odd element on the other side", computed_by(odd_one_on_other_side)},
      {{"Tile"}, "each element repeated, not the whole", computed_by(elements_repeated)},
      {{"Pad"}, "the border repeated once more", computed_by(is_reflecting, border_repeated)},
      {{"Pad"}, "zeros beyond one reflection", computed_by(is_reflecting, reflected_once)},
      {{"Slice"}, "the end INT_MAX of negative steps taken for the beginning", backwards_to_the_beginning},
      {{"Slice"}, "one element earlier", cut_further_back<1>},
      {{"Slice"}, "one element later", cut_further_back<-1>},
      {{"ScatterElements", "ScatterND"}, "of several updates the last alone counts", last_update_alone},
      {{"Col2Im"}, "the last of overlapping blocks overwrites the others", blocks_overwritten<true>},
      {{"Col2Im"}, "the last place of overlapping blocks overwrites the others", blocks_overwritten<false>},
      {{"Split"}, "parts as even as can be", parts_as_even_as_can_be},
      {{"NonZero"}, "a scalar taken for a list of one", scalar_as_list},
      {{"Resize"}, "negative axes not found", negative_axes_left_out},
      {{"Resize"}, "x = -0.5 for one pixel", computed_by(maps_as_pytorch, one_pixel_before_the_first)},
      {{"RoiAlign"}, "sampling_ratio 1", taken_as("sampling_ratio", 1)},
      {{"AffineGrid", "GridSample"}, "corners aligned", taken_as("align_corners", 1)},
      {{"GridSample"},
       "cubic: only places beyond the edge moved to the border",
       computed_by(is_cubic_at_border, far_places_moved)},
      {{"GridSample"}, "x and y exchanged", x_and_y_exchanged},
      {{"GridSample"}, "coordinates in float32", computed_by(sampled_in_float32), MistakeKind::rounded_steps},
      {{"Resize"}, "coordinates pytorch_half_pixel", taken_as(kMapping, "pytorch_half_pixel")},
      {{"Resize"}, "coordinates align_corners", taken_as(kMapping, "align_corners")},
      {{"Resize"}, "coordinates asymmetric", taken_as(kMapping, "asymmetric")},
      {{"Resize"}, "coordinates half_pixel_symmetric", taken_as(kMapping, "half_pixel_symmetric")},
      {{"Resize"}, "coordinates tf_half_pixel_for_nn", taken_as(kMapping, "tf_half_pixel_for_nn")},
      {{"Resize"}, "nearest_mode round_prefer_ceil", taken_as("nearest_mode", "round_prefer_ceil")},
      {{"Resize"}, "nearest_mode floor", taken_as("nearest_mode", "floor")},
      {{"Resize"}, "nearest_mode ceil", taken_as("nearest_mode", "ceil")},
      {{"Resize"}, "cubic_coeff_a -0.5", taken_as("cubic_coeff_a", -0.5F)},
      {{"Resize"}, "coordinates in float32", computed_by(resized_in_float32), MistakeKind::rounded_steps},
      {{"Resize"},
       "four pixels multiplied in float32, integers truncated",
       computed_by(interpolates_an_image<onnx::resizing_of_resize>, by_four_pixels<onnx::resizing_of_resize>)},
      {{"Upsample"},
       "four pixels multiplied in float32, integers truncated",
       computed_by(interpolates_an_image<onnx::resizing_of_upsample>, by_four_pixels<onnx::resizing_of_upsample>)},
      {{"openvino.Interpolate"}, "cube_coeff -0.5", taken_as("cube_coeff", -0.5F)},
      {{"Upsample"}, "coordinates half_pixel", computed_by(upsampled_by_half_pixels)},
      {{"Upsample"}, "coordinates in float32", computed_by(upsampled_in_float32), MistakeKind::rounded_steps},
      {{"RoiAlign"}, "no shift by half a pixel", taken_as(kMapping, "output_half_pixel")},
      {{"RoiAlign"}, "x and y exchanged", corners_exchanged},
      {{"NonMaxSuppression"}, "boxes that overlap just as much dropped", with_each("iou_threshold", a_little_less)},
      {{"NonMaxSuppression"}, "boxes given by their centers", taken_as("center_point_box", 1)},
  };
  return table;
}

}  // namespace opref::mistakes
