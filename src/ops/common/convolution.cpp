// SPDX-License-Identifier: Apache-2.0
#include "ops/common/convolution.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace opref::ops {
namespace {

struct Names {
  std::string_view x, w, bias = "B";
};
Names names_of(const Call& call) {
  const auto& formal = call.schema().inputs();
  const bool is_small = std::ranges::find(formal, "w", &FormalParameter::name) != formal.end();
  return {formal.front().name, is_small ? "w" : "W"};
}

}  // namespace

PoolingWindows convolution_windows(const Call& call) {
  const Names names = names_of(call);
  return windows_over(call, spatial(call.type(names.x).shape), kernel_sizes(call));
}

Dims kernel_sizes(const Call& call) {
  const Dims& w = call.type(names_of(call).w).shape;
  const Dims kernel = spatial(w),
             stated = call.has_here("kernel_shape") ? per_axis(call, "kernel_shape", kernel.size(), 1) : kernel;
  require(stated == kernel, "attribute 'kernel_shape' is {}, but {} has shape {}", stated, names_of(call).w, w);
  return kernel;
}

void require_kernels(const Call& call) {
  const Names names = names_of(call);
  require_spatial(call, names.x);
  const Dims &x = call.type(names.x).shape, &w = call.type(names.w).shape;
  require(w.size() == x.size(), "{} has shape {}, but must have as many axes as {}, {}", names.w, w, names.x, x.size());
  require_spatial_sizes(call, names.w, spatial(w));
}

void require_bias(const Call& call, std::int64_t M) {
  const std::string_view bias = names_of(call).bias;
  const bool has_bias = call.has_here(bias);
  require(!has_bias || call.type(bias).shape == Dims{M}, "{} has shape {}, but must have {}", bias,
          has_bias ? call.type(bias).shape : Dims{}, Dims{M});
}

Dims convolution_shape(const Call& call) {
  require_kernels(call);
  const Names names = names_of(call);
  const Dims &x = call.type(names.x).shape, &w = call.type(names.w).shape;
  const std::int64_t group = call.integer("group"), M = w[0];
  require(x[1] % group == 0 && x[1] / group == w[1], "{} has {} for each of {}, but {} has {}", names.w,
          counted(w[1], "channel"), counted(group, "group"), names.x, counted(x[1], "channel"));
  require(M % group == 0, "{} has {}, which {} cannot share", names.w, counted(M, "output channel"),
          counted(group, "group"));
  require_bias(call, M);
  return join(Dims{x[0], M}, convolution_windows(call).O);
}

TermOrder convolution_order(const Call& call) {
  const auto& formal = call.schema().inputs();
  const auto named =
      std::ranges::find_first_of(formal, std::array<std::string_view, 2>{"W", "w"}, {}, &FormalParameter::name);
  const size_t kernels = named == formal.end() ? 1 : static_cast<size_t>(named - formal.begin());
  const Dims &x = call.inputs()[0].type.tensor.shape, &w = call.inputs()[kernels].type.tensor.shape;
  const bool grouped = w.size() > x.size();  // [GROUPS, C_IN, …]
  const std::int64_t groups = grouped ? w[0] : call.has_here("group") ? call.integer("group") : 1;
  return {true, x[1] / groups, element_count(w.without_first(w.size() - (x.size() - 2)))};
}

Operator convolution_operator(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .placement([](const Call& call) {
        const PoolingWindows w = convolution_windows(call);
        return std::vector<Dims>{w.pads.begin, w.O};
      })
      .notes([](const Call& call) { return window_notes(call, convolution_windows(call)); })
      .short_names(spatial_short_names())
      .order(convolution_order);
}

void convolution_attributes(OpSchema& s, DefaultStated stated) {
  s.attribute(per_axis_attribute("dilations", 1, stated))
      .attribute(with_default("group", 1, at_least(1)))
      .attribute({"kernel_shape", INTS, Presence::optional, at_least(1), {}, "the spatial sizes of W"})
      .attribute(pads_attribute(stated))
      .attribute(per_axis_attribute("strides", 1, stated));
}

Convolution::Convolution(const Call& call, TermSink* sink)
    : Convolution(call.type(names_of(call).w).shape, call.integer("group"), convolution_windows(call), sink) {}

void convolution_version_1(OpSchema& s, std::string_view meaning_of_w) {
  s.attribute(auto_pad_attribute());
  convolution_attributes(s, DefaultStated::no);
  s.input("X", "T", "the data, (N, C, D1, …)")
      .input("W", "T", meaning_of_w)
      .input("B", "T", Arity::optional, "the bias, (M)")
      .output("Y", "T", "the result, (N, M, O1, …)")
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}

// w is (M, C/groups, k1, …).
Convolution::Convolution(const Dims& w, std::int64_t groups, const PoolingWindows& windows, TermSink* sink)
    : axes_(evaluators::window_axes(windows.L, windows.k, windows.O, windows.s, windows.d, windows.pads.begin)),
      taps_(w[1] == 0 ? without_taps(axes_) : axes_, sink),
      groups_(groups),
      M_(w[0] / groups),
      C_(w[1]),
      L_(C_ == 0 ? 0 : element_count(windows.L)),
      K_(C_ == 0 ? 0 : element_count(windows.k)),
      O_(element_count(windows.O)) {}

}  // namespace opref::ops
