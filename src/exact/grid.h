// The grid certificate: when no addition can round, an estimate is the exact sum.
#pragma once

#include <cstddef>
#include <limits>

namespace opref {

/// What numbers have in common: none is larger than `most`, all are multiples of the power of two `step` (infinity for
/// zeros alone). NaN or infinities make `most` infinite.
struct Grid {
  double most = 0, step = std::numeric_limits<double>::infinity();

  Grid with(const Grid& other) const;
};

/// Of n numbers of type Half, BFloat16, float or double.
template <class T>
Grid grid_of(const T* x, std::size_t n);

/// Every partial sum of `terms` products of a number of x and one of w, and one number of `start`, in any order, is a
/// multiple of one step and below 2^53 steps: a sum in double does not round.
bool sums_are_exact(double terms, const Grid& x, const Grid& w, const Grid& start);

}  // namespace opref
