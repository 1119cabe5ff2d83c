// SPDX-License-Identifier: Apache-2.0
#include "core/regular_expression.h"

#include <re2/re2.h>

#include <string_view>

#include "core/text.h"

namespace opref::core {
namespace {

constexpr size_t kMostBytes = 4096;
constexpr std::int64_t kMemory = 128 << 10;  // of RE2's program and automaton
constexpr int kMostOptional = 1000;

/// Whether it has none of what makes a program larger than its expression, or slow to compile.
bool lists_names(std::string_view expression) {
  int optional = 0;
  for (size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] == '\\') {
      if (++i == expression.size() ||
          std::string_view(R"(\^$.|?*+()[]{})").find(expression[i]) == std::string_view::npos)
        return false;
    } else if (std::string_view("[{*+.").find(expression[i]) != std::string_view::npos) {
      return false;
    } else if (expression[i] == '?' && (++optional > kMostOptional || (i > 0 && expression[i - 1] == '('))) {
      return false;
    }
  }
  return true;
}

}  // namespace

RegularExpression::RegularExpression(const std::string& expression, ExpressionUnit unit) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  if (unit == ExpressionUnit::byte) options.set_encoding(RE2::Options::EncodingLatin1);
  if (!lists_names(expression)) {
    options.set_max_mem(kMemory);
    is_too_large_ = expression.size() > kMostBytes;
    if (is_too_large_) complaint_ = format("it has {} bytes, and the limit is {}", expression.size(), kMostBytes);
  }
  if (is_too_large_) return;
  compiled_ = std::make_unique<const RE2>(expression, options);
  complaint_ = compiled_->error();
  is_too_large_ = compiled_->error_code() == RE2::ErrorPatternTooLarge;
}

RegularExpression::RegularExpression(RegularExpression&&) noexcept = default;
RegularExpression::~RegularExpression() = default;

bool RegularExpression::matches_all_of(const std::string& text) const { return RE2::FullMatch(text, *compiled_); }
bool RegularExpression::matches_part_of(const std::string& text) const { return RE2::PartialMatch(text, *compiled_); }

}  // namespace opref::core
