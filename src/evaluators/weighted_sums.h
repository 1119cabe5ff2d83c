// SPDX-License-Identifier: Apache-2.0
// Rows of sums of few elements of X, each with a weight of its own: what is interpolated between pixels. A definition
// (programs.h) says what an element is; who knows where its terms lie and what they weigh gives lists of them, too.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/tensor.h"
#include "evaluators/rows.h"
#include "exact/real/bounded.h"

namespace opref::evaluators {

/// A term: an element of X's plane or axis, and its weight.
struct WeightedPlace {
  std::int64_t at = 0;
  Bounded weight = 1.0;
};
/// The terms of some elements, one after another. One without any is left to the definition.
class WeightedPlaces {
 public:
  /// Of the element that begins at next().
  void add(std::int64_t at, const Bounded& weight) { places_.push_back({at, weight}); }
  /// The element is complete.
  void next() { ends_.push_back(places_.size()); }
  /// Likewise; without terms it is 0.
  void next_or_zero() {
    if (places_.size() == (ends_.empty() ? 0 : ends_.back())) add(0, 0.0);
    next();
  }

  std::size_t size() const { return ends_.size(); }
  std::span<const WeightedPlace> operator[](std::size_t k) const {
    const std::size_t first = k == 0 ? 0 : ends_[k - 1];
    return std::span(places_).subspan(first, ends_[k] - first);
  }

 private:
  std::vector<WeightedPlace> places_;
  std::vector<std::size_t> ends_;
};

/// Along an axis of X with so many elements: the terms of each element of Y.
struct WeightedAxis {
  std::int64_t size;
  WeightedPlaces places;
};
/// Of Y whose elements' terms are the combinations of their terms along all axes, the weights multiplied; the sums are
/// divided by `divisor`, a whole number up to 2^53. X, of Y's dtype, outlives the rows. Those of 16 and 32 bits.
Rows rows_of_axes(const Tensor& x, std::vector<WeightedAxis> axes, double divisor);

/// Y (n, C, places) from X (N, C, …): in each channel the same terms of a plane. For any thread.
struct ChannelSums {
  std::int64_t per_image;                             ///< places of each n
  std::function<std::int64_t(std::int64_t n)> image;  ///< which of X's N
  /// The terms of `count` places of n, from `first` on.
  std::function<WeightedPlaces(std::int64_t n, std::int64_t first, std::int64_t count)> places;
};
/// X, of Y's dtype, outlives the rows. Those of 16 and 32 bits.
Rows rows_of_channels(const Tensor& x, ChannelSums sums);

/// Y (N, places, M) from X (N, M, terms), the places along some axes: element (n, o, m) is the sum over t of X[n, m, t]
/// times a weight of term t. X, of Y's dtype, outlives the rows. Those of 16 and 32 bits.
struct CoordinateTerm {
  std::size_t axis;              ///< along which o's coordinate
  std::vector<Bounded> weights;  ///< has this
};
Rows rows_of_coordinates(const Tensor& x, const Dims& places, std::vector<CoordinateTerm> terms);

}  // namespace opref::evaluators
