// SPDX-License-Identifier: Apache-2.0
#include "exact/sum_rows.h"

#include <cmath>

#include "exact/lanes.h"

namespace opref::exact {
namespace {

// Vectors, which GCC leaves in registers.
constexpr int kWidth = 4;
constexpr std::size_t kVectors = 2, kStep = kWidth * kVectors;
static_assert(kStep <= kTermSlack);
using Four = Doubles<kWidth>;
using LongWords = Vector<std::int64_t, kWidth>;

OPREF_INLINE void take_magnitude(Four& x) { x = reinterpret_cast<Four>(reinterpret_cast<LongWords>(x) & INT64_MAX); }

/// What additions lose, in magnitude.
struct Lost {
  double *sum, *lost;
  struct State {
    Four sum, lost;
  };
  OPREF_INLINE void begin(State& s, const Four& x) const { s.sum = x, s.lost = Four{}; }
  OPREF_INLINE void load(State& s, std::size_t i) const {
    s.sum = vector_at<kWidth>(sum + i), s.lost = vector_at<kWidth>(lost + i);
  }
  OPREF_INLINE void store(const State& s, std::size_t i) const {
    put_vector<kWidth>(sum + i, s.sum), put_vector<kWidth>(lost + i, s.lost);
  }
  OPREF_INLINE void add(State& s, const Four& x) const {
    const Four total = s.sum + x, part = total - s.sum;
    Four error = (s.sum - (total - part)) + (x - part);
    take_magnitude(error);
    s.sum = total;
    s.lost += error;
  }
};
/// With its sign, too.
struct LostAndLow {
  double *sum, *low, *lost;
  struct State {
    Four sum, low, lost;
  };
  OPREF_INLINE void begin(State& s, const Four& x) const { s.sum = x, s.low = Four{}, s.lost = Four{}; }
  OPREF_INLINE void load(State& s, std::size_t i) const {
    s.sum = vector_at<kWidth>(sum + i), s.low = vector_at<kWidth>(low + i), s.lost = vector_at<kWidth>(lost + i);
  }
  OPREF_INLINE void store(const State& s, std::size_t i) const {
    put_vector<kWidth>(sum + i, s.sum), put_vector<kWidth>(low + i, s.low), put_vector<kWidth>(lost + i, s.lost);
  }
  OPREF_INLINE void add(State& s, const Four& x) const {
    const Four total = s.sum + x, part = total - s.sum;
    Four error = (s.sum - (total - part)) + (x - part);
    s.sum = total;
    s.low += error;
    take_magnitude(error);
    s.lost += error;
  }
};
/// The terms' magnitudes.
struct Size {
  double *sum, *size;
  struct State {
    Four sum, size;
  };
  OPREF_INLINE void begin(State& s, const Four& x) const {
    s.sum = s.size = x;
    take_magnitude(s.size);
  }
  OPREF_INLINE void load(State& s, std::size_t i) const {
    s.sum = vector_at<kWidth>(sum + i), s.size = vector_at<kWidth>(size + i);
  }
  OPREF_INLINE void store(const State& s, std::size_t i) const {
    put_vector<kWidth>(sum + i, s.sum), put_vector<kWidth>(size + i, s.size);
  }
  OPREF_INLINE void add(State& s, const Four& x) const {
    Four magnitude = x;
    take_magnitude(magnitude);
    s.sum += x;
    s.size += magnitude;
  }
};

template <class Kept>
OPREF_INLINE void add_terms(const double* x, const TermRows& rows, Begun begun, const Kept& kept) {
  const auto count = static_cast<std::size_t>(rows.count), terms = rows.at.size();
  const std::int64_t* at = rows.at.data();
  for (std::int64_t r = 0; r < rows.rows; ++r, x += rows.row_step)
    for (std::size_t i = 0; i < count; i += kStep) {
      const std::size_t to = static_cast<std::size_t>(r) * count + i;
      typename Kept::State s[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v)
        if (begun == Begun::yes)
          kept.load(s[v], to + v * kWidth);
        else
          kept.begin(s[v], vector_at<kWidth>(x + at[0] + i + v * kWidth));
      for (std::size_t t = begun == Begun::yes ? 0 : 1; t < terms; ++t)
        for (std::size_t v = 0; v < kVectors; ++v) kept.add(s[v], vector_at<kWidth>(x + at[t] + i + v * kWidth));
      for (std::size_t v = 0; v < kVectors; ++v) kept.store(s[v], to + v * kWidth);
    }
}
OPREF_CLONES void add_loop(const double* x, const TermRows& rows, Begun begun, const Lost& kept) {
  add_terms(x, rows, begun, kept);
}
OPREF_CLONES void add_loop(const double* x, const TermRows& rows, Begun begun, const LostAndLow& kept) {
  add_terms(x, rows, begun, kept);
}
OPREF_CLONES void add_loop(const double* x, const TermRows& rows, Begun begun, const Size& kept) {
  add_terms(x, rows, begun, kept);
}

OPREF_CLONES void long_loop(const double* x, std::size_t n, double* sum, double* size) {
  constexpr std::size_t kAtOnce = 4;
  const Size kept{sum, size};
  Size::State s[kAtOnce];
  for (std::size_t v = 0; v < kAtOnce; ++v) kept.load(s[v], v * kWidth);
  std::size_t i = 0;
  for (; i + kAtOnce * kWidth <= n; i += kAtOnce * kWidth)
    for (std::size_t v = 0; v < kAtOnce; ++v) kept.add(s[v], vector_at<kWidth>(x + i + v * kWidth));
  for (std::size_t v = 0; v < kAtOnce; ++v) kept.store(s[v], v * kWidth);
  for (std::size_t l = 0; i + l < n; ++l) sum[l] += x[i + l], size[l] += std::abs(x[i + l]);
}

OPREF_CLONES void magnitude_loop(double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = std::abs(x[i]);
}
OPREF_CLONES void square_loop(double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] *= x[i];
}

/// With what is lost of a quotient, `rest` bounds how wrong it is, times the divisor; what rounds here, and the ends of
/// a bracket, costs a hundredth and 2^-52.
OPREF_INLINE double error_of(double quotient, double rest, double reciprocal) {
  const double error = rest * (reciprocal * 1.01) + std::abs(quotient) * 0x1p-52;
  return rest == 0 ? 0 : error;
}
OPREF_CLONES void divide_loop(double* __restrict value, double* __restrict error, double scale, double divisor,
                              std::size_t n) {
  const double reciprocal = 1 / divisor;
  for (std::size_t i = 0; i < n; ++i) {
    const double quotient = value[i] / divisor, lost = __builtin_fma(-quotient, divisor, value[i]);
    error[i] = error_of(quotient, std::abs(lost) + scale * error[i], reciprocal);
    value[i] = quotient;
  }
}
OPREF_CLONES void error_loop(const double* __restrict value, double* __restrict error, double scale, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) error[i] = error_of(value[i], scale * error[i], 1);
}

double joined(const double* lanes, std::size_t n) {
  return n == 1 ? lanes[0] : joined(lanes, n / 2) + joined(lanes + n / 2, n / 2);
}

}  // namespace

void add_rows(const double* x, const TermRows& rows, Begun begun, double* sum, double* lost) {
  add_loop(x, rows, begun, Lost{sum, lost});
}
void add_rows(const double* x, const TermRows& rows, Begun begun, double* sum, double* low, double* lost) {
  add_loop(x, rows, begun, LostAndLow{sum, low, lost});
}
void add_many_rows(const double* x, const TermRows& rows, Begun begun, double* sum, double* size) {
  add_loop(x, rows, begun, Size{sum, size});
}

void LongSum::add(const double* x, std::size_t n) {
  long_loop(x, n, sum_, size_);
  additions_ += static_cast<double>((n + kLanes - 1) / kLanes);
}
double LongSum::sum() const { return joined(sum_, kLanes); }
double LongSum::size() const { return joined(size_, kLanes); }

void row_magnitude(double* x, std::size_t n) { magnitude_loop(x, n); }
void row_square(double* x, std::size_t n) { square_loop(x, n); }

void row_divide(double* value, double* error, double scale, double divisor, std::size_t n) {
  if (divisor == 1) return error_loop(value, error, scale, n);
  divide_loop(value, error, scale, divisor, n);
}

}  // namespace opref::exact
