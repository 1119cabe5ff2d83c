// SPDX-License-Identifier: Apache-2.0
#include "ops/common/convolution.h"

#include "core/error.h"

namespace opref::ops {

PoolingWindows convolution_windows(const Call& call, const ConvolutionInputs& inputs, std::string_view reading) {
  const Dims L = spatial(call.type(inputs.x).shape), kernel = spatial(call.type(inputs.w).shape);
  const Dims stated = call.has_here("kernel_shape") ? per_axis(call, "kernel_shape", L.size(), 1) : kernel;
  require(stated == kernel, "attribute 'kernel_shape' is {}, but {} has shape {}", stated, inputs.w,
          call.type(inputs.w).shape);
  return windows_over(call, L, kernel, {.pads_with_auto_pad = reading});
}

Dims convolution_shape(const Call& call, const ConvolutionInputs& inputs, std::string_view reading) {
  require_spatial(call, inputs.x);
  const Dims &x = call.type(inputs.x).shape, &w = call.type(inputs.w).shape;
  require(w.size() == x.size(), "{} has shape {}, but must have as many axes as {}, {}", inputs.w, w, inputs.x,
          x.size());
  require_spatial_sizes(call, inputs.w, spatial(w));
  const std::int64_t group = call.integer("group"), M = w[0];
  require(x[1] % group == 0 && x[1] / group == w[1], "{} has {} for each of {}, but {} has {}", inputs.w,
          counted(w[1], "channel"), counted(group, "group"), inputs.x, counted(x[1], "channel"));
  require(M % group == 0, "{} has {}, which {} cannot share", inputs.w, counted(M, "output channel"),
          counted(group, "group"));
  require(!call.has(inputs.bias) || call.type(inputs.bias).shape == Dims{M}, "{} has shape {}, but must have {}",
          inputs.bias, call.has(inputs.bias) ? call.type(inputs.bias).shape : Dims{}, Dims{M});
  return join(Dims{x[0], M}, convolution_windows(call, inputs, reading).O);
}

Convolution::Convolution(const Call& call, const ConvolutionInputs& inputs, const PoolingWindows& windows,
                         TermSink* sink)
    : taps_(families::window_axes(windows.L, windows.k, windows.O, windows.s, windows.d, windows.pads.begin), sink),
      groups_(call.integer("group")),
      M_(call.type(inputs.w).shape[0] / groups_),
      C_(call.type(inputs.w).shape[1]),
      L_(element_count(windows.L)),
      K_(element_count(windows.k)),
      O_(element_count(windows.O)) {}

}  // namespace opref::ops
