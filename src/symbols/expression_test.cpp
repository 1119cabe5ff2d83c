// SPDX-License-Identifier: Apache-2.0
#include "symbols/expression.h"

#include <catch2/catch.hpp>
#include <charconv>
#include <map>

#include "core/random.h"

namespace expression_test {

using namespace opref::symbols;

namespace {

const Expression kH = Expression::symbol("H", 0), kW = Expression::symbol("W", 1), kT = Expression::symbol("T", 2);
const Expression kOne = Expression::number(1);

std::int64_t floored(std::int64_t a, std::int64_t q) {
  std::int64_t result = a / q;
  while (result * q > a) --result;
  return result;
}

/// Reads a text by the grammar alone, and evaluates it.
class TextValue {
 public:
  TextValue(std::string_view text, std::map<std::string, std::int64_t> sizes) : text_(text), sizes_(std::move(sizes)) {}
  std::int64_t value() {
    const std::int64_t all = sum();
    CHECK(text_.empty());
    return all;
  }

 private:
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::int64_t sum() {
    std::int64_t all = take("-") ? -term() : term();
    while (text_.starts_with('+') || text_.starts_with('-')) all += take("+") ? term() : (take("-"), -term());
    return all;
  }
  std::int64_t term() {
    std::int64_t all = factor();
    while (take("*")) all *= factor();
    return all;
  }
  std::int64_t factor() {
    if (take("floor(")) {
      const std::int64_t over = sum();
      REQUIRE(take("/"));
      const std::int64_t under = factor();
      REQUIRE(take(")"));
      return floored(over, under);
    }
    for (const bool is_least : {true, false})
      if (take(is_least ? "Min(" : "Max(")) {
        const std::int64_t a = sum();
        REQUIRE(take(","));
        const std::int64_t b = sum();
        REQUIRE(take(")"));
        return is_least ? std::min(a, b) : std::max(a, b);
      }
    if (take("(")) {
      const std::int64_t all = sum();
      REQUIRE(take(")"));
      return all;
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text_.begin(), text_.end(), number);
    if (error == std::errc()) {
      text_.remove_prefix(static_cast<size_t>(end - text_.begin()));
      return number;
    }
    const std::string name(text_.substr(0, 1));
    REQUIRE(sizes_.contains(name));
    text_.remove_prefix(1);
    return sizes_[name];
  }

  std::string_view text_;
  std::map<std::string, std::int64_t> sizes_;
};

/// An expression with what it must give, by its construction.
struct Made {
  Expression e;
  std::function<std::int64_t(std::span<const std::int64_t>)> value;
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + random_.below(static_cast<std::uint32_t>(most - least + 1), next_++);
  }

  Made make(int depth) {
    if (depth == 0 || between(0, 5) == 0) {
      const std::int64_t place = between(0, 3);
      if (place == 3) {
        const std::int64_t number = between(-3, 9);
        return {Expression::number(number), [number](auto) { return number; }};
      }
      return {std::array{kH, kW, kT}[static_cast<size_t>(place)],
              [place](auto sizes) { return sizes[static_cast<size_t>(place)]; }};
    }
    const Made a = make(depth - 1), b = make(depth - 1);
    const std::int64_t p = between(-3, 5), q = between(1, 6), r = between(-9, 9), g = between(-2, 4),
                       c = between(-5, 5);
    switch (between(0, 4)) {
      case 0:
        return {Expression::line(a.e, {.p = p, .b = r, .q = q, .g = g, .c = c}),
                [=, f = a.value](auto sizes) { return g * floored(p * f(sizes) + r, q) + c; }};
      case 1:
        return {Expression::product(p, std::vector{a.e, b.e}),
                [=, f = a.value, h = b.value](auto sizes) { return p * f(sizes) * h(sizes); }};
      case 2:
        return {Expression::sum(std::vector<Expression::Term>{{p, a.e}, {g, b.e}}, c),
                [=, f = a.value, h = b.value](auto sizes) { return p * f(sizes) + g * h(sizes) + c; }};
      case 3:
        return {Expression::least(a.e, b.e),
                [f = a.value, h = b.value](auto sizes) { return std::min(f(sizes), h(sizes)); }};
      default:
        return {Expression::greatest(a.e, b.e),
                [f = a.value, h = b.value](auto sizes) { return std::max(f(sizes), h(sizes)); }};
    }
  }

 private:
  const opref::core::Random random_;
  std::int64_t next_ = 0;
};

}  // namespace

TEST_CASE("expressions give what they are made of, in themselves and by their text", "[symbols]") {
  Maker maker(7);
  size_t with_floor = 0;
  for (int k = 0; k < 1000; ++k) {
    const Made made = maker.make(3);
    INFO(made.e.text());
    with_floor += made.e.text().find("floor") != std::string::npos;
    CHECK(made.e.text().find(' ') == std::string::npos);
    for (int trial = 0; trial < 5; ++trial) {
      const std::vector<std::int64_t> sizes{maker.between(1, 40), maker.between(1, 40), maker.between(1, 40)};
      CHECK(made.e.at(sizes) == made.value(sizes));
      CHECK(TextValue(made.e.text(), {{"H", sizes[0]}, {"W", sizes[1]}, {"T", sizes[2]}}).value() == made.value(sizes));
    }
  }
  CHECK(with_floor > 200);
}

TEST_CASE("what is made in two ways has one text", "[symbols]") {
  const auto line = [](const Expression& e, Expression::Line l) { return Expression::line(e, l); };
  const auto half = [&](const Expression& e) { return line(e, {.b = 1, .q = 2}); };
  CHECK(half(kH).text() == "floor((H+1)/2)");
  CHECK(half(half(half(kH))).text() == "floor((H+7)/8)");
  CHECK(line(kH, {.p = 2, .b = 3, .q = 4}).text() == "floor((H+1)/2)");  // floor((2H+3)/4)
  CHECK(line(kH, {.b = 7, .q = 2}).text() == "floor((H+1)/2)+3");        // 0 <= b < q
  CHECK(line(half(kH), {.p = 2, .c = -1}).text() == "2*floor((H+1)/2)-1");
  CHECK(line(line(kH, {.c = 3}), {.p = 2, .b = 1, .q = 3}).text() == "floor((2*H+1)/3)+2");  // floor((2(H+3)+1)/3)
  CHECK(Expression::product(3, std::vector{line(kW, {.p = 4}), kH}).text() == "12*H*W");
  CHECK(Expression::product(1, std::vector{kW, kH, kH}).text() ==
        Expression::product(1, std::vector{kH, kW, kH}).text());
  CHECK(
      Expression::sum(
          std::vector<Expression::Term>{{1, kOne}, {1, kW}, {1, kH}, {1, Expression::product(1, std::vector{kW, kH})}},
          0)
          .text() == "H*W+H+W+1");
  CHECK(Expression::sum(std::vector<Expression::Term>{{1, Expression::least(kT, Expression::number(512))}, {1, kT}}, -1)
            .text() == "T+Min(T,512)-1");
  CHECK(Expression::sum(std::vector<Expression::Term>{{2, kH}, {-2, kH}}, 5) == Expression::number(5));
  CHECK(Expression::least(Expression::number(5), kT).text() == "Min(T,5)");
  CHECK(Expression::quotient(2, std::vector{kH, kW}, 6, std::vector{kT}).text() == "floor(H*W/(3*T))");
  CHECK(Expression::quotient(1, std::vector{kH}, 4, std::vector{kOne}).text() == "floor(H/4)");
}

TEST_CASE("an expression that leaves 64 bits, or divides by zero, has no value", "[symbols]") {
  const std::vector<std::int64_t> sizes{std::int64_t{1} << 40, std::int64_t{1} << 40, 0};
  CHECK(Expression::product(1, std::vector{kH, kW}).at(sizes) == kNoValue);
  CHECK(Expression::sum(std::vector<Expression::Term>{{1, Expression::product(1, std::vector{kH, kW})}}, 1).at(sizes) ==
        kNoValue);
  CHECK(Expression::quotient(1, std::vector{kH}, 1, std::vector{kT}).at(sizes) == kNoValue);
  CHECK(Expression::product(1, std::vector{kH, kT}).at(sizes) == 0);
}

}  // namespace expression_test
