// SPDX-License-Identifier: Apache-2.0
#include "core/regular_expression.h"

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

RegularExpression compile_expression(const std::string& expression, ExpressionUnit unit) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  if (unit == ExpressionUnit::byte) options.set_encoding(RE2::Options::EncodingLatin1);
  if (!lists_names(expression)) {
    if (expression.size() > kMostBytes)
      return {nullptr, format("it has {} bytes, and the limit is {}", expression.size(), kMostBytes), true};
    options.set_max_mem(kMemory);
  }
  auto compiled = std::make_unique<const RE2>(expression, options);
  if (compiled->ok()) return {std::move(compiled), "", false};
  return {nullptr, compiled->error(), compiled->error_code() == RE2::ErrorPatternTooLarge};
}

}  // namespace opref::core
