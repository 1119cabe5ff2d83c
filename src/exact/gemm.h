// A small matrix product in double, whose result is certified afterwards.
#pragma once

#include <cstddef>
#include <span>

#include "core/large_pages.h"

namespace opref {

/// The register tile of the machine: the widths of a product's panels.
struct GemmShape {
  std::size_t rows, columns;
};
GemmShape gemm_shape();

/// A matrix of `depth` rows and `width` columns, stored in panels of columns, row after row within a panel; the last
/// panel is filled with zeros.
class Panels {
 public:
  /// Sets the sizes; the elements are to be given by `set_row`.
  void reset(std::size_t panel, std::size_t depth, std::size_t width);
  /// Row k, `width` elements.
  void set_row(std::size_t k, const double* row);
  std::size_t depth() const { return depth_; }
  std::size_t width() const { return width_; }
  /// The panel that begins with column j.
  const double* from(std::size_t j) const { return &data_[j * depth_]; }

 private:
  std::size_t panel_ = 1, depth_ = 0, width_ = 0;
  Scratch<double> data_;
};

/// How many additions a product takes part in, at most, on its way into C: of `depth` rows, by one or several calls
/// that go on from C. All calls but the last have a depth that is a multiple of kGemmBlock.
constexpr std::size_t kGemmBlock = 128;
double gemm_additions(std::size_t depth);

enum class GemmStart { zero, c };

/// C = AᵀB, or C + AᵀB: c[i*ldc + j] for each column i of A (panels of gemm_shape().rows) and j of B (panels of
/// columns). Classical: products are added up, in any order, by blocks of some rows, and the blocks' sums to C.
void gemm(const Panels& a, const Panels& b, GemmStart start, double* c, std::size_t ldc);

}  // namespace opref
