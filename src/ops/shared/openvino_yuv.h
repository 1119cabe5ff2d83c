// SPDX-License-Identifier: Apache-2.0
// OpenVINO's conversions of images in YUV 4:2:0, whose color is half as high and half as wide as their light.
#pragma once

#include <string_view>

#include "schema/operator.h"
namespace opref::ops {
/// How the two numbers of color lie.
enum class Chroma : std::uint8_t {
  planes,  ///< I420: arg_u [N, H/2, W/2, 1], arg_v likewise; in one plane all of U, then all of V
  pairs,   ///< NV12: arg_uv [N, H/2, W/2, 2]; in one plane U and V in turn
};
enum class ColorOrder : std::uint8_t {
  rgb,
  bgr,
};

/// out [N, H, W, 3] of arg_y [N, H, W, 1] and color, or of all in one plane, arg_y [N, H·3/2, W, 1]:
///   R = 1.164·(Y - 16) + 1.596·(V - 128)
///   G = 1.164·(Y - 16) - 0.391·(U - 128) - 0.813·(V - 128)
///   B = 1.164·(Y - 16) + 2.018·(U - 128)
/// limited to [0, 255]; of uint8 rounded to the nearest number, halves up.
Operator openvino_yuv(std::string_view op_type, Chroma chroma, ColorOrder order);

/// The way back: NV12 of arg [N, H, W, 3], in one plane or, without single_plane, in two:
///   Y = 0.257·R + 0.504·G + 0.098·B + 16
///   U = -0.148·R - 0.291·G + 0.439·B + 128
///   V = 0.439·R - 0.368·G - 0.071·B + 128
/// U and V of the mean of 2 x 2 pixels, which the pages do not say, but OpenVINO's header does; limited and rounded
/// likewise.
Operator openvino_nv12(std::string_view op_type, ColorOrder order);
}  // namespace opref::ops
