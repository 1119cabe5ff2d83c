// SPDX-License-Identifier: Apache-2.0
// Functions whose vectors are as wide as the registers of the machine that runs them; wider ones would be spilled.
#pragma once

#include "exact/vector.h"

namespace opref::exact {

template <int L>
using Doubles [[gnu::vector_size(8 * L), gnu::aligned(8), gnu::may_alias]] = double;
template <int L>
using Floats [[gnu::vector_size(4 * L), gnu::aligned(4), gnu::may_alias]] = float;

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
