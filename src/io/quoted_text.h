// SPDX-License-Identifier: Apache-2.0
// Quoted strings with JSON's escapes, in literals.
#pragma once

#include <string>
#include <string_view>

namespace opref::io {

/// What the string means that begins with the quote at `position`, which then stands behind its closing quote. Escapes
/// are JSON's: \" \\ \/ \b \f \n \r \t and \u with four hexadecimal digits, two of which are a pair of surrogates.
/// Faults: `usage`, with the character (from 1) at which it goes wrong; a string that does not end is one.
/// https://www.rfc-editor.org/rfc/rfc8259#section-7
std::string parse_quoted(std::string_view text, size_t& position);

}  // namespace opref::io
