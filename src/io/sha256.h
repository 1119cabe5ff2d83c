// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), in hexadecimal.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/tensor.h"

namespace opref::io {

std::string sha256(std::span<const std::byte> bytes);
/// Of the elements (C order, little endian, no header). Of strings: each followed by a zero byte.
std::string sha256(const Tensor& tensor);

}  // namespace opref::io
