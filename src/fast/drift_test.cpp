// SPDX-License-Identifier: Apache-2.0
// Error bounds at their last unit. Random data cannot see a wrong count: roundings cancel. Here the first term is 1 or
// a midpoint beside it, every later addition loses almost half a unit in the last place, all in one direction, and the
// midpoint is moved through each distance from 0 to what is lost. Without slack every element is right; with one
// rounding less than are met, one is wrong.
#include <catch2/catch.hpp>
#include <numeric>

#include "evaluators/windows_testing.h"
#include "exact/compensated_sum.h"
#include "exact/oracle_testing.h"
#include "fast/fast.h"
#include "fast/gemm.h"

namespace opref::fast {
namespace {

using oracle::Products;

constexpr Slack kNone{.roundings = 0, .factor = 1};
constexpr Slack lowered_by(double roundings) { return {.roundings = -roundings, .factor = 1}; }

/// The first factors of a type's terms: their product is a midpoint between 1 and 2, times 2^scale, whose lower
/// neighbour is even; and the factors of what is almost half a unit of that in double.
struct Factors {
  double x, w;
  double tiny_x, tiny_w;
};
template <class T>
Factors factors();
template <>
Factors factors<float>() {  // 2^24 + 1
  return {24929 * 0x1p16, 673 * 0x1p-40, 0x1p4 * (1 - 0x1p-24), 0x1p-57};
}
template <>
Factors factors<BFloat16>() {  // 2^8 + 5
  return {29 * 0x1p26, 9 * 0x1p-34, 0x1p4 * (1 - 0x1p-8), 0x1p-57};
}
template <>
Factors factors<Half>() {  // (2^11 + 1)·2^4: below that no half is half a unit
  return {683 * 0x1p-2, 3 * 0x1p6, 0x1p-14 - 0x1p-24, 0x1p-24};
}

/// A product of two numbers of T, little more than an odd number of tiny products' units, and lower than the next one.
template <class T>
std::pair<double, double> little_more_than(std::int64_t odd, const Factors& f) {
  constexpr std::int64_t kOne = std::int64_t{1} << (Format<T>::precision - 1);
  const double unit_x = std::exp2(std::ilogb(f.tiny_x) + 1), least = static_cast<double>(odd);
  std::pair<double, double> best{1, least + 1};
  const std::int64_t most = std::is_same_v<T, Half> ? kOne : kOne + 127;  // a tiny half has one bit
  for (std::int64_t b = kOne; b <= most; ++b) {
    const double second = static_cast<double>(b) / static_cast<double>(kOne);
    const double place = std::exp2(std::ilogb(least / second)) / static_cast<double>(kOne);
    const double first = (std::floor(least / second / place) + 1) * place;
    if (first * second < best.first * best.second && first * second > least) best = {first, second};
  }
  return {best.first * unit_x, best.second * f.tiny_w};
}

/// So many terms in the order in which they are added: the midpoint, a step back of 2·j units in the last place of
/// which the addition loses almost half a unit, and terms that are lost.
template <class T>
Products drifting(size_t count, std::int64_t j) {
  const Factors f = factors<T>();
  Products terms(count, {f.tiny_x, f.tiny_w});
  terms[0] = {f.x, f.w};
  if (j > 0) {
    const auto [x, w] = little_more_than<T>(2 * j - 1, f);
    terms[1] = {-x, w};
  }
  return terms;
}

Call call_of(const Slack& slack) {
  Call call;
  call.set_numerics({.slack = slack});
  return call;
}

Tensor by_rows(const TensorType& type, const TransposedTest& t, const Slack& slack) {
  return transposed(call_of(slack), type, t, {}, [&](const RowTarget& y) {
    return transposed_convolution(y, {t.x, t.w, t.b, t.groups, t.axes});
  });
}

struct Shape {
  Dims L, k, s, d, pb, O;
  std::int64_t Cg;
  double lowered = 1;              ///< by so many roundings it must fail
  std::int64_t first_channel = 0;  ///< that has terms: of a product, the row of its large one
  std::int64_t depth = 1024;       ///< of a product's parts, at most
  std::int64_t distances = 1000;   ///< so many of the midpoint's, the largest ones
};

/// The drifting element is in the last output channel of the last group, whose filters alone are not zero.
constexpr std::int64_t kGroups = 2, kMg = 3;

/// A transposed convolution of which one element is known: all that reaches it are terms that drift.
template <class T>
class Drift {
 public:
  explicit Drift(const Shape& shape)
      : shape_(shape), axes_(transposed_axes(shape.L, shape.k, shape.O, shape.s, shape.d, shape.pb)) {
    find_element();
    place_terms();
  }

  /// How many elements are wrong while the midpoint moves.
  int wrong(const Slack& slack) const {
    int wrong = 0;
    const std::int64_t last = additions() / 2 + 1;
    for (std::int64_t j = std::max<std::int64_t>(0, last - shape_.distances); j <= last; ++j)
      wrong += is_right(j, slack) ? 0 : 1;
    return wrong;
  }
  /// Additions that lose something.
  std::int64_t additions() const { return static_cast<std::int64_t>(count_) - (with_bias() ? 0 : 1); }

 private:
  struct Place {
    std::int64_t x, w;
    std::int64_t block;
  };

  /// Half has no bias that small.
  static constexpr bool with_bias() { return !std::is_same_v<T, Half>; }

  /// The output that most taps reach.
  void find_element() {
    const Taps taps(axes_);
    for (std::int64_t o = 0; o < element_count(shape_.O); ++o)
      if (const TapList list = taps.of(o); list.size() > taps_.size()) {
        taps_.assign(list.begin(), list.end());
        element_ = o;
      }
    std::ranges::sort(taps_, {}, &Tap::w);
  }

  /// In a product's first block all channels have a term, in each other block one has.
  void place_terms() {
    const std::int64_t last_k = axes_.back().kernel,
                       every = axes_.back().divisor / std::gcd(axes_.back().divisor, axes_.back().kernel_step);
    const std::int64_t row = (last_k + every - 1) / every;  // listed taps of the last axis
    const std::int64_t x_plane = element_count(shape_.L), w_plane = element_count(shape_.k);
    std::int64_t listed = -1, leading = -1;
    for (const Tap& tap : taps_) {
      if (tap.w / last_k != leading) leading = tap.w / last_k, ++listed;
      for (std::int64_t c = terms_.empty() ? shape_.first_channel : 0; c < shape_.Cg; ++c) {
        const std::int64_t block = block_of(c, listed * row + tap.w % last_k / every);
        if (terms_.empty()) first_block_ = block;
        if (shape_.Cg >= 8 && block != first_block_ && !starts_block(block)) continue;
        const std::int64_t channel = (kGroups - 1) * shape_.Cg + c;
        terms_.push_back({channel * x_plane + tap.x, (channel * kMg + kMg - 1) * w_plane + tap.w, block});
      }
    }
    count_ = terms_.size();
  }
  /// In which block of a product the channel of the n-th listed tap is.
  std::int64_t block_of(std::int64_t c, std::int64_t n) const {
    const std::int64_t depth = std::min(shape_.Cg, shape_.depth), part = c / depth;
    const std::int64_t own = std::min(depth, shape_.Cg - part * depth), together = std::max<std::int64_t>(1, 128 / own);
    return (part << 40) + (n / together << 20) + (own > 128 ? c % depth / 128 : 0);
  }
  bool starts_block(std::int64_t block) const {
    return std::ranges::none_of(terms_, [block](const Place& place) { return place.block == block; });
  }

  bool is_right(std::int64_t j, const Slack& slack) const {
    Products terms = drifting<T>(count_, j);
    const Dims channels{1, kGroups * shape_.Cg}, filters{kGroups * shape_.Cg, kMg};
    TensorBuilder x({oracle::kDType<T>, join(channels, shape_.L)}), w({oracle::kDType<T>, join(filters, shape_.k)});
    for (size_t i = 0; i < terms.size(); ++i) {
      x.values<T>()[static_cast<size_t>(terms_[i].x)] = nearest<T>(terms[i].first);
      w.values<T>()[static_cast<size_t>(terms_[i].w)] = nearest<T>(terms[i].second);
    }
    std::optional<Tensor> b;
    if (with_bias()) {
      const Factors f = factors<T>();
      const T bias = nearest<T>(f.tiny_x * f.tiny_w);
      b = Tensor::of<T>(oracle::kDType<T>, {kGroups * kMg}, std::vector<T>(kGroups * kMg, bias));
      terms.emplace_back(widen(bias), 1);
    }
    const Tensor y = by_rows({oracle::kDType<T>, join({1, kGroups * kMg}, shape_.O)},
                             {std::move(x).finish(), std::move(w).finish(), b, kGroups, axes_}, slack);
    const std::int64_t plane = (kGroups * kMg - 1) * element_count(shape_.O);
    return to_bits(y.values<T>()[static_cast<size_t>(plane + element_)]) == oracle::sum_of_products<T>(terms);
  }

  Shape shape_;
  TapAxes axes_;
  std::vector<Tap> taps_;
  std::int64_t element_ = 0, first_block_ = 0;
  std::vector<Place> terms_;
  size_t count_ = 0;
};

template <class T>
void check_drift(const Shape& shape) {
  CAPTURE(to_text(oracle::kDType<T>), to_text(shape.L), to_text(shape.k), to_text(shape.s), to_text(shape.d), shape.Cg);
  const Drift<T> drift(shape);
  CAPTURE(drift.additions());
  CHECK(drift.wrong(kNone) == 0);
  CHECK(drift.wrong({}) == 0);
  // Brackets end at even units: of an even number of additions the last one is not seen alone. The bfloat16 midpoint,
  // and so the magnitude, is 5/256 above 1; a tiny product of halves lacks 2^-10 of half a unit.
  const auto additions = static_cast<double>(drift.additions());
  const double even = drift.additions() % 2 == 0 ? 1 : 0;
  const double above = std::is_same_v<T, BFloat16> ? std::ceil((additions + shape.lowered) * 5 / 256)
                       : std::is_same_v<T, Half>   ? std::floor(additions / 512)
                                                   : 0;
  CHECK(drift.wrong(lowered_by(shape.lowered + even + above)) > 0);
}

}  // namespace

TEMPLATE_TEST_CASE("drift: direct rows count each addition", "[drift][release]", float, Half, BFloat16) {
  check_drift<TestType>({{40}, {17}, {1}, {1}, {16}, {40}, 3});
  check_drift<TestType>({{17}, {17}, {1}, {1}, {16}, {1}, 3});  // one element: one bound for all of the row decides it
  check_drift<TestType>({{20}, {35}, {2}, {1}, {17}, {40}, 3});
  check_drift<TestType>({{9, 1}, {9, 5}, {1, 1}, {1, 1}, {8, 2}, {9, 3}, 3});
  check_drift<TestType>({{3, 3, 3}, {3, 3, 3}, {1, 2, 1}, {1, 2, 1}, {2, 1, 2}, {3, 4, 3}, 1});
}

TEMPLATE_TEST_CASE("drift: products count each addition within a block, and each block", "[drift][release]", float,
                   Half, BFloat16) {
  gemm_blocks_reached();
  // Several summands in a block.
  check_drift<TestType>({{40}, {17}, {1}, {1}, {16}, {40}, 8});
  check_drift<TestType>({{40}, {70}, {2}, {1}, {35}, {48}, 16});
  check_drift<TestType>({{9, 4}, {9, 4}, {1, 1}, {1, 1}, {8, 3}, {9, 4}, 8});
  check_drift<TestType>({{3, 4, 5}, {3, 4, 5}, {1, 1, 1}, {1, 1, 1}, {2, 3, 4}, {3, 4, 5}, 32});
  // Several blocks in a summand.
  check_drift<TestType>({{9}, {9}, {1}, {1}, {8}, {9}, 256});
  check_drift<TestType>({{2, 3}, {2, 3}, {1, 1}, {1, 1}, {1, 2}, {2, 3}, 384});
  // The large term in a later row, which takes part in fewer additions; its own is one of those that count.
  check_drift<TestType>({{40}, {17}, {1}, {1}, {16}, {40}, 8, 2, 5});
  check_drift<TestType>({{9}, {9}, {1}, {1}, {8}, {9}, 256, 2, 100});
  // Several parts of the channels: of the same size; a last one that is less deep, whose blocks are fewer than counted.
  check_drift<TestType>({{2}, {2}, {1}, {1}, {1}, {2}, 2048});
  check_drift<TestType>({{64, 64}, {64, 64}, {1, 1}, {1, 1}, {63, 63}, {1, 1}, 40, 769, 0, 32, 10});
}

TEMPLATE_TEST_CASE("drift: products of few inputs under a large kernel", "[drift][release]", float, Half, BFloat16) {
  // An element meets as many blocks as it has inputs, but never a block full of them: 120 additions are counted in
  // vain.
  check_drift<TestType>({{160, 1}, {160, 4}, {1, 1}, {1, 1}, {159, 0}, {2, 4}, 32, 97});
  check_drift<TestType>({{13, 13, 1}, {13, 13, 4}, {1, 1, 1}, {1, 1, 1}, {12, 12, 0}, {2, 2, 4}, 32, 97});
}

namespace {

/// How a matrix product adds up: in tiles, and of few rows by B's rows or its lines.
enum class Way { tiles, by_rows, by_lines };

/// Terms in the order in which they are added to the first one, each of which can lose something. Of tiles: all of the
/// first block of 128, the first one of each later block.
std::vector<std::int64_t> losing_places(Way way, std::int64_t K) {
  std::vector<std::int64_t> places;
  if (way == Way::tiles) {
    for (std::int64_t part = 0; part < K; part += 8192)
      for (std::int64_t k = part; k < std::min(K, part + 8192); ++k)
        if (k < 128 || (k - part) % 128 == 0) places.push_back(k);
  } else if (way == Way::by_rows) {
    for (std::int64_t k = 0; k < K; ++k)
      if (k < 3 || k % 4 == 0 || k >= K / 4 * 4) places.push_back(k);
  } else {
    const std::int64_t whole = K / 16 * 16;
    for (std::int64_t k = 0; k < whole; k += 16) places.push_back(k);
    for (std::int64_t k = 8; k > 0 && whole > 0; k /= 2) places.push_back(k);
    for (std::int64_t k = whole; k < (whole == 0 ? K : std::min(K, whole + 1)); ++k) places.push_back(k);
  }
  return places;
}

/// A matrix product whose element (0, 0) is a sum that drifts, and so may an addend. How many are wrong while the
/// midpoint moves.
template <class T>
int wrong_matrix_products(Way way, std::int64_t K, bool has_addend, const Slack& slack) {
  constexpr std::int64_t kN = 8;
  const std::vector<std::int64_t> places = losing_places(way, K);
  const std::int64_t M = way == Way::tiles ? 4 : 1, line = way == Way::by_lines ? K : 1,
                     depth = way == Way::by_lines ? 1 : kN;
  int wrong = 0;
  const Factors f = factors<T>();
  const T last = nearest<T>(f.tiny_x * f.tiny_w);
  const auto count = static_cast<std::int64_t>(places.size());
  for (std::int64_t j = 0; j <= count / 2 + 1; ++j) {
    Products terms = drifting<T>(places.size(), j);
    TensorBuilder a({oracle::kDType<T>, {M, K}}), b({oracle::kDType<T>, {K, kN}});
    for (size_t i = 0; i < places.size(); ++i) {
      a.values<T>()[static_cast<size_t>(places[i])] = nearest<T>(terms[i].first);
      b.values<T>()[static_cast<size_t>(places[i] * depth)] = nearest<T>(terms[i].second);
    }
    MatrixProduct p{{std::move(a).finish(), Strided({}, {}), K, 1},
                    {std::move(b).finish(), Strided({}, {}), line, depth},
                    M,
                    kN,
                    K};
    if (has_addend) {
      p.c = MatrixAddend{Tensor::of<T>(oracle::kDType<T>, {1}, std::vector<T>{last}), 0, 0};
      terms.emplace_back(widen(last), 1);
    }
    const Elements A(p.a.x), B(p.b.x), C(p.c ? p.c->x : p.a.x);
    const Call call = call_of(slack);
    const Tensor y = evaluators::sum(
        Output(call, {oracle::kDType<T>, {M, kN}}), oracle::kDType<T>,
        [&](std::int64_t i, auto& sum) {
          sum.add(A[Run{i / kN * K, K, 1}], B[Run{i % kN * line, K, depth}]);
          if (p.c) sum.add(C[0]);
        },
        {}, [&](const RowTarget& target) { return matrix_product(target, p); });
    wrong += to_bits(y.values<T>()[0]) == oracle::sum_of_products<T>(terms) ? 0 : 1;
  }
  return wrong;
}

}  // namespace

TEST_CASE("drift: matrix products count each addition within a block, and each block", "[drift][release]") {
  gemm_blocks_reached();
  for (const std::int64_t K : {5, 40, 128, 129, 1000, 16384}) {
    for (const bool has_addend : {false, true}) {
      CAPTURE(K, has_addend);
      CHECK(wrong_matrix_products<float>(Way::tiles, K, has_addend, kNone) == 0);
      CHECK(wrong_matrix_products<float>(Way::tiles, K, has_addend, {}) == 0);
      CHECK(wrong_matrix_products<float>(Way::tiles, K, has_addend, lowered_by(2)) > 0);  // brackets end at even units
    }
  }
}

TEST_CASE("drift: products of one row count each addition", "[drift][release]") {
  for (const Way way : {Way::by_rows, Way::by_lines})
    for (const std::int64_t K : {5, 8, 33, 48, 400, 1000})
      for (const bool has_addend : {false, true}) {
        CAPTURE(static_cast<int>(way), K, has_addend);
        CHECK(wrong_matrix_products<float>(way, K, has_addend, kNone) == 0);
        CHECK(wrong_matrix_products<float>(way, K, has_addend, {}) == 0);
        CHECK(wrong_matrix_products<float>(way, K, has_addend, lowered_by(2)) > 0);
      }
}

TEST_CASE("drift: each bound on a product's blocks is met", "[rows]") {
#ifndef OPREF_COUNT_BLOCKS
  WARN("blocks are counted in debug builds only");
#else
  const auto reached = [](const Shape& shape) {
    gemm_blocks_reached();
    Drift<float>(shape).wrong(kNone);
    return gemm_blocks_reached();
  };
  CHECK(reached({{40}, {17}, {1}, {1}, {16}, {40}, 8}));                       // full blocks of several summands
  CHECK(reached({{160, 1}, {160, 4}, {1, 1}, {1, 1}, {159, 0}, {2, 4}, 32}));  // one summand met of each block
  CHECK(reached({{9}, {9}, {1}, {1}, {8}, {9}, 256}));                         // blocks of a summand
  CHECK(reached({{2}, {2}, {1}, {1}, {1}, {2}, 2048}));                        // of each part
#endif
}

TEMPLATE_TEST_CASE("drift: a compensated sum counts what its losses lose", "[drift][compensated_sum][release]", float,
                   Half, BFloat16) {
  const Factors f = factors<TestType>();
  const double tiny = std::exp2(std::ilogb(f.tiny_x * f.tiny_w) + 1);  // half a unit of the sum
  const double unit = 2 * tiny * 0x1p-53;                              // and of what is lost, twice as much
  constexpr int kLost = 41, kOthers = 3;
  const auto wrong = [&](const Slack& slack) {
    int count = 0;
    for (int j = 0; 2 * j <= kLost + 2; ++j) {
      // Two units below the midpoint, and two units that are lost: three additions of little use.
      Products terms{{f.x, f.w}, {-2 * tiny, 1}, {0.6875 * tiny, 1}, {0.6875 * tiny, 1}, {0.625 * tiny, 1}};
      terms.emplace_back(unit * (j == 0 ? -1 + 0x1p-20 : 2 * j - 1 + 0x1p-20), 1);
      while (terms.size() < kLost + 5) terms.emplace_back(-unit * (1 - 0x1p-20), 1);
      CompensatedSum sum;
      for (const auto& [a, b] : terms) sum.add(a * b);
      TestType y{};
      count += sum.round(y, slack) && to_bits(y) != oracle::sum_of_products<TestType>(terms) ? 1 : 0;
    }
    return count;
  };
  CHECK(wrong(kNone) == 0);
  CHECK(wrong({}) == 0);
  CHECK(wrong(lowered_by(kOthers + 3)) > 0);  // brackets end at even units
}

namespace {

using oracle::Rational;

template <class T>
double greatest_below(const Rational& power, unsigned long p) {
  std::uint64_t low = 0, high = infinity_bits<T>;  // by bits: low^p <= power < high^p
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (oracle::power(oracle::value_of<T>(middle), p) <= power ? low : high) = middle;
  }
  return oracle::number<T>(low);
}

template <class T>
std::uint64_t norm_by_rows(const std::vector<double>& window, unsigned long p, const Slack& slack) {
  const auto n = static_cast<std::int64_t>(window.size());
  TensorBuilder builder({oracle::kDType<T>, {1, 1, n}});
  for (size_t i = 0; i < window.size(); ++i) builder.values<T>()[i] = nearest<T>(window[i]);
  const Tensor x = std::move(builder).finish();
  const TapAxes axes = window_axes({n}, {n}, {1}, {1}, {1}, {0});
  const auto power = static_cast<double>(p);
  const Tensor y = window_norms(call_of(slack), {oracle::kDType<T>, {1, 1, 1}}, x, axes, power, 0,
                                [&](const RowTarget& target) { return lp_norm(target, x, axes, power); });
  return to_bits(y.values<T>()[0]);
}

/// Windows whose p-norm is beside a midpoint: a few numbers that come near to it, and `lost` ones whose powers are
/// almost half a unit in the last place of the sum (of its low part, in double).
template <class T>
class NormDrift {
 public:
  NormDrift(unsigned long p, std::int64_t lost) : p_(p), lost_(lost) {
    const bool is_double = std::is_same_v<T, double>;
    const int scale = std::is_same_v<T, Half> ? 14 : 0;
    oracle::Random random(p);
    do {
      const std::uint64_t one = to_bits(nearest<T>(std::ldexp(1.0, scale)));
      const auto places = static_cast<std::uint64_t>(is_double && p > 1 ? random.in(0, std::int64_t{1} << 50) : 0);
      first_ = oracle::number<T>(one);
      target_ = oracle::power(oracle::midpoint_after<T>(one + 2 * places), p);
    } while (is_double && p > 1 && !has_large_low_part());
    unit_ = oracle::power_of_two(static_cast<long>(p) * scale - (is_double ? 107 : 53));
    for (std::int64_t d = 0; d <= lost_ + 2; ++d) {
      windows_.push_back(numbers(d));
      wanted_.push_back(oracle::norm<T>(windows_.back(), {p}, 1));
    }
  }

  int wrong(const Slack& slack) const {
    int wrong = 0;
    for (size_t d = 0; d < windows_.size(); ++d) wrong += norm_by_rows<T>(windows_[d], p_, slack) == wanted_[d] ? 0 : 1;
    return wrong;
  }

 private:
  bool has_large_low_part() const {
    const double high = target_.get_d();  // truncated
    const Rational nearest_low = target_ - Rational(high), place = oracle::power_of_two(-52);
    const Rational low = nearest_low > place / 2 ? Rational(place - nearest_low) : nearest_low;
    return low * 32 > place / 2 * 30 && low * 64 < place / 2 * 63 && nearest_low < place / 2 && target_ < 2;
  }

  std::vector<double> numbers(std::int64_t d) const {
    std::vector<double> window{first_};
    Rational rest = target_ - oracle::power(Rational(first_), p_) - unit_ * d;
    while (rest > unit_ / 8 && window.size() < 14) {
      window.push_back(greatest_below<T>(rest, p_));
      rest -= oracle::power(Rational(window.back()), p_);
    }
    const double tiny = greatest_below<T>(unit_ * 1023 / 1024, p_);
    window.insert(window.end(), static_cast<size_t>(lost_), tiny);
    return window;
  }

  unsigned long p_;
  std::int64_t lost_;
  double first_ = 1;
  Rational target_, unit_;
  std::vector<std::vector<double>> windows_;  ///< for each distance of the midpoint
  std::vector<std::uint64_t> wanted_;
};

template <class T>
void check_norm_drift(unsigned long p, double lowered) {
  CAPTURE(to_text(oracle::kDType<T>), p);
  const NormDrift<T> drift(p, 60);
  // A unit of a pair's low part is a sixteenth of what its bound counts for each operation.
  const double factor = std::is_same_v<T, double> ? 1.0 / 16 : 1;
  CHECK(drift.wrong({.roundings = 0, .factor = factor}) == 0);
  CHECK(drift.wrong({}) == 0);
  CHECK(drift.wrong({.roundings = -lowered, .factor = factor}) > 0);
}

}  // namespace

TEST_CASE("drift: norms count each addition", "[drift][release]") {
  // So many counted roundings are not met: a few of the terms lose nothing, powers and midpoints are nearly exact, and
  // the root of p = 2 halves what its sum counts. Of pairs it is more: not every low part is just below half a unit.
  check_norm_drift<float>(1, 2);
  check_norm_drift<float>(2, 4);
  check_norm_drift<float>(3, 12);
  check_norm_drift<float>(4, 14);
  check_norm_drift<BFloat16>(1, 6);
  check_norm_drift<BFloat16>(2, 6);
  check_norm_drift<BFloat16>(3, 17);
  check_norm_drift<BFloat16>(4, 18);
  check_norm_drift<Half>(2, 3);
  check_norm_drift<Half>(3, 15);
  check_norm_drift<Half>(4, 17);
  check_norm_drift<double>(1, 4);
  check_norm_drift<double>(2, 37);
  check_norm_drift<double>(3, 41);
  check_norm_drift<double>(4, 31);
}

TEST_CASE("drift: norms of two numbers, whose root is just above a midpoint, count the root's own rounding",
          "[drift][release]") {
  int wrong = 0, lowered = 0;
  for (int i = 0; i < 4000; ++i) {
    const double midpoint = 1 + (2.0 * i + 1) * 0x1p-24, a = midpoint - 0x1p-24 - (i % 7) * 0x1p-23;
    const auto b = static_cast<double>(static_cast<float>(std::sqrt((midpoint - a) * (midpoint + a))));
    const std::uint64_t want = oracle::norm<float>({a, b}, {2}, 1);
    wrong += norm_by_rows<float>({a, b}, 2, kNone) == want ? 0 : 1;
    lowered += norm_by_rows<float>({a, b}, 2, lowered_by(1)) == want ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(lowered > 0);
}

namespace {

/// A row of double products whose sum of losses, beside half a unit of 1, loses almost half a unit of its own each
/// time. How many are wrong while the midpoint moves.
int wrong_double_rows(std::int64_t channels, std::int64_t taps, const Slack& slack) {
  constexpr double kUnit = 0x1p-106, kBias = 1 + 0x1p-52;
  const std::int64_t n = channels * taps;
  int wrong = 0;
  for (std::int64_t j = 0; 2 * j <= n + 1; ++j) {
    Products terms(static_cast<size_t>(n), {-0x1p-53, 0x1p-53 * (1 - 0x1p-20)});
    terms[0] = {0x1p-53 * (1 - 0x1p-40), 1};
    terms[1] = {0x1p-53 * 0x1p-40, 1};
    terms[2] = {kUnit * (j == 0 ? -1 + 0x1p-20 : static_cast<double>(2 * j - 1) + 0x1p-20), 1};
    TensorBuilder x({DType::float64, {1, channels, taps}}), w({DType::float64, {channels, 1, taps}});
    for (std::int64_t i = 0; i < n; ++i) {  // tap by tap, in a tap channel by channel
      const std::int64_t c = i % channels, k = i / channels;
      x.values<double>()[static_cast<size_t>(c * taps + taps - 1 - k)] = terms[static_cast<size_t>(i)].first;
      w.values<double>()[static_cast<size_t>(c * taps + k)] = terms[static_cast<size_t>(i)].second;
    }
    const Tensor bias = Tensor::of<double>(DType::float64, {1}, std::vector<double>{kBias});
    const Tensor y = by_rows({DType::float64, {1, 1, 1}},
                             {std::move(x).finish(), std::move(w).finish(), bias, 1,
                              transposed_axes({taps}, {taps}, {1}, {1}, {1}, {taps - 1})},
                             slack);
    terms.emplace_back(kBias, 1);
    wrong += to_bits(y.values<double>()[0]) == oracle::sum_of_products<double>(terms) ? 0 : 1;
  }
  return wrong;
}

}  // namespace

TEST_CASE("drift: rows of double without a start round as often", "[drift][release]") {
  const Products terms{{0x1.a3ca36de83eecp+0, 0x1.864a5cab0b861p-1}, {0x1.457883e99a9ccp+0, 0x1.92ae51512af94p-54}};
  const Tensor x = Tensor::of<double>(DType::float64, {1, 1, 2}, std::vector<double>{terms[0].first, terms[1].first});
  const Tensor w = Tensor::of<double>(DType::float64, {1, 1, 2}, std::vector<double>{terms[1].second, terms[0].second});
  const Tensor y =
      by_rows({DType::float64, {1, 1, 1}}, {x, w, {}, 1, transposed_axes({2}, {2}, {1}, {1}, {1}, {1})}, kNone);
  CHECK(to_bits(y.values<double>()[0]) == oracle::sum_of_products<double>(terms));
}

TEST_CASE("drift: rows of double count each addition of what is lost", "[drift][release]") {
  for (const std::int64_t channels : {1, 3, 9}) {
    const std::int64_t taps = 7;
    CAPTURE(channels);
    CHECK(wrong_double_rows(channels, taps, kNone) == 0);
    CHECK(wrong_double_rows(channels, taps, {}) == 0);
    CHECK(wrong_double_rows(channels, taps, lowered_by(3)) > 0);  // two additions lose nothing
  }
}

}  // namespace opref::fast
