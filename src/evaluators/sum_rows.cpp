// SPDX-License-Identifier: Apache-2.0
// Sums and norms of neighbours by vector loops.
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "evaluators/bands.h"
#include "evaluators/sum.h"
#include "exact/results.h"
#include "exact/rows.h"
#include "exact/storage.h"
#include "exact/sum_rows.h"
#include "system/deadline.h"

namespace opref::evaluators {
namespace {

/// What becomes of a band's sums.
enum class Kind : std::uint8_t { mean, norm, root, integer };

/// The terms of boxes' elements; nothing where some are of no kind that loops add.
struct PlacedBoxes {
  std::vector<BoxTerms> boxes;
  std::vector<PlacedTerms> terms;
};
template <class Terms>
std::optional<PlacedBoxes> placed_boxes(const Terms& terms, const Neighbours& neighbours) {
  PlacedBoxes found;
  for (const NeighbourBox& box : neighbours.boxes()) {
    PlacedTerms placed;
    terms.placed(terms.definition, box.first, placed);
    const Ratio& ratio = placed.ratio();
    const bool is_empty = placed.array() == nullptr;
    const bool divides = ratio.a == 1 && ratio.b >= 1 && ratio.b <= 0x1p53 && ratio.b_rest == 0;
    if (!placed.serve() || !(is_empty || divides)) return std::nullopt;
    found.boxes.emplace_back(box, placed.places());
    found.terms.push_back(std::move(placed));
  }
  return found;
}

/// What a thread works with.
struct Work {
  std::vector<double> numbers, sums = room<double>(), lost = room<double>(), low = room<double>();
  std::vector<std::uint64_t> open = room<std::uint64_t>();
  std::vector<std::byte> out;
  std::vector<std::int64_t> positions;  ///< in Y, of what the definition is to compute
  std::int64_t decided = 0;

  template <class T>
  static std::vector<T> room() {
    return std::vector<T>(kMostOfABand + kTermSlack);
  }
};

/// Of one output; for any thread.
class SumRows {
 public:
  SumRows(const RowTarget& y, Kind kind, const Integers& integers, const PlacedBoxes& placed)
      : y_(y), kind_(kind), integers_(integers), placed_(placed) {}

  void compute() const {
    for_each_band(placed_.boxes, y_.numerics, [&](std::span<const Band> bands) {
      Work work;
      for (const Band& band : bands) {
        require_time();
        compute(band, work);
      }
      if (!work.positions.empty()) y_.by_definition(work.positions);
      if (y_.numerics.stats != nullptr)
        (kind_ == Kind::integer ? y_.numerics.stats->exact : y_.numerics.stats->estimated) += work.decided;
    });
  }

 private:
  void compute(const Band& band, Work& work) const {
    const PlacedTerms& terms = placed_.terms[band.box];
    if (terms.array() == nullptr) {
      for (std::int64_t j = 0; j < band.size(); ++j) work.positions.push_back(band.y_of(j));
      return;
    }
    const double scale = add_up(band, terms, work);
    if (kind_ == Kind::integer) return round_integers(band, terms.ratio(), work);
    with_float(y_.type.dtype, [&]<class T>(T) { settle<T>(band, terms, scale, work); });
  }

  bool is_wide() const { return y_.type.dtype == DType::float64; }

  /// The band's sums; returns what `lost` is to be taken times, so that the exact sums are no farther.
  double add_up(const Band& band, const PlacedTerms& terms, Work& work) const {
    constexpr std::int64_t kFew = 64;
    const BoxTerms& box = placed_.boxes[band.box];
    const std::int64_t count = box.terms.count();
    const auto read = [&](const Run& run, double* to) {
      require_time();
      terms.array()->numbers(run, to);
      const auto n = static_cast<std::size_t>(run.count);
      if (terms.power() == 2 || kind_ == Kind::root) row_square(to, n);
      if (kind_ == Kind::norm) row_magnitude(to, n);
    };
    double *sums = work.sums.data(), *lost = work.lost.data();
    if (box.reading == Reading::along) {
      double additions = 0;
      for (std::int64_t j = 0; j < band.size(); ++j) {
        LongSum sum;
        add_along(box, band.x_of(j), read, work, sum);
        sums[j] = sum.sum(), lost[j] = sum.size(), additions = sum.additions();
      }
      return y_.numerics.slack.bound(additions);
    }
    const bool are_few = count <= kFew && kind_ != Kind::integer && kind_ != Kind::root;
    for_each_term_row(box, band, work.numbers, read,
                      [&](const double* x, const TermRows& rows, Begun begun, std::int64_t first, std::int64_t) {
                        if (is_wide())
                          add_rows(x, rows, begun, sums + first, work.low.data() + first, lost + first);
                        else if (are_few)
                          add_rows(x, rows, begun, sums + first, lost + first);
                        else
                          add_many_rows(x, rows, begun, sums + first, lost + first);
                      });
    return are_few ? 1.01 : y_.numerics.slack.bound(static_cast<double>(count - 1));
  }
  template <class Read>
  static void add_along(const BoxTerms& box, std::int64_t x, const Read& read, Work& work, LongSum& sum) {
    constexpr std::int64_t kPart = 1024;
    work.numbers.resize(kPart + kTermSlack);
    for (const Run& run : box.terms.runs())
      for (std::int64_t k = 0; k < run.count; k += kPart) {
        const std::int64_t n = std::min(kPart, run.count - k);
        read(Run{x + run.from + k, n}, work.numbers.data());
        sum.add(work.numbers.data(), static_cast<std::size_t>(n));
      }
  }

  template <class T>
  void settle(const Band& band, const PlacedTerms& terms, double scale, Work& work) const {
    const auto n = static_cast<std::size_t>(band.size());
    work.out.resize((n + kTermSlack) * sizeof(T));
    T* out = reinterpret_cast<T*>(work.out.data());
    double *sums = work.sums.data(), *lost = work.lost.data();
    std::uint64_t* open = work.open.data();
    std::size_t doubts = 0;
    if constexpr (std::is_same_v<T, double>) {
      for (std::size_t j = 0; j < n; ++j) {
        auto sum = CompensatedSum::of(sums[j], work.low[j], lost[j], terms.places().count());
        sum.scale(terms.ratio());
        open[j] = sum.round(out[j], y_.numerics.slack) ? 0 : 1;
        doubts += open[j];
      }
    } else if (kind_ == Kind::root) {  // the root has half the sum's relative error, and one rounding
      row_root(sums, n);
      const auto count = static_cast<double>(terms.places().count());
      doubts = settle_row(sums, sums, y_.numerics.slack.bound((count - 1) / 2 + 1), n, out, open);
    } else {
      row_divide(sums, lost, scale, terms.ratio().b, n);
      doubts = settle_row(sums, lost, 1, n, out, open);
    }
    T* y = reinterpret_cast<T*>(y_.y.data());
    for (std::int64_t r = 0; r < band.rows; ++r) {
      const T* from = out + r * band.count;
      T* to = y + band.y + r * band.y_row;
      if (band.y_step == 1)
        std::copy_n(from, band.count, to);
      else
        for (std::int64_t i = 0; i < band.count; ++i) to[i * band.y_step] = from[i];
    }
    for (std::size_t j = 0; doubts > 0 && j < n; ++j)
      if (open[j] != 0) work.positions.push_back(band.y_of(static_cast<std::int64_t>(j)));
    work.decided += band.size() - static_cast<std::int64_t>(doubts);
  }

  void round_integers(const Band& band, const Ratio& ratio, Work& work) const {
    const std::int64_t size = info(y_.type.dtype).bits / 8;
    for (std::int64_t j = 0; j < band.size(); ++j) {
      IntegerSum sum;
      sum.add(IntegerSum::Wide{static_cast<std::int64_t>(work.sums[static_cast<std::size_t>(j)])});
      const std::uint64_t bits = sum.round(y_.type.dtype, integers_, ratio);
      std::memcpy(&y_.y[static_cast<std::size_t>(band.y_of(j) * size)], &bits, static_cast<std::size_t>(size));
    }
    work.decided += band.size();
  }

  const RowTarget& y_;
  Kind kind_;
  const Integers& integers_;
  const PlacedBoxes& placed_;
};

/// Whether no sum of integers can round in double.
bool is_exact(const PlacedTerms& terms) {
  const double most = std::ldexp(1.0, info(terms.array()->dtype()).bits * terms.power());
  return most * static_cast<double>(terms.places().count()) <= 0x1p53;
}

/// Whether there are loops for terms of this type in sums of that.
bool serves(Kind kind, DType y, const BoxTerms& box, const PlacedTerms& terms) {
  if (terms.array() == nullptr) return true;
  if (kind != Kind::mean && kind != Kind::integer && !terms.ratio().is_one()) return false;
  if (kind == Kind::integer) return is_exact(terms);
  if (y == DType::float64)
    return kind == Kind::mean && terms.power() == 1 && box.reading != Reading::along && terms.array()->is_floating();
  return terms.array()->is_narrow() && (y == DType::float32 || y == DType::float16 || y == DType::bfloat16);
}

template <class Terms>
Rows rows_of(const Terms& terms, Kind kind, const Integers& integers, const Neighbours& neighbours) {
  if (neighbours.boxes().empty()) return nullptr;
  return [=, &terms, &integers, &neighbours](RowTarget& y) {
    const std::optional<PlacedBoxes> placed = placed_boxes(terms, neighbours);
    if (!placed) return false;
    for (std::size_t b = 0; b < placed->boxes.size(); ++b)
      if (!serves(kind, y.type.dtype, placed->boxes[b], placed->terms[b])) return false;
    SumRows(y, kind, integers, *placed).compute();
    return true;
  };
}

}  // namespace

Rows neighbour_rows(const SumTerms& terms, DType factors, const Integers& integers, const Neighbours& neighbours) {
  return rows_of(terms, is_floating(factors) ? Kind::mean : Kind::integer, integers, neighbours);
}
Rows neighbour_rows(const NormTerms& terms, double p, const Neighbours& neighbours) {
  static const Integers none;
  if (p != 1 && p != 2) return nullptr;
  return rows_of(terms, p == 1 ? Kind::norm : Kind::root, none, neighbours);
}

}  // namespace opref::evaluators
