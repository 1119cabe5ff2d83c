// SPDX-License-Identifier: Apache-2.0
#include "report/name_filter.h"

#include <catch2/catch.hpp>

#include "core/error.h"

namespace name_filter_test {

using namespace opref::report;

namespace {

bool matches(const std::string& expression, const std::string& name) { return NameFilter(expression).matches(name); }

std::string refusal(const std::string& expression) {
  try {
    NameFilter{expression};
  } catch (const Error& error) {
    return opref::core::format("{}: {}", name(error.fault()), error.message());
  }
  return "";
}

std::string times(size_t count, const std::string& text) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("a filter is an expression of RE2, and matches anywhere", "[core]") {
  CHECK(matches("", ""));
  CHECK(matches("pool", "lp_pool_1"));
  CHECK(!matches("^pool|Pool$", "lp_pool_1"));
  CHECK(matches(R"(_\d+d_(?i:F)(16|32)$)", "lp_pool_22_2d_f32"));
  CHECK(matches("^[[:alpha:]]{2}_", "lp_pool"));
  CHECK(matches("^gr.ße$", "größe"));  // a character, not a byte
  CHECK(!matches("a$", "a\nb"));
  CHECK(matches(std::string("a\0b", 3), std::string("a\0b", 3)));
  CHECK(!matches(std::string("a\0b", 3), "a"));
}

TEST_CASE("a filter that is no expression, or too large, is refused", "[core]") {
  CHECK(refusal("(") == "usage: '(' is no regular expression: missing ): (");
  CHECK(refusal(R"((a)\1)") == R"(usage: '(a)\1' is no regular expression: invalid escape sequence: \1)");
  CHECK(refusal("(a{1,32767}){1,32767}").find("invalid repetition size: {1,32767}") != std::string::npos);
  CHECK(refusal("((a{1,99}b){1,99}c){1,99}").find("invalid repetition size") != std::string::npos);
  CHECK(refusal(times(500, "\\pL{9}")).find("too large a regular expression: pattern too large") != std::string::npos);
  CHECK(refusal(times(50, "[a-z]{1,1000}")).find("pattern too large") != std::string::npos);
  CHECK(refusal(times(1500, "\\pL")).find("it has 4500 bytes, and the limit is 4096") != std::string::npos);
  CHECK(refusal(times(2000, "a?")).find("it has 4000 bytes") == std::string::npos);
  CHECK(refusal(times(2100, "a?")).find("it has 4200 bytes") != std::string::npos);
  CHECK(refusal(times(15000, "(")).find("missing )") != std::string::npos);
  CHECK(refusal("\x1b(").find('\x1b') == std::string::npos);
}

TEST_CASE("a filter that lists names may be long", "[core]") {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back(times(20, "name ") + std::to_string(10000 + i));
  const NameFilter filter(NameFilter::each_of(names));
  CHECK(filter.matches(names.back()));
  CHECK(!filter.matches(names.back() + "0"));
}

TEST_CASE("a filter takes linear time, and no stack", "[core]") {
  CHECK(matches(times(15000, "(") + "a" + times(15000, ")"), "bab"));
  const std::string name = times(100000, "a");
  CHECK(!matches("(a*)*(a|aa)*(a?){50}b$", name));
  CHECK(matches("^(a|aa)+$", name));
}

TEST_CASE("the filter for a name matches that name only, whatever its bytes", "[core]") {
  for (const std::string name : {"a.b", "a+b(c)[d]{2}|^$\\", "größe", "\xff\xc3 a", "a\nb", ""}) {
    INFO(printable(name));
    CHECK(matches(NameFilter::only(name), name));
    CHECK(!matches(NameFilter::only(name), name + "x"));
    CHECK(!matches(NameFilter::only(name), "x" + name));
  }
  CHECK(!matches(NameFilter::only("a.b"), "axb"));
}

}  // namespace name_filter_test
