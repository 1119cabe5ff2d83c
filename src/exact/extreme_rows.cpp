// SPDX-License-Identifier: Apache-2.0
#include "exact/extreme_rows.h"

#include "exact/lanes.h"
#include "exact/rounding.h"

namespace opref::exact {
namespace {

/// Neighbours that are compared in step, as vectors, which GCC leaves in registers.
template <class K>
constexpr int kLanes = 32 / sizeof(K);
constexpr std::size_t kVectors = 2;  // at a time
template <class K>
constexpr std::size_t kStep = kVectors * kLanes<K>;
static_assert(kStep<std::int8_t> <= kTermSlack);

template <std::int64_t kApart, class K>
OPREF_INLINE void rank_apart(const K* __restrict x, std::int64_t step, std::size_t n, Ranks<K> how,
                             K* __restrict ranks) {
  const std::int64_t apart = kApart == 0 ? step : kApart;
  for (std::size_t i = 0; i < n; ++i) ranks[i] = how.rank(x[static_cast<std::int64_t>(i) * apart]);
}
template <class K>
OPREF_INLINE void rank_all(const K* x, std::int64_t step, std::size_t n, const Ranks<K>& how, K* ranks) {
  if (step == 1) return rank_apart<1>(x, step, n, how, ranks);
  if (step == 2) return rank_apart<2>(x, step, n, how, ranks);
  rank_apart<0>(x, step, n, how, ranks);
}

template <class K>
OPREF_INLINE void greatest_of_rows(const K* ranks, const TermRows& rows, Begun begun, K* greatest) {
  const auto count = static_cast<std::size_t>(rows.count);
  const std::int64_t* at = rows.at.data();
  const std::size_t terms = rows.at.size();
  const bool is_begun = begun == Begun::yes;
  for (std::int64_t r = 0; r < rows.rows; ++r, greatest += count, ranks += rows.row_step)
    for (std::size_t i = 0; i < count; i += kStep<K>) {
      Vector<K, kLanes<K>> most[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v)
        most[v] = vector_at<kLanes<K>>((is_begun ? greatest : ranks + at[0]) + i + v * kLanes<K>);
      for (std::size_t t = is_begun ? 0 : 1; t < terms; ++t)
        for (std::size_t v = 0; v < kVectors; ++v) {
          const Vector<K, kLanes<K>> term = vector_at<kLanes<K>>(ranks + at[t] + i + v * kLanes<K>);
          most[v] = term > most[v] ? term : most[v];
        }
      for (std::size_t v = 0; v < kVectors; ++v) put_vector<kLanes<K>>(greatest + i + v * kLanes<K>, most[v]);
    }
}

template <class K>
OPREF_INLINE K greatest_along(const K* __restrict x, std::size_t n, Ranks<K> how) {
  constexpr std::size_t kAtOnce = 128 / sizeof(K);
  std::size_t i = 0;
  K most = std::numeric_limits<K>::min();
  if (n >= kAtOnce) {
    K lane[kAtOnce];
    for (std::size_t j = 0; j < kAtOnce; ++j) lane[j] = how.rank(x[j]);
    for (i = kAtOnce; i + kAtOnce <= n; i += kAtOnce)
      for (std::size_t j = 0; j < kAtOnce; ++j) {
        const K rank = how.rank(x[i + j]);
        lane[j] = rank > lane[j] ? rank : lane[j];
      }
    for (std::size_t j = 0; j < kAtOnce; ++j) most = lane[j] > most ? lane[j] : most;
  }
  for (; i < n; ++i) {
    const K rank = how.rank(x[i]);
    most = rank > most ? rank : most;
  }
  return most;
}

template <class K>
OPREF_INLINE bool bits_of_all(const K* __restrict greatest, std::size_t n, Ranks<K> how, K* __restrict out) {
  K most = std::numeric_limits<K>::min();
  for (std::size_t i = 0; i < n; ++i) {
    most = greatest[i] > most ? greatest[i] : most;
    out[i] = how.bits(greatest[i]);
  }
  return how.has_nan() && most == Ranks<K>::kHighest;
}

template <class K>
OPREF_INLINE void terms_of_rows(const K* ranks, const TermRows& rows, std::int32_t first, bool last, const K* limits,
                                std::int32_t* numbers) {
  const auto count = static_cast<std::size_t>(rows.count);
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const K* __restrict limit = limits + static_cast<std::size_t>(r) * count;
    std::int32_t* __restrict found = numbers + static_cast<std::size_t>(r) * count;
    for (std::size_t t = 0; t < rows.at.size(); ++t) {
      const K* __restrict term = ranks + rows.at[t] + r * rows.row_step;
      const auto number = static_cast<std::int32_t>(first + static_cast<std::int32_t>(t));
      for (std::size_t i = 0; i < count; ++i)
        found[i] = (term[i] >= limit[i]) & (last | (found[i] < 0)) ? number : found[i];
    }
  }
}

template <class K>
OPREF_INLINE std::int64_t place_along(const K* x, std::size_t n, const Ranks<K>& how, bool last, K limit) {
  constexpr std::size_t kPart = 256;
  const std::size_t parts = (n + kPart - 1) / kPart;
  for (std::size_t p = 0; p < parts; ++p) {
    const std::size_t part = last ? parts - 1 - p : p, from = part * kPart, size = std::min(kPart, n - from);
    if (greatest_along(x + from, size, how) < limit) continue;
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t i = from + (last ? size - 1 - k : k);
      if (how.rank(x[i]) >= limit) return static_cast<std::int64_t>(i);
    }
  }
  return -1;
}

// A clone is no template.
#define OPREF_RANK_LOOPS(K)                                                                                          \
  OPREF_CLONES void rank_loop(const K* x, std::int64_t step, std::size_t n, const Ranks<K>& how, K* ranks) {         \
    rank_all(x, step, n, how, ranks);                                                                                \
  }                                                                                                                  \
  OPREF_CLONES void greatest_loop(const K* ranks, const TermRows& rows, Begun begun, K* greatest) {                  \
    greatest_of_rows(ranks, rows, begun, greatest);                                                                  \
  }                                                                                                                  \
  OPREF_CLONES K greatest_loop(const K* x, std::size_t n, const Ranks<K>& how) { return greatest_along(x, n, how); } \
  OPREF_CLONES bool bits_loop(const K* greatest, std::size_t n, const Ranks<K>& how, K* out) {                       \
    return bits_of_all(greatest, n, how, out);                                                                       \
  }                                                                                                                  \
  OPREF_CLONES void term_loop(const K* ranks, const TermRows& rows, std::int32_t first, bool last, const K* limit,   \
                              std::int32_t* found) {                                                                 \
    terms_of_rows(ranks, rows, first, last, limit, found);                                                           \
  }                                                                                                                  \
  OPREF_CLONES std::int64_t place_loop(const K* x, std::size_t n, const Ranks<K>& how, bool last, K limit) {         \
    return place_along(x, n, how, last, limit);                                                                      \
  }
OPREF_RANK_LOOPS(std::int8_t)
OPREF_RANK_LOOPS(std::int16_t)
OPREF_RANK_LOOPS(std::int32_t)
OPREF_RANK_LOOPS(std::int64_t)
#undef OPREF_RANK_LOOPS

}  // namespace

template <class K>
Ranks<K> ranks_of(DType dtype, bool least_wins) {
  constexpr K kLeast = std::numeric_limits<K>::min(), kHighest = Ranks<K>::kHighest;
  const K turn = least_wins ? K{-1} : K{0};
  const Kind kind = info(dtype).kind;
  if (kind == Kind::signed_integer) return {0, turn, kHighest};
  if (kind != Kind::floating) return {0, static_cast<K>(kLeast ^ turn), kHighest};
  return {kHighest, turn, static_cast<K>(*infinity_of(dtype, false))};
}
template <class K>
void row_ranks(const K* x, std::int64_t step, std::size_t n, const Ranks<K>& how, K* ranks) {
  rank_loop(x, step, n, how, ranks);
}
template <class K>
void find_greatest(const K* ranks, const TermRows& rows, Begun begun, K* greatest) {
  greatest_loop(ranks, rows, begun, greatest);
}
template <class K>
K greatest_rank(const K* x, std::size_t n, const Ranks<K>& how) {
  return greatest_loop(x, n, how);
}
template <class K>
bool take_bits(const K* greatest, std::size_t n, const Ranks<K>& how, K* out) {
  return bits_loop(greatest, n, how, out);
}
template <class K>
void find_terms(const K* ranks, const TermRows& rows, std::int32_t first, bool last, const K* limit,
                std::int32_t* found) {
  term_loop(ranks, rows, first, last, limit, found);
}
template <class K>
std::int64_t find_place(const K* x, std::size_t n, const Ranks<K>& how, bool last, K limit) {
  return place_loop(x, n, how, last, limit);
}

#define OPREF_INSTANTIATE(K)                                                                           \
  template Ranks<K> ranks_of<K>(DType, bool);                                                          \
  template void row_ranks<K>(const K*, std::int64_t, std::size_t, const Ranks<K>&, K*);                \
  template void find_greatest<K>(const K*, const TermRows&, Begun, K*);                                \
  template K greatest_rank<K>(const K*, std::size_t, const Ranks<K>&);                                 \
  template bool take_bits<K>(const K*, std::size_t, const Ranks<K>&, K*);                              \
  template void find_terms<K>(const K*, const TermRows&, std::int32_t, bool, const K*, std::int32_t*); \
  template std::int64_t find_place<K>(const K*, std::size_t, const Ranks<K>&, bool, K);
OPREF_INSTANTIATE(std::int8_t)
OPREF_INSTANTIATE(std::int16_t)
OPREF_INSTANTIATE(std::int32_t)
OPREF_INSTANTIATE(std::int64_t)
#undef OPREF_INSTANTIATE

}  // namespace opref::exact
