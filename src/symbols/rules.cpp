// SPDX-License-Identifier: Apache-2.0
#include "symbols/rules.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "core/text.h"

namespace opref::symbols {
namespace {

/// What stands on both sides goes.
void cancel(Expression& a, Expression& b) {
  auto [k, left] = a.factors();
  auto [l, right] = b.factors();
  if (left.size() < 2 && right.size() < 2) return;
  std::vector<Expression> rest;
  for (const Expression& factor : left) {
    const auto same = factor.is_number() ? right.end() : std::ranges::find(right, factor);
    if (same == right.end())
      rest.push_back(factor);
    else
      right.erase(same);
  }
  if (rest.size() == left.size()) return;
  a = Expression::product(k, rest);
  b = Expression::product(l, right);
}

/// Which of the sizes 1, 2, … of one symbol are taken.
using Taken = std::vector<bool>;

Taken taken(const Condition& condition, size_t place, size_t most) {
  Taken good(most + 1);
  Assignment sizes(place + 1, 1);
  for (size_t size = 1; size <= most; ++size) {
    sizes[place] = static_cast<std::int64_t>(size);
    good[size] = condition.holds(sizes);
  }
  return good;
}

/// The first and the last size that is taken, where all between them are and others are not; else nothing.
std::optional<std::pair<size_t, size_t>> span_of(const Taken& good) {
  const auto first = std::find(good.begin() + 1, good.end(), true);
  if (first == good.end() || std::find(good.begin() + 1, good.end(), false) == good.end()) return std::nullopt;
  const auto end = std::find(first, good.end(), false);
  if (std::find(end, good.end(), true) != good.end()) return std::nullopt;
  return std::pair{static_cast<size_t>(first - good.begin()), static_cast<size_t>(end - good.begin()) - 1};
}

std::string span_text(const std::string& name, const Taken& good, std::pair<size_t, size_t> span) {
  const auto [first, last] = span;
  if (first == last) return format("{} = {}", name, first);
  if (last + 1 == good.size()) return format("{} >= {}", name, first);
  return first == 1 ? format("{} <= {}", name, last) : format("{} <= {} <= {}", first, name, last);
}

/// "H % 32 in 0, 29..31": where the taken sizes repeat; nothing where they do not, or say too much.
std::string residues_text(const std::string& name, const Taken& good) {
  constexpr size_t kMostPeriod = 512, kMostSpans = 4;
  const size_t half = good.size() / 2;
  if (std::find(good.begin() + 1, good.end(), false) == good.end()) return "";
  for (size_t period = 2; period <= kMostPeriod; ++period) {
    size_t at = half;
    while (at + period < good.size() && good[at] == good[at + period]) ++at;
    if (at + period < good.size()) continue;
    std::vector<std::pair<size_t, size_t>> spans;
    for (size_t residue = 0; residue < period; ++residue) {
      if (!good[half - half % period + period + residue]) continue;
      if (!spans.empty() && spans.back().second + 1 == residue)
        spans.back().second = residue;
      else
        spans.emplace_back(residue, residue);
    }
    if (spans.empty() || spans.size() > kMostSpans) return "";
    if (spans.size() == 1 && spans.front() == std::pair<size_t, size_t>{0, 0})
      return format("{} % {} = 0", name, period);
    return format("{} % {} in {}", name, period, join_some(spans, ", ", SIZE_MAX, [](const auto& span) {
                    return span.first == span.second ? std::to_string(span.first)
                                                     : format("{}..{}", span.first, span.second);
                  }));
  }
  return "";
}

constexpr size_t kMostShown = 3000;

}  // namespace

Condition::Condition(Relation relation, const Expression& e, const Expression& other)
    : relation_(relation), e_(e), other_(other) {
  if (relation == Relation::equal) cancel(e_, other_);
}

bool Condition::holds(std::span<const std::int64_t> sizes) const {
  const std::int64_t a = e_.at(sizes), b = other_.at(sizes);
  if (a == kNoValue || b == kNoValue) return true;
  switch (relation_) {
    case Relation::equal:
      return a == b;
    case Relation::broadcast:
      return a == b || a == 1 || b == 1;
    case Relation::multiple:
      return a % b == 0;
    case Relation::at_least:
      return a >= b;
    case Relation::at_most:
      return a <= b;
  }
  return false;
}

std::vector<size_t> Condition::places() const {
  std::set<size_t> all(e_.places().begin(), e_.places().end());
  all.insert(other_.places().begin(), other_.places().end());
  return {all.begin(), all.end()};
}

int Condition::cost() const {
  const bool is_pair = relation_ == Relation::equal || relation_ == Relation::broadcast;
  return e_.length() + (is_pair ? other_.length() : 2) + 3 * static_cast<int>(relation_);
}

std::string Condition::text(std::span<const std::string> names) const {
  if (const std::vector<size_t> own = places(); own.size() == 1) {
    const std::string& name = names[own.front()];
    const Taken good = taken(*this, own.front(), kMostShown);
    if (const auto span = span_of(good)) return span_text(name, good, *span);
    if (std::string text = residues_text(name, good); !text.empty()) return text;
  }
  constexpr std::string_view kPatterns[] = {"{} = {}", "{} = {}, or one of them is 1", "{} is a multiple of {}",
                                            "{} >= {}", "{} <= {}"};
  const std::string_view pattern = kPatterns[static_cast<size_t>(relation_)];
  return e_.is_number() ? format(pattern, other_, e_) : format(pattern, e_, other_);
}

std::vector<Rule> said(std::span<const Rule> rules, std::span<const std::string> names) {
  constexpr size_t kMostLooked = 1500;
  std::map<size_t, std::vector<Rule>> of_one;
  std::vector<Rule> all, others;
  for (const Rule& rule : rules) {
    const std::vector<size_t> places = rule.condition.places();
    (places.size() == 1 ? of_one[places.front()] : others).push_back(rule);
  }
  for (auto& [place, own] : of_one) {
    std::vector<Taken> good;
    for (const Rule& rule : own) good.push_back(taken(rule.condition, place, kMostLooked));
    std::vector<size_t> order(own.size()), kept;
    for (size_t i = 0; i < own.size(); ++i) order[i] = i;
    kept = order;
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](size_t i) { return std::ranges::count(good[i], true); });
    const auto all_take = [&](std::span<const size_t> some, size_t size) {
      return std::ranges::all_of(some, [&](size_t i) { return good[i][size]; });
    };
    for (const size_t i : order) {  // the weakest may go first
      std::vector<size_t> rest = kept;
      std::erase(rest, i);
      const auto is_taken = [&](size_t size) { return all_take(rest, size); };
      const auto looked = std::views::iota(size_t{1}, kMostLooked + 1);
      // What says nothing about the sizes that are looked at follows from nothing.
      bool follows = !rest.empty() && std::ranges::any_of(looked, is_taken) &&
                     std::find(good[i].begin() + 1, good[i].end(), false) != good[i].end();
      for (size_t size = 1; follows && size <= kMostLooked; ++size) follows = good[i][size] || !all_take(rest, size);
      if (follows) kept = rest;
    }
    const bool are_bounds = std::ranges::all_of(kept, [&](size_t i) {
      return own[i].node == own[kept.front()].node && own[i].condition.relation() != Relation::multiple;
    });
    Taken together(kMostLooked + 1);
    for (size_t size = 1; size <= kMostLooked; ++size) together[size] = all_take(kept, size);
    const auto span = span_of(together);
    if (kept.size() > 1 && are_bounds && span && span->second < kMostLooked) {
      Rule both = own[kept.back()];
      both.text = span_text(names[place], together, *span);
      all.push_back(std::move(both));
      continue;
    }
    for (const size_t i : kept) all.push_back(std::move(own[i]));
  }
  all.insert(all.end(), others.begin(), others.end());
  std::vector<Rule> texts;
  for (Rule& rule : all) {
    if (rule.text.empty()) rule.text = rule.condition.text(names);
    if (!rule.note.empty()) rule.text += format(" ({})", rule.note);
    const bool is_known = std::ranges::any_of(
        texts, [&](const Rule& known) { return known.text == rule.text && known.node == rule.node; });
    if (!is_known) texts.push_back(std::move(rule));
  }
  return texts;
}

bool all_hold(std::span<const Rule> rules, std::span<const std::int64_t> sizes) {
  return std::ranges::all_of(rules, [&](const Rule& rule) { return rule.condition.holds(sizes); });
}

void obey(Assignment& sizes, std::span<const Rule> rules, const Rule* but) {
  for (const Rule& rule : rules) {
    const Condition& condition = rule.condition;
    const Expression &e = condition.e(), &other = condition.other();
    if (&rule == but) continue;
    if (condition.relation() == Relation::equal && e.is_symbol() && (other.is_symbol() || other.is_number()))
      sizes[e.places().front()] = other.at(sizes);
    else if (condition.relation() == Relation::equal && other.is_symbol() && e.is_number())
      sizes[other.places().front()] = e.value();
    else if (condition.relation() == Relation::at_least && e.is_symbol() && !condition.holds(sizes) && but == nullptr)
      sizes[e.places().front()] += other.value();
  }
}

}  // namespace opref::symbols
