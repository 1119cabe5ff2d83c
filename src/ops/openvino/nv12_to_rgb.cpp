// SPDX-License-Identifier: Apache-2.0
// openvino NV12toRGB, version 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/openvino_yuv.h"
namespace opref::ops::openvino::file_nv12_to_rgb {
Operator nv12_to_rgb() {
  return openvino_yuv("NV12toRGB", Chroma::pairs, ColorOrder::rgb)
      .summary("red, green and blue of images in NV12")
      .page("image/nv12-to-rgb-8")
      .category("category image processing");
}
}  // namespace opref::ops::openvino::file_nv12_to_rgb
