// SPDX-License-Identifier: Apache-2.0
// ai.onnx ConvTranspose, versions 1, 11, 22
// https://onnx.ai/onnx/operators/onnx__ConvTranspose.html
#include "ops/operator_file.h"
#include "ops/shared/convolutions.h"
namespace opref::ops::onnx::file_conv_transpose {
namespace {
// Y[n, g*Mg+m, o] = B[g*Mg+m] + sum over c in [0, Cg) and all i, k with i*s + k*d - pb = o
//                   of X[n, g*Cg+c, i] * W[g*Cg+c, m, k],   Cg = C/group, Mg = W.shape[1]
// Per spatial axis, with full = s*(L-1) + output_padding + (k-1)*d + 1:
//   NOTSET, VALID  O = full - pb - pe
//   SAME_*         O = min(L*s, full),  pb + pe = full - O
//   output_shape   O is stated,         pb + pe = max(0, full - O)

ConvTransposeGeometry geometry(const Call& call) {
  return conv_transpose_geometry(call, spatial(call.type("X").shape), kernel_sizes(call));
}

std::int64_t output_channels(const Call& call) {
  return checked_multiply(call.type("W").shape[1], call.integer("group"));
}

// "SAME_UPPER or SAME_LOWER mean pad the input so that output_shape[i] = input_shape[i] * strides[i]." Where the stride
// exceeds the kernel, that can be more than there is.
Dims same_size(const Call& call, const ConvTransposeGeometry& g) {
  const std::string_view reading = call.reading("conv_transpose.same_size");
  const Dims text = g.L * g.s, full = g.full(), span = g.span(), extended = text + g.output_padding;
  Dims O = reading == "input" ? g.L : text;
  for (size_t axis = 0; axis < O.size(); ++axis) {
    if (reading == "natural") O[axis] = std::min(text[axis], full[axis]);
    if (reading == "inference") O[axis] = span[axis] >= g.s[axis] ? extended[axis] : full[axis];
  }
  return O;
}

// "Note that the output_shape attribute value should not include dimensions for batch size and channels": since 11.
Dims stated_size(const Call& call) {
  const Dims& x = call.type("X").shape;
  const bool has_channels = call.integers("output_shape").size() == x.size();
  const Dims shape =
                 has_channels ? Dims(call.integers("output_shape")) : per_axis(call, "output_shape", x.size() - 2, 1),
             sizes = has_channels ? spatial(shape) : shape, nc{x[0], output_channels(call)};
  require(!has_channels || call.version() < 11,
          "attribute 'output_shape' is {}, but states spatial sizes only: leave out N and C", shape);
  require(!has_channels || shape.first(2) == nc, "attribute 'output_shape' is {}, but the output has N and C {}", shape,
          nc);
  require(all_positive(sizes), "attribute 'output_shape' is {}, but its values must be > 0", shape);
  return sizes;
}

/// Where X lies in Y, and by which mode.
struct Places {
  ConvTransposeGeometry g;
  ConvTransposePadding p;
  AutoPad mode;
};
Places places(const Call& call) {
  const ConvTransposeGeometry g = geometry(call);
  Pads pads = explicit_pads(call, g.L.size());
  const AutoPad mode = auto_pad_in_force(call, pads, ZeroPads::rejected);
  const Surplus surplus = call.reads("conv_transpose.surplus", "end") ? Surplus::end : Surplus::split;
  const auto sized = [&](const Dims& O, bool odd_at_begin) {
    return Places{g, padded_to(O, g, odd_at_begin ? OddPad::begin : OddPad::end, surplus), mode};
  };
  // Since 11: "If (auto_pads == SAME_UPPER): pads[start_i] = total_padding[i]/2; …". Version 1 has != there.
  if (call.has("output_shape"))
    return sized(stated_size(call), (mode == AutoPad::same_upper) == call.reads("conv_transpose.split", "rule-1"));
  // "In case the padding is an odd number, the extra padding is added at the end for SAME_UPPER and at the beginning
  // for SAME_LOWER."
  if (mode == AutoPad::same_upper || mode == AutoPad::same_lower)
    return sized(same_size(call, g), mode == AutoPad::same_lower);
  return {g, {pads, g.full() - pads.begin - pads.end}, mode};
}

// "Each padding value in output_padding must be less than the corresponding stride/dilation dimension": since 11.
void require_output_padding(const Call& call, const ConvTransposeGeometry& g) {
  const std::string_view limit = call.reading("conv_transpose.output_padding_limit");
  if (limit == "none") return;
  for (size_t axis = 0; axis < g.L.size(); ++axis) {
    require(g.output_padding[axis] < (limit == "stride" ? g.s[axis] : std::max(g.s[axis], g.d[axis])),
            "attribute 'output_padding' is {}, but must be less than strides {}{}; the reading "
            "conv_transpose.output_padding_limit=none allows it",
            g.output_padding, g.s, limit == "stride" ? "" : format(" or dilations {}", g.d));
  }
}

std::vector<ValueType> output_types(const Call& call) {
  require_kernels(call);
  const auto& [dtype, x] = call.type("X");
  const std::int64_t group = call.integer("group"), M = output_channels(call);
  require(call.type("W").shape[0] == x[1], "W has shape {}, but its first size must be C of X, {}",
          call.type("W").shape, x[1]);
  require(x[1] % group == 0, "attribute 'group' is {}, but must divide C of X, {}", group, x[1]);
  require_bias(call, M);
  require_spatial_sizes(call, "X", spatial(x));
  require_output_padding(call, geometry(call));
  const Dims y = join(Dims{x[0], M}, places(call).p.O);
  require_output_sizes(y);
  return {TensorType{dtype, y}};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const auto [g, p, mode] = places(call);
  TapAxes axes = conv_transpose_axes(g, p);
  // Version 1 calls output_padding "the zero-padding added to one side of the output"; data published for it compute.
  for (size_t axis = 0; axis < axes.size() && call.reads("conv_transpose.output_padding_values", "zeros"); ++axis)
    axes[axis].computed = std::max<std::int64_t>(0, p.O[axis] - g.output_padding[axis]);
  const auto bias = call.has("B") ? std::optional(call.input("B")) : std::nullopt;
  return {conv_transpose(outs[0], {call.input("X"), call.input("W"), bias, call.integer("group"), axes})};
}

bool has_output_padding(const Call& call) {
  return geometry(call).output_padding != Dims::filled(call.type("X").rank() - 2, 0);
}

std::vector<Note> notes(const Call& call) {
  const auto [g, p, mode] = places(call);
  const bool stated = call.has("output_shape"), automatic = mode != AutoPad::notset;
  auto notes = in_force(call, {{"strides", to_text(g.s)},
                               {"dilations", to_text(g.d)},
                               {"output_padding", to_text(g.output_padding)},
                               {"kernel_shape", to_text(g.k)},
                               {"pads", to_text(p.pads)}});
  if (stated || automatic)
    notes.push_back(remark("pads", format("from {}{}", stated ? "output_shape" : "auto_pad",
                                          call.has("pads") ? "; the node's are ignored" : "")));
  if (!automatic && auto_pad(call) != AutoPad::notset) notes.push_back(remark("auto_pad", "ignored (pads)"));
  if (stated && !std::ranges::equal(p.O - g.full(), g.s, std::less{}))
    notes.push_back(
        warning("output_shape",
                format("{} exceeds the full size {} by a stride or more, which onnxruntime refuses", p.O, g.full())));
  if (stated && call.integers("output_shape").size() != g.L.size())
    notes.push_back(warning("output_shape", "states N and C, which from version 11 on is refused"));
  return notes;
}

void version_1(OpSchema& s) {
  convolution_version_1(s, "the kernels, (C, M/group, k1, …)");
  s.change("pads").default_stated = DefaultStated::yes;
  s.attribute(per_axis_attribute("output_padding", 0, DefaultStated::no))
      .attribute(optional(INTS, "output_shape", at_least(0)));  // with N, which may be 0, and C before
}

void version_11(OpSchema& s) {
  for (const char* key : {"dilations", "output_padding", "strides"}) s.change(key).default_stated = DefaultStated::yes;
  s.change("output_shape").range = at_least(1);
  s.other_rule("output_shape states spatial sizes only; before, also N and C before them");
  s.other_rule("output_padding \"adds or removes output elements\"; before, it is \"zero-padding\"");
  s.other_rule("SAME_* of auto_pad gives input * strides; before, the output \"matches the input\"");
}
}  // namespace
Operator conv_transpose() {
  return transposed_operator(Operator("ai.onnx", "ConvTranspose"))
      .summary("transposed convolution: each element of X adds its multiple of W's kernels to Y, strides apart")
      .version(1, version_1)
      .version(11, version_11)
      .version(22, adds("T", DType::bfloat16))
      .reading({.name = "conv_transpose.split",
                .alternatives = {"rule-1: the odd pad is at the end, for SAME_UPPER at the begin",
                                 "rule-11: at the begin, for SAME_UPPER at the end"},
                .defaults = {{1, "rule-1"}, {11, "rule-11"}},
                .reason = "the equation of each version, beside output_shape; onnxruntime takes rule-11 for all",
                .link = "https://github.com/onnx/onnx/issues/1609"})
      .reading({.name = "conv_transpose.output_padding_values",
                .alternatives = {"computed: elements that output_padding adds get what the sum gives",
                                 "zeros: they get no product"},
                .defaults = {{1, "computed"}},
                .reason = "data published for version 1 compute them; its text says zero-padding",
                .may_change_values = has_output_padding})
      .reading(
          {.name = "conv_transpose.output_padding_limit",
           .alternatives = {"max: less than the larger of stride and dilation", "stride: less than the stride",
                            "none: any"},
           .defaults = {{1, "none"}, {11, "max"}},
           .reason = "must be less than the \"stride/dilation\": the larger of the two; version 1 states no limit"})
      .reading(pads_with_auto_pad_reading("conv_transpose.pads_with_auto_pad", 1))
      .reading({.name = "conv_transpose.surplus",
                .alternatives = {"end: what exceeds the full size is all at the end", "split: it is split as pads are"},
                .defaults = {{1, "end"}},
                .reason = "published data, onnxruntime and OpenVINO; the equation splits the negative total"})
      .reading({.name = "conv_transpose.same_size",
                .alternatives = {"natural: min(L*strides, full size)", "text: L*strides",
                                 "inference: L*strides + output_padding, the full size of kernels shorter than strides",
                                 "input: L"},
                .defaults = {{1, "natural"}},
                .reason = "onnxruntime and OpenVINO; onnx.reference has the text's L*strides, to which inference adds "
                          "output_padding; the text of version 1 has L",
                .link = "https://github.com/onnx/onnx/issues/4299"})
      .output_types(output_types)
      .placement([](const Call& call) { return placement_of(places(call).p); })
      .kernel(kernel)
      .notes(notes);
}
}  // namespace opref::ops::onnx::file_conv_transpose
