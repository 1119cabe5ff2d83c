// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "exact/compensated_sum.h"
#include "exact/real/pair.h"
#include "exact/rows.h"
#include "exact/storage.h"
#include "fast/fast.h"
#include "fast/pool.h"
#include "fast/scratch.h"
#include "fast/spectrum_bin.h"
#include "fast/transform.h"
#include "system/deadline.h"
#include "system/parallel.h"

namespace opref::fast {
namespace {

constexpr std::size_t kMostNumbers = std::size_t{1} << 18;  // of a group of lines that are transformed side by side

template <class T>
struct SpectraCall {
  const RowTarget* y;
  const Spectra* s;
  const TransformPlan* plan;
  size_t lanes;  ///< of lines that are transformed side by side
  /// Lines are as complex ones.
  bool are_real() const { return !s->is_complex; }
  std::int64_t parts() const { return s->is_half ? 1 : 2; }
};

/// Spectra of some lines at a time.
template <class T>
class SpectrumLines {
 public:
  /// Lines [first, first + count), at most call.lanes; returns how many elements are decided.
  std::int64_t compute(const SpectraCall<T>& call, std::int64_t first, std::int64_t count) {
    const TransformPlan& plan = *call.plan;
    const size_t each = plan.N * (call.are_real() ? 1 : 2);
    numbers_.resize(call.lanes * each);
    std::fill_n(numbers_.data(), numbers_.size(), 0.0);
    for (std::int64_t l = 0; l < count; ++l) load(call, first + l, &numbers_[static_cast<size_t>(l) * each]);
    for (auto* room : {&even_, &odd_}) room->resize(2 * call.lanes * plan.length);
    squares_.resize(call.lanes);
    require_time();
    const double* bins =
        transform(plan, call.lanes, numbers_.data(), call.are_real(), even_.data(), odd_.data(), squares_.data());
    std::int64_t decided = 0;
    for (std::int64_t l = 0; l < count; ++l) {
      const auto at = static_cast<size_t>(l);
      decided += settle(call, first + l, bins + at, std::sqrt(squares_[at]), &numbers_[at * each]);
    }
    return decided;
  }

 private:
  /// The numbers of a line, of an inverse conjugate: its bins are those of a transform, conjugate.
  void load(const SpectraCall<T>& call, std::int64_t line, double* re) const {
    const Spectra& s = *call.s;
    const T* const from = s.x.template values<T>().data() + s.lines(line);
    double* const im = re + call.plan->N;
    for (std::int64_t n = 0; n < s.used; ++n) re[n] = widen(from[n * s.step]);
    if (s.is_complex)
      for (std::int64_t n = 0; n < s.used; ++n)
        im[n] = s.inverse ? -widen(from[n * s.step + 1]) : widen(from[n * s.step + 1]);
    if (s.window) {
      const T* const window = s.window->template values<T>().data();
      for (std::int64_t n = 0; n < s.used; ++n) re[n] *= widen(window[n]);
      for (std::int64_t n = 0; s.is_complex && n < s.used; ++n) im[n] *= widen(window[n]);
    }
    if (!s.is_half) return;
    im[0] = 0;
    if (s.N % 2 == 0) im[s.N / 2] = 0;
    for (std::int64_t n = s.N / 2 + 1; n < s.N; ++n) re[n] = re[s.N - n], im[n] = -im[s.N - n];
  }

  /// From bins, a transform's, to elements of Y.
  std::int64_t settle(const SpectraCall<T>& call, std::int64_t line, const double* bins, double norm,
                      const double* numbers) {
    const Spectra& s = *call.s;
    const std::int64_t parts = call.parts(), count = s.bins * parts;
    const auto n = static_cast<size_t>(count);
    for (auto* row : {&values_, &sizes_}) row->resize(n + kRowSlack);
    out_.resize(n), open_.resize(n);
    const double scale = s.inverse ? 1 / static_cast<double>(s.N) : 1, size = call.plan->gain * norm * scale;
    const double turn = s.inverse ? -scale : scale;
    for (std::int64_t k = 0; k < s.bins; ++k) {
      const double* const bin = bins + 2 * static_cast<std::int64_t>(call.lanes) * k;
      values_[static_cast<size_t>(parts * k)] = bin[0] * scale;
      if (parts == 2) values_[static_cast<size_t>(2 * k + 1)] = bin[call.lanes] * turn;
    }
    std::fill_n(sizes_.data(), n, size);
    for (const std::int64_t k : {std::int64_t{0}, s.N / 2})  // of real numbers there is no sine in them
      if (call.are_real() && 2 * k % s.N == 0 && k < s.bins && size <= 0x1p1000)
        values_[static_cast<size_t>(2 * k + 1)] = sizes_[static_cast<size_t>(2 * k + 1)] = 0;
    const double error = call.y->numerics.slack.bound(call.plan->roundings + (s.inverse ? 2 : 0));
    size_t left = settle_row(values_.data(), sizes_.data(), error, n, out_.data(), open_.data());
    if (left > 0 && size <= 0x1p1000) by_pairs(call, numbers);
    const std::int64_t outer = line / s.inner, in = line % s.inner;
    T* const y = reinterpret_cast<T*>(call.y->y.data());
    positions_.clear();
    for (std::int64_t k = 0, i = 0; k < s.bins; ++k)
      for (std::int64_t part = 0; part < parts; ++part, ++i) {
        const std::int64_t at = ((outer * s.bins + k) * s.inner + in) * parts + part;
        y[at] = out_[static_cast<size_t>(i)];
        if (open_[static_cast<size_t>(i)] != 0) positions_.push_back(at);
      }
    if (!positions_.empty()) call.y->by_definition(positions_);
    return count - std::ssize(positions_);
  }

  /// What is open, one bin at a time.
  void by_pairs(const SpectraCall<T>& call, const double* numbers) {
    const Spectra& s = *call.s;
    const std::int64_t parts = call.parts();
    const double N = static_cast<double>(s.N);
    for (std::int64_t k = 0; k < s.bins; ++k) {
      const auto at = static_cast<size_t>(parts * k);
      if (open_[at] == 0 && (parts == 1 || open_[at + 1] == 0)) continue;
      require_time();
      const SpectrumBin bin =
          spectrum_bin(call.plan->table, s.N, k, numbers, call.are_real() ? nullptr : numbers + s.N);
      for (std::int64_t part = 0; part < parts; ++part) {
        const auto i = at + static_cast<size_t>(part);
        if (open_[i] == 0) continue;
        exact::Pair v = part == 0 ? bin.re : s.inverse ? -bin.im : bin.im;
        double e = bin.error;
        if (s.inverse) {  // by N: q and the remainder, as in CompensatedSum
          const double q = v.h / N, rest = (std::fma(-q, N, v.h) + v.l) / N;
          e = e / N + std::abs(rest) * 0x1p-51, v = {q, rest};
        }
        if (exact::settle(exact::Bracket{v.h, v.l - e * 1.01, v.l + e * 1.01}, out_[i])) open_[i] = 0;
      }
    }
  }

  Scratch<double> numbers_, even_, odd_, squares_, values_, sizes_;
  std::vector<T> out_;
  std::vector<std::uint64_t> open_;
  std::vector<std::int64_t> positions_;
};

template <class T>
void spectra_of(SpectraCall<T> call) {
  const Spectra& s = *call.s;
  const Numerics& numerics = call.y->numerics;
  const std::int64_t lines = s.lines.count();
  const TransformPlan plan(s.N);
  call.plan = &plan;
  call.lanes = lines > 1 && transform_lanes() * plan.length <= kMostNumbers ? transform_lanes() : 1;
  const auto group = static_cast<std::int64_t>(call.lanes);
  Pool<SpectrumLines<T>> pool;
  for_each_job_in_shares(static_cast<size_t>((lines - 1) / group + 1), numerics.threads, [&](size_t job) {
    const std::int64_t first = static_cast<std::int64_t>(job) * group;
    pool.with([&](SpectrumLines<T>& some) {
      const std::int64_t decided = some.compute(call, first, std::min(group, lines - first));
      if (numerics.stats != nullptr) numerics.stats->estimated += decided;
    });
  });
}

}  // namespace

bool spectra(const RowTarget& y, const Spectra& s) {
  if (y.type.dtype == DType::float64 || s.lines.count() == 0) return false;
  with_float(y.type.dtype, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, double>) spectra_of(SpectraCall<T>{&y, &s, nullptr, 1});
  });
  return true;
}

}  // namespace opref::fast
