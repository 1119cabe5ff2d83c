#include "check/select.h"

#include <regex.h>

#include <array>

#include "core/error.h"

namespace opref {
namespace {

/// An extended regular expression of POSIX. (The standard library's needs as much stack as a name is long.)
class Filter {
 public:
  explicit Filter(const std::string& text) {
    const int error = regcomp(&expression_, text.c_str(), REG_EXTENDED | REG_NOSUB);
    if (error == 0) return;
    std::array<char, 200> reason{};
    regerror(error, &expression_, reason.data(), reason.size());
    fail(Fault::usage, "--filter {}: this is no regular expression: {}", printable(text), reason.data());
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  ~Filter() { regfree(&expression_); }

  bool matches(const std::string& name) const { return regexec(&expression_, name.c_str(), 0, nullptr, 0) == 0; }

 private:
  regex_t expression_{};
};

}  // namespace

Selection select(std::span<const std::string> paths, const std::string& filter, const Shard& shard) {
  const Filter chosen(filter);
  Selection selection;
  for (FoundCase& found : discover(paths)) {
    if (!filter.empty() && !chosen.matches(found.name)) continue;
    selection.all_names.push_back(found.name);
    if (is_in_shard(found.name, shard)) selection.cases.push_back(std::move(found));
  }
  return selection;
}

std::string filter_for(const std::string& name) {
  std::string regex = "^";
  for (const char c : name) {
    if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) regex += '\\';
    regex += c;
  }
  return regex + "$";
}

}  // namespace opref
