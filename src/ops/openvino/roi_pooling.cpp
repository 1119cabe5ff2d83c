// SPDX-License-Identifier: Apache-2.0
// openvino ROIPooling, version 2 (opset2)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/regions.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_roi_pooling {
namespace {
// Layers name the pooled sizes twice; [0,0] says nothing.
void require_same_sizes(const Call& call, std::string_view attribute) {
  const Dims sizes(call.integers(attribute)), pooled{call.integer("pooled_h"), call.integer("pooled_w")};
  require(sizes == pooled || sizes == Dims{0, 0}, "attribute '{}' is {}, but pooled_h and pooled_w are {}", attribute,
          sizes, pooled);
}

std::vector<ValueType> output_types(const Call& call) {
  require_same_sizes(call, "output_size");
  require_same_sizes(call, "output_roi");
  const auto& [dtype, x] = call.type("input");
  const Dims& rois = call.type("coords").shape;
  require(x.size() == 4, "input has rank {}, but must be [N, C, H, W]: rank 4", x.size());
  require(rois.size() == 2 && rois[1] == 5, "coords has shape {}, but must be [rois, 5]", rois);
  return {TensorType{dtype, Dims{rois[0], x[1], call.integer("pooled_h"), call.integer("pooled_w")}}};
}

// bilinear: of corners from 0 to 1 sample i of n lies at from·(L - 1) + i·(to - from)·(L - 1)/(n - 1), one alone in the
// middle; outside [0, L - 1] it is 0
struct Bilinear {
  Elements input, coords;
  Dims x, y;

  template <class R>
  AxisSample<R> sample(std::int64_t roi, std::int64_t corner, std::int64_t L, std::int64_t i, std::int64_t n) const {
    return AxisSample<R>(L, 0, [&](const auto& number) {
      const auto from = number(coords.number(roi * 5 + corner)), to = number(coords.number(roi * 5 + corner + 2)),
                 last = number(nearly(L - 1)), span = (to - from) * last;
      return from * last + (n > 1 ? number(nearly(i)) * span / number(nearly(n - 1)) : span / number(2));
    });
  }
  template <class R>
  void operator()(std::int64_t k, const Reader<R>& read, Writer<R>& write) const {
    const auto [roi, i, j] = split(k, y[2], y[3]);
    const auto row = sample<R>(roi, 2, x[2], i, y[2]), column = sample<R>(roi, 1, x[3], j, y[3]);
    const auto batch = static_cast<std::int64_t>(coords.number(roi * 5));
    for (std::int64_t c = 0; c < x[1]; ++c)
      write.put(0, ((roi * x[1] + c) * y[2] + i) * y[3] + j, [&] {
        const std::int64_t plane = (batch * x[1] + c) * x[2] * x[3];
        return sample_of(row, column, x[3], [&](std::int64_t at) { return read(input, plane + at); });
      });
  }
  std::int64_t program_of(std::size_t, std::int64_t at) const {
    const auto [roi, c, bin] = split(at, x[1], y[2] * y[3]);
    return roi * y[2] * y[3] + bin;
  }
};

// max: the greatest element of each bin, as ai.onnx's MaxRoiPool has it
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor &input = call.input("input"), &coords = call.input("coords");
  require_finite(call, "coords");
  require_batches(call, "input", "coords");
  const Dims &x = input.shape(), &y = outs[0].type().shape;
  const double scale = call.number("spatial_scale");
  if (call.string("method") == "max")
    return {greatest_in_bins(outs[0], input, coords, {5, 2, scale, x[2], y[2]}, {5, 1, scale, x[3], y[3]})};
  require_spatial_sizes(call, "input", spatial(x));
  return programs(outs, y[0] * y[2] * y[3], Bilinear{Elements(input), Elements(coords), x, y});
}
}  // namespace
Operator roi_pooling() {
  return Operator("openvino", "ROIPooling")
      .summary("the greatest element of each bin of each region of interest, or one interpolated sample")
      .page("detection/roi-pooling-1")
      .category("category object detection")
      .version(2,
               [](OpSchema& s) {
                 s.attribute(required(INT, "pooled_h", at_least(1)))
                     .attribute(required(INT, "pooled_w", at_least(1)))
                     .attribute(required(FLOAT, "spatial_scale", above(0)))
                     .attribute(with_default("method", "max", one_of({"max", "bilinear"})))
                     .attribute(with_default("output_size", AttributeValue::of(std::vector<std::int64_t>{0, 0})))
                     .attribute(with_default("output_roi", AttributeValue::of(std::vector<std::int64_t>{0, 0})))
                     .input("input", "T")
                     .input("coords", "T")
                     .output("output0", "T")
                     .types("T", computed_floats);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_roi_pooling
