// SPDX-License-Identifier: Apache-2.0
// openvino DeformableConvolution, versions 1 (opset1), 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/deformed_convolution.h"
#include "ops/shared/openvino.h"
#include "ops/shared/openvino_windows.h"
namespace opref::ops::openvino::file_deformable_convolution {
namespace {
PoolingWindows windows(const Call& call) { return openvino_windows(call, spatial(call.type("filters").shape)); }

void require_shape(const Call& call, std::string_view input, const Dims& shape, std::string_view rule) {
  const Dims& stated = call.type(input).shape;
  require(stated == shape, "{} has shape {}, but must have {}: {}", input, stated, shape, rule);
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, arg] = call.type("arg");
  const Dims& filters = call.type("filters").shape;
  require(arg.size() == 4, "arg has rank {}, but must be [N, C_IN, Y, X]: rank 4", arg.size());
  require(filters.size() == 4, "filters has rank {}, but must be [C_OUT, C_IN / group, Y, X]: rank 4", filters.size());
  const std::int64_t group = call.integer("group"), sets = call.integer("deformable_group");
  require(filters[0] % group == 0, "filters has C_OUT {}, but it must be a multiple of group, {}", filters[0], group);
  require(arg[1] == checked_multiply(filters[1], group),
          "arg has {}, but filters has shape {} and group is {}, so there must be {}", counted(arg[1], "channel"),
          filters, group, checked_multiply(filters[1], group));
  require(arg[1] % sets == 0, "attribute 'deformable_group' is {}, but must divide the channels of arg, {}", sets,
          arg[1]);
  require_spatial_sizes(call, "filters", spatial(filters));
  const Dims O = windows(call).O;
  const std::int64_t taps = checked_multiply(sets, element_count(spatial(filters)));
  require_shape(call, "offsets", join(Dims{arg[0], checked_multiply(taps, 2)}, O),
                "N, deformable_group * taps * 2, and the spatial sizes of the result");
  if (call.has("mask"))
    require_shape(call, "mask", join(Dims{arg[0], taps}, O),
                  "N, deformable_group * taps, and the spatial sizes of the result");
  return {TensorType{dtype, join(Dims{arg[0], filters[0]}, O)}};
}

// output0[n,m,o] = Σ over channels c and taps k of filters[m,c,k]·mask[n, g*K + k, o]·x(o*strides + k*dilations -
// pads_begin + offsets[n, g*K + k, o]) where x is arg[n,c], interpolated linearly, and g the deformable group of c.
// Without bilinear_interpolation_pad x is 0 at places outside [0, L), and in it the last element goes on.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_finite(call, "offsets");
  return deformed_convolution(outs, {.X = call.input("arg"),
                                     .W = call.input("filters"),
                                     .offset = call.input("offsets"),
                                     .B = nullptr,
                                     .mask = call.has("mask") ? &call.input("mask") : nullptr,
                                     .windows = windows(call),
                                     .groups = call.integer("group"),
                                     .offset_groups = call.integer("deformable_group"),
                                     .zeros = zero_weights(call),
                                     .ends = call.flag("bilinear_interpolation_pad") ? Ends::zeros : Ends::border});
}
}  // namespace
Operator deformable_convolution() {
  return Operator("openvino", "DeformableConvolution")
      .summary("convolution whose taps are moved by offsets and interpolated")
      .page("convolution/deformable-convolution-8")
      .version(1,
               [](OpSchema& s) {
                 openvino_convolution_attributes(s);
                 for (const std::string_view name : {"strides", "pads_begin", "pads_end", "dilations"})
                   s.change(name).presence = Presence::required;
                 s.attribute(with_default("group", 1, at_least(1)))
                     .attribute(with_default("deformable_group", 1, at_least(1)))
                     .input("arg", "T")
                     .input("offsets", "T")
                     .input("filters", "T")
                     .output("output0", "T")
                     .types("T", computed_floats);
               })
      .version(8,
               [](OpSchema& s) {
                 s.attribute(with_default("bilinear_interpolation_pad", 0, flag())).input("mask", "T", Arity::optional);
               })
      .reading(zero_weight_reading(1))
      .output_types(output_types)
      .placement([](const Call& call) {
        return std::vector<Dims>{windows(call).pads.begin, windows(call).O};
      })
      .kernel(kernel)
      .short_names(spatial_short_names());
}
}  // namespace opref::ops::openvino::file_deformable_convolution
