// SPDX-License-Identifier: Apache-2.0
// openvino I420toRGB, version 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/openvino_yuv.h"
namespace opref::ops::openvino::file_i420_to_rgb {
Operator i420_to_rgb() {
  return openvino_yuv("I420toRGB", Chroma::planes, ColorOrder::rgb)
      .summary("red, green and blue of images in I420")
      .page("image/i420-to-rgb-8")
      .category("category image processing");
}
}  // namespace opref::ops::openvino::file_i420_to_rgb
