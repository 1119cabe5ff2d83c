// SPDX-License-Identifier: Apache-2.0
// ai.onnx ConvTranspose, versions 1, 11, 22
// https://onnx.ai/onnx/operators/onnx__ConvTranspose.html
#include "ops/common/conv_transpose.h"

#include <algorithm>

#include "core/error.h"
#include "families/sum.h"
#include "fast/fast.h"
#include "ops/common/generators.h"
#include "ops/common/mistakes.h"
#include "ops/common/spatial.h"

namespace opref::ops::onnx {
namespace {

// Y[n, g*Mg+m, o] = B[g*Mg+m] + sum over c in [0, Cg) and all i, k with i*s + k*d - pb = o
//                   of X[n, g*Cg+c, i] * W[g*Cg+c, m, k],   Cg = C/group, Mg = W.shape[1]
// Per spatial axis, with full = s*(L-1) + output_padding + (k-1)*d + 1:
//   NOTSET, VALID  O = full - pb - pe
//   SAME_*         O = min(L*s, full),  pb + pe = full - O
//   output_shape   O is stated,         pb + pe = max(0, full - O)

ConvTransposeGeometry geometry(const Call& call) {
  return conv_transpose_geometry(call, spatial(call.type("X").shape), spatial(call.type("W").shape));
}

std::int64_t output_channels(const Call& call) {
  return checked_multiply(call.type("W").shape[1], call.integer("group"));
}

// Pads: "This attribute cannot be used simultaneously with auto_pad attribute."
AutoPad auto_pad_in_force(const Call& call) {
  const AutoPad mode = auto_pad(call);
  if (!call.has("pads") || mode == AutoPad::notset) return mode;
  const std::string_view reading = call.reading("conv_transpose.pads_with_auto_pad");
  require(reading != "reject",
          "attribute 'pads' cannot be used with auto_pad {}: leave one out, or choose the reading "
          "conv_transpose.pads_with_auto_pad=pads-win or auto_pad-wins",
          call.string("auto_pad"));
  return reading == "pads-win" ? AutoPad::notset : mode;
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
  const std::vector<std::int64_t> values = call.integers("output_shape");
  const bool has_channels = values.size() == x.size();
  const Dims shape = has_channels ? Dims(values) : per_axis(call, "output_shape", x.size() - 2, 1);
  const Dims sizes = has_channels ? spatial(shape) : shape, nc{x[0], output_channels(call)};
  require(!has_channels || call.version() < 11,
          "attribute 'output_shape' is {}, but states spatial sizes only: leave out N and C", shape);
  require(!has_channels || shape.first(2) == nc, "attribute 'output_shape' is {}, but the output has N and C {}", shape,
          nc);
  require(all_positive(sizes), "attribute 'output_shape' is {}, but its values must be > 0", shape);
  return sizes;
}

ConvTransposePadding padding(const Call& call, const ConvTransposeGeometry& g) {
  const AutoPad mode = auto_pad_in_force(call);
  const auto padded_to = [&](const Dims& O, OddPad odd) {
    const Dims total = g.full() - O;
    const bool surplus_at_end = call.reads("conv_transpose.surplus", "end");
    return ConvTransposePadding{split_padding(surplus_at_end ? at_least_zero(total) : total, odd), O};
  };
  if (call.has("output_shape")) {
    // Since 11: "If (auto_pads == SAME_UPPER): pads[start_i] = total_padding[i]/2; …". Version 1 has != there.
    const bool rule_1 = call.reads("conv_transpose.split", "rule-1");
    return padded_to(stated_size(call), (mode == AutoPad::same_upper) == rule_1 ? OddPad::begin : OddPad::end);
  }
  // "In case the padding is an odd number, the extra padding is added at the end for SAME_UPPER and at the beginning
  // for SAME_LOWER."
  if (mode == AutoPad::same_upper) return padded_to(same_size(call, g), OddPad::end);
  if (mode == AutoPad::same_lower) return padded_to(same_size(call, g), OddPad::begin);
  const Dims none = Dims::filled(g.L.size(), 0);
  const Pads pads = mode == AutoPad::notset ? explicit_pads(call, g.L.size()) : Pads{none, none};
  return {pads, g.full() - pads.begin - pads.end};
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
  const auto& [dtype, x] = call.type("X");
  const Dims& w = call.type("W").shape;
  const std::int64_t group = call.integer("group");
  require_spatial(call, "X");
  require(w.size() == x.size(), "W has rank {}, but X has rank {}; they must be the same", w.size(), x.size());
  require(w[0] == x[1], "W has shape {}, but its first size must be C of X, {}", w, x[1]);
  require(x[1] % group == 0, "attribute 'group' is {}, but must divide C of X, {}", group, x[1]);
  if (call.has("B")) {
    const Dims &b = call.type("B").shape, m{output_channels(call)};
    require(b == m, "B has shape {}, but must have {}: W.shape[1] * group", b, m);
  }
  require_spatial_sizes(call, "X", spatial(x));
  require_spatial_sizes(call, "W", spatial(w));
  if (call.has("kernel_shape")) {
    const Dims stated = per_axis(call, "kernel_shape", x.size() - 2, 1);
    require(stated == spatial(w), "attribute 'kernel_shape' is {}, but W has the spatial sizes {}", stated, spatial(w));
  }
  const ConvTransposeGeometry g = geometry(call);
  require_output_padding(call, g);
  explicit_pads(call, g.L.size());  // checked also where they are ignored
  const Dims y = join(Dims{x[0], output_channels(call)}, padding(call, g).O);
  require_output_sizes(y);
  return {TensorType{dtype, y}};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const ConvTransposeGeometry g = geometry(call);
  const ConvTransposePadding p = padding(call, g);
  TapAxes axes = conv_transpose_axes(g, p);
  // Version 1 calls output_padding "the zero-padding added to one side of the output"; data published for it compute.
  if (call.reads("conv_transpose.output_padding_values", "zeros"))
    for (size_t axis = 0; axis < axes.size(); ++axis)
      axes[axis].computed = std::max<std::int64_t>(0, p.O[axis] - g.output_padding[axis]);
  const std::int64_t groups = call.integer("group"), Cg = call.type("W").shape[0] / groups;
  const std::int64_t Mg = call.type("W").shape[1], L = element_count(g.L), K = element_count(g.k);
  const auto bias = call.has("B") ? std::optional(call.input("B")) : std::nullopt;
  const Elements X(call.input("X")), W(call.input("W")), B(bias ? *bias : call.input("W"));
  const Taps taps(Cg == 0 ? without_taps(axes) : axes, outs[0]);
  const auto definition = [&, has_bias = bias.has_value(), O = element_count(p.O)](std::int64_t i, auto& sum) {
    const auto [n, group, m, o] = split(i, groups, Mg, O);
    if (has_bias) sum.add(B[group * Mg + m]);
    const TapList reaching = taps.of(o);
    for (std::int64_t c = group * Cg; c < (group + 1) * Cg; ++c) {
      const std::int64_t x = (n * groups * Cg + c) * L, w = (c * Mg + m) * K;
      for (const Tap& tap : reaching) sum.add(X[x + tap.x], W[w + tap.w]);
    }
  };
  const auto rows = [&](const RowTarget& y) {
    return fast::transposed_convolution(y, {call.input("X"), call.input("W"), bias, groups, axes});
  };
  return {sum(outs[0], X.dtype(), definition, {}, rows)};
}

std::vector<Dims> placement(const Call& call) {
  const ConvTransposePadding p = padding(call, geometry(call));
  return {p.pads.begin, p.O};
}

bool has_output_padding(const Call& call) {
  const Dims added = geometry(call).output_padding;
  return added != Dims::filled(added.size(), 0);
}

std::vector<Note> notes(const Call& call) {
  const ConvTransposeGeometry g = geometry(call);
  const ConvTransposePadding p = padding(call, g);
  const bool stated = call.has("output_shape"), automatic = auto_pad_in_force(call) != AutoPad::notset;
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
    notes.push_back(warning("output_shape", format("{} exceeds the full size {} by a stride or more, which onnxruntime "
                                                   "refuses",
                                                   p.O, g.full())));
  if (stated && call.integers("output_shape").size() != g.L.size())
    notes.push_back(warning("output_shape", "states N and C, which from version 11 on is refused"));
  return notes;
}

void version_1(OpSchema& s) {
  s.attribute(auto_pad_attribute())
      .attribute(per_axis_attribute("dilations", 1, DefaultStated::no))
      .attribute(with_default("group", 1, at_least(1)))
      .attribute({"kernel_shape", INTS, Presence::optional, at_least(1), {}, "the spatial sizes of W"})
      .attribute(per_axis_attribute("output_padding", 0, DefaultStated::no))
      .attribute(optional(INTS, "output_shape", at_least(0)))  // with N, which may be 0, and C before
      .attribute(pads_attribute())
      .attribute(per_axis_attribute("strides", 1, DefaultStated::no))
      .input("X", "T", "the data, (N, C, D1, …)")
      .input("W", "T", "the kernels, (C, M/group, k1, …)")
      .input("B", "T", Arity::optional, "the bias, (M)")
      .output("Y", "T", "the result, (N, M, O1, …)")
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}

void version_11(OpSchema& s) {
  for (const char* name : {"dilations", "output_padding", "strides"})
    s.change(name).default_stated = DefaultStated::yes;
  s.change("output_shape").range = at_least(1);
  s.wording("output_shape states spatial sizes only; before, also N and C before them");
  s.wording("output_padding \"adds or removes output elements\"; before, it is \"zero-padding\"");
  s.wording("SAME_* of auto_pad gives input * strides; before, the output \"matches the input\"");
}

}  // namespace

Operator conv_transpose() {
  return Operator("ai.onnx", "ConvTranspose")
      .summary("transposed convolution: each element of X adds its multiple of W's kernels to Y, strides apart")
      .version(1, version_1)
      .version(11, version_11)
      .version(22, adds("T", DType::bfloat16))
      .reading("conv_transpose.split",
               {"rule-1: the odd pad is at the end, for SAME_UPPER at the begin",
                "rule-11: at the begin, for SAME_UPPER at the end"},
               {{1, "rule-1"}, {11, "rule-11"}},
               "the equation of each version: with output_shape, rule-1 gives the odd one of the pads to the end, for "
               "SAME_UPPER to the begin; rule-11 is the other way round. Runtimes take rule-11 for all",
               "https://github.com/onnx/onnx/issues/1609")
      .reading("conv_transpose.output_padding_values",
               {"computed: elements that output_padding adds get what the sum gives", "zeros: they get no product"},
               {{1, "computed"}},
               "data published for version 1 compute the elements that output_padding adds; its text says zero-padding",
               "", has_output_padding)
      .reading("conv_transpose.output_padding_limit",
               {"max: less than the larger of stride and dilation", "stride: less than the stride", "none: any"},
               {{1, "none"}, {11, "max"}},
               "must be less than the \"stride/dilation\": the larger of the two; version 1 states no limit")
      .reading("conv_transpose.pads_with_auto_pad",
               {"reject: both together are invalid", "pads-win: auto_pad is ignored", "auto_pad-wins: pads is ignored"},
               {{1, "reject"}},
               "the text: they cannot be used simultaneously; ONNX's inference of version 1 lets pads win, OpenVINO "
               "auto_pad")
      .reading(
          "conv_transpose.surplus",
          {"end: what exceeds the full size is all at the end", "split: it is split as pads are"}, {{1, "end"}},
          "published data, onnxruntime and OpenVINO put all of what exceeds the full size at the end; the equation "
          "splits the negative total",
          "https://github.com/onnx/onnx/blob/main/docs/Operators.md#ConvTranspose")
      .reading("conv_transpose.same_size",
               {"natural: min(L*strides, full size)", "text: L*strides",
                "inference: L*strides + output_padding, the full size where the kernel is shorter than the stride",
                "input: L"},
               {{1, "natural"}},
               "min(L*strides, full) agrees with all runtimes; text: L*strides; inference adds output_padding; input: "
               "L, the text of version 1",
               "https://github.com/onnx/onnx/issues/4299")
      .output_types(output_types)
      .placement(placement)
      .kernel(kernel)
      .notes(notes)
      .generator("ties", kTies, product_ties)
      .generator("cancel", kCancel, product_cancel)
      .short_names(spatial_short_names())
      .mistakes(convolution_mistakes())
      .order(convolution_order);
}

}  // namespace opref::ops::onnx
