// The names that a filter chooses.
#pragma once

#include <regex.h>

#include <string>

#include "core/rooms.h"

namespace opref::core {

/// An extended regular expression of POSIX that matches somewhere in a name; the empty one matches every name.
class NameFilter {
 public:
  /// Fault: `usage` where `expression` is none.
  explicit NameFilter(const std::string& expression);
  NameFilter(const NameFilter&) = delete;
  NameFilter& operator=(const NameFilter&) = delete;
  ~NameFilter() { regfree(&expression_); }

  bool matches(const std::string& name) const;

  /// The expression that matches `name` alone.
  static std::string only(const std::string& name);

 private:
  regex_t expression_{};
};

}  // namespace opref::core
