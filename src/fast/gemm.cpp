// SPDX-License-Identifier: Apache-2.0
#include "fast/gemm.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "exact/lanes.h"
#include "system/deadline.h"

namespace opref::fast {
namespace {

/// So many products are added up in registers.
constexpr std::size_t kBlockDepth = 128;
/// A copy of B's part of a block pays for so many panels of A.
constexpr std::size_t kPackedPanels = 8;

/// Some rows of some summands, for some columns of C.
struct Block {
  std::span<const GemmTerm> terms;
  std::size_t first, depth;  ///< rows of each
  std::size_t panel;         ///< of A: where it begins
  std::size_t column, b_row;
};

/// One register tile: c[r][…] = start[r] or c[r][…], and the block's Σ over k of a[k][r]·b[k][…].
template <int Lanes, int Rows, int Vectors>
OPREF_INLINE void tile(const Block& block, const double* start, double* c, std::size_t ldc) {
  using Vector = exact::Doubles<Lanes>;
  Vector sum[Rows][Vectors];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) sum[r][v] = Vector{};
  for (const GemmTerm& term : block.terms) {
    const double *a = term.a + block.panel + block.first * Rows, *b = term.b + block.first * block.b_row + block.column;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < block.depth; ++k, a += Rows, b += block.b_row)
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
        for (int v = 0; v < Vectors; ++v) sum[r][v] += exact::vector_at<Lanes>(b + v * Lanes) * a[r];
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) {
      double* to = c + r * ldc + v * Lanes;
      Vector before = Vector{} + (start == nullptr ? 0.0 : start[r]);
      if (start == nullptr) before = exact::vector_at<Lanes>(to);
      exact::put_vector<Lanes>(to, sum[r][v] + before);
    }
}

/// The block's B, row after row.
template <int Lanes, int Vectors>
OPREF_INLINE void pack(const Block& block, double* to) {
  for (const GemmTerm& term : block.terms) {
    const double* b = term.b + block.first * block.b_row + block.column;
    for (std::size_t k = 0; k < block.depth; ++k, b += block.b_row, to += Lanes * Vectors)
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v)
        exact::put_vector<Lanes>(to + v * Lanes, exact::vector_at<Lanes>(b + v * Lanes));
  }
}

using Tile = void (*)(const Block&, const double*, double*, std::size_t);
using Pack = void (*)(const Block&, double*);
struct Kernel {
  std::size_t rows, lanes, vectors;
  Tile tiles[3];  ///< of 1, 2, … vectors
  Pack packs[3];
  std::size_t columns() const { return lanes * vectors; }
};

#if defined(__x86_64__)
#define OPREF_TILE(name, isa, Lanes, Rows, Vectors)                                                     \
  [[gnu::target(isa)]] void name(const Block& block, const double* start, double* c, std::size_t ldc) { \
    tile<Lanes, Rows, Vectors>(block, start, c, ldc);                                                   \
  }                                                                                                     \
  [[gnu::target(isa)]] void name(const Block& block, double* to) { pack<Lanes, Vectors>(block, to); }
OPREF_TILE(avx512_1, "avx512f,fma", 8, 8, 1)
OPREF_TILE(avx512_2, "avx512f,fma", 8, 8, 2)
OPREF_TILE(avx512_3, "avx512f,fma", 8, 8, 3)
OPREF_TILE(avx2_1, "avx2,fma", 4, 4, 1)
OPREF_TILE(avx2_2, "avx2,fma", 4, 4, 2)
OPREF_TILE(avx2_3, "avx2,fma", 4, 4, 3)
#undef OPREF_TILE
#endif
/// Rows and vectors of a tile whose sums, a row of B and a column of A fill the registers.
#if defined(__aarch64__)
constexpr int kPortableRows = 8, kPortableVectors = 3;  // of 32
#else
constexpr int kPortableRows = 4, kPortableVectors = 2;  // of 16
#endif
template <int Vectors>
void portable(const Block& block, const double* start, double* c, std::size_t ldc) {
  tile<2, kPortableRows, Vectors>(block, start, c, ldc);
}
template <int Vectors>
void portable(const Block& block, double* to) {
  pack<2, Vectors>(block, to);
}

Kernel best_kernel() {
#if defined(__x86_64__)
  if (exact::lanes() == 8) return {8, 8, 3, {avx512_1, avx512_2, avx512_3}, {avx512_1, avx512_2, avx512_3}};
  if (exact::lanes() == 4) return {4, 4, 3, {avx2_1, avx2_2, avx2_3}, {avx2_1, avx2_2, avx2_3}};
#endif
  return {kPortableRows,
          2,
          kPortableVectors,
          {portable<1>, portable<2>, portable<3>},
          {portable<1>, portable<2>, portable<3>}};
}

const Kernel& kernel() {
  static const Kernel best = best_kernel();
  return best;
}

constexpr std::size_t kMostRows = 8, kMostColumns = 24;

/// A tile at the right or lower edge: `rows` and `columns` of it count.
void edge_tile(Tile tile, const Block& block, std::size_t rows, std::size_t columns, const double* start, double* c,
               std::size_t ldc) {
  constexpr double kZero[kMostRows] = {};
  double edge[kMostRows * kMostColumns];
  tile(block, start == nullptr ? kZero : start, edge, kMostColumns);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < columns; ++j)
      c[r * ldc + j] = edge[r * kMostColumns + j] + (start == nullptr ? c[r * ldc + j] : 0.0);
}

/// A block for all rows of C.
void all_panels(Block block, std::size_t columns, const GemmSizes& sizes, const double* start, double* c,
                std::size_t ldc) {
  const std::size_t panel = kernel().rows, lanes = kernel().lanes;
  const Tile tile = kernel().tiles[(columns - 1) / lanes];
  for (std::size_t i = 0; i < sizes.rows; i += panel, block.panel += sizes.a_panel, c += panel * ldc) {
    const double* from = start == nullptr ? nullptr : start + i;
    if (columns % lanes == 0 && i + panel <= sizes.rows)
      tile(block, from, c, ldc);
    else
      edge_tile(tile, block, std::min(panel, sizes.rows - i), columns, from, c, ldc);
  }
}

/// Summands of this depth in a block.
std::size_t group(std::size_t depth) { return std::max<std::size_t>(1, kBlockDepth / depth); }

#ifdef OPREF_COUNT_BLOCKS
constexpr bool kCountBlocks = true;
#else
constexpr bool kCountBlocks = false;
#endif
std::atomic<bool> blocks_reached = false;

/// How many blocks with products other than zero each column of C meets.
class BlockCount {
 public:
  explicit BlockCount(std::size_t columns) : blocks_(kCountBlocks ? columns : 0) {}
  /// Rows [first, first + kBlockDepth) of some summands.
  void add(std::span<const GemmTerm> terms, std::size_t first, const GemmSizes& sizes) {
    const std::size_t last = std::min(sizes.depth, first + kBlockDepth);
    for (std::size_t j = 0; j < blocks_.size(); ++j)
      if (std::ranges::any_of(terms, [&](const GemmTerm& term) { return meets(term, j, first, last, sizes.b_row); }))
        ++blocks_[j];
  }
  void check(double counted) const {
    if (blocks_.empty()) return;
    const auto met = static_cast<double>(std::ranges::max(blocks_));
    if (met > counted)
      fail(Fault::internal, "an element met {} blocks of a product, but {} were counted", met, counted);
    if (met == counted) blocks_reached = true;
  }

 private:
  static bool meets(const GemmTerm& term, std::size_t j, std::size_t first, std::size_t last, std::size_t b_row) {
    if (j < term.first || j >= term.last) return false;
    for (std::size_t k = first; k < last; ++k)
      if (term.b[k * b_row + j] != 0) return true;
    return false;
  }

  std::vector<std::size_t> blocks_;
};

/// The block with a copy of its B, whose rows are neighbours.
Block packed(const Block& block, std::size_t vectors, std::vector<GemmTerm>& terms, std::vector<double>& b) {
  const std::size_t width = vectors * kernel().lanes;
  b.resize(block.terms.size() * block.depth * width);
  kernel().packs[vectors - 1](block, b.data());
  terms.assign(block.terms.begin(), block.terms.end());
  for (std::size_t t = 0; t < terms.size(); ++t) {
    terms[t].a += block.first * kernel().rows;
    terms[t].b = &b[t * block.depth * width];
  }
  return {terms, 0, block.depth, 0, 0, width};
}

}  // namespace

std::size_t gemm_panel() { return kernel().rows; }

double gemm_blocks(const GemmCount& count) {
  if (count.depth >= kBlockDepth) return count.met * static_cast<double>((count.depth - 1) / kBlockDepth + 1);
  // Several summands are a block, whether they are met or not.
  return std::min(count.met, std::ceil(count.listed / static_cast<double>(group(count.depth))));
}

double gemm_additions(std::size_t k, const GemmCount& count) {
  const double products =
      count.depth >= kBlockDepth
          ? static_cast<double>(kBlockDepth)
          : std::min(static_cast<double>(kBlockDepth), count.met * static_cast<double>(count.depth));  // of a block
  const double later = products - static_cast<double>(std::max<std::size_t>(1, k % kBlockDepth));
  return later + count.calls * gemm_blocks(count) - (count.started ? 0 : 1);
}

bool gemm_blocks_reached() { return blocks_reached.exchange(false); }

// A block's part of A stays in a cache while the columns of C pass.
void gemm(std::span<const GemmTerm> terms, const GemmSizes& sizes, const double* start, double* c, std::size_t ldc) {
  const std::size_t lanes = kernel().lanes, most = kernel().vectors, several = group(sizes.depth);
  const bool copy_pays = sizes.rows >= kPackedPanels * kernel().rows;
  static thread_local std::vector<GemmTerm> met, copies;
  static thread_local std::vector<double> copy;
  BlockCount count(sizes.columns);
  for (std::size_t t = 0; t < terms.size() || start != nullptr; t += several) {
    const std::span<const GemmTerm> together = terms.subspan(t, std::min(several, terms.size() - t));
    for (std::size_t first = 0; first < sizes.depth; first += kBlockDepth, start = nullptr) {
      require_time();
      std::size_t vectors = (sizes.columns + lanes - 1) / lanes, tiles = (vectors + most - 1) / most;
      for (std::size_t j = 0; j < sizes.columns; --tiles) {
        const std::size_t width = (vectors + tiles - 1) / tiles;  // all tiles have about the same
        const std::size_t columns = std::min(width * lanes, sizes.columns - j);
        met.clear();
        for (const GemmTerm& term : together)
          if (term.first < j + columns && j < term.last) met.push_back(term);
        const Block block{met, first, std::min(kBlockDepth, sizes.depth - first), 0, j, sizes.b_row};
        if (!met.empty() || start != nullptr)
          all_panels(copy_pays ? packed(block, width, copies, copy) : block, columns, sizes, start, c + j, ldc);
        j += columns, vectors -= width;
      }
      count.add(together, first, sizes);
    }
  }
  count.check(sizes.blocks);
}

}  // namespace opref::fast
