// SPDX-License-Identifier: Apache-2.0
// openvino NV12toBGR, version 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/openvino_yuv.h"
namespace opref::ops::openvino::file_nv12_to_bgr {
Operator nv12_to_bgr() {
  return openvino_yuv("NV12toBGR", Chroma::pairs, ColorOrder::bgr)
      .summary("blue, green and red of images in NV12")
      .page("image/nv12-to-bgr-8")
      .category("category image processing");
}
}  // namespace opref::ops::openvino::file_nv12_to_bgr
