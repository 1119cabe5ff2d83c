// SPDX-License-Identifier: Apache-2.0
#include "ops/common/backprop_data.h"

#include <algorithm>

#include "core/error.h"
#include "exact/rounding.h"
#include "ops/common/conv_transpose.h"
#include "ops/common/openvino_windows.h"

namespace opref::ops {
namespace {

enum class AutoPad : std::uint8_t { from_attributes, same_upper, same_lower, valid };

AutoPad auto_pad(const Call& call) { return call.choice<AutoPad>("auto_pad"); }

bool has_groups(const Call& call) { return call.op().op_type() == "GroupConvolutionBackpropData"; }

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
  if (mode != AutoPad::from_attributes) in_force = {none, none};
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

std::vector<ValueType> output_types(const Call& call) {
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

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
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
      .output_types(output_types)
      .placement([](const Call& call) { return placement_of(padding(call, geometry(call))); })
      .kernel(kernel)
      .notes(notes);
}

}  // namespace opref::ops
