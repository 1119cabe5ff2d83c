// SPDX-License-Identifier: Apache-2.0
// Vector loops for the machine that runs them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/rooms.h"

/// Before a function of plain loops: compiled for several instruction sets, of which the program takes the best one at
/// its start. Not where one is forced (OPREF_VECTOR) or the compiler aims at such a machine anyway (-march=native; GCC
/// 12 stops with an internal error at clones below it), not where the system has no such start (needs ELF's ifunc), and
/// not under the sanitizers, which are not ready at that time.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(OPREF_VECTOR) && !defined(__AVX2__)
#define OPREF_HAS_CLONES 1
#define OPREF_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define OPREF_HAS_CLONES 0
#define OPREF_CLONES
#endif

/// Before a loop whose steps do not depend on each other; clang finds that out or warns.
#ifdef __clang__
#define OPREF_INDEPENDENT
#else
#define OPREF_INDEPENDENT _Pragma("GCC ivdep")
#endif

/// Becomes a part of each clone that uses it.
#define OPREF_INLINE inline __attribute__((always_inline))

namespace opref::exact {

/// Of the loops over rows on this machine: "avx512", "avx2", "sse2", or "none" that is known here.
std::string_view vector_instructions();

/// So many neighbours of a row are computed in step, in registers.
constexpr std::size_t kBlock = 16;

/// to[i] = from[i] for `size` elements of a block, hardly ever less than all.
template <class T>
OPREF_INLINE void copy_block(const T* from, std::size_t size, T* to) {
  if (size == kBlock)
    std::copy_n(from, kBlock, to);
  else
    std::copy_n(from, size, to);
}

}  // namespace opref::exact
