// SPDX-License-Identifier: Apache-2.0
// Functions whose vectors are as wide as the registers of the machine that runs them; wider ones would be spilled.
#pragma once

#include "exact/vector.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // functions that take vectors are inlined

namespace opref::exact {

/// A class, because clang drops the alignment of an alias template. Anywhere is aligned as T is.
template <class T, int L>
struct VectorOf {
  using Type [[gnu::vector_size(sizeof(T) * L)]] = T;
  using Anywhere [[gnu::vector_size(sizeof(T) * L), gnu::aligned(sizeof(T)), gnu::may_alias]] = T;
};
/// L elements, aligned as a whole: vector_at and put_vector read and write memory.
template <class T, int L>
using Vector = typename VectorOf<T, L>::Type;
template <int L>
using Doubles = Vector<double, L>;
template <int L>
using Floats = Vector<float, L>;

/// The L elements from `from` on, which may be anywhere.
template <int L, class T>
OPREF_INLINE Vector<T, L> vector_at(const T* from) {
  return *reinterpret_cast<const typename VectorOf<T, L>::Anywhere*>(from);
}
template <int L, class T>
OPREF_INLINE void put_vector(T* to, const Vector<T, L>& x) {
  *reinterpret_cast<typename VectorOf<T, L>::Anywhere*>(to) = x;
}

/// Doubles in a register that the machine has; 2 where nothing is known of it.
inline int lanes() {
#if defined(OPREF_VECTOR)
  return OPREF_VECTOR / 64;
#elif defined(__x86_64__)
  static const int kLanes = __builtin_cpu_supports("avx512f") != 0                                      ? 8
                            : __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 ? 4
                                                                                                        : 2;
  return kLanes;
#else
  return 2;
#endif
}

}  // namespace opref::exact

/// void name parameters { statement }, in which kLanes is lanes(). One parameter, t.
#if defined(__x86_64__)
#define OPREF_FOR_LANES(name, parameters, statement)                      \
  [[gnu::target("avx512f,fma"), gnu::flatten]] void name##_8 parameters { \
    constexpr int kLanes = 8;                                             \
    statement;                                                            \
  }                                                                       \
  [[gnu::target("avx2,fma"), gnu::flatten]] void name##_4 parameters {    \
    constexpr int kLanes = 4;                                             \
    statement;                                                            \
  }                                                                       \
  void name##_2 parameters {                                              \
    constexpr int kLanes = 2;                                             \
    statement;                                                            \
  }                                                                       \
  void name parameters { lanes() == 8 ? name##_8(t) : lanes() == 4 ? name##_4(t) : name##_2(t); }
#else
#define OPREF_FOR_LANES(name, parameters, statement) \
  void name parameters {                             \
    constexpr int kLanes = 2;                        \
    statement;                                       \
  }
#endif
