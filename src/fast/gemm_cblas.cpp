// SPDX-License-Identifier: Apache-2.0
// The matrix product by a CBLAS: for scripts/lab/same-bytes, which shows that no other one changes a byte.
#include <cblas.h>

#include <algorithm>

#include "fast/gemm.h"

namespace opref::fast {

std::size_t gemm_panel() { return 60; }

double gemm_blocks(const GemmCount& count) { return count.met; }

/// In any order.
double gemm_additions(std::size_t, const GemmCount& count) {
  return static_cast<double>(count.depth) * count.met * count.calls - (count.started ? 0 : 1);
}

bool gemm_blocks_reached() { return false; }

void gemm(std::span<const GemmTerm> terms, const GemmSizes& sizes, const double* start, double* c, std::size_t ldc) {
  if (start != nullptr)
    for (std::size_t i = 0; i < sizes.rows; ++i) std::fill_n(c + i * ldc, sizes.columns, start[i]);
  const std::size_t panel = gemm_panel();
  for (std::size_t i = 0; i < sizes.rows; i += panel)
    for (const GemmTerm& term : terms)
      if (term.first < term.last)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, static_cast<int>(std::min(panel, sizes.rows - i)),
                    static_cast<int>(sizes.columns), static_cast<int>(sizes.depth), 1,
                    term.a + i / panel * sizes.a_panel, static_cast<int>(panel), term.b, static_cast<int>(sizes.b_row),
                    1, c + i * ldc, static_cast<int>(ldc));
}

}  // namespace opref::fast
