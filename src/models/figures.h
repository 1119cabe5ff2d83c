// SPDX-License-Identifier: Apache-2.0
// How far one model's tensor is from the other's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/numbers.h"

namespace opref::models {

/// Sums over all elements, in double; y is the reference's, x the other model's. Elements that are equal, or NaN on
/// both sides, have no error; one that is not finite on one side alone is counted apart.
struct Figures {
  std::int64_t count = 0, differ = 0, nonfinite = 0;
  double error_squares = 0, reference_squares = 0, squares = 0, products = 0;  ///< sums of (x-y)², y², x², xy
  double max = 0;                                                              ///< |x - y|
  std::int64_t at = 0;                                                         ///< the element that has it

  double rms() const;
  double reference_rms() const;
  /// 10 log10 of y² over (x-y)², in decibels: infinite where nothing differs, -infinite where there is no signal, or
  /// where some element is not finite on one side alone.
  double sqnr() const;
  /// Nothing where x or y is 0 throughout, but not both.
  std::optional<double> cosine() const;
  /// Sums of both, as of one tensor; `max` and `at` are those of the greater error.
  void add(const Figures& other);
};

/// 10 log10 of a ratio of powers.
double decibels(double ratio);

/// Of as many elements.
Figures figures_of(const Numbers& x, const Numbers& y);

/// Squares of what noise changes, an element each, over so many runs.
struct Spread {
  std::vector<double> squares;
  int runs = 0;
};

/// The greatest ratio of error to spread: rms(x - y) / (rms of the spread + u rms(y)), of the whole tensor and of each
/// slice of 8 elements or more along each axis. Infinite where something differs, but neither is.
double ratio_to_spread(const Numbers& x, const Numbers& y, const Spread& spread, double unit_roundoff);

/// What is kept of a tensor to find it again in another model.
struct Sketch {
  Dims shape;
  std::int64_t count = 0;
  bool is_constant = true;                            ///< all elements are one number
  std::uint64_t in_order = 0, in_any_order = 0;       ///< hashes of the elements; of -0 and 0 the same
  double mean = 0, rms = 0, least = 0, greatest = 0;  ///< of the finite ones
  std::vector<double> samples;  ///< at places that the number of elements decides, see sample_places
};
Sketch sketch_of(const Numbers& numbers);

/// The places of at most 256 elements of so many, spread over all of them, ascending.
std::vector<std::int64_t> sample_places(std::int64_t count);

/// How a tensor is another one that only a sketch is known of.
struct Likeness {
  double tolerance = 0;  ///< of the errors' rms over that of the tensor; 0: equal as numbers
  Layout layout;
};
/// Tolerances that are tried, in this order.
inline constexpr double kTolerances[] = {0, 1e-6, 3e-5};
/// Nothing where neither the same order nor one of permuted axes fits within the last of the tolerances, or both are
/// constant.
std::optional<Likeness> likeness_to(const Numbers& numbers, const Sketch& own, const Sketch& other);

/// The layout in which the numbers are within a hundredth of the other tensor: of permuted ones the first that fits;
/// flat where none does.
Layout layout_by_values(const Numbers& numbers, const Numbers& other);

/// The correlation of two tensors of as many elements, by their samples; 1 where one of them is constant.
double correlation(const Sketch& a, const Sketch& b);

}  // namespace opref::models
