// SPDX-License-Identifier: Apache-2.0
#include "compare/where.h"

#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <regex>
#include <sstream>

namespace opref::compare {
namespace {

using Sentences = std::vector<std::string>;
using Predicate = std::function<bool(const Dims&)>;

Sentences where(const Dims& shape, const Predicate& mismatch) {
  Whereabouts whereabouts(shape);
  for (std::int64_t i = 0; i < element_count(shape); ++i)
    if (mismatch(coordinates(i, shape))) whereabouts.add(i);
  return whereabouts.sentences();
}

// A cheap hash: some of the elements, without a pattern along any axis.
bool some(const Dims& at) {
  std::uint64_t hash = 1;
  for (const std::int64_t c : at) hash = (hash ^ static_cast<std::uint64_t>(c)) * 0x9e3779b97f4a7c15 ^ hash >> 29;
  return (hash >> 40 & 3) == 0;
}

TEST_CASE("Mismatches are told by what their coordinates have in common", "[compare][where]") {
  const Dims images{2, 4, 8, 64};
  CHECK(where(images, [](const Dims& at) { return at[3] == 63; }) == Sentences{"all 64 mismatches have w == 63"});
  CHECK(where(images, [](const Dims& at) { return at[1] == 2 && at[3] == 0; }) ==
        Sentences{"all 16 mismatches have c == 2", "all 16 mismatches have w == 0"});
  CHECK(where(images, [](const Dims& at) { return at[3] == 0 || at[3] == 63; }) ==
        Sentences{"all 128 mismatches have w in {0, 63}"});
  CHECK(where(images, [](const Dims& at) { return at[2] >= 3 && at[2] <= 5; }) ==
        Sentences{"all 1536 mismatches have h in 3..5"});
  CHECK(where(images, [](const Dims& at) { return at[3] == 7 || at[3] >= 60; }) ==
        Sentences{"all 320 mismatches have w in {7, 60..63}"});
  CHECK(where(images, [](const Dims& at) { return at[2] % 2 == 1; }) == Sentences{"all 2048 mismatches have odd h"});
  CHECK(where(images, [](const Dims& at) { return at[3] % 2 == 0; }) == Sentences{"all 2048 mismatches have even w"});
  CHECK(where(images, [](const Dims& at) { return at[3] % 16 == 5; }) ==
        Sentences{"all 256 mismatches have w % 16 == 5"});
}

TEST_CASE("Mismatches in some of the elements there are told too", "[compare][where]") {
  const Dims images{2, 4, 32, 64};
  CHECK(where(images, [](const Dims& at) { return at[3] % 4 == 1 && some(at); }).at(0).ends_with(" have w % 4 == 1"));
  CHECK(where(images, [](const Dims& at) { return at[2] >= 3 && at[2] <= 11 && (some(at) || at[2] % 8 == 3); })
            .at(0)
            .ends_with(" have h in 3..11"));
  const Sentences odd = where({1, 1, 1, 4000}, [](const Dims& at) { return at[3] % 2 == 1 && some(at); });
  REQUIRE(odd.size() == 1);
  CHECK(odd[0].ends_with(" have odd w"));
}

TEST_CASE("Channels are told by their groups", "[compare][where]") {
  const Dims shape{2, 32, 3, 3};
  CHECK(where(shape, [](const Dims& at) { return at[1] / 8 == 1; }) ==
        Sentences{"all 144 mismatches have c in 8..15, group 2 of 4"});
  CHECK(where(shape, [](const Dims& at) { return at[1] % 8 >= 4; }) ==
        Sentences{"all 288 mismatches have c % 8 in 4..7"});
  CHECK(where(shape, [](const Dims& at) { return at[1] < 12 && at[1] % 4 == 0; }) ==
        Sentences{"all 54 mismatches have c in {0, 4, 8}"});
  CHECK(where(shape, [](const Dims& at) { return at[1] >= 30; }) ==
        Sentences{"all 36 mismatches have c in 30..31, group 16 of 16"});
  CHECK(where(shape, [](const Dims& at) { return at[1] >= 27; }) == Sentences{"all 90 mismatches have c in 27..31"});
  CHECK(where(shape, [](const Dims& at) { return at[1] < 4 || (at[1] >= 8 && at[1] < 12); }) ==
        Sentences{"all 144 mismatches have c in {0..3, 8..11}"});
}

TEST_CASE("Mismatches at the border of an image", "[compare][where]") {
  const auto depth = [](const Dims& at, const Dims& shape) {
    std::int64_t least = INT64_MAX;
    for (size_t axis = shape.size() < 3 ? 0 : 2; axis < shape.size(); ++axis)
      least = std::min({least, at[axis], shape[axis] - 1 - at[axis]});
    return least;
  };
  const auto border = [&](const Dims& shape, std::int64_t thickness) {
    return where(shape, [&](const Dims& at) { return depth(at, shape) < thickness; });
  };
  CHECK(border({1, 2, 8, 8}, 1) == Sentences{"all 56 mismatches lie on the border (first or last h or w)"});
  CHECK(border({1, 2, 8, 9}, 2) == Sentences{"all 104 mismatches lie within 2 of the border of h and w"});
  CHECK(border({1, 1, 5, 5, 5}, 1) == Sentences{"all 98 mismatches lie on the border (first or last d or h or w)"});
  CHECK(border({9, 9}, 1) == Sentences{"all 32 mismatches lie on the border (first or last axis 0 or axis 1)"});
  CHECK(border({1, 2, 8}, 1) == Sentences{"all 4 mismatches lie on the border (first or last w)"});
  CHECK(border({1, 1, 8}, 1).empty());  // 2 of 2 among a fourth of the elements
  // 3 of 3 are no news either: the first one may lie anywhere, and 1/4² is more than 1/64.
  CHECK(where({1, 2, 8}, [](const Dims& at) { return at[2] % 7 == 0 && at[1] + at[2] > 0; }).empty());
  CHECK(border({4, 2, 8}, 1) == Sentences{"all 16 mismatches have w in {0, 7}"});
  CHECK(border({4, 2, 2, 2}, 1).empty());  // there is nothing inside
}

TEST_CASE("Axes are named by the rank", "[compare][where]") {
  const auto last = [](const Dims& shape) {
    return where(shape, [&](const Dims& at) { return at[at.size() - 1] == 1; }).at(0);
  };
  CHECK(last({9, 16}) == "all 9 mismatches have axis 1 == 1");
  CHECK(last({3, 3, 16}) == "all 9 mismatches have w == 1");
  CHECK(last({3, 3, 1, 16}) == "all 9 mismatches have w == 1");
  CHECK(last({3, 3, 1, 1, 1, 16}) == "all 9 mismatches have axis 5 == 1");
  CHECK(where({3, 3, 16, 2, 1}, [](const Dims& at) { return at[2] == 1; }) ==
        Sentences{"all 18 mismatches have d == 1"});
  CHECK(where({3, 3, 1, 16, 1}, [](const Dims& at) { return at[3] == 1; }).at(0).ends_with(" have h == 1"));
  CHECK(where({16, 3, 3}, [](const Dims& at) { return at[0] == 1; }).at(0).ends_with(" have n == 1"));
}

TEST_CASE("Nothing is told where there is nothing to tell", "[compare][where]") {
  const Dims shape{2, 3, 8, 8};
  CHECK(where(shape, [](const Dims&) { return true; }).empty());
  CHECK(where(shape, [](const Dims&) { return false; }).empty());
  CHECK(where(shape, [](const Dims& at) { return at == Dims{1, 2, 7, 7}; }).empty());  // "first" says it
  CHECK(where(shape, some).empty());
  CHECK(where({}, [](const Dims&) { return true; }).empty());
}

TEST_CASE("An axis of any length is kept in little memory", "[compare][where]") {
  const std::int64_t size = std::int64_t{1} << 40;
  Whereabouts range(Dims{size});
  for (std::int64_t i = 1000; i < 1020; ++i) range.add(i + (i == 1019 ? (std::int64_t{1} << 30) : 0));
  CHECK(range.sentences() == Sentences{"all 20 mismatches have axis 0 in 1000..1073742843"});
  Whereabouts residue(Dims{size});
  for (std::int64_t i = 1; i <= 20; ++i) residue.add(3 + i * i * (size / 512));
  CHECK(residue.sentences() == Sentences{"all 20 mismatches have axis 0 % 2147483648 == 3"});
}

// A sentence, read as its words say.
class Claim {
 public:
  Claim(const std::string& sentence, const Dims& shape, std::int64_t mismatches) : shape_(shape) {
    std::smatch match;
    REQUIRE(std::regex_match(sentence, match, std::regex("all (\\d+) mismatches (.*)")));
    CHECK(std::stoll(match[1]) == mismatches);
    parse(match[2]);
  }

  bool holds(const Dims& at) const { return holds_(at); }

 private:
  size_t axis(const std::string& name) const {
    const size_t rank = shape_.size();
    if (name.starts_with("axis ")) return std::stoul(name.substr(5));
    const std::string names = rank == 3 ? "ncw" : rank == 4 ? "nchw" : "ncdhw";
    REQUIRE((rank >= 3 && rank <= 5 && names.find(name) != std::string::npos));
    return names.find(name);
  }

  static Predicate in(size_t axis, std::int64_t period, const std::string& list) {
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    const std::regex range("(\\d+)(\\.\\.(\\d+))?");
    for (std::sregex_iterator it(list.begin(), list.end(), range), end; it != end; ++it) {
      const std::int64_t first = std::stoll((*it)[1]);
      ranges.emplace_back(first, (*it)[3].matched ? std::stoll((*it)[3]) : first);
    }
    REQUIRE_FALSE(ranges.empty());
    return [=](const Dims& at) {
      const std::int64_t c = period == 0 ? at[axis] : at[axis] % period;
      return std::ranges::any_of(ranges, [c](const auto& r) { return r.first <= c && c <= r.second; });
    };
  }

  Predicate within(std::int64_t thickness, const std::string& axes) const {
    std::vector<size_t> indices;
    const std::regex name("axis \\d+|\\b[dhw]\\b");
    for (std::sregex_iterator it(axes.begin(), axes.end(), name), end; it != end; ++it)
      indices.push_back(axis(it->str()));
    return [=, shape = shape_](const Dims& at) {
      return std::ranges::any_of(indices, [&](size_t i) { return at[i] < thickness || at[i] >= shape[i] - thickness; });
    };
  }

  void parse(const std::string& text) {
    std::smatch m;
    const std::string name = "(axis \\d+|[ncdhw])";
    const auto is = [&](const std::string& pattern) { return std::regex_match(text, m, std::regex(pattern)); };
    if (is("have " + name + " == (\\d+)")) {
      holds_ = in(axis(m[1]), 0, m[2]);
    } else if (is("have " + name + " in (\\{.*\\}|\\d+\\.\\.\\d+)(, group (\\d+) of (\\d+))?")) {
      holds_ = in(axis(m[1]), 0, m[2]);
      if (m[3].matched) {
        CHECK(axis(m[1]) == 1);
        const std::int64_t number = std::stoll(m[4]), groups = std::stoll(m[5]), size = shape_[1] / groups;
        CHECK(shape_[1] % groups == 0);
        CHECK(m[2] == std::to_string((number - 1) * size) + ".." + std::to_string(number * size - 1));
      }
    } else if (is("have (odd|even) " + name)) {
      holds_ = in(axis(m[2]), 2, m[1] == "odd" ? "1" : "0");
    } else if (is("have " + name + " % (\\d+) (==|in) (.*)")) {
      holds_ = in(axis(m[1]), std::stoll(m[2]), m[4]);
    } else if (is("lie on the border \\(first or last (.*)\\)")) {
      holds_ = within(1, m[1]);
    } else if (is("lie within (\\d+) of the border of (.*)")) {
      holds_ = within(std::stoll(m[1]), m[2]);
    } else {
      FAIL("no known sentence: " << text);
    }
  }

  Dims shape_;
  Predicate holds_;
};

// Patterns planted at random, and none at all: every sentence holds for all mismatches, and not for all elements.
TEST_CASE("No false claims", "[compare][where]") {
  std::mt19937 random(7);
  const auto below = [&random](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(n));
  };
  int told = 0, unplanted = 0, told_unplanted = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Dims shape;
    for (std::int64_t rank = 1 + below(6); rank > 0; --rank) shape.push_back(1 + below(rank > 3 ? 4 : 9));
    const std::int64_t density = 1 + below(8), kind = below(6);
    const size_t axis = static_cast<size_t>(below(static_cast<std::int64_t>(shape.size())));
    const std::int64_t x = below(shape[axis]), y = x + below(shape[axis] - x), period = 2 + below(3);
    std::vector<std::int64_t> mismatches;
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      const std::int64_t c = coordinates(i, shape)[axis];
      const bool planted = kind == 0   ? true
                           : kind == 1 ? c == x
                           : kind == 2 ? c >= x && c <= y
                           : kind == 3 ? c % period == x % period
                           : kind == 4 ? c == x || c == y
                                       : c == 0 || c == shape[axis] - 1;
      if (planted && below(density) == 0) mismatches.push_back(i);
    }
    Whereabouts whereabouts(shape);
    for (const std::int64_t i : mismatches) whereabouts.add(i);
    const Sentences sentences = whereabouts.sentences();
    told += !sentences.empty();
    unplanted += kind == 0 && density > 1;
    told_unplanted += kind == 0 && density > 1 && !sentences.empty();
    for (const std::string& sentence : sentences) {
      std::ostringstream dims;
      for (const std::int64_t d : shape) dims << d << ' ';
      INFO(dims.str() << ": " << sentence);
      const Claim claim(sentence, shape, static_cast<std::int64_t>(mismatches.size()));
      std::int64_t held = 0, count = element_count(shape);
      for (std::int64_t i = 0; i < count; ++i) held += claim.holds(coordinates(i, shape));
      CHECK(held < count);
      CHECK(std::ranges::all_of(mismatches, [&](std::int64_t i) { return claim.holds(coordinates(i, shape)); }));
    }
  }
  CHECK(told > 1000);
  INFO(told_unplanted << " of " << unplanted);
  CHECK(told_unplanted * 20 < unplanted);
}

}  // namespace
}  // namespace opref::compare
