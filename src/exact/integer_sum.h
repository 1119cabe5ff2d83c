// Exact sums of integers and of products of two of them.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace opref {

/// What becomes of a sum that its type cannot hold.
enum class IntegerOverflow : std::uint8_t { wrap, saturate };

/// The sum modulo 2^64, whose low bits are the sum modulo 2^bits of every integer type, in two's complement.
class WrappingSum {
 public:
  template <class I>
  void add(I x) {
    sum_ += static_cast<std::uint64_t>(x);
  }
  template <class I>
  void add(I a, I b) {
    sum_ += static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
  }
  /// The low bits are the element's.
  std::uint64_t round(int) const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

/// The exact sum, clamped to the type. S is int64_t or uint64_t.
template <class S>
class SaturatingSum {
 public:
  void add(S x) { add_wide(x); }
  void add(S a, S b) { add_wide(Wide{a} * Wide{b}); }
  /// The nearest integer of `bits` bits with the signedness of S; the low bits are the element's.
  std::uint64_t round(int bits) const {
    const S most = static_cast<S>(std::numeric_limits<S>::max() >> (64 - bits));
    const S least = std::is_signed_v<S> ? static_cast<S>(-most - 1) : S{0};
    if (beyond_ > 0 || (beyond_ == 0 && sum_ > most)) return static_cast<std::uint64_t>(most);
    if (beyond_ < 0 || sum_ < least) return static_cast<std::uint64_t>(least);
    return static_cast<std::uint64_t>(sum_);
  }

 private:
  __extension__ using Wide = std::conditional_t<std::is_signed_v<S>, __int128, unsigned __int128>;

  void add_wide(Wide term) {
    if (__builtin_add_overflow(sum_, term, &sum_)) beyond_ += term < 0 ? -1 : 1;
  }

  Wide sum_ = 0;             ///< modulo 2^128
  std::int64_t beyond_ = 0;  ///< the multiple of 2^128 that is missing
};

}  // namespace opref
