// SPDX-License-Identifier: Apache-2.0
// Pooling in both standards: the mean and the greatest element of each window, and of whole planes.
#pragma once

#include <functional>

#include "evaluators/select.h"
#include "ops/shared/channels.h"
#include "ops/shared/windows.h"
#include "schema/operator.h"
namespace opref::ops {
// The mean of each window, in both standards.

/// What a sum is divided by: how many taps of its window read elements of X, lie in X or its pads, or all of them.
enum class Counted : std::uint8_t { elements, pads, all };

/// What 0/0 is, the mean of no elements. `nan`: NaN; of integers, whose quotients are truncated, it is `invalid`.
enum class EmptyMean : std::uint8_t { nan, zero };

/// That number, where the window o has `elements` taps inside X.
std::int64_t counted_taps(const PoolingWindows& windows, Counted counted, std::int64_t elements, std::int64_t o);

/// Y[n,c,o] = Σ X[n, c, o*s + k*d - pb] / count over the taps inside X.
Tensor average_pool(const Output& y, const Tensor& x, const PoolingWindows& windows, Counted counted,
                    EmptyMean empty = EmptyMean::nan);

// The greatest element of each window and the number that names it, in both standards.

/// Y[n,c,o] = the greatest X[n, c, o*s + k*d - pb] inside X; NaN wins, +0 is greater than -0. The second output, where
/// there is one, names its place in X by `index`, of equals the first one or the last.
struct MaxPool {
  PoolingWindows windows;
  evaluators::Tie tie = evaluators::Tie::first;
  /// The number that names the element of X at a flat position.
  std::function<std::int64_t(std::int64_t at)> index = {};
  ChannelsAt channels = ChannelsAt::second;  ///< of x and Y
};

/// By the reading max_pool.empty, where the operator has it, a window has no element of X; that no index names one is
/// `invalid`.
std::vector<Value> max_pool(const Call& call, const Tensor& x, std::span<const Output> outs, const MaxPool& pool);

/// average_pool.overhang, of versions from `first` on.
Reading overhang_reading(std::int64_t first, std::string_view reason, bool (*may_change_values)(const Call&));
/// What the texts leave open of windows that operators of version 1 share with AveragePool and MaxPool, of whose
/// readings these are: average_pool.ceil_drop …, max_pool.ceil_drop …; such a window is dropped by default.
std::vector<Reading> average_window_readings();
std::vector<Reading> greatest_window_readings();
/// max_pool.empty, of all versions since the first. `has_empty`: whether some window has no element.
Reading max_pool_empty_reading(std::int64_t first, bool (*has_empty)(const Call&));

/// Indices, N and C included, as MaxPool gives them over random numbers in tensors of shape x, whose spatial sizes are
/// windows.L: of each window the place of the greatest. A window without a place in x is a `usage` error.
Tensor random_indices(const Dims& x, const PoolingWindows& windows, const Random& random);

/// Whether each of `indices` (int64, of the pooled tensor's shape), decoded as a row-major position in `space`, has its
/// element's N and C and lies in the pooling window of its element i: i*s - pb <= o < i*s - pb + k on every spatial
/// axis. k, s and pad_begin have one value per spatial axis.
bool indices_lie_in_windows(const Tensor& indices, const Dims& space, const Dims& k, const Dims& s,
                            const Dims& pad_begin);

/// Whether a MaxPool by k and s over tensors of shape x can give these indices, whatever its pads, dilations and order
/// of storage: along each axis o - i*s is one of -pb, d - pb, …, (k-1)*d - pb, of one pb >= 0 and one d >= 1.
bool can_be_pooled(const Tensor& indices, const Dims& x, const Dims& k, const Dims& s);

// Pooling by windows that divide each spatial axis into parts.

/// Of m parts of L elements window i has those from floor(i·L/m) to ceil((i + 1)·L/m) - 1.
class AdaptiveWindows {
 public:
  /// The inputs data [N, C, …], with one to three spatial axes, and output_shape, a list of m.
  explicit AdaptiveWindows(const Call& call);
  /// Of Y.
  const Dims& shape() const { return y_; }
  struct Window {
    std::int64_t first;  ///< in data
    Dims count;          ///< along each axis of data
  };
  Window window(std::int64_t i) const;
  /// f(run) of the runs of a window, row-major.
  template <class F>
  void each(const Window& window, const F& f) const {
    evaluators::Strided(window.count, strides_).each(window.first, f);
  }

 private:
  Dims x_, y_, strides_;
};

// Pooling of all spatial axes: Y (N, C, 1, …) has one element for each plane of X.

/// How many elements a plane of X has.
std::int64_t plane_size(const Call& call);
/// Elements of Y are neighbours whose terms are a plane apart.
evaluators::Neighbours planes(const Call& call);

/// X's element type, in the shape (N, C, 1, …). X without a spatial axis is `invalid`.
std::vector<ValueType> global_pool_types(const Call& call);
/// An input X and an output Y of T, which is floats.
void global_pool_version_1(OpSchema& s, std::string_view meaning_of_y);
}  // namespace opref::ops
