// SPDX-License-Identifier: Apache-2.0
#include "evaluators/select.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "evaluators/bands.h"
#include "evaluators/move.h"
#include "evaluators/parts.h"
#include "evaluators/stretches.h"
#include "exact/extreme_rows.h"
#include "system/deadline.h"

namespace opref::evaluators {

Order::Order(const Tensor& x, Zeros zeros) : x_(x), zeros_(zeros) {}

std::int64_t Order::operator()(std::int64_t i) const {
  if (x_.is_floating()) {
    const double v = x_.number(i);
    if (v != v) return kNan;
    if (v == 0 && zeros_ == Zeros::equal) return 0;
    const auto bits = std::bit_cast<std::int64_t>(v);
    return bits < 0 ? bits ^ INT64_MAX : bits;  // -0 is -1
  }
  const std::int64_t n = x_.integer(i);
  return x_.dtype() == DType::uint64 ? n ^ INT64_MIN : n;
}

std::int64_t position_of(Extreme extreme, std::span<const float> x) {
  const auto* bits = reinterpret_cast<const std::int32_t*>(x.data());
  const auto ranks = exact::ranks_of<std::int32_t>(DType::float32, extreme == Extreme::least);
  return exact::find_place(bits, x.size(), ranks, false, exact::greatest_rank(bits, x.size(), ranks));
}

Tensor neutral(DType dtype, Extreme extreme, Ends ends) {
  const DTypeInfo& type = info(dtype);
  const bool negative = extreme == Extreme::greatest;
  std::uint64_t bits = 0;
  if (type.kind == Kind::floating) {
    const auto infinity = infinity_of(dtype, negative);
    bits = infinity ? *infinity - (ends == Ends::finite ? 1 : 0) : encode_bits(dtype, negative, 1, 1100);
  } else {
    const int width = type.kind == Kind::boolean ? 1 : type.bits;
    if (!negative) bits = ~std::uint64_t{0} >> (64 - width);
    if (type.kind == Kind::signed_integer) bits ^= std::uint64_t{1} << (width - 1);
  }
  return tensor_of_bits({dtype, Dims{}}, [&](std::int64_t) { return bits; });
}

void Best::consider(const Run& run) {
  if (places_ != nullptr) return places_->add(run);
  for_each_stretch(0, run.count, [&](std::int64_t k, std::int64_t end) {
    for (; k < end; ++k) consider(run.from + k * run.step);
  });
}

/// Selections by vector loops: what is chosen of neighbours. K are the ranks of x's type.
template <class K>
class RankRows {
 public:
  explicit RankRows(const Selection& selection)
      : selection_(selection),
        x_(reinterpret_cast<const K*>(selection.x_.bytes().data())),
        ranks_(ranks_of<K>(selection.x_.dtype(), selection.extreme_ == Extreme::least)) {
    for (const NeighbourBox& box : selection.neighbours_.boxes()) {
      TermPlaces places;
      Best best(selection.order_, selection.extreme_, selection.tie_, nullptr, &places);
      selection.definition_(box.first, best);
      serves_ = serves_ && !places.are_many() && places.count() <= INT32_MAX;
      boxes_.emplace_back(box, std::move(places));
    }
  }
  bool serves() const { return serves_; }

  /// y[i] = the bits of what is chosen, `nothing` where there is no candidate.
  void values(std::span<K> y, K nothing) const {
    for_each_band(boxes_, selection_.numerics_, [&](std::span<const Band> bands) {
      Work work;
      for (const Band& band : bands) {
        require_time();
        if (boxes_[band.box].terms.count() == 0) {
          for (std::int64_t j = 0; j < band.size(); ++j) y[static_cast<size_t>(band.y_of(j))] = nothing;
          continue;
        }
        const bool has_nan = find_greatest_of(band, work);
        for (std::int64_t r = 0; r < band.rows; ++r) {
          const K* from = work.bits.data() + r * band.count;
          K* to = y.data() + band.y + r * band.y_row;
          if (band.y_step == 1)
            std::copy_n(from, band.count, to);
          else
            for (std::int64_t i = 0; i < band.count; ++i) to[i * band.y_step] = from[i];
        }
        for (std::int64_t j = 0; has_nan && j < band.size(); ++j)
          if (work.is_nan(j)) y[static_cast<size_t>(band.y_of(j))] = x_[selection_(band.y_of(j))];
      }
    });
  }

  /// chosen[i] = the position of what is chosen.
  void places(std::span<std::int64_t> chosen) const {
    for_each_band(boxes_, selection_.numerics_, [&](std::span<const Band> bands) {
      Work work;
      for (const Band& band : bands) {
        require_time();
        const bool has_terms = boxes_[band.box].terms.count() > 0;
        const bool has_nan = has_terms && find_greatest_of(band, work);
        if (has_terms) find_places_of(band, work);
        for (std::int64_t j = 0; j < band.size(); ++j) {
          std::int64_t& position = chosen[static_cast<size_t>(band.y_of(j))];
          if (!has_terms)
            position = -1;
          else if (has_nan && work.is_nan(j))
            position = selection_(band.y_of(j));
          else
            position = work.places[static_cast<size_t>(j)];
        }
      }
    });
  }

 private:
  /// Of one thread.
  struct Work {
    std::vector<K> ranks, greatest = room<K>(), bits = room<K>();
    std::vector<std::int32_t> terms = room<std::int32_t>();
    std::vector<std::int64_t> places = room<std::int64_t>();

    template <class T>
    static std::vector<T> room() {
      return std::vector<T>(kMostOfABand + kTermSlack);
    }
    bool is_nan(std::int64_t j) const { return greatest[static_cast<size_t>(j)] == Ranks<K>::kHighest; }
  };

  template <class Use>
  void each_term_row(const Band& band, Work& work, const Use& use) const {
    const auto read = [&](const Run& run, K* to) {
      require_time();
      row_ranks(x_ + run.from, run.step, static_cast<size_t>(run.count), ranks_, to);
    };
    for_each_term_row(boxes_[band.box], band, work.ranks, read, use);
  }

  /// The greatest rank of each element's candidates, and its bits: whether one is NaN, which the definition chooses.
  bool find_greatest_of(const Band& band, Work& work) const {
    const BoxTerms& box = boxes_[band.box];
    K* greatest = work.greatest.data();
    if (box.reading == Reading::along) {
      for (std::int64_t j = 0; j < band.size(); ++j) {
        greatest[j] = std::numeric_limits<K>::min();
        for (const Run& run : box.terms.runs())
          greatest[j] = std::max(greatest[j],
                                 greatest_rank(x_ + band.x_of(j) + run.from, static_cast<size_t>(run.count), ranks_));
      }
    } else {
      each_term_row(band, work,
                    [&](const K* numbers, const TermRows& rows, Begun begun, std::int64_t first, std::int64_t) {
                      find_greatest(numbers, rows, begun, greatest + first);
                    });
    }
    return take_bits(greatest, static_cast<size_t>(band.size()), ranks_, work.bits.data());
  }

  /// Where the first or last term is that has the greatest rank, which find_greatest_of has found.
  void find_places_of(const Band& band, Work& work) const {
    const BoxTerms& box = boxes_[band.box];
    const bool last = selection_.tie_ == Tie::last;
    const auto n = static_cast<size_t>(band.size());
    if (selection_.zeros_ == Zeros::equal && ranks_.has_nan())  // the ranks of zeros are -1 and 0
      for (K& limit : std::span(work.greatest).first(n)) limit = limit == 0 ? K{-1} : limit;
    if (box.reading == Reading::along) {
      for (std::int64_t j = 0; j < band.size(); ++j) {
        const auto& runs = box.terms.runs();
        std::int64_t place = -1;
        for (size_t k = 0; k < runs.size() && place < 0; ++k) {
          const Run& run = runs[last ? runs.size() - 1 - k : k];
          const std::int64_t from = band.x_of(j) + run.from,
                             at = find_place(x_ + from, static_cast<size_t>(run.count), ranks_, last,
                                             work.greatest[static_cast<size_t>(j)]);
          if (at >= 0) place = from + at;
        }
        work.places[static_cast<size_t>(j)] = place;
      }
      return;
    }
    std::ranges::fill(work.terms, -1);
    each_term_row(band, work, [&](const K* numbers, const TermRows& rows, Begun, std::int64_t first, std::int64_t t) {
      find_terms(numbers, rows, static_cast<std::int32_t>(t), last, work.greatest.data() + first,
                 work.terms.data() + first);
    });
    for (size_t j = 0; j < n; ++j)
      work.places[j] = band.x_of(static_cast<std::int64_t>(j)) + box.terms[std::max(work.terms[j], 0)];
  }

  const Selection& selection_;
  const K* x_;
  Ranks<K> ranks_;
  std::vector<BoxTerms> boxes_;
  bool serves_ = true;
};

namespace {

/// Calls f with a zero of the ranks of a type, if its elements have such; false if they have none.
template <class F>
bool with_ranks(DType dtype, const F& f) {
  const DTypeInfo& type = info(dtype);
  if (type.kind == Kind::complex || type.kind == Kind::string) return false;
  if (type.kind == Kind::floating && type.bits == 8) return false;
  switch (type.bits) {
    case 8:
      return f(std::int8_t{});
    case 16:
      return f(std::int16_t{});
    case 32:
      return f(std::int32_t{});
    case 64:
      return f(std::int64_t{});
    default:
      return false;
  }
}

}  // namespace

Selection::Selection(const Output& out, const Tensor& x, Zeros zeros, Extreme extreme, Tie tie, Definition definition,
                     Neighbours neighbours)
    : numerics_(out.numerics()),
      x_(x),
      order_(x, zeros),
      zeros_(zeros),
      extreme_(extreme),
      tie_(tie),
      definition_(std::move(definition)),
      neighbours_(std::move(neighbours)) {}

std::int64_t Selection::operator()(std::int64_t i) const {
  require_time();
  Best best(order_, extreme_, tie_, numerics_.sink);
  definition_(i, best);
  return best.position();
}

void Selection::all(std::span<std::int64_t> chosen) const {
  if (chosen.empty()) return;
  const bool by_rows =
      !numerics_.exact_only && !numerics_.only && numerics_.sink == nullptr && !neighbours_.boxes().empty();
  if (by_rows && with_ranks(x_.dtype(), [&]<class K>(K) {
        const RankRows<K> rows(*this);
        if (rows.serves()) rows.places(chosen);
        return rows.serves();
      }))
    return;
  if (numerics_.only) std::ranges::fill(chosen, 0);
  for_each_part(std::ssize(chosen), 1, numerics_, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) chosen[static_cast<size_t>(i)] = (*this)(i);
  });
}

Tensor Selection::values(const Output& y, const std::optional<Tensor>& fill) const {
  if (!y.wanted()) return {};
  const bool by_rows = !y.numerics().exact_only && !y.only() && y.sink() == nullptr && !neighbours_.boxes().empty() &&
                       zeros_ == Zeros::ordered;
  std::optional<TensorBuilder> built;
  if (by_rows && with_ranks(x_.dtype(), [&]<class K>(K nothing) {
        const RankRows<K> rows(*this);
        if (!rows.serves()) return false;
        if (fill) std::memcpy(&nothing, fill->bytes().data(), sizeof nothing);
        const std::span<std::byte> bytes = built.emplace(y.type(), Content::any).bytes();
        rows.values({reinterpret_cast<K*>(bytes.data()), bytes.size() / sizeof(K)}, nothing);
        return true;
      }))
    return std::move(*built).finish();
  return move(
      y, x_, [&](std::int64_t i) { return Run{(*this)(i)}; }, fill);
}

Tensor Selection::places(const Output& y, const std::function<std::int64_t(std::int64_t, std::int64_t)>& number) const {
  if (!y.wanted()) return {};
  if (y.only() || y.sink() != nullptr)
    return evaluators::places(
        y, x_, [&](std::int64_t i) { return (*this)(i); }, number);
  std::vector<std::int64_t> chosen(static_cast<size_t>(element_count(y.type().shape)));
  all(chosen);
  return evaluators::places(
      y, x_, [&](std::int64_t i) { return chosen[static_cast<size_t>(i)]; }, number);
}

namespace {

/// The k best of keys that come one after another: the greatest, of equals the first.
template <class K>
class BestKeys {
 public:
  explicit BestKeys(size_t k) : k_(k) {}

  /// Keys of the places from `first` on, `step` apart; keys[n …] up to a multiple of kAtOnce are there, too.
  void take(const K* keys, std::int64_t n, std::int64_t first, std::int64_t step) {
    for (std::int64_t i = 0; i < n; i += kAtOnce) {
      if (kept_.size() >= k_) {
        bool any = false;
        for (std::int64_t j = 0; j < kAtOnce; ++j) any |= keys[i + j] > worst_;
        if (!any) continue;
      }
      for (std::int64_t j = i; j < std::min(n, i + kAtOnce); ++j) {
        if (kept_.size() >= k_ && keys[j] <= worst_) continue;
        kept_.push_back({keys[j], first + j * step});
        if (kept_.size() == k_ || kept_.size() == 2 * k_ + kAtOnce) leave_best();
      }
    }
  }
  /// Their places, the best first.
  void put(std::span<std::int64_t> places) {
    if (kept_.size() > k_) leave_best();
    std::ranges::sort(kept_, [](const Kept& a, const Kept& b) {
      require_time();
      return a.is_before(b);
    });
    std::ranges::transform(kept_, places.begin(), &Kept::place);
  }
  static constexpr std::int64_t kAtOnce = 64;

 private:
  struct Kept {
    K key;
    std::int64_t place;
    bool is_before(const Kept& other) const { return key != other.key ? key > other.key : place < other.place; }
  };

  void leave_best() {
    require_time();
    const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(k_) - 1;
    std::nth_element(kept_.begin(), last, kept_.end(), [](const Kept& a, const Kept& b) { return a.is_before(b); });
    worst_ = last->key;
    kept_.resize(k_);
  }

  size_t k_;
  K worst_{};  ///< of k kept ones
  std::vector<Kept> kept_;
};

/// As Ranking::ranked, by vector loops.
template <class K>
void rank_line(const Tensor& x, const Lines& lines, std::int64_t line, Extreme extreme, std::span<std::int64_t> best) {
  constexpr std::int64_t kRow = 1024;
  const auto ranks = ranks_of<K>(x.dtype(), false);
  const K* all = reinterpret_cast<const K*>(x.bytes().data());
  BestKeys<K> keys(best.size());
  std::array<K, kRow> row{};
  for (std::int64_t j = 0; j < lines.length(); j += kRow) {
    require_time();
    const std::int64_t at = lines.at(line, j), n = std::min(kRow, lines.length() - j);
    row_ranks(all + at, lines.step(), static_cast<size_t>(n), ranks, row.data());
    if (ranks.has_nan())
      for (K& key : row) key = static_cast<K>(key + (key == -1 ? 1 : 0));  // -0 is 0
    if (extreme == Extreme::least)
      for (K& key : row) key = static_cast<K>(~key);  // NaN is the worst then
    keys.take(row.data(), n, at, lines.step());
  }
  keys.put(best);
}

}  // namespace

Ranking::Ranking(const Output& out, const Tensor& x, const Lines& lines, std::int64_t k, Extreme extreme)
    : out_(out), order_(x, Zeros::equal), lines_(lines), k_(k), extreme_(extreme) {
  if (out.only() || k == 0) return;
  chosen_.resize(static_cast<size_t>(lines.count() * k));
  each_line(lines, out.numerics(), [&](std::int64_t line) {
    const auto best = std::span(chosen_).subspan(static_cast<size_t>(line * k), static_cast<size_t>(k));
    const auto by_rows = [&]<class K>(K) {
      rank_line<K>(x, lines, line, extreme, best);
      return true;
    };
    if (out.sink() != nullptr || !with_ranks(x.dtype(), by_rows)) std::ranges::copy(ranked(line), best.begin());
  });
}

std::int64_t Ranking::operator()(std::int64_t line, std::int64_t j) const {
  return chosen_.empty() ? ranked(line)[static_cast<size_t>(j)] : chosen_[static_cast<size_t>(line * k_ + j)];
}

std::vector<std::int64_t> Ranking::ranked(std::int64_t line) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> keys;
  for (std::int64_t j = 0; j < lines_.length(); ++j) {
    const std::int64_t at = lines_.at(line, j), key = order_(at);
    if (out_.sink() != nullptr) out_.sink()->considers(order_.place(at));
    keys.emplace_back(extreme_ == Extreme::greatest ? ~key : key, at);  // ~ turns the order, and keeps it in 64 bits
  }
  std::partial_sort(keys.begin(), keys.begin() + k_, keys.end(), [](const auto& a, const auto& b) {
    require_time();
    return a < b;
  });
  std::vector<std::int64_t> best;
  for (std::int64_t j = 0; j < k_; ++j) best.push_back(keys[static_cast<size_t>(j)].second);
  return best;
}

}  // namespace opref::evaluators
