// SPDX-License-Identifier: Apache-2.0
// openvino GridSample, version 9 (opset9)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_grid_sample {
Operator grid_sample() {
  return Operator("openvino", "GridSample")
      .summary("images sampled at places that a grid gives, by the nearest pixel, linear or cubic interpolation")
      .page("image/grid-sample-9")
      .category("category image processing")
      .version(9,
               [](OpSchema& s) {
                 s.attribute(with_default("align_corners", 0, flag()))
                     .attribute(with_default("mode", "bilinear", one_of({"bilinear", "bicubic", "nearest"})))
                     .attribute(with_default("padding_mode", "zeros", one_of({"zeros", "border", "reflection"})))
                     .input("data", "T")
                     .input("grid", "T1")
                     .output("output0", "T")
                     .types("T", computed_numbers)
                     .types("T1", computed_floats);
               })
      .as("ai.onnx", "GridSample", 16, {{"data", "X"}, {"output0", "Y"}})
      .restated(with_more_types);
}
}  // namespace opref::ops::openvino::file_grid_sample
