// SPDX-License-Identifier: Apache-2.0
// Unicode's code points and their UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opref::core {

/// Appends the code point; false, and nothing is appended, for a surrogate and above 10FFFF.
bool append_utf8(std::string& text, std::uint32_t code);

/// A code point and the bytes that it takes.
struct CodePoint {
  std::uint32_t code;
  std::size_t size;
};

/// The first one of a text; nothing where there is no UTF-8: also for surrogates, and sequences that are longer than
/// need be.
std::optional<CodePoint> first_code_point(std::string_view text);

bool is_utf8(std::string_view text);
inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";  ///< U+FFFD
/// What is no UTF-8 becomes U+FFFD, once for as many bytes as begin a code point.
std::string valid_utf8(std::string_view text);

/// The code points of a text; nothing where it is no UTF-8.
std::optional<std::vector<std::uint32_t>> code_points(std::string_view text);

}  // namespace opref::core
