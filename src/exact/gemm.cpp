#include "exact/gemm.h"

#include <algorithm>
#include <cstring>

#include "exact/vector.h"

namespace opref {
namespace {

/// One register tile: c[r][…] (+)= Σ over k of a[k][r]·b[k][…].
template <int Lanes, int Rows, int Vectors>
OPREF_INLINE void tile(const double* a, const double* b, std::size_t depth, GemmStart start, double* c,
                       std::size_t ldc) {
  using Vector [[gnu::vector_size(Lanes * 8), gnu::aligned(8), gnu::may_alias]] = double;
  Vector sum[Rows][Vectors] = {};
  for (std::size_t k = 0; k < depth; ++k, a += Rows, b += Lanes * Vectors)
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < Vectors; ++v) sum[r][v] += *reinterpret_cast<const Vector*>(b + v * Lanes) * a[r];
  if (start == GemmStart::c)
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < Vectors; ++v) sum[r][v] += *reinterpret_cast<const Vector*>(c + r * ldc + v * Lanes);
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) *reinterpret_cast<Vector*>(c + r * ldc + v * Lanes) = sum[r][v];
}

using Tile = void (*)(const double*, const double*, std::size_t, GemmStart, double*, std::size_t);
struct Kernel {
  GemmShape shape;
  Tile tile;
};

#if defined(__x86_64__)
[[gnu::target("avx512f,fma")]] void tile_avx512(const double* a, const double* b, std::size_t depth, GemmStart start,
                                                double* c, std::size_t ldc) {
  tile<8, 8, 3>(a, b, depth, start, c, ldc);
}
[[gnu::target("avx2,fma")]] void tile_avx2(const double* a, const double* b, std::size_t depth, GemmStart start,
                                           double* c, std::size_t ldc) {
  tile<4, 4, 3>(a, b, depth, start, c, ldc);
}
#endif
void tile_portable(const double* a, const double* b, std::size_t depth, GemmStart start, double* c, std::size_t ldc) {
  tile<2, 4, 2>(a, b, depth, start, c, ldc);
}

Kernel best_kernel() {
#if defined(__x86_64__)
#if defined(OPREF_VECTOR)
  constexpr int kForced = OPREF_VECTOR;
#else
  constexpr int kForced = 0;
#endif
  const auto may_use = [](int bits, bool supported) { return kForced == bits || (kForced == 0 && supported); };
  if (may_use(512, __builtin_cpu_supports("avx512f") != 0)) return {{8, 24}, tile_avx512};
  if (may_use(256, __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0))
    return {{4, 12}, tile_avx2};
#endif
  return {{4, 4}, tile_portable};
}

const Kernel& kernel() {
  static const Kernel best = best_kernel();
  return best;
}

}  // namespace

GemmShape gemm_shape() { return kernel().shape; }

double gemm_additions(std::size_t depth) {
  return static_cast<double>(std::min(depth, kGemmBlock)) + static_cast<double>((depth + kGemmBlock - 1) / kGemmBlock);
}

namespace {

/// A tile at the right or lower edge: `rows` and `columns` of it count.
void edge_tile(const double* a, const double* b, std::size_t depth, GemmStart start, std::size_t rows,
               std::size_t columns, double* c, std::size_t ldc) {
  double edge[8 * 24];
  const std::size_t width = kernel().shape.columns;
  kernel().tile(a, b, depth, GemmStart::zero, edge, width);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t s = 0; s < columns; ++s)
      c[r * ldc + s] = edge[r * width + s] + (start == GemmStart::c ? c[r * ldc + s] : 0.0);
}

}  // namespace

void gemm(const Panels& a, const Panels& b, GemmStart start, double* c, std::size_t ldc) {
  const auto& [shape, tile] = kernel();
  for (std::size_t j = 0; j < b.width(); j += shape.columns)
    for (std::size_t k = 0; k < a.depth(); k += kGemmBlock) {
      const GemmStart from = k == 0 ? start : GemmStart::c;
      const std::size_t columns = std::min(shape.columns, b.width() - j), depth = std::min(kGemmBlock, a.depth() - k);
      for (std::size_t i = 0; i < a.width(); i += shape.rows) {
        const std::size_t rows = std::min(shape.rows, a.width() - i);
        const double *from_a = a.from(i) + k * shape.rows, *from_b = b.from(j) + k * shape.columns;
        double* to = c + i * ldc + j;
        if (columns == shape.columns && rows == shape.rows)
          tile(from_a, from_b, depth, from, to, ldc);
        else
          edge_tile(from_a, from_b, depth, from, rows, columns, to, ldc);
      }
    }
}

}  // namespace opref
