// SPDX-License-Identifier: Apache-2.0
// openvino BGRtoNV12, version 17 (opset17)
#include "ops/operator_file.h"
#include "ops/shared/openvino_yuv.h"
namespace opref::ops::openvino::file_bgr_to_nv12 {
Operator bgr_to_nv12() {
  return openvino_nv12("BGRtoNV12", ColorOrder::bgr)
      .summary("images of blue, green and red in NV12")
      .page("image/bgr-to-nv12-17")
      .category("category image processing");
}
}  // namespace opref::ops::openvino::file_bgr_to_nv12
