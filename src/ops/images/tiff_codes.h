// SPDX-License-Identifier: Apache-2.0
// What packs the bytes of TIFF's strips and tiles. Only for tiff.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "ops/images/formats.h"

namespace opref::ops::images {

/// Unpacks into all of `to`; what is packed may have more. Bytes that end early, or are none of the code's, are
/// `malformed`.
using Unpack = void (*)(std::span<const Byte> packed, std::span<Byte> to);

/// TIFF's number for it, the unpacked bytes that one packed byte can stand for, at most, and how it is unpacked; null:
/// a code that is not read, by that name.
struct Code {
  std::uint64_t number;
  std::string_view name;
  std::uint64_t most;
  Unpack unpack;
};

/// `unsupported` where it is not read, or not known.
const Code& code_of(std::uint64_t number);

}  // namespace opref::ops::images
