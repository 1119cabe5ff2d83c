// SPDX-License-Identifier: Apache-2.0
// The names that a filter chooses.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/regular_expression.h"

namespace opref::report {

/// A RegularExpression that matches somewhere in a name; the empty one matches every name.
class NameFilter {
 public:
  /// Fault: `usage` where `expression` is none, or is too large.
  explicit NameFilter(const std::string& expression);
  bool matches(const std::string& name) const;

  /// The expression that matches `name` alone.
  static std::string only(const std::string& name);
  /// One that matches exactly `names`, which are sorted and at least one, whatever other names there are.
  static std::string each_of(std::span<const std::string> names);

  /// Finds such expressions for names that are too many for memory.
  class Search;

 private:
  RegularExpression expression_;
};

class NameFilter::Search {
 public:
  /// All names to find, sorted, before the others.
  void add(const std::string& name);
  /// A name that is not to be found.
  void avoid(const std::string& name);
  /// That of a part which all names to find have and no other; else each_of. Empty where there is no such part of more
  /// than kMostNamed names.
  std::string expression() const;
  /// The same whatever other names there are.
  std::string exact_expression() const;
  static constexpr std::size_t kMostNamed = 1000;

 private:
  std::size_t count_ = 0;
  std::vector<std::string> names_;  ///< none of more than kMostNamed
  std::vector<std::string> parts_;  ///< runs of whole words of the first name, the shortest first
};

}  // namespace opref::report
