#include "core/name_filter.h"

#include <re2/re2.h>

#include "core/error.h"
#include "core/utf8.h"

namespace opref::core {

NameFilter::NameFilter(const std::string& expression) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  if (!code_points(expression)) options.set_encoding(RE2::Options::EncodingLatin1);  // byte by byte
  expression_ = std::make_unique<const RE2>(expression, options);
  if (!expression_->ok())
    fail(Fault::usage, "'{}' is no regular expression: {}", printable(expression), printable(expression_->error()));
}

NameFilter::~NameFilter() = default;

bool NameFilter::matches(const std::string& name) const { return RE2::PartialMatch(name, *expression_); }

std::string NameFilter::only(const std::string& name) {
  std::string expression = "^";
  for (const char c : name) {
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) expression += '\\';
    expression += c;
  }
  return expression + "$";
}

}  // namespace opref::core
