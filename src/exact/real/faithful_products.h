// SPDX-License-Identifier: Apache-2.0
// The sum of many numbers and products of two, as convolutions and matrix products have them, as kernels may compute it
// that round every product and every addition.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "exact/real/faithful.h"

namespace opref::exact {

/// What FaithfulSum is, with the same bound. Where the accumulator holds the factors of a product, the term costs a few
/// additions: a double holds the product, and what kernels lose of all of them follows from the sum of their sizes.
class FaithfulProducts {
 public:
  /// By Faithful::kernel and Faithful::simulated as they are now.
  FaithfulProducts();

  void add(const Faithful& term);
  /// The product of two inputs, which are numbers of float32.
  void add_narrow(double a, double b) {
    const double product = a * b, size = std::abs(product);
    if (!(size >= least_ && size <= kMost)) {
      if (product != 0 || !is_plain_) add_other(a, b);
      return;
    }
    const double h = h_ + product, part = h - h_;  // two_sum
    l_ += (h_ - (h - part)) + (product - part);
    h_ = h;
    size_ += size;
    n_ += 1;
    const bool is_rounded = (std::bit_cast<std::uint64_t>(product) & fraction_) != 0;
    rounded_size_ += is_rounded ? size : 0;
    rounded_ += is_rounded ? 1 : 0;
  }
  Faithful total() const;

 private:
  static constexpr double kMost = 0x1p300;

  /// A product that is none of those.
  void add_other(double a, double b);

  double h_ = 0, l_ = 0, size_ = 0, n_ = 0;
  double rounded_size_ = 0, rounded_ = 0;  ///< of the products that the accumulator does not hold
  double e_ = 0, other_size_ = 0;          ///< of the other terms
  std::vector<double> terms_;              ///< of a simulated kernel
  bool is_plain_;                          ///< the accumulator holds such factors, and takes them as they are
  double least_;                           ///< products below have their own way
  std::uint64_t fraction_;                 ///< the bits of a double that the accumulator has no room for
};

}  // namespace opref::exact
