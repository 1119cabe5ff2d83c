// SPDX-License-Identifier: Apache-2.0
// A small matrix product in double, whose result is certified afterwards.
#pragma once

#include <cstddef>
#include <span>

#include "core/rooms.h"

namespace opref::fast {

/// Rows of a register tile on this machine: a matrix A is stored in panels of so many columns.
std::size_t gemm_panel();

/// One summand AᵀB of a product. Element (k, i) of A is in panel p = i / gemm_panel() at
///   a[p*a_panel + k*gemm_panel() + i % gemm_panel()],
/// filled up with anything; element (k, j) of B is at b[k*b_row + j]. B has no columns but [first, last): elsewhere it
/// is not read, or zero.
struct GemmTerm {
  const double *a, *b;
  std::size_t first, last;
};

/// What all summands share: A has `rows` columns, B `columns`, both have `depth` rows.
struct GemmSizes {
  std::size_t depth, rows, columns;
  std::size_t a_panel, b_row;
  double blocks;  ///< gemm_blocks
};

/// What decides how many additions are made on the way into C: `calls` calls that go on from C, each of `listed`
/// summands of at most `depth` rows. An element of C has products other than zero from `met` of them, at most;
/// additions of zero do not round. `started`: C does not start with zeros.
struct GemmCount {
  std::size_t depth;
  double listed, met, calls;
  bool started;
};

/// Blocks of products that an element of C meets in one call, at most: each is one addition to C.
double gemm_blocks(const GemmCount& count);
/// How many additions, other than of zeros, a product of row k of a summand takes part in, at most. Most for k = 0.
double gemm_additions(std::size_t k, const GemmCount& count);

/// A row of B may be read so far beyond its last column.
constexpr std::size_t kGemmSlack = 8;

/// c[i*ldc + j] = start[i] + Σ AᵀB; or without a start, c[…] += Σ AᵀB. `start` has whole panels. Classical: products
/// are added up, in any order, by blocks of some rows, and the blocks' sums to C.
void gemm(std::span<const GemmTerm> terms, const GemmSizes& sizes, const double* start, double* c, std::size_t ldc);

/// Builds with OPREF_COUNT_BLOCKS count what each element of C really meets: more than sizes.blocks is an `internal`
/// error. Whether one met just as many in a call of any thread since this was last asked; false in other builds.
bool gemm_blocks_reached();

}  // namespace opref::fast
