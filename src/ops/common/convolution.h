// SPDX-License-Identifier: Apache-2.0
// What operators of convolution share: Y[n, m, o] = the bias of m + Σ over the channels c of m's group and the taps k
// of X[n, c, o*s + k*d - pb] * W[m, c, k]; the kernel is not flipped, and padding adds no terms.
#pragma once

#include "evaluators/elements.h"
#include "evaluators/taps.h"
#include "ops/common/pooling.h"

namespace opref::ops {

// The data are the first input, the kernels W or w, the bias B.

/// W's spatial sizes. `invalid` where kernel_shape is stated otherwise.
Dims kernel_sizes(const Call& call);
/// The windows of such kernels over X, by strides, dilations, pads and auto_pad.
PoolingWindows convolution_windows(const Call& call);

/// Rules of all convolutions, transposed ones too: X has spatial axes, W as many of them, of sizes > 0; the bias has M
/// elements.
void require_kernels(const Call& call);
void require_bias(const Call& call, std::int64_t M);

/// The shape of Y; each rule of the shapes of X (N, C, D1, …), W (M, C/group, k1, …), the bias (M) and of `group`.
Dims convolution_shape(const Call& call);

/// What convolutions have in common: convolution_windows, where elements meet by it, notes, names, the order of terms.
Operator convolution_operator(std::string_view op_type);
/// In the order of the definition: the bias, then channels, then taps. The kernels are W, w or the second input.
TermOrder convolution_order(const Call& call);
/// The attributes that all have.
void convolution_attributes(OpSchema& s, DefaultStated stated = DefaultStated::yes);
/// Of Conv and ConvTranspose: these, auto_pad, the data X, the kernels W, the bias B, the result Y.
void convolution_version_1(OpSchema& s, std::string_view meaning_of_w);

/// Which elements of X and W meet in an element of Y.
class Convolution {
 public:
  Convolution(const Dims& w, std::int64_t groups, const PoolingWindows& windows, TermSink* sink);
  Convolution(const Call& call, TermSink* sink);
  const evaluators::TapAxes& axes() const { return axes_; }
  /// m of element i
  std::int64_t channel(std::int64_t i) const { return i / O_ % (groups_ * M_); }
  /// Adds the products of element i: channels, then taps.
  template <class Sum>
  void add_products(std::int64_t i, const evaluators::Elements& x, const evaluators::Elements& w, Sum& sum) const {
    const auto [n, group, m, o] = evaluators::split(i, groups_, M_, O_);
    const evaluators::TapList list = taps_.of(o);
    for (std::int64_t c = 0; c < C_; ++c) {
      const std::int64_t x_at = ((n * groups_ + group) * C_ + c) * L_, w_at = ((group * M_ + m) * C_ + c) * K_;
      for (const evaluators::Tap& tap : list) sum.add(x[x_at + tap.x], w[w_at + tap.w]);
    }
  }

 private:
  evaluators::TapAxes axes_;
  evaluators::Taps taps_;
  std::int64_t groups_, M_, C_;  ///< of each group, M and C
  std::int64_t L_, K_, O_;       ///< elements of a plane
};

}  // namespace opref::ops
