// SPDX-License-Identifier: Apache-2.0
// Texts that are part of the program, packed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/rooms.h"

namespace opref::io {

/// The content of a gzip file (RFC 1952), which has `size` bytes; a `malformed` error where it has not.
std::string unpacked_gzip(std::span<const std::uint8_t> packed, std::size_t size);

}  // namespace opref::io
