// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/openvino_windows.h"
#include <algorithm>

#include "core/error.h"
#include "evaluators/sum.h"
#include "exact/rounding.h"
#include "fast/fast.h"
#include "ops/shared/convolutions.h"
namespace opref::ops {
namespace {
// Numeric types of OpenVINO that opref does not compute with.
constexpr Types kNarrow = types::int4s | Types{DType::uint2, DType::float8_e4m3fn, DType::float8_e5m2,
                                               DType::float8_e8m0fnu, DType::float4_e2m1fn};

constexpr std::string_view kPages =
    "https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/";

// The page requires the attribute; OpenVINO reads layers without it.
AttributeSchema required_on_page(std::string_view name, std::int64_t least) {
  AttributeSchema attribute = per_axis_attribute(name, least, DefaultStated::no);
  attribute.presence = Presence::required_on_page;
  return attribute;
}
void add_strides_and_pads(OpSchema& s) {
  s.attribute(required_on_page("strides", 1))
      .attribute(required_on_page("pads_begin", 0))
      .attribute(required_on_page("pads_end", 0));
}
AttributeSchema openvino_auto_pad() {
  return with_default("auto_pad", "explicit", one_of({"explicit", "same_upper", "same_lower", "valid"}));
}

/// The spatial sizes of the first input, the data.
Dims data_sizes(const Call& call) { return spatial(call.inputs()[0].type.tensor.shape); }

/// With some numeric types opref does not compute: `unsupported`.
void require_computed_type(const Call& call) {
  const DType dtype = call.type("data").dtype;
  if (kNarrow.contains(dtype)) fail(Fault::unsupported, "data has type {}, with which opref does not compute", dtype);
}

void require_data(const Call& call) {
  require_computed_type(call);
  const size_t rank = call.type("data").rank();
  require(rank >= 3 && rank <= 5, "data has rank {}, but must have 3, 4 or 5: one to three spatial axes", rank);
}

/// openvino.integer_overflow, and whether it says that sums wrap.
Reading integer_overflow_reading() {
  return {.name = "openvino.integer_overflow",
          .alternatives = {"wrap: integer sums wrap", "saturate: they stop at the type's least and greatest"},
          .defaults = {{1, "wrap"}},
          .reason = "OpenVINO's reference wraps; its CPU plugin saturates",
          .link = kPages,
          .may_change_values = [](const Call& call) { return types::integers.contains(call.type("data").dtype); }};
}

bool integers_wrap(const Call& call) { return call.reads("openvino.integer_overflow", "wrap"); }

/// pads_begin and pads_end as the node states them.
Pads openvino_pads(const Call& call) {
  const size_t axes = data_sizes(call).size();
  return {per_axis(call, "pads_begin", axes, 0), per_axis(call, "pads_end", axes, 0)};
}

/// Notes where the pads in force are not the node's, `by` what.
void add_pads_ignored(const Call& call, const Pads& used, std::string_view by, std::vector<Note>& notes) {
  const Pads stated = openvino_pads(call);
  if (call.has("pads_begin") && stated.begin != used.begin)
    notes.push_back(remark("pads_begin", format("the node's {} is ignored: {}", stated.begin, by)));
  if (call.has("pads_end") && stated.end != used.end)
    notes.push_back(remark("pads_end", format("the node's {} is ignored: {}", stated.end, by)));
}

}  // namespace
PoolingWindows openvino_windows(const Call& call, const Dims& kernel) {
  const Dims L = data_sizes(call), none = Dims::filled(L.size(), 0);
  const AutoPad mode = auto_pad(call);  // of the same order
  const std::string rounding = call.has_here("rounding_type") ? call.string("rounding_type") : "floor";
  PoolingWindows w{L,
                   kernel,
                   per_axis(call, "strides", L.size(), 1),
                   call.has_here("dilations") ? per_axis(call, "dilations", L.size(), 1) : Dims::filled(L.size(), 1),
                   openvino_pads(call),
                   L};
  // "This attribute is ignored when auto_pad attribute is specified."
  if (mode != AutoPad::notset) w.pads = {none, none};
  return placed(std::move(w),
                {.mode = mode,
                 .ceil = rounding != "floor",
                 .drops_ceil_window = rounding == "ceil_torch",
                 .same_rounds_up = call.has_here("rounding_type") && call.reads("openvino.same_ceil", "honoured")});
}

namespace {
std::vector<Note> notes_of(const Call& call, const PoolingWindows& w) {
  std::vector<Note> notes = in_force(call, {{"strides", to_text(w.s)},
                                            {"dilations", to_text(w.d)},
                                            {"pads_begin", to_text(w.pads.begin)},
                                            {"pads_end", to_text(w.pads.end)}});
  add_pads_ignored(call, w.pads, "auto_pad", notes);
  return notes;
}

// Of convolution.

bool has_groups(const Call& call) { return call.op().op_type().starts_with("Group"); }
std::int64_t groups(const Call& call) { return has_groups(call) ? call.type("kernel").shape[0] : 1; }
/// [GROUPS * C_OUT, C_IN, spatial]
Dims filters(const Call& call) {
  const Dims& shape = call.type("kernel").shape;
  return has_groups(call) ? join(Dims{checked_multiply(shape[0], shape[1])}, shape.without_first(2)) : shape;
}
PoolingWindows convolution_places(const Call& call) { return openvino_windows(call, spatial(filters(call))); }

std::vector<ValueType> convolution_types(const Call& call) {
  require_data(call);
  const auto& [dtype, data] = call.type("data");
  const Dims& kernel = call.type("kernel").shape;
  const std::string_view leading = has_groups(call) ? "GROUPS, " : "", factor = has_groups(call) ? "GROUPS*" : "";
  const size_t rank = data.size() + (has_groups(call) ? 1 : 0);
  require(kernel.size() == rank,
          "kernel has rank {}, but data has rank {}, and then it must be [{}C_OUT, C_IN, …]: rank {}", kernel.size(),
          data.size(), leading, rank);
  require(groups(call) > 0, "kernel has shape {}, but GROUPS must be > 0", kernel);
  const Dims w = filters(call);
  require(data[1] == checked_multiply(groups(call), w[1]),
          "data has shape {}, but kernel has shape {}, and then its channels must be {}C_IN = {}", data, kernel, factor,
          checked_multiply(groups(call), w[1]));
  require_spatial_sizes(call, "kernel", spatial(w));
  return {TensorType{dtype, join(Dims{data[0], w[0]}, convolution_places(call).O)}};
}

std::vector<Value> convolution_kernel(const Call& call, std::span<const Output> outs) {
  const Convolution places(filters(call), groups(call), convolution_places(call), outs[0].sink());
  const evaluators::Elements data(call.input("data")), kernel(call.input("kernel"));
  const bool wraps = integers_wrap(call);
  const auto definition = [&](std::int64_t i, auto& sum) { places.add_products(i, data, kernel, sum); };
  const auto rows = [&](const evaluators::RowTarget& y) {
    return wraps &&
           fast::convolution(
               y, {call.input("data"), call.input("kernel").reshaped(filters(call)), {}, groups(call), places.axes()});
  };
  return {evaluators::sum(outs[0], data.dtype(), definition,
                          {wraps ? Integers::Rounding::wrap : Integers::Rounding::saturate}, rows)};
}
}  // namespace
void openvino_convolution_attributes(OpSchema& s) {
  add_strides_and_pads(s);
  s.attribute(required_on_page("dilations", 1)).attribute(openvino_auto_pad());
}

void openvino_pooling_attributes(OpSchema& s) {
  add_strides_and_pads(s);
  s.attribute(required(INTS, "kernel", at_least(1)))
      .attribute(with_default("rounding_type", "floor", one_of({"floor", "ceil"})))
      .attribute(openvino_auto_pad());
}

Types openvino_numbers() { return types::numbers | DType::bfloat16 | kNarrow; }

PoolingWindows openvino_pooling_windows(const Call& call) {
  return openvino_windows(call, per_axis(call, "kernel", data_sizes(call).size(), 1));
}

TensorType openvino_pooled_type(const Call& call) {
  require_data(call);
  const auto& [dtype, data] = call.type("data");
  return {dtype, join(data.first(2), openvino_pooling_windows(call).O)};
}

void version_with_ceil_torch(OpSchema& s) { s.change("rounding_type").range = one_of({"floor", "ceil", "ceil_torch"}); }

Operator openvino_pooling(std::string_view op_type) {
  return Operator("openvino", op_type)
      .reading({.name = "openvino.same_ceil",
                .alternatives = {"ignored: same_* gives ceil(L/strides), whatever rounding_type says",
                                 "honoured: ceil may add a window that reads nothing"},
                .defaults = {{1, "ignored"}},
                .reason = "the page's formulas of same_* know no rounding_type; OpenVINO's CPU plugin may add a window",
                .link = kPages})
      .placement([](const Call& call) {
        const PoolingWindows w = openvino_pooling_windows(call);
        return std::vector<Dims>{w.pads.begin, w.O};
      })
      .notes([](const Call& call) { return notes_of(call, openvino_pooling_windows(call)); })
      .short_names(spatial_short_names())
      .short_names({{"kernel", "k"}, {"rounding_type", ""}})
      .order([](const Call& call) { return TermOrder{.taps = element_count(openvino_pooling_windows(call).k)}; });
}

Operator openvino_convolution(std::string_view op_type) {
  return Operator("openvino", op_type)
      .reading(integer_overflow_reading())
      .output_types(convolution_types)
      .placement([](const Call& call) {
        const PoolingWindows w = convolution_places(call);
        return std::vector<Dims>{w.pads.begin, w.O};
      })
      .kernel(convolution_kernel)
      .notes([](const Call& call) { return notes_of(call, convolution_places(call)); })
      .short_names(spatial_short_names())
      .order(convolution_order);
}
namespace {
/// [GROUPS, C_IN, C_OUT, spatial]
Dims grouped_kernel(const Call& call) {
  const Dims& shape = call.type("kernel").shape;
  return has_groups(call) ? shape : join(Dims{1}, shape);
}

ConvTransposeGeometry geometry(const Call& call) {
  return conv_transpose_geometry(call, spatial(call.type("data").shape), grouped_kernel(call).without_first(3));
}

Dims stated_size(const Call& call) {
  const Dims sizes(call.integers("output_shape"));
  require(all_positive(sizes), "output_shape is {}, but its values must be > 0", sizes);
  return sizes;
}

ConvTransposePadding padding(const Call& call, const ConvTransposeGeometry& g) {
  const AutoPad mode = auto_pad(call);
  const Dims none = Dims::filled(g.L.size(), 0);
  Pads in_force = openvino_pads(call);
  // "This attribute is ignored when auto_pad attribute is specified."
  if (mode != AutoPad::notset) in_force = {none, none};
  if (!call.has_here("output_shape")) return {in_force, g.full() - in_force.begin - in_force.end};
  const Dims O = stated_size(call);
  if (mode == AutoPad::same_upper || mode == AutoPad::same_lower) {
    const bool by_equation = call.reads("openvino.same_split", "equation");
    return padded_to(O, g, (mode == AutoPad::same_upper) == by_equation ? OddPad::begin : OddPad::end);
  }
  // "if auto_pads != SAME_UPPER: pads_begin[i] = total_padding[i] // 2"
  if (call.reads("openvino.output_shape_pads", "document")) return padded_to(O, g, OddPad::end);
  return {{in_force.begin, at_least_zero(g.full() - O - in_force.begin)}, O};
}

std::vector<ValueType> backprop_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  const size_t kernel_rank = call.type("kernel").rank(), rank = data.size() + (has_groups(call) ? 1 : 0);
  const std::string_view groups = has_groups(call) ? "GROUPS" : "";
  require_computed_type(call);
  require(data.size() >= 3 && data.size() <= 5, "data has rank {}, but must have 3, 4 or 5: one to three spatial axes",
          data.size());
  require(kernel_rank == rank,
          "kernel has rank {}, but data has rank {}, and then it must be [{}C_IN, C_OUT, …]: rank {}", kernel_rank,
          data.size(), groups.empty() ? "" : "GROUPS, ", rank);
  const Dims kernel = grouped_kernel(call);
  require(kernel[0] > 0, "kernel has shape {}, but GROUPS must be > 0", kernel);
  const std::int64_t channels = checked_multiply(kernel[0], kernel[1]);
  require(data[1] == channels, "data has shape {}, but kernel has shape {}, and then its channels must be {}C_IN = {}",
          data, call.type("kernel").shape, groups.empty() ? "" : "GROUPS*", channels);
  require_spatial_sizes(call, "data", spatial(data));
  require_spatial_sizes(call, "kernel", kernel.without_first(3));
  const ConvTransposeGeometry g = geometry(call);
  if (call.has_here("output_shape")) {
    const Dims& shape = call.type("output_shape").shape;
    require(shape == Dims{static_cast<std::int64_t>(g.L.size())},
            "output_shape has shape {}, but must be a list of {}: the spatial axes of data", shape,
            counted(static_cast<long long>(g.L.size()), "size"));
  }
  const Dims y = join(Dims{data[0], checked_multiply(kernel[0], kernel[2])}, padding(call, g).O);
  require_output_sizes(y);
  return {TensorType{dtype, y}};
}

std::vector<Value> backprop_kernel(const Call& call, std::span<const Output> outs) {
  const ConvTransposeGeometry g = geometry(call);
  const ConvTransposePadding p = padding(call, g);
  const TapAxes axes = conv_transpose_axes(g, p);
  const Integers::Rounding beyond = integers_wrap(call) ? Integers::Rounding::wrap : Integers::Rounding::saturate;
  return {
      conv_transpose(outs[0], {call.input("data"), call.input("kernel"), {}, grouped_kernel(call)[0], axes}, {beyond})};
}

std::vector<Note> notes(const Call& call) {
  const ConvTransposeGeometry g = geometry(call);
  const ConvTransposePadding p = padding(call, g);
  std::vector<Note> notes = in_force(call, {{"strides", to_text(g.s)},
                                            {"dilations", to_text(g.d)},
                                            {"output_padding", to_text(g.output_padding)},
                                            {"pads_begin", to_text(p.pads.begin)},
                                            {"pads_end", to_text(p.pads.end)}});
  add_pads_ignored(call, p.pads, call.has_here("output_shape") ? "output_shape" : "auto_pad", notes);
  return notes;
}
}  // namespace
void add_backprop_attributes(OpSchema& schema) {
  openvino_convolution_attributes(schema);
  schema.attribute(per_axis_attribute("output_padding", 0));
}

void add_backprop_types(OpSchema& schema) {
  schema.types("T1", openvino_numbers(), "Any numeric type.").types("T2", types::integers, "Any integer type.");
}

Operator backprop_data(Operator op) {
  // The readings stem from this page, also where the groups' page is silent.
  constexpr std::string_view kPage =
      "https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/"
      "convolution-backprop-data-1.html";
  return transposed_operator(std::move(op))
      .reading(
          {.name = "openvino.output_shape_pads",
           .alternatives = {"implementation: beside output_shape pads_begin is in force, for valid no pads",
                            "document: the total of the pads follows from output_shape, and is split"},
           .defaults = {{1, "implementation"}},
           .reason =
               "beside output_shape, OpenVINO and what writes its files mean pads_begin (explicit) or no pads (valid); "
               "the document's equation splits the total there too",
           .link = kPage})
      .reading(
          {.name = "openvino.same_split",
           .alternatives = {"equation: the odd pad of same_upper is at the begin", "text: at the end"},
           .defaults = {{1, "equation"}},
           .reason =
               "beside output_shape, the base operator's equation and OpenVINO give the odd pad of same_upper to the "
               "begin; the text says to the end",
           .link = kPage})
      .reading(integer_overflow_reading())
      .output_types(backprop_types)
      .placement([](const Call& call) { return placement_of(padding(call, geometry(call))); })
      .kernel(backprop_kernel)
      .notes(notes);
}
}  // namespace opref::ops
