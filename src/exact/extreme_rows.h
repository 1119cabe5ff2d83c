// SPDX-License-Identifier: Apache-2.0
// Vector loops that choose the greatest or the least number by its rank: an integer of the type's own width, so that
// they are exact.
#pragma once

#include <limits>

#include "core/dtype.h"
#include "exact/term_rows.h"

namespace opref::exact {

/// What makes ranks of elements' bits: integers K of the same width, which compare as the numbers do, -0 below +0, or
/// the other way round where the least number is wanted. NaN has the highest rank, which no other float has.
template <class K>
struct Ranks {
  static constexpr K kHighest = std::numeric_limits<K>::max();
  K fold;      ///< these bits change where the sign bit is set
  K flip;      ///< these always
  K infinity;  ///< bits without the sign, of which greater ones are NaN

  bool has_nan() const { return infinity < kHighest; }
  K rank(K bits) const {
    const K rank = static_cast<K>(bits ^ (bits < 0 ? fold : K{0}) ^ flip);
    return static_cast<K>(bits & kHighest) > infinity ? kHighest : rank;
  }
  K bits(K rank) const {
    const K unflipped = static_cast<K>(rank ^ flip);
    return static_cast<K>(unflipped ^ (unflipped < 0 ? fold : K{0}));
  }
};
/// Of a type of sizeof(K) bytes: float16, bfloat16, float32, float64, integers and bool.
template <class K>
Ranks<K> ranks_of(DType dtype, bool least_wins);

// K is std::int8_t, int16_t, int32_t or int64_t.

/// ranks[i] = the rank of x[i·step]
template <class K>
void row_ranks(const K* x, std::int64_t step, std::size_t n, const Ranks<K>& how, K* ranks);

/// greatest[j] = the greatest rank of each result's terms.
template <class K>
void find_greatest(const K* ranks, const TermRows& rows, Begun begun, K* greatest);

/// The greatest rank of x[0 … n), n > 0.
template <class K>
K greatest_rank(const K* x, std::size_t n, const Ranks<K>& how);

/// out[i] = the bits whose rank is greatest[i]; returns whether one of them is that of NaN.
template <class K>
bool take_bits(const K* greatest, std::size_t n, const Ranks<K>& how, K* out);

/// found[j] = the number, `first` + t, of the first or last term whose rank is at least limit[j]; unchanged where there
/// is none, and for the first one where it is not negative.
template <class K>
void find_terms(const K* ranks, const TermRows& rows, std::int32_t first, bool last, const K* limit,
                std::int32_t* found);

/// The place of the first or last of x[0 … n) whose rank is at least `limit`; -1 where there is none.
template <class K>
std::int64_t find_place(const K* x, std::size_t n, const Ranks<K>& how, bool last, K limit);

}  // namespace opref::exact
