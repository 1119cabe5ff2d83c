// The matrix product by a CBLAS: for scripts/same-bytes, which shows that no other one changes a byte.
#include <cblas.h>

#include <algorithm>

#include "exact/gemm.h"

namespace opref {

GemmShape gemm_shape() { return {60, 100}; }

/// In any order.
double gemm_additions(std::size_t depth) { return static_cast<double>(depth); }

void gemm(const Panels& a, const Panels& b, GemmStart start, double* c, std::size_t ldc) {
  const auto [rows, columns] = gemm_shape();
  for (std::size_t i = 0; i < a.width(); i += rows)
    for (std::size_t j = 0; j < b.width(); j += columns)
      cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, static_cast<int>(std::min(rows, a.width() - i)),
                  static_cast<int>(std::min(columns, b.width() - j)), static_cast<int>(a.depth()), 1, a.from(i),
                  static_cast<int>(rows), b.from(j), static_cast<int>(columns), start == GemmStart::zero ? 0 : 1,
                  c + i * ldc + j, static_cast<int>(ldc));
}

}  // namespace opref
