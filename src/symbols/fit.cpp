// SPDX-License-Identifier: Apache-2.0
#include "symbols/fit.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "core/error.h"
#include "core/index.h"
#include "symbols/wide.h"

namespace opref::symbols {
namespace {

constexpr std::int64_t kMostDenominator = 4096;

/// A fraction whose denominator is positive.
struct Fraction {
  Wide over, under;
  friend bool operator<(const Fraction& a, const Fraction& b) { return a.over * b.under < b.over * a.under; }
};

/// The one of least denominator in the open interval.
Fraction simplest_between(const Fraction& least, const Fraction& most) {
  const Wide whole = floor_of(least.over, least.under);
  if (Fraction{whole + 1, 1} < most) return least.over < 0 && most.over > 0 ? Fraction{0, 1} : Fraction{whole + 1, 1};
  const Fraction above{most.over - whole * most.under, most.under};
  if (least.over == whole * least.under) {
    const Wide n = floor_of(above.under, above.over) + 1;
    return {whole * n + 1, n};
  }
  const Fraction inner = simplest_between({above.under, above.over}, {least.under, least.over - whole * least.under});
  return {whole * inner.over + inner.under, inner.over};
}

struct Point {
  std::int64_t x, value;
  friend auto operator<=>(const Point&, const Point&) = default;
};

/// The points in order, each once; none where one x has two values, or where there is one that has none.
std::vector<Point> points_of(std::span<const std::int64_t> xs, std::span<const std::int64_t> values) {
  std::vector<Point> points;
  for (size_t i = 0; i < xs.size(); ++i) {
    if (xs[i] == kNoValue || values[i] == kNoValue) return {};
    points.push_back({xs[i], values[i]});
  }
  std::ranges::sort(points);
  points.erase(std::ranges::unique(points).begin(), points.end());
  const auto same_x = std::ranges::adjacent_find(points, std::ranges::equal_to{}, &Point::x);
  return same_x == points.end() ? points : std::vector<Point>{};
}

/// The slopes that floor((p*x + b)/q) may have: two points allow none that is steeper or flatter than so much.
class Slopes {
 public:
  void add(const Point& point) {
    for (const Point& other : points_) {
      if (point.x == other.x) continue;
      const auto& [a, b] = std::minmax(point, other);
      const Wide dx = Wide{b.x} - a.x, dv = Wide{b.value} - a.value;
      least_ = std::max(least_, Fraction{dv - 1, dx});
      most_ = std::min(most_, Fraction{dv + 1, dx});
    }
    points_.push_back(point);
  }
  std::optional<Fraction> simplest() const {
    return least_ < most_ ? std::optional(simplest_between(least_, most_)) : std::nullopt;
  }

 private:
  static constexpr Wide kFar = 1'000'000'000'000;
  std::vector<Point> points_;
  Fraction least_{-kFar, 1}, most_{kFar, 1};
};

/// Points far apart say most of the slope; those that contradict it are asked too.
std::optional<LineFit> fit_floor(std::span<const Point> points) {
  constexpr size_t kEnds = 6;
  constexpr int kRounds = 64;
  constexpr Wide kMost = INT64_MAX / 4;
  if (points.size() < 3) return std::nullopt;
  Slopes slopes;
  for (size_t i = 0; i < points.size(); ++i)
    if (i < kEnds || i + kEnds >= points.size()) slopes.add(points[i]);
  for (int round = 0; round < kRounds; ++round) {
    const auto slope = slopes.simplest();
    if (!slope || slope->under > kMostDenominator || slope->over > kMost || slope->over < -kMost) return std::nullopt;
    const Wide p = slope->over, q = slope->under;
    Wide least = -kMost, most = kMost;
    const Point *highest = nullptr, *lowest = nullptr;
    for (const Point& point : points) {
      const Wide b = q * point.value - p * point.x;
      if (b > least) least = b, highest = &point;
      if (b + q - 1 < most) most = b + q - 1, lowest = &point;
    }
    if (highest == nullptr || lowest == nullptr) return std::nullopt;
    if (least > most) {
      slopes.add(*highest);
      slopes.add(*lowest);
      continue;
    }
    if (p == 0) return std::nullopt;
    const Wide multiple = -floor_of(-least, q) * q;
    const Wide b = multiple <= most ? multiple : (most + 1) % q == 0 ? most : least;
    const auto narrow = [](Wide value) { return static_cast<std::int64_t>(value); };
    return LineFit{{.p = narrow(p), .b = narrow(b), .q = narrow(q)}, narrow(least), narrow(most)};
  }
  return std::nullopt;
}

/// Calls `visit` with the places of each choice of `count` out of `size`, ascending; equal ones where they `repeat`.
/// It ends where `visit` returns true.
bool each_choice(size_t size, size_t count, bool repeat, const std::function<bool(std::span<const size_t>)>& visit) {
  std::vector<size_t> chosen(count);
  const std::function<bool(size_t, size_t)> choose = [&](size_t k, size_t first) {
    if (k == count) return visit(chosen);
    for (size_t i = first; i < size; ++i) {
      chosen[k] = i;
      if (choose(k + 1, repeat ? i : i + 1)) return true;
    }
    return false;
  };
  return choose(0, 0);
}

std::vector<Expression> chosen_of(const std::vector<Expression>& pool, std::span<const size_t> places) {
  std::vector<Expression> chosen;
  for (const size_t place : places) chosen.push_back(pool[place]);
  return chosen;
}

/// Products of the columns that are chosen, row by row, as they are asked for.
class Products {
 public:
  explicit Products(std::vector<const Values*> columns) : columns_(std::move(columns)) {}
  std::int64_t at(std::span<const size_t> chosen, size_t row) const {
    Wide all = 1;
    for (const size_t column : chosen) {
      const std::int64_t value = (*columns_[column])[row];
      if (value == kNoValue) return kNoValue;
      all *= value;
      if (all > INT64_MAX || all < -INT64_MAX) return kNoValue;
    }
    return static_cast<std::int64_t>(all);
  }

 private:
  std::vector<const Values*> columns_;
};

Wide common_divisor(Wide a, Wide b) { return b == 0 ? a : common_divisor(b, a % b); }

/// Exact solution of rows*x = values by elimination, with as many rows as unknowns; nothing where there is none,
/// several or numbers become too long.
std::optional<std::vector<std::int64_t>> solve(std::vector<std::vector<Wide>> rows) {
  const size_t n = rows.size();
  constexpr Wide kMost = Wide{1} << 62;
  for (size_t column = 0; column < n; ++column) {
    const auto pivot = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(column), rows.end(),
                                    [&](const auto& row) { return row[column] != 0; });
    if (pivot == rows.end()) return std::nullopt;
    std::swap(rows[column], *pivot);
    for (size_t i = 0; i < n; ++i) {
      if (i == column || rows[i][column] == 0) continue;
      const Wide a = rows[column][column], b = rows[i][column];
      Wide divisor = 0;
      for (size_t j = 0; j <= n; ++j) {
        rows[i][j] = rows[i][j] * a - rows[column][j] * b;
        divisor = common_divisor(divisor, rows[i][j] < 0 ? -rows[i][j] : rows[i][j]);
      }
      for (size_t j = 0; j <= n && divisor > 1; ++j) rows[i][j] /= divisor;
      for (const Wide x : rows[i])
        if (x > kMost || x < -kMost) return std::nullopt;
    }
  }
  std::vector<std::int64_t> solution;
  for (size_t i = 0; i < n; ++i) {
    if (rows[i][n] % rows[i][i] != 0) return std::nullopt;
    solution.push_back(static_cast<std::int64_t>(rows[i][n] / rows[i][i]));
  }
  return solution;
}

bool is_constant(std::span<const std::int64_t> values) {
  return std::ranges::all_of(values, [&](std::int64_t value) { return value == values.front(); });
}

}  // namespace

std::optional<LineFit> fit_line(std::span<const std::int64_t> xs, std::span<const std::int64_t> values) {
  std::vector<Point> points = points_of(xs, values);
  if (points.size() < 3) return std::nullopt;
  if (auto found = fit_floor(points)) return found;
  const std::int64_t first = values.front();
  std::int64_t g = 0;
  for (const std::int64_t value : values) g = std::gcd(g, value - first);
  if (g <= 1) return std::nullopt;
  const std::int64_t c = first - floor_divide(first, g) * g;
  for (Point& point : points) point.value = (point.value - c) / g;
  auto found = fit_floor(points);
  if (found) found->line.g = g, found->line.c = c;
  return found;
}

size_t Fitter::Hash::operator()(const Values& values) const {
  std::uint64_t hash = values.size();
  for (const std::int64_t value : values) hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

Fitter::Fitter(std::span<const Expression> symbols, std::vector<Assignment> assignments)
    : assignments_(std::move(assignments)), symbols_(symbols.begin(), symbols.end()) {
  for (const Expression& symbol : symbols_) know(symbol);
}

void Fitter::add_symbol(const Expression& symbol, const Values& values) {
  for (size_t i = 0; i < assignments_.size(); ++i) assignments_[i].push_back(values[i]);
  symbols_.push_back(symbol);
  remember(symbol, values);
}

void Fitter::remember(const Expression& e, const Values& values) {
  auto& place = known_[values];
  if (!place) place = e;
  values_.insert_or_assign(e.text(), values);
}

void Fitter::know(const Expression& e) { remember(e, values(e)); }

const Expression* Fitter::known(const Values& values) const {
  const auto found = known_.find(values);
  return found == known_.end() || !found->second ? nullptr : &*found->second;
}

const Values& Fitter::values(const Expression& e) {
  const auto found = values_.find(e.text());
  if (found != values_.end()) return found->second;
  Values values;
  values.reserve(assignments_.size());
  for (const Assignment& sizes : assignments_) values.push_back(e.at(sizes));
  return values_.emplace(e.text(), std::move(values)).first->second;
}

Size Fitter::fit(const Values& values, std::span<const Expression> near, std::span<const Sizes> lists) {
  if (values.empty()) return std::nullopt;
  if (is_constant(values)) return Expression::number(values.front());
  if (const Expression* e = known(values)) return *e;
  try {
    Size found = structured(values, lists);
    if (!found) found = search(values, near);
    if (!found || this->values(*found) != values) return std::nullopt;
    remember(*found, values);
    return found;
  } catch (const Error& error) {
    if (error.fault() != Fault::invalid) throw;  // else a coefficient leaves 64 bits
    return std::nullopt;
  }
}

Size Fitter::structured(const Values& values, std::span<const Sizes> lists) {
  std::vector<const Sizes*> whole;
  for (const Sizes& list : lists)
    if (!list.empty() && std::ranges::all_of(list, [](const Size& size) { return size.has_value(); }))
      whole.push_back(&list);
  const auto holds = [&](const Expression& e) { return this->values(e) == values; };
  for (size_t i = 0; i < whole.size(); ++i) {
    const size_t rank = whole[i]->size();
    std::vector<const Sizes*> same;
    for (const Sizes* list : whole)
      if (list->size() == rank) same.push_back(list);
    if (same.size() < 2 || same.front() != whole[i]) continue;
    for (size_t axis = 0; axis < rank; ++axis) {
      std::vector<Expression::Term> terms;
      for (const Sizes* list : same) terms.emplace_back(1, *(*list)[axis]);
      if (const Expression e = Expression::sum(terms, 0); holds(e)) return e;
    }
  }
  for (const Sizes* list : whole)
    for (size_t first = 0; first < list->size(); ++first) {
      std::vector<Expression> factors{*(*list)[first]};
      for (size_t last = first + 1; last < list->size(); ++last) {
        factors.push_back(*(*list)[last]);
        if (const Expression e = Expression::product(1, factors); holds(e)) return e;
      }
    }
  return std::nullopt;
}

Size Fitter::line_of(const Values& values, const Expression& e) {
  const auto found = fit_line(this->values(e), values);
  if (!found) return std::nullopt;
  const auto& [line, least, most] = *found;
  if (least != most && line.q > 1) open_.push_back({e, line.p, line.q, least, most});
  return Expression::line(e, line);
}

Size Fitter::search(const Values& values, std::span<const Expression> near) {
  constexpr size_t kNear = 14, kPool = 12;
  for (const Expression& symbol : symbols_)
    if (auto e = line_of(values, symbol)) return e;
  Pool sorted;
  for (const Expression& e : near)
    if (!e.is_number() && std::ranges::find(sorted, e) == sorted.end()) sorted.push_back(e);
  std::ranges::stable_sort(sorted, {}, &Expression::length);
  if (sorted.size() > kNear) sorted.erase(sorted.begin() + kNear, sorted.end());
  for (const Expression& near_one : sorted)
    if (!near_one.is_symbol())
      if (auto e = line_of(values, near_one)) return e;
  Pool pool = symbols_;
  for (const Expression& e : sorted)
    if (std::ranges::find(pool, e) == pool.end()) pool.push_back(e);
  const Pool some(pool.begin(), pool.begin() + static_cast<std::ptrdiff_t>(std::min(pool.size(), kPool)));
  if (auto e = product_of(values, some)) return e;
  if (auto e = quotient_of(values, some)) return e;
  if (auto e = line_of_product(values, some)) return e;
  if (auto e = sum_of(values, pool)) return e;
  return choice_of(values, pool);
}

Size Fitter::product_of(const Values& values, const Pool& pool) {
  if (std::ranges::count(values, 0) > 0) return std::nullopt;
  std::vector<const Values*> columns;
  for (const Expression& e : pool) columns.push_back(&this->values(e));
  const Products products(columns);
  Size found;
  const auto matches = [&](std::span<const size_t> chosen) {
    const std::int64_t first = products.at(chosen, 0);
    if (first == kNoValue || first == 0) return false;
    for (size_t i = 1; i < values.size(); ++i) {
      const std::int64_t product = products.at(chosen, i);
      if (product == kNoValue || Wide{values[0]} * product != Wide{values[i]} * first) return false;
    }
    const std::int64_t d = std::gcd(values[0], first);
    found = Expression::line(Expression::product(1, chosen_of(pool, chosen)), {.p = values[0] / d, .q = first / d});
    return true;
  };
  for (size_t count = 2; count <= 4 && !found; ++count) each_choice(pool.size(), count, true, matches);
  return found;
}

Size Fitter::quotient_of(const Values& values, const Pool& pool) {
  if (std::ranges::count(values, 0) > 0) return std::nullopt;
  std::vector<const Values*> columns;
  for (const Expression& e : pool) columns.push_back(&this->values(e));
  const Products products(columns);
  constexpr std::array<std::pair<size_t, size_t>, 5> kCounts = {{{1, 1}, {2, 1}, {3, 1}, {3, 2}, {4, 2}}};
  constexpr size_t kMostTried = 40000;
  Size found;
  for (const auto& [over, under] : kCounts) {
    size_t tried = 1;
    for (size_t k = 0; k < over + under; ++k) tried *= pool.size();
    if (found || tried > kMostTried) break;
    each_choice(pool.size(), over, true, [&](std::span<const size_t> tops) {
      const std::vector<size_t> above(tops.begin(), tops.end());
      return each_choice(pool.size(), under, true, [&](std::span<const size_t> bottoms) {
        if (std::ranges::any_of(bottoms, [&](size_t place) { return std::ranges::count(above, place) > 0; }))
          return false;
        const std::int64_t top = products.at(above, 0), bottom = products.at(bottoms, 0);
        if (top == kNoValue || bottom == kNoValue || top == 0) return false;
        const Wide scaled = Wide{values[0]} * bottom;
        if (scaled > INT64_MAX || scaled < -INT64_MAX) return false;
        const std::int64_t d = std::gcd(static_cast<std::int64_t>(scaled), top);
        const Wide p = scaled / d, q = top / d;
        constexpr Wide kMost = Wide{1} << 30;
        if (p > kMost || q > kMost || p <= 0) return false;
        for (size_t i = 0; i < values.size(); ++i) {
          const std::int64_t a = products.at(above, i), b = products.at(bottoms, i);
          if (a == kNoValue || b == kNoValue || b == 0) return false;
          const Wide product = Wide{values[i]} * b;
          if (product > Wide{INT64_MAX} * 1024 || product < 0 || product * q != Wide{a} * p) return false;
        }
        found = Expression::quotient(static_cast<std::int64_t>(p), chosen_of(pool, above), static_cast<std::int64_t>(q),
                                     chosen_of(pool, bottoms));
        return true;
      });
    });
  }
  return found;
}

Size Fitter::line_of_product(const Values& values, const Pool& pool) {
  Size found;
  for (size_t count = 2; count <= 3 && !found; ++count)
    each_choice(pool.size(), count, false, [&](std::span<const size_t> chosen) {
      found = line_of(values, Expression::product(1, chosen_of(pool, chosen)));
      return found.has_value();
    });
  return found;
}

Size Fitter::sum_of(const Values& values, const Pool& pool) {
  constexpr size_t kMostTerms = 10;
  std::vector<const Values*> columns;
  for (const Expression& e : pool) columns.push_back(&this->values(e));
  // Rows of small numbers first: what is solved stays short, and is checked at all others.
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<Wide> magnitude(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    magnitude[i] = values[i] < 0 ? -Wide{values[i]} : Wide{values[i]};
    for (const Values* column : columns) magnitude[i] += (*column)[i] < 0 ? -Wide{(*column)[i]} : Wide{(*column)[i]};
  }
  std::ranges::stable_sort(order, {}, [&](size_t i) { return magnitude[i]; });
  Size found;
  const auto matches = [&](std::span<const size_t> chosen) {
    const size_t unknowns = chosen.size() + 1;
    for (size_t start = 0; start + unknowns <= std::min<size_t>(order.size(), 24); start += unknowns - 1) {
      std::vector<std::vector<Wide>> rows;
      for (size_t k = 0; k < unknowns; ++k) {
        const size_t row = order[start + k];
        std::vector<Wide>& equation = rows.emplace_back();
        for (const size_t column : chosen) equation.push_back((*columns[column])[row]);
        equation.push_back(1);
        equation.push_back(values[row]);
      }
      const auto factors = solve(std::move(rows));
      if (!factors) continue;
      if (std::ranges::count(std::span(*factors).first(chosen.size()), 0) > 0) return false;
      for (size_t i = 0; i < values.size(); ++i) {
        Wide all = factors->back();
        for (size_t k = 0; k < chosen.size(); ++k) {
          if ((*columns[chosen[k]])[i] == kNoValue) return false;
          all += Wide{(*factors)[k]} * (*columns[chosen[k]])[i];
        }
        if (all != values[i]) return false;
      }
      std::vector<Expression::Term> terms;
      for (size_t k = 0; k < chosen.size(); ++k) terms.emplace_back((*factors)[k], pool[chosen[k]]);
      found = Expression::sum(terms, factors->back());
      return true;
    }
    return false;
  };
  for (size_t count = 2; count <= 3 && !found; ++count)
    each_choice(std::min(pool.size(), kMostTerms), count, false, matches);
  return found;
}

Size Fitter::choice_with_number(const Values& values, const Pool& pool, Expression::Kind kind) {
  const bool is_least = kind == Expression::Kind::least;
  const auto choose = [&](std::int64_t a, std::int64_t b) { return is_least ? std::min(a, b) : std::max(a, b); };
  const auto with = [&](const Expression& e, const Expression& other) {
    return is_least ? Expression::least(e, other) : Expression::greatest(e, other);
  };
  const std::int64_t edge = is_least ? std::ranges::max(values) : std::ranges::min(values);
  const Expression number = Expression::number(edge);
  const auto holds = [&](const Values& xs) {
    for (size_t i = 0; i < values.size(); ++i)
      if (xs[i] == kNoValue || choose(xs[i], edge) != values[i]) return false;
    return true;
  };
  for (const Expression& e : pool)
    if (holds(this->values(e))) return with(e, number);
  // What is not the number itself may be a line.
  std::vector<size_t> rest;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != edge) rest.push_back(i);
  constexpr size_t kFew = 6;
  if (rest.size() < kFew || rest.size() + 2 > values.size()) return std::nullopt;
  const auto only = [&](const Values& all) {
    Values some;
    for (const size_t i : rest) some.push_back(all[i]);
    return some;
  };
  const Values others = only(values);
  for (const Expression& near : pool) {
    const auto found = fit_line(only(this->values(near)), others);
    if (!found) continue;
    const Expression e = Expression::line(near, found->line);
    if (!holds(this->values(e))) continue;
    if (found->least != found->most && found->line.q > 1)
      open_.push_back({near, found->line.p, found->line.q, found->least, found->most});
    return with(e, number);
  }
  return std::nullopt;
}

Size Fitter::choice_of(const Values& values, const Pool& pool) {
  for (const auto kind : {Expression::Kind::least, Expression::Kind::greatest}) {
    if (auto e = choice_with_number(values, pool, kind)) return e;
    for (size_t a = 0; a < pool.size(); ++a)
      for (size_t b = a + 1; b < pool.size(); ++b) {
        const Expression e = kind == Expression::Kind::least ? Expression::least(pool[a], pool[b])
                                                             : Expression::greatest(pool[a], pool[b]);
        const Values &xs = this->values(pool[a]), &ys = this->values(pool[b]);
        const bool is_least = kind == Expression::Kind::least;
        size_t i = 0;
        while (i < values.size() && xs[i] != kNoValue && ys[i] != kNoValue &&
               values[i] == (is_least ? std::min(xs[i], ys[i]) : std::max(xs[i], ys[i])))
          ++i;
        if (i == values.size()) return e;
      }
  }
  return std::nullopt;
}

}  // namespace opref::symbols
