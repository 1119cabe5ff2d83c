// SPDX-License-Identifier: Apache-2.0
// Regular expressions from files and command lines, compiled within limits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/rooms.h"

namespace re2 {
class RE2;
}

namespace opref::core {

enum class ExpressionUnit : std::uint8_t { byte, code_point };

/// An expression in RE2's syntax (https://github.com/google/re2/wiki/Syntax). Matching takes a time that grows linearly
/// with the text. RE2 compiles in a time that grows with the square of its program, so the program has a limit. An
/// expression that only lists names (characters, escaped ones, groups, choices, a few '?') may be as large as RE2
/// allows, which compiles quickly; any other may have 4,096 bytes and some 10,000 instructions.
class RegularExpression {
 public:
  RegularExpression(const std::string& expression, ExpressionUnit unit);
  RegularExpression(RegularExpression&&) noexcept;
  ~RegularExpression();

  /// Why it matches nothing, "missing ): ("; empty where it is an expression.
  const std::string& complaint() const { return complaint_; }
  /// Whether the complaint is about its size alone.
  bool is_too_large() const { return is_too_large_; }

  bool matches_all_of(const std::string& text) const;
  bool matches_part_of(const std::string& text) const;

 private:
  std::unique_ptr<const re2::RE2> compiled_;
  std::string complaint_;
  bool is_too_large_ = false;
};

}  // namespace opref::core
