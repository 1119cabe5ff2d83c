// SPDX-License-Identifier: Apache-2.0
// Files of images as pixels: BMP, PNG, PNM and TIFF, as far as their pixels are stated exactly.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/error.h"
#include "core/tensor.h"

namespace opref::ops::images {

/// What a file holds, or why there are no pixels: a `malformed` error where it is no image, or one that is damaged or
/// ends early; an `unsupported` one of a format, or a kind of one, whose pixels it does not state exactly, or that is
/// not read.
struct Decoded {
  /// uint8 [height, width, channels], the top row first: one channel where the file has gray, else red, green and blue.
  std::optional<Tensor> pixels;
  std::optional<Error> error;
};

/// The first image of a file, whose first bytes say its format. Transparency is dropped; gray of 1, 2 and 4 bits is
/// scaled to 255, of 16 bits the high byte is taken. What the header states takes no memory before the file is seen to
/// be long enough for it. Other errors, of memory and time, are thrown.
Decoded decode(std::span<const std::byte> file);

}  // namespace opref::ops::images
