// SPDX-License-Identifier: Apache-2.0
#include "golden/pairs.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace opref::golden {
namespace {

constexpr size_t kNone = SIZE_MAX;                // a factor without a value as yet
constexpr size_t kMostSteps = 2'000'000;          // of the search for all rows
constexpr std::uint64_t kMostTuples = 1'000'000;  // of the factors of one exclusion

/// An exclusion with the answer for each tuple of values, the last factor's value fastest.
struct Table {
  std::vector<size_t> factors;
  std::vector<bool> excluded;
};

Table table_of(const Exclusion& exclusion, std::span<const size_t> sizes) {
  std::uint64_t tuples = 1;
  for (const size_t factor : exclusion.factors)
    if ((tuples *= sizes[factor]) > kMostTuples)
      fail(Fault::unsupported, "a rule is about more than {} combinations of values: state fewer of them", kMostTuples);
  Table table{exclusion.factors, std::vector<bool>(tuples)};
  std::vector<size_t> values(exclusion.factors.size());
  for (std::uint64_t i = 0; i < tuples; ++i) {
    std::uint64_t rest = i;
    for (size_t k = values.size(); k-- > 0; rest /= sizes[exclusion.factors[k]])
      values[k] = rest % sizes[exclusion.factors[k]];
    table.excluded[i] = exclusion.excludes(values);
  }
  return table;
}

class Rows {
 public:
  Rows(std::span<const size_t> sizes, std::span<const Exclusion> exclusions) : sizes_(sizes) {
    for (const Exclusion& exclusion : exclusions) tables_.push_back(table_of(exclusion, sizes));
    size_t pairs = 0;
    for (size_t a = 0; a < sizes.size(); ++a)
      for (size_t b = 0; b < sizes.size(); ++b) {
        first_.push_back(pairs);
        if (a < b) pairs += sizes[a] * sizes[b];
      }
    open_.assign(pairs, true);
  }

  std::vector<std::vector<size_t>> all() {
    std::vector<std::vector<size_t>> rows;
    for (size_t a = 0; a < sizes_.size(); ++a)
      for (size_t b = a + 1; b < sizes_.size(); ++b)
        for (size_t i = 0; i < sizes_[a]; ++i)
          for (size_t j = 0; j < sizes_[b]; ++j)
            if (is_open(a, i, b, j) && found_row_with(a, i, b, j)) {
              cover();
              rows.push_back(row_);
            }
    std::ranges::sort(rows);
    return rows;
  }

 private:
  std::vector<bool>::reference open(size_t a, size_t i, size_t b, size_t j) {
    return open_[first_[a * sizes_.size() + b] + i * sizes_[b] + j];
  }
  /// Whether no row has both values yet; a and b in any order.
  bool is_open(size_t a, size_t i, size_t b, size_t j) { return a < b ? open(a, i, b, j) : open(b, j, a, i); }

  /// Sets row_ to one that has both values and, by the way, many pairs that are open; false if there is none.
  bool found_row_with(size_t a, size_t i, size_t b, size_t j) {
    row_.assign(sizes_.size(), kNone);
    row_[a] = i;
    row_[b] = j;
    return is_allowed(a) && is_allowed(b) && completed(0);
  }

  bool completed(size_t factor) {
    if (factor == sizes_.size()) return true;
    if (row_[factor] != kNone) return completed(factor + 1);
    if (++steps_ > kMostSteps)
      fail(Fault::unsupported,
           "the pairs have so many rules that {} steps do not tell which values can stand together: split the recipe",
           kMostSteps);
    for (const size_t value : by_gain(factor)) {
      row_[factor] = value;
      if (is_allowed(factor) && completed(factor + 1)) return true;
    }
    row_[factor] = kNone;
    return false;
  }

  /// The factor's values, first those that make many open pairs with what the row has.
  std::vector<size_t> by_gain(size_t factor) {
    std::vector<size_t> gains(sizes_[factor]), order(sizes_[factor]);
    for (size_t value = 0; value < gains.size(); ++value)
      for (size_t other = 0; other < sizes_.size(); ++other)
        if (row_[other] != kNone) gains[value] += is_open(factor, value, other, row_[other]) ? 1 : 0;
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t value) { return gains[value]; });
    return order;
  }

  /// Whether no rule that is about this factor, and about none without a value, excludes the row.
  bool is_allowed(size_t factor) const {
    return std::ranges::none_of(tables_, [&](const Table& table) {
      size_t place = 0;
      bool is_about = table.factors.empty();
      for (const size_t other : table.factors) {
        if (row_[other] == kNone) return false;
        place = place * sizes_[other] + row_[other];
        is_about = is_about || other == factor;
      }
      return is_about && table.excluded[place];
    });
  }

  void cover() {
    for (size_t a = 0; a < row_.size(); ++a)
      for (size_t b = a + 1; b < row_.size(); ++b) open(a, row_[a], b, row_[b]) = false;
  }

  std::span<const size_t> sizes_;
  std::vector<Table> tables_;
  std::vector<size_t> first_;  ///< of each two factors where their pairs begin in open_
  std::vector<bool> open_;     ///< pairs that no row has
  std::vector<size_t> row_;
  size_t steps_ = 0;
};

}  // namespace

std::vector<std::vector<size_t>> covering_rows(std::span<const size_t> sizes, std::span<const Exclusion> exclusions) {
  return Rows(sizes, exclusions).all();
}

std::uint64_t count_pairs(std::span<const size_t> sizes) {
  std::uint64_t pairs = 0;
  for (size_t a = 0; a < sizes.size(); ++a)
    for (size_t b = a + 1; b < sizes.size(); ++b) {
      std::uint64_t more = 0;
      if (__builtin_mul_overflow(std::uint64_t{sizes[a]}, std::uint64_t{sizes[b]}, &more) ||
          __builtin_add_overflow(pairs, more, &pairs))
        return UINT64_MAX;
    }
  return pairs;
}

}  // namespace opref::golden
