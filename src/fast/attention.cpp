// SPDX-License-Identifier: Apache-2.0
// Scores and means are products of matrices; queries are their columns, so that what lies between them goes key by key,
// some queries at once.
#include "fast/attention.h"

#include <algorithm>
#include <cmath>

#include "exact/real/static_bound.h"
#include "exact/row_sums.h"
#include "exact/storage.h"
#include "fast/attention_rows.h"
#include "fast/pool.h"
#include "fast/row_product.h"
#include "fast/tiled_product.h"
#include "system/parallel.h"

namespace opref::fast {
namespace {

constexpr double kUnit = 0x1p-53;
/// Powers are added up in chunks of so many.
constexpr std::int64_t kChunk = 32;
/// An exponent below -kClamp is clamped; a power of it is wrong by kClamped at most.
constexpr double kClamp = quick::kClamp + 1, kClamped = 0x1p-503;

/// Numbers h + l ± e.
struct PairedRow {
  std::vector<double> h, l, e;
  Paired at(std::size_t i) const { return {h[i], l[i], e[i]}; }
  void put(std::size_t i, const Paired& x) { h[i] = x.h, l[i] = x.l, e[i] = x.e; }
  Paired sum(std::size_t n) const {
    exact::PairedSum sum;
    sum.add(h.data(), l.data(), e.data(), n);
    return sum.total();
  }
};

/// Infinity where nothing is known.
double known(double error) { return error < kInfinity ? error : kInfinity; }

/// So many queries of a head meet its keys at once.
std::int64_t queries_of(const Attention& a, std::int64_t keys, int threads) {
  constexpr std::int64_t kMostScores = std::int64_t{1} << 18, kLeast = 16, kMost = 256;
  const std::int64_t fit = std::clamp(kMostScores / keys, kLeast, kMost);
  const std::int64_t share = (a.query.count * a.query.head.count() - 1) / threads + 1;
  return rounded_up(std::min(fit, std::max(share, 2 * kLeast)), 8);
}

/// T: of queries and keys, V: of values.
template <class T, class V>
class Block {
 public:
  /// Queries [first, first + n) of a head.
  void compute(const RowTarget& target, const Attention& a, std::int64_t head, std::int64_t first, std::int64_t n) {
    a_ = &a, slack_ = target.numerics.slack, head_ = head, first_ = first, n_ = n, row_ = padded_row(n);
    keys_ = 0;
    for (const Attention::Keys& keys : a.keys) keys_ += keys.key.count;
    for (auto* row : {&most_, &size_, &error_, &sum_, &chunk_, &of_powers_, &of_sum_, &added_})
      row->assign(static_cast<std::size_t>(row_), 0.0);
    x_.resize(static_cast<std::size_t>(keys_ * row_));
    score();
    weigh();
    average();
    settle(target);
  }
  std::int64_t estimated() const { return estimated_; }

 private:
  using Row = std::vector<double>;
  std::size_t count() const { return static_cast<std::size_t>(n_); }
  double* x(std::int64_t key) { return x_.data() + key * row_; }
  double* of(Scratch<double>& plane, std::int64_t d) const { return plane.data() + d * row_; }
  template <class U>
  static Factor<U> lines_of(const Attention::Tokens& tokens, std::int64_t head, std::int64_t first) {
    return {tokens.x.values<U>().data() + tokens.head(head) + first * tokens.step, 1, tokens.step};
  }
  template <class U>
  static Factor<U> columns_of(const Attention::Tokens& tokens, std::int64_t head) {
    return {tokens.x.values<U>().data() + tokens.head(head), tokens.step, 1};
  }

  /// x: the scores by key; error_: what they are wrong by.
  void score() {
    std::ranges::fill(most_, -kInfinity);
    const Factor<T> queries = lines_of<T>(a_->query, head_, first_);
    const ProductBound bound = TiledProduct<T, T>::bound(a_->size, slack_, 0);
    const std::int64_t tile = tile_of(n_, TiledProduct<T, T>::most_columns(a_->size));
    std::int64_t from = 0;
    for (const Attention::Keys& keys : a_->keys) {
      if (keys.key.count == 0) continue;
      const auto finish = [&](std::int64_t key, std::int64_t q, std::int64_t rows, std::int64_t columns,
                              const double* values, const double* squares, const double* norms) {
        double most = 0;
        for (std::int64_t r = 0; r < rows; ++r, values += columns) {
          most = std::max(most, known(squares[r]));
          take_scores(from + key + r, q, columns, values);
        }
        for (std::int64_t i = 0; i < columns; ++i) {
          double& error = error_[static_cast<std::size_t>(q + i)];
          error = std::max(error, known(bound.scale(most) * norms[i]));
        }
      };
      products_.compute(lines_of<T>(keys.key, head_, 0), queries, keys.key.count, n_, a_->size, tile, bound, finish);
      from += keys.key.count;
    }
  }
  void take_scores(std::int64_t key, std::int64_t q, std::int64_t columns, const double* products) {
    const auto n = static_cast<std::size_t>(columns);
    if (a_->added) a_->added(head_, first_ + q, columns, key, added_.data());
    score(products, added_.data(), n, x(key) + q, &most_[static_cast<std::size_t>(q)],
          &size_[static_cast<std::size_t>(q)]);
  }
  void score(const double* products, const double* added, std::size_t n, double* x, double* most, double* size) const {
    if (a_->softcap == 0)
      row_score(products, a_->added ? added : nullptr, a_->scale.v, n, x, most, size);
    else
      row_score_capped(products, added, a_->scale.v, a_->softcap, n, x, most, size);
  }

  /// What a query's powers are wrong by, as a part of them, where their exponents are not clamped: these are at least
  /// -kClamp. Its products, of which `size` is the greatest but for its sign, are wrong by `error`.
  double error_of_powers(double size, double error, double greatest_score) const {
    const double scale = std::abs(a_->scale.v), most = size * scale;
    double e = error * scale + size * a_->scale.e + most * kUnit;
    if (a_->softcap != 0) {
      const StaticBound S(-most, most, 0, 0, e * kOfBound), cap(a_->softcap);
      const StaticBound capped = tanh(S / cap) * cap;
      e = capped.abs + capped.rel * std::abs(a_->softcap);
    }
    const double of_sum = a_->added ? (std::abs(greatest_score) + kClamp) * kUnit : 0;
    e = (e + of_sum + kClamp * kUnit) * kOfBound;
    return e <= 0x1p-20 ? (e + quick::kExpError) * kOfBound : quick::kNaN;
  }

  /// x: the powers by key; sum_: their sums, and what both are wrong by, as a part of them.
  void weigh() {
    const double additions = static_cast<double>(kChunk + keys_ / kChunk + 1);
    for (std::size_t q = 0; q < count(); ++q) {
      of_powers_[q] = error_of_powers(size_[q], error_[q], most_[q]);
      of_sum_[q] = of_powers_[q] + (additions + 5) * kUnit;  // and the reciprocal, the quotient, the ends
    }
    for (std::int64_t first = 0; first < keys_; first += kChunk) {
      const std::int64_t last = std::min(keys_, first + kChunk);
      std::ranges::fill(chunk_, 0.0);
      for (std::int64_t key = first; key < last; ++key) row_power(most_.data(), count(), x(key), chunk_.data());
      row_add(chunk_.data(), count(), sum_.data());
    }
  }

  /// v_, e_: numerators of the means and what they are wrong by, by number of a value.
  void average() {
    for (Scratch<double>* plane : {&v_, &e_}) {
      plane->resize(static_cast<std::size_t>(a_->value_size * row_));
      std::fill_n(plane->data(), plane->size(), 0.0);
    }
    std::int64_t from = 0;
    for (const Attention::Keys& keys : a_->keys) {
      const std::int64_t n = keys.value.count;
      if (n == 0) continue;
      const Factor<V> values = columns_of<V>(keys.value, head_);
      // Squares that hardly have weights: powers are wrong by more than sums are.
      const ProductBound bound = TiledProduct<V, double>::bound(n, slack_, kMeanRoundings),
                         flat(bound.count, slack_, 0x1p40);
      const std::int64_t tile = tile_of(n_, TiledProduct<V, double>::most_columns(n));
      const auto finish = [&](std::int64_t d, std::int64_t q, std::int64_t rows, std::int64_t columns,
                              const double* products, const double* squares, const double* norms) {
        for (std::int64_t r = 0; r < rows; ++r, products += columns) {
          const double norm = std::sqrt(squares[r]) * kOfBound, clamped = norm * kClamped * static_cast<double>(n);
          row_numerator(products, norms, &of_powers_[static_cast<std::size_t>(q)], bound.most * norm, norm, clamped,
                        static_cast<std::size_t>(columns), of(v_, d + r) + q, of(e_, d + r) + q);
        }
      };
      means_.compute(values, Factor<double>{x(from), row_, 1}, a_->value_size, n_, n, tile, flat, finish);
      from += n;
    }
  }
  void settle(const RowTarget& target) {
    constexpr std::int64_t kTogether = 16;  // numbers of a value
    T* const y = reinterpret_cast<T*>(target.y.data()) + a_->y_head(head_) + first_ * a_->y_step;
    settled_.resize(static_cast<std::size_t>(kTogether * row_)), is_open_.resize(static_cast<std::size_t>(row_));
    open_.clear();
    for (std::int64_t from = 0; from < a_->value_size; from += kTogether) {
      const std::int64_t several = std::min(kTogether, a_->value_size - from);
      for (std::int64_t k = 0; k < several; ++k) {
        const std::int64_t d = from + k;
        row_quotient(sum_.data(), of_sum_.data(), count(), of(v_, d), of(e_, d));
        std::size_t open = settle_row(of(v_, d), of(e_, d), 1.0, count(), &settled_[static_cast<std::size_t>(k * row_)],
                                      is_open_.data());
        for (std::int64_t q = 0; open > 0; ++q)
          if (is_open_[static_cast<std::size_t>(q)] != 0) open_.push_back(q * a_->value_size + d), --open;
      }
      transpose(settled_.data(), row_, several, n_, y + from, a_->y_step);
    }
    estimated_ += n_ * a_->value_size;
    std::ranges::sort(open_);
    for (std::size_t k = 0; k < open_.size();) {
      const std::int64_t q = open_[k] / a_->value_size;
      positions_.clear();
      for (; k < open_.size() && open_[k] / a_->value_size == q; ++k) positions_.push_back(open_[k] % a_->value_size);
      decide(target, q, y + q * a_->y_step);
    }
  }
  /// to[i*to_step + k] = from[k*step + i], k < lines, i < n
  static void transpose(const T* __restrict from, std::int64_t step, std::int64_t lines, std::int64_t n,
                        T* __restrict to, std::int64_t to_step) {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < lines; ++k) to[i * to_step + k] = from[k * step + i];
  }
  /// What is open of a query's row, those numbers of a value that positions_ lists.
  void decide(const RowTarget& target, std::int64_t q, T* y) {
    const auto at = static_cast<std::size_t>(q);
    const bool are_known = !std::isnan(error_of_powers(size_[at], error_[at], 0));  // all scores but for what is added
    if (are_known && most_[at] == -kInfinity) return void(std::fill_n(y, a_->value_size, T{}));
    line_.resize(static_cast<std::size_t>(a_->size) + kRowSlack);
    row_widen(lines_of<T>(a_->query, head_, first_ + q).from, static_cast<std::size_t>(a_->size), line_.data());
    one_added_.assign(static_cast<std::size_t>(keys_) + kRowSlack, 0.0);
    for (std::int64_t key = 0; a_->added && key < keys_; ++key)
      a_->added(head_, first_ + q, 1, key, &one_added_[static_cast<std::size_t>(key)]);
    if constexpr (std::is_same_v<T, float> && std::is_same_v<V, float>) look_again(y);
    if (!positions_.empty()) look_closely(y);
    if (positions_.empty()) return;
    for (std::int64_t& d : positions_) d += a_->y_head(head_) + (first_ + q) * a_->y_step;
    estimated_ -= std::ssize(positions_);
    target.by_definition(positions_);
  }
  /// By sums of fewer additions, of the query in line_; keeps what stays open.
  void look_again(T* y) {
    const auto keys = static_cast<std::size_t>(keys_), size = static_cast<std::size_t>(a_->size);
    for (auto* row : {&product_, &magnitude_, &score_, &greatest_, &greatest_size_}) row->assign(keys + kRowSlack, 0.0);
    std::size_t from = 0;
    for (const Attention::Keys& some : a_->keys) {
      const auto n = static_cast<std::size_t>(some.key.count);
      row_times_lines(line_.data(), size, lines_of<T>(some.key, head_, 0).from, some.key.step, n, &product_[from],
                      &magnitude_[from]);
      from += n;
    }
    std::ranges::fill(greatest_, -kInfinity);
    score(product_.data(), one_added_.data(), keys, score_.data(), greatest_.data(), greatest_size_.data());
    const double error = std::ranges::max(magnitude_) * slack_.bound(row_product_additions(size, false)),
                 most = std::ranges::max(greatest_),
                 of_powers = error_of_powers(std::ranges::max(greatest_size_), error, most);
    std::ranges::fill(greatest_, most);
    row_power(greatest_.data(), keys, score_.data(), product_.data());  // what it adds up is not asked for
    exact::BoundedSum sum(keys);
    sum.add(score_.data(), nullptr, keys);
    const Bounded total = sum.total();
    const double of_sum = of_powers + total.e / total.v + 5 * kUnit;
    std::erase_if(positions_, [&](std::int64_t d) {
      Row v(1 + kRowSlack), e(1 + kRowSlack);
      find_numerator(d, of_powers, v[0], e[0]);
      row_quotient(&total.v, &of_sum, 1, v.data(), e.data());
      return settle_one(v[0], e[0], y[d]);
    });
  }
  /// By pairs of doubles, of the query in line_; keeps what stays open.
  void look_closely(T* y) {
    const auto keys = static_cast<std::size_t>(keys_);
    score_in_pairs();
    const auto is_hidden = [&](std::size_t key) { return one_added_[key] == -kInfinity && is_finite(paired_.at(key)); };
    double shift = -kInfinity;
    for (std::size_t key = 0; key < keys; ++key)
      if (!is_hidden(key)) shift = std::max(shift, paired_.h[key]);
    PairedRow powers = paired_, terms = paired_;
    row_power(shift, keys, powers.h.data(), powers.l.data(), powers.e.data());
    for (std::size_t key = 0; key < keys; ++key)
      if (is_hidden(key)) powers.put(key, 0.0);
    const Paired sum = powers.sum(keys);
    score_.resize(keys + kRowSlack);
    std::erase_if(positions_, [&](std::int64_t d) {
      find_values(d, score_);
      for (std::size_t key = 0; key < keys; ++key) terms.put(key, powers.at(key) * Paired(score_[key]));
      const Paired mean = terms.sum(keys) / sum;
      return settle_one(mean.h, (mean.e + std::abs(mean.h) * 2 * kUnit) * kOfBound, y[d]);  // l and the ends
    });
  }
  /// paired_: the scores, but for -Inf that is added.
  void score_in_pairs() {
    const auto keys = static_cast<std::size_t>(keys_);
    for (Row* row : {&paired_.h, &paired_.l, &paired_.e}) row->assign(keys + kRowSlack, 0.0);
    std::size_t from = 0;
    for (const Attention::Keys& some : a_->keys) {
      const auto n = static_cast<std::size_t>(some.key.count);
      const Factor<T> lines = lines_of<T>(some.key, head_, 0);
      Row products(n + kRowSlack);
      for (std::int64_t k = 0; k < a_->size; ++k) {
        row_widen(lines.at_depth(k).from, lines.line_step, n, products.data());
        for (double& x : products) x *= line_[static_cast<std::size_t>(k)];  // exact
        row_add(products.data(), nullptr, nullptr, n, &paired_.h[from], &paired_.l[from], &paired_.e[from]);
      }
      from += n;
    }
    Row added = one_added_;
    std::ranges::replace(added, -kInfinity, 0.0);
    row_score(added.data(), a_->precise_scale, a_->softcap, keys, paired_.h.data(), paired_.l.data(), paired_.e.data());
  }
  /// Whether the element nearest to v ± e is known, which y is then.
  static bool settle_one(double v, double e, T& y) {
    const double v_row[1 + kRowSlack] = {v}, e_row[1 + kRowSlack] = {e};
    std::uint64_t is_open[1 + kRowSlack];
    T settled[1 + kRowSlack];
    settle_row(v_row, e_row, 1.0, 1, settled, is_open);
    if (is_open[0] == 0) y = settled[0];
    return is_open[0] == 0;
  }
  /// x: number d of each key's value.
  void find_values(std::int64_t d, Row& x) {
    std::size_t from = 0;
    for (const Attention::Keys& some : a_->keys) {
      const auto n = static_cast<std::size_t>(some.value.count);
      const Factor<V> values = columns_of<V>(some.value, head_).at_line(d);
      row_widen(values.from, values.depth_step, n, &x[from]);
      from += n;
    }
  }
  /// v ± e = Σ of the powers in score_, each wrong by that part of it, times number d of the values.
  void find_numerator(std::int64_t d, double of_powers, double& v, double& e) {
    find_values(d, product_);
    double magnitude = 0, values = 0;
    const auto keys = static_cast<std::size_t>(keys_);
    for (std::size_t key = 0; key < keys; ++key) {
      values += std::abs(product_[key]);
      product_[key] *= score_[key], magnitude += std::abs(product_[key]);
    }
    exact::BoundedSum sum(keys);
    sum.add(product_.data(), nullptr, keys);
    const Bounded total = sum.total();
    v = total.v, e = (of_powers + kUnit) * magnitude + total.e + kClamped * values;
  }

  const Attention* a_ = nullptr;
  Slack slack_;
  std::int64_t head_ = 0, first_ = 0, n_ = 0, row_ = 0, keys_ = 0, estimated_ = 0;
  TiledProduct<T, T> products_;
  TiledProduct<V, double> means_;
  Scratch<double> x_, v_, e_;                                           ///< by key, and by number of a value
  Row most_, size_, error_, sum_, chunk_, of_powers_, of_sum_, added_;  ///< of each query
  PairedRow paired_;
  Row line_, product_, magnitude_, one_added_, score_, greatest_, greatest_size_;  ///< of one query
  std::vector<T> settled_;
  std::vector<std::uint64_t> is_open_;
  std::vector<std::int64_t> open_, positions_;
};

template <class F>
void with_narrow(DType dtype, const F& f) {
  with_float(dtype, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, double>) f(T{});
  });
}
bool is_narrow(DType dtype) {
  const DTypeInfo& type = info(dtype);
  return type.kind == Kind::floating && type.bits >= 16 && type.bits <= 32;
}

}  // namespace

bool attention(const RowTarget& y, const Attention& a) {
  std::int64_t keys = 0;
  for (const Attention::Keys& some : a.keys) keys += some.key.count;
  const std::int64_t heads = a.query.head.count();
  if (keys == 0 || a.size == 0 || !is_narrow(y.type.dtype) || !is_narrow(a.keys[0].value.x.dtype())) return false;
  const std::int64_t each = queries_of(a, keys, y.numerics.threads), blocks = (a.query.count - 1) / each + 1;
  with_narrow(y.type.dtype, [&]<class T>(T) {
    with_narrow(a.keys[0].value.x.dtype(), [&]<class V>(V) {
      Pool<Block<T, V>> pool;
      for_each_job_in_shares(static_cast<std::size_t>(heads * blocks), y.numerics.threads, [&](std::size_t job) {
        const auto [head, part] = evaluators::split(static_cast<std::int64_t>(job), blocks);
        const std::int64_t first = part * each, n = std::min(each, a.query.count - first);
        pool.with([&, head = head](Block<T, V>& block) {
          const std::int64_t before = block.estimated();
          block.compute(y, a, head, first, n);
          if (y.numerics.stats != nullptr) y.numerics.stats->estimated += block.estimated() - before;
        });
      });
    });
  });
  return true;
}

}  // namespace opref::fast
