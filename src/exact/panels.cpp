#include <algorithm>

#include "exact/gemm.h"

namespace opref {

void Panels::reset(std::size_t panel, std::size_t depth, std::size_t width) {
  panel_ = panel, depth_ = depth, width_ = width;
  data_.resize((width + panel - 1) / panel * panel * depth);
}

void Panels::set_row(std::size_t k, const double* row) {
  for (std::size_t j = 0; j < width_; j += panel_) {
    double* to = &data_[j * depth_ + k * panel_];
    const std::size_t n = std::min(panel_, width_ - j);
    std::copy(row + j, row + j + n, to);
    std::fill(to + n, to + panel_, 0.0);
  }
}

}  // namespace opref
