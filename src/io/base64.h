// SPDX-License-Identifier: Apache-2.0
// Bytes as text in JSON documents.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/rooms.h"

namespace opref::io {

/// RFC 4648 base64 with padding, in one line.
std::string base64(std::span<const std::uint8_t> bytes);

/// The bytes that `text` encodes; a `malformed` error where it is no base64 or ends early.
std::vector<std::uint8_t> from_base64(std::string_view text);

}  // namespace opref::io
