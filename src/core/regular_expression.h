// SPDX-License-Identifier: Apache-2.0
// Regular expressions from files and command lines, compiled within limits.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/rooms.h"

namespace opref::core {

enum class ExpressionUnit : std::uint8_t { byte, code_point };

/// An expression of RE2 (https://github.com/google/re2/wiki/Syntax), or why there is none.
struct RegularExpression {
  std::unique_ptr<const RE2> compiled;  ///< null where there is a complaint
  std::string complaint;                ///< "missing ): ("
  bool is_too_large = false;            ///< the complaint: the expression may be right
};

/// RE2 compiles in a time that grows with the square of its program, so the program has a limit. An expression that
/// only lists names (characters, escaped ones, groups, choices, a few '?') may be as large as RE2 allows, which
/// compiles quickly; any other may have 4,096 bytes and some 10,000 instructions.
RegularExpression compile_expression(const std::string& expression, ExpressionUnit unit);

}  // namespace opref::core
