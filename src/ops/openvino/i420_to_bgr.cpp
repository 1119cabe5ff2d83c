// SPDX-License-Identifier: Apache-2.0
// openvino I420toBGR, version 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/openvino_yuv.h"
namespace opref::ops::openvino::file_i420_to_bgr {
Operator i420_to_bgr() {
  return openvino_yuv("I420toBGR", Chroma::planes, ColorOrder::bgr)
      .summary("blue, green and red of images in I420")
      .page("image/i420-to-bgr-8")
      .category("category image processing");
}
}  // namespace opref::ops::openvino::file_i420_to_bgr
