// SPDX-License-Identifier: Apache-2.0
#include "symbols/expression.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "core/error.h"
#include "core/index.h"
#include "core/text.h"
#include "symbols/wide.h"

namespace opref::symbols {
namespace {

std::int64_t narrow(Wide value) {
  return value > INT64_MAX || value <= INT64_MIN ? kNoValue : static_cast<std::int64_t>(value);
}

/// The product of k and the values; kNoValue where one of them has none.
std::int64_t multiplied(std::int64_t k, std::span<const Expression> factors, std::span<const std::int64_t> sizes) {
  std::int64_t all = k;
  for (const Expression& factor : factors) {
    const std::int64_t value = factor.at(sizes);
    if (value == kNoValue || all == kNoValue) return kNoValue;
    all = narrow(Wide{all} * value);
  }
  return all;
}

}  // namespace

struct Expression::Part {
  Kind kind;
  std::int64_t k = 0;                 ///< of a number its value, of a product its number, of a sum what is added
  Line line = {};                     ///< of a line, or p and q of a quotient
  std::vector<Expression> parts{};    ///< of a quotient also what it is divided by
  std::vector<std::int64_t> times{};  ///< of a sum, by its parts
  size_t over = 0;                    ///< of a quotient: so many parts stand over the line; of a symbol its place
  std::string name{};
  std::string text{};
  std::vector<size_t> places{};
  int length = 1;
};

Expression::Kind Expression::kind() const { return part_->kind; }
const std::string& Expression::text() const { return part_->text; }
const std::vector<size_t>& Expression::places() const { return part_->places; }
int Expression::length() const { return part_->length; }
std::int64_t Expression::value() const { return part_->k; }

std::pair<std::int64_t, std::vector<Expression>> Expression::factors() const {
  if (kind() == Kind::product) return {part_->k, part_->parts};
  if (kind() == Kind::line && part_->line.q == 1 && part_->line.c == 0) return {part_->line.p, part_->parts};
  return {1, {*this}};
}

bool Expression::is_before(const Expression& a, const Expression& b) {
  return std::tie(a.part_->length, a.part_->places, a.part_->text) <
         std::tie(b.part_->length, b.part_->places, b.part_->text);
}

/// Whether it stands without brackets among factors.
bool Expression::is_atom(const Expression& e) {
  switch (e.kind()) {
    case Kind::line:
      return e.part_->line.g == 1 && e.part_->line.c == 0 && e.part_->line.q > 1;
    case Kind::product:
      return e.part_->k == 1;
    case Kind::sum:
      return false;
    default:
      return true;
  }
}

/// k*e without its sign.
std::string Expression::term_text(std::int64_t k, const Expression& e) {
  const std::string text = is_atom(e) ? e.text() : format("({})", e.text());
  return k == 1 || k == -1 ? text : format("{}*{}", k < 0 ? -k : k, text);
}

std::string Expression::sum_text(std::span<const Term> terms, std::int64_t c) {
  std::string text;
  for (const auto& [k, e] : terms) text += (k < 0 ? "-" : text.empty() ? "" : "+") + term_text(k, e);
  if (c != 0 || text.empty()) text += (c > 0 && !text.empty() ? "+" : "") + std::to_string(c);
  return text;
}

std::string Expression::text_of(const Part& part) {
  const auto terms = [&] {
    std::vector<Term> all;
    for (size_t i = 0; i < part.parts.size(); ++i) all.emplace_back(part.times[i], part.parts[i]);
    return all;
  };
  const auto product_text = [](std::int64_t k, std::span<const Expression> factors) {
    std::vector<std::string> texts;
    if (k != 1 || factors.empty()) texts.push_back(std::to_string(k));
    for (const Expression& factor : factors)
      texts.push_back(is_atom(factor) ? factor.text() : format("({})", factor.text()));
    return join_text(texts, "*");
  };
  switch (part.kind) {
    case Kind::number:
      return std::to_string(part.k);
    case Kind::symbol:
      return part.name;
    case Kind::line: {
      const auto& [p, b, q, g, c] = part.line;
      const Term term{p, part.parts.front()};
      if (q == 1) return sum_text({&term, 1}, c);
      const std::string inner = sum_text({&term, 1}, b);
      const std::string floor = format(b == 0 ? "floor({}/{})" : "floor(({})/{})", inner, q);
      return format("{}{}{}{}", g == 1 || g == -1 ? (g < 0 ? "-" : "") : format("{}*", g), floor, c > 0 ? "+" : "",
                    c == 0 ? "" : std::to_string(c));
    }
    case Kind::product:
      return product_text(part.k, part.parts);
    case Kind::sum:
      return sum_text(terms(), part.k);
    case Kind::least:
    case Kind::greatest:
      return format(part.kind == Kind::least ? "Min({},{})" : "Max({},{})", part.parts[0], part.parts[1]);
    case Kind::quotient: {
      const std::span all(part.parts);
      const auto under = all.subspan(part.over);
      const bool is_one =
          part.line.q == 1 && under.size() == 1 && is_atom(under.front()) && under.front().kind() != Kind::product;
      return format(is_one ? "floor({}/{})" : "floor({}/({}))", product_text(part.line.p, all.first(part.over)),
                    product_text(part.line.q, under));
    }
  }
  return "";
}

Expression Expression::made(Part part) {
  std::set<size_t> places;
  if (part.kind == Kind::symbol) places.insert(part.over);
  for (const Expression& inner : part.parts) {
    places.insert(inner.places().begin(), inner.places().end());
    part.length += inner.length();
  }
  part.places.assign(places.begin(), places.end());
  const Line& line = part.line;
  if (part.kind == Kind::line) part.length += (line.q > 1) + (line.b != 0) + (line.c != 0) + (line.g != 1);
  if (part.kind == Kind::sum) part.length += part.k != 0;
  if (part.kind == Kind::least || part.kind == Kind::greatest || part.kind == Kind::quotient) ++part.length;
  part.text = text_of(part);
  return Expression(std::make_shared<const Part>(std::move(part)));
}

Expression Expression::number(std::int64_t value) { return made({.kind = Kind::number, .k = value}); }

Expression Expression::symbol(std::string name, size_t place) {
  return made({.kind = Kind::symbol, .over = place, .name = std::move(name)});
}

Expression Expression::without_number(const Expression& product) {
  return made({.kind = Kind::product, .k = 1, .parts = product.part_->parts});
}

Expression Expression::line(const Expression& inner, Line made_line) {
  auto& [p, b, q, g, c] = made_line;
  Expression e = inner;
  const auto reduce = [&] {
    // floor((d*p*e + b)/(d*q)) = floor((p*e + floor(b/d))/q)
    if (const std::int64_t d = std::gcd(p, q); d > 1) p /= d, q /= d, b = floor_divide(b, d);
    c = checked_add(c, checked_multiply(g, floor_divide(b, q)));
    b -= floor_divide(b, q) * q;
    if (q == 1) p = checked_multiply(p, g), g = 1;
  };
  reduce();
  for (bool changed = true; changed;) {
    changed = false;
    if (e.kind() == Kind::line) {
      const Line& in = e.part_->line;
      constexpr std::int64_t kMost = std::int64_t{1} << 40;
      if (q == 1) {  // of a line or a floor: its multiple
        c = checked_add(c, checked_multiply(p, in.c));
        const std::int64_t times = p;
        p = in.p, b = in.b, q = in.q, g = checked_multiply(times, in.g);
        changed = true;
      } else if (in.q == 1) {
        b = checked_add(b, checked_multiply(p, in.c));
        p = checked_multiply(p, in.p);
        changed = true;
      } else if (p == 1 && in.g == 1 && q < kMost / in.q) {
        // floor((floor((p'*e' + b')/q') + c' + b)/q) = floor((p'*e' + b' + q'*(c' + b))/(q'*q))
        b = checked_add(in.b, checked_multiply(in.q, checked_add(in.c, b)));
        p = in.p, q *= in.q;
        changed = true;
      }
      if (changed) e = Expression(e.part_->parts.front());
    } else if (e.kind() == Kind::product && e.part_->k != 1) {
      p = checked_multiply(p, e.part_->k);
      e = without_number(e);
      changed = true;
    }
    if (changed) reduce();
  }
  if (p == 0 || g == 0) return number(c);
  if (e.is_number())
    return number(checked_add(checked_multiply(g, floor_divide(checked_add(checked_multiply(p, e.value()), b), q)), c));
  if (q == 1 && p == 1 && c == 0) return e;
  if (q == 1 && e.kind() == Kind::sum) {
    const Term term{p, e};
    return sum({&term, 1}, c);
  }
  if (q == 1 && c == 0 && e.kind() == Kind::product)
    return made({.kind = Kind::product, .k = p, .parts = e.part_->parts});
  return made({.kind = Kind::line, .line = made_line, .parts = {e}});
}

Expression Expression::product(std::int64_t k, std::span<const Expression> factors) {
  std::vector<Expression> flat;
  for (const Expression& factor : factors) {
    const Part& part = *factor.part_;
    if (part.kind == Kind::number) {
      k = checked_multiply(k, part.k);
    } else if (part.kind == Kind::product) {
      k = checked_multiply(k, part.k);
      flat.insert(flat.end(), part.parts.begin(), part.parts.end());
    } else if (part.kind == Kind::line && part.line.c == 0 && (part.line.q == 1 || part.line.g != 1)) {
      Line line = part.line;
      k = checked_multiply(k, line.q == 1 ? line.p : line.g);
      (line.q == 1 ? line.p : line.g) = 1;
      flat.push_back(Expression::line(part.parts.front(), line));
    } else {
      flat.push_back(factor);
    }
  }
  if (k == 0 || flat.empty()) return number(k);
  if (flat.size() == 1) return line(flat.front(), {.p = k});
  std::ranges::sort(flat, is_before);
  return made({.kind = Kind::product, .k = k, .parts = std::move(flat)});
}

Expression Expression::sum(std::span<const Term> terms, std::int64_t c) {
  std::vector<Term> open(terms.begin(), terms.end()), flat;
  const auto add = [&](std::int64_t k, const Expression& e) {
    const auto same = std::ranges::find(flat, e, &Term::second);
    if (same == flat.end())
      flat.emplace_back(k, e);
    else
      same->first = checked_add(same->first, k);
  };
  while (!open.empty()) {
    const auto [k, e] = open.back();
    open.pop_back();
    const Part& part = *e.part_;
    if (part.kind == Kind::number) {
      c = checked_add(c, checked_multiply(k, part.k));
    } else if (part.kind == Kind::sum) {
      c = checked_add(c, checked_multiply(k, part.k));
      for (size_t i = 0; i < part.parts.size(); ++i)
        open.emplace_back(checked_multiply(k, part.times[i]), part.parts[i]);
    } else if (part.kind == Kind::line && (part.line.q == 1 || part.line.c != 0 || part.line.g != 1)) {
      Line line = part.line;
      c = checked_add(c, checked_multiply(k, line.c));
      std::int64_t& times = line.q == 1 ? line.p : line.g;
      const std::int64_t factor = checked_multiply(k, times);
      times = 1, line.c = 0;
      open.emplace_back(factor, Expression::line(part.parts.front(), line));
    } else if (part.kind == Kind::product && part.k != 1) {
      add(checked_multiply(k, part.k), without_number(e));
    } else {
      add(k, e);
    }
  }
  std::erase_if(flat, [](const Term& term) { return term.first == 0; });
  if (flat.empty()) return number(c);
  if (flat.size() == 1) return line(flat.front().second, {.p = flat.front().first, .c = c});
  const auto degree = [](const Expression& e) { return e.kind() == Kind::product ? e.part_->parts.size() : 0; };
  std::ranges::sort(flat, [&](const Term& a, const Term& b) {
    const size_t da = degree(a.second), db = degree(b.second);
    return da != db ? da > db : is_before(a.second, b.second);
  });
  Part part{.kind = Kind::sum, .k = c};
  for (const auto& [k, e] : flat) part.times.push_back(k), part.parts.push_back(e);
  return made(std::move(part));
}

Expression Expression::choice(Kind kind, const Expression& a, const Expression& b) {
  if (a == b) return a;
  if (a.is_number() && b.is_number())
    return number(kind == Kind::least ? std::min(a.value(), b.value()) : std::max(a.value(), b.value()));
  const bool swap = a.is_number() || (!b.is_number() && is_before(b, a));
  return made({.kind = kind, .parts = swap ? std::vector{b, a} : std::vector{a, b}});
}

Expression Expression::least(const Expression& a, const Expression& b) { return choice(Kind::least, a, b); }
Expression Expression::greatest(const Expression& a, const Expression& b) { return choice(Kind::greatest, a, b); }

Expression Expression::quotient(std::int64_t p, std::span<const Expression> over, std::int64_t q,
                                std::span<const Expression> under) {
  const Expression up = product(p, over), down = product(q, under);
  if (down.is_number()) return line(up, {.q = down.value()});
  auto [k, tops] = up.factors();
  auto [l, bottoms] = down.factors();
  const std::int64_t d = std::gcd(k, l);
  Part part{.kind = Kind::quotient, .line = {.p = k / d, .q = l / d}, .over = tops.size()};
  part.parts = std::move(tops);
  part.parts.insert(part.parts.end(), bottoms.begin(), bottoms.end());
  return made(std::move(part));
}

std::int64_t Expression::at(std::span<const std::int64_t> sizes) const {
  const Part& part = *part_;
  switch (part.kind) {
    case Kind::number:
      return part.k;
    case Kind::symbol:
      return sizes[part.over];
    case Kind::line: {
      const std::int64_t x = part.parts.front().at(sizes);
      if (x == kNoValue) return kNoValue;
      const auto& [p, b, q, g, c] = part.line;
      const std::int64_t floor = narrow(floor_of(Wide{p} * x + b, q));
      return floor == kNoValue ? kNoValue : narrow(Wide{g} * floor + c);
    }
    case Kind::product:
      return multiplied(part.k, part.parts, sizes);
    case Kind::sum: {
      Wide all = part.k;
      for (size_t i = 0; i < part.parts.size(); ++i) {
        const std::int64_t x = part.parts[i].at(sizes);
        if (x == kNoValue || narrow(Wide{part.times[i]} * x) == kNoValue) return kNoValue;
        all += Wide{part.times[i]} * x;
      }
      return narrow(all);
    }
    case Kind::least:
    case Kind::greatest: {
      const std::int64_t a = part.parts[0].at(sizes), b = part.parts[1].at(sizes);
      if (a == kNoValue || b == kNoValue) return kNoValue;
      return part.kind == Kind::least ? std::min(a, b) : std::max(a, b);
    }
    case Kind::quotient: {
      const std::span all(part.parts);
      const std::int64_t over = multiplied(part.line.p, all.first(part.over), sizes);
      const std::int64_t under = multiplied(part.line.q, all.subspan(part.over), sizes);
      return over == kNoValue || under <= 0 ? kNoValue : narrow(floor_of(over, under));
    }
  }
  return kNoValue;
}

std::string to_text(std::span<const Size> sizes) {
  std::vector<std::string> texts;
  for (const Size& size : sizes) texts.push_back(size ? size->text() : "?");
  return "[" + join_text(texts, ",") + "]";
}

}  // namespace opref::symbols
