// SPDX-License-Identifier: Apache-2.0
// openvino RGBtoNV12, version 17 (opset17)
#include "ops/operator_file.h"
#include "ops/shared/openvino_yuv.h"
namespace opref::ops::openvino::file_rgb_to_nv12 {
Operator rgb_to_nv12() {
  return openvino_nv12("RGBtoNV12", ColorOrder::rgb)
      .summary("images of red, green and blue in NV12")
      .page("image/rgb-to-nv12-17")
      .category("category image processing");
}
}  // namespace opref::ops::openvino::file_rgb_to_nv12
