// SPDX-License-Identifier: Apache-2.0
#include "symbols/tried.h"

#include <algorithm>

#include "system/deadline.h"

namespace opref::symbols {
namespace {

std::vector<std::int64_t> fewest(std::vector<std::int64_t> numbers, size_t most) {
  if (numbers.size() > most) numbers.resize(most);
  return numbers;
}

}  // namespace

Tried::Tried(Trials& model, size_t symbols, Sampler sampler, int threads, size_t budget)
    : model_(model), symbols_(symbols), sampler_(std::move(sampler)), threads_(threads), budget_(budget) {
  constexpr size_t kMost = 64;
  sampler_.set_constants(fewest(model.constants(), kMost));
}

bool Tried::is_out_of_time() {
  const Deadline* deadline = Deadline::current();
  return deadline != nullptr && deadline->is_over();
}

bool Tried::is_over() {
  if (is_out_of_time())
    limit_ = Limit::time;
  else if (trials_.size() >= budget_)
    limit_ = Limit::tried;
  return limit_ != Limit::none;
}

TrialList Tried::try_all(std::vector<Assignment> all) {
  std::vector<Assignment> fresh;
  for (Assignment& sizes : all) {
    sizes = sampler_.inside(std::move(sizes));
    if (!place_of_.contains(sizes) && std::ranges::find(fresh, sizes) == fresh.end()) fresh.push_back(sizes);
  }
  for (std::optional<Trial>& trial : model_.at(fresh, threads_)) {
    if (!trial) continue;
    place_of_.emplace(trial->sizes, trials_.size());
    trials_.push_back(*std::move(trial));
  }
  TrialList tried;
  for (const Assignment& sizes : all)
    if (const auto known = place_of_.find(sizes); known != place_of_.end()) tried.push_back(&trials_[known->second]);
  return tried;
}

const Trial* Tried::try_one(const Assignment& sizes) {
  const TrialList tried = try_all({sizes});
  return tried.empty() ? nullptr : tried.front();
}

void Tried::try_first() {
  constexpr size_t kFirst = 32;
  std::vector<Assignment> first;
  for (size_t k = 0; k < kFirst; ++k) {
    first.push_back(sampler_.draw(kAllStyles[k % kAllStyles.size()]));
    if (symbols_ < 2 || k % 3 != 0) continue;
    Assignment equal = first.back();
    const std::int64_t a = sampler_.between(0, std::ssize(equal) - 1), b = sampler_.between(0, std::ssize(equal) - 2);
    equal[static_cast<size_t>(b < a ? b : b + 1)] = equal[static_cast<size_t>(a)];
    first.push_back(std::move(equal));
  }
  try_all(std::move(first));
}

TrialList Tried::whole() const {
  TrialList list;
  for (const Trial& trial : trials_)
    if (trial.is_whole()) list.push_back(&trial);
  return list;
}

/// Whole numbers that the evaluation finds, always the same ones.
std::set<std::int64_t> Tried::folded() const {
  constexpr size_t kSome = 8, kFewest = 3;
  std::set<std::int64_t> numbers;
  TrialList some = whole();
  if (some.size() > kSome) some.resize(kSome);
  if (some.size() < kFewest) return numbers;
  for (const auto& [tensor, values] : some.front()->values) {
    const bool is_constant = std::ranges::all_of(some, [&, t = tensor, &v = values](const Trial* trial) {
      const auto found = trial->values.find(t);
      return found != trial->values.end() && found->second == v;
    });
    for (const std::int64_t x : is_constant ? values : Values())
      if (x > -(1 << 20) && x <= 1 << 20) numbers.insert(x < 0 ? -x : x);
  }
  return numbers;
}

void Tried::try_beside_constants() {
  constexpr size_t kMost = 96, kTried = 48;
  std::set<std::int64_t> numbers = folded();
  numbers.insert(sampler_.constants().begin(), sampler_.constants().end());
  std::erase_if(numbers, [](std::int64_t number) { return number < 2; });
  sampler_.set_constants(fewest({numbers.begin(), numbers.end()}, kMost));
  std::vector<Assignment> beside;
  for (const std::int64_t number : fewest(sampler_.constants(), kTried))
    for (const std::int64_t d : {-1, 0, 1}) {
      beside.push_back(sampler_.draw(d == 0 ? Style::middle : Style::small));
      beside.back()[static_cast<size_t>(sampler_.between(0, static_cast<std::int64_t>(symbols_) - 1))] =
          std::max<std::int64_t>(1, number + d);
    }
  try_all(std::move(beside));
}

void Tried::try_every(const std::vector<Assignment>& all) {
  budget_ += all.size();
  try_all(all);
}

std::optional<Assignment> Tried::sample(Style style, std::span<const Rule> rules, const std::set<Assignment>& others) {
  constexpr int kAttempts = 3000, kSame = 40;
  for (int k = 0; k < kAttempts; ++k) {
    if (k % kSame == kSame - 1)
      style = sampler_.any_of(std::array{Style::small, Style::middle, Style::blocks, Style::constant, Style::mixed});
    Assignment sizes = sampler_.draw(style);
    obey(sizes, rules);
    if (sampler_.is_inside(sizes) && all_hold(rules, sizes) && !place_of_.contains(sizes) && !others.contains(sizes))
      return sizes;
  }
  return std::nullopt;
}

TrialList Tried::try_more(size_t count, std::span<const Style> styles, std::span<const Rule> rules) {
  std::vector<Assignment> all;
  std::set<Assignment> known;
  for (size_t k = 0; k < count && !is_over() && trials_.size() + all.size() < budget_; ++k) {
    auto sizes = sample(styles[k % styles.size()], rules, known);
    if (!sizes) break;
    known.insert(*sizes);
    all.push_back(*std::move(sizes));
  }
  return try_all(std::move(all));
}

}  // namespace opref::symbols
