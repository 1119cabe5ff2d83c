// SPDX-License-Identifier: Apache-2.0
// Convolution and its transpose: which elements meet, rules, generated values.
#pragma once

#include "core/random.h"
#include "evaluators/elements.h"
#include "evaluators/taps.h"
#include "exact/integer_sum.h"
#include "fast/fast.h"
#include "ops/shared/channels.h"
#include "ops/shared/windows.h"
#include "schema/operator.h"
namespace opref::ops {
// What operators of convolution share: Y[n, m, o] = the bias of m + Σ over the channels c of m's group and the taps k
// of X[n, c, o*s + k*d - pb] * W[m, c, k]; the kernel is not flipped, and padding adds no terms.

// The data are the first input, the kernels W or w, the bias B. Of an operator with the attribute channels_last the
// data and Y may have the channels as the last axis; W does not.

/// W's spatial sizes. `invalid` where kernel_shape is stated otherwise.
Dims kernel_sizes(const Call& call);
/// The windows of such kernels over X, by strides, dilations, pads and auto_pad.
PoolingWindows convolution_windows(const Call& call);

/// Rules of all convolutions, transposed ones too: X has spatial axes, W as many of them, of sizes > 0; the bias has M
/// elements.
void require_kernels(const Call& call);
void require_bias(const Call& call, std::int64_t M);

/// The shape of Y as (N, M, O1, …); each rule of the shapes of X (N, C, D1, …), W (M, C/group, k1, …), the bias (M) and
/// of `group`.
Dims convolution_shape(const Call& call);

/// What convolutions have in common: convolution_windows, where elements meet by it, notes, names, the order of terms.
Operator convolution_operator(std::string_view op_type, std::string_view domain = "ai.onnx");
/// In the order of the definition: the bias, then channels, then taps. The kernels are W, w or the second input.
TermOrder convolution_order(const Call& call);
/// The attributes that all have.
void convolution_attributes(OpSchema& s, DefaultStated stated = DefaultStated::yes);
/// Of Conv and ConvTranspose: these, auto_pad, the data X, the kernels W, the bias B, the result Y.
void convolution_version_1(OpSchema& s, std::string_view meaning_of_w);

/// Which elements of X and W meet in an element of Y.
class Convolution {
 public:
  Convolution(const Dims& w, std::int64_t groups, const PoolingWindows& windows, TermSink* sink,
              ChannelsAt channels = ChannelsAt::second);
  Convolution(const Call& call, TermSink* sink);
  const evaluators::TapAxes& axes() const { return axes_; }
  /// m of element i
  std::int64_t channel(std::int64_t i) const { return i / y_channel_ % (groups_ * M_); }
  /// Adds the products of element i: channels, then taps.
  template <class Sum>
  void add_products(std::int64_t i, const evaluators::Elements& x, const evaluators::Elements& w, Sum& sum) const {
    const std::int64_t of_w = channel(i), group = of_w / M_, n = i / (groups_ * M_ * O_), o = i / y_place_ % O_;
    const evaluators::TapList list = taps_.of(o);
    for (std::int64_t c = 0; c < C_; ++c) {
      const std::int64_t x_at = n * groups_ * C_ * L_ + (group * C_ + c) * x_channel_, w_at = (of_w * C_ + c) * K_;
      for (const evaluators::Tap& tap : list) sum.add(x[x_at + tap.x * x_place_], w[w_at + tap.w]);
    }
  }

 private:
  evaluators::TapAxes axes_;
  evaluators::Taps taps_;
  std::int64_t groups_, M_, C_;                             ///< of each group, M and C
  std::int64_t L_, K_, O_;                                  ///< elements of a plane
  std::int64_t x_channel_, x_place_, y_channel_, y_place_;  ///< from a channel, or a place, to the next
};

// Generated values that look at the node which takes them: Operator::generator's functions.

inline constexpr std::string_view kTies =
    "sums that fall on a midpoint between two numbers of the output's type, or beside it";

/// The exponent e of a floating type's least positive normal number, 2^e.
int least_exponent(DType dtype);

// The transposed convolution: its formula and the geometry that ONNX and OpenVINO share.

/// Per spatial axis: L input, k kernel, s strides, d dilations.
struct ConvTransposeGeometry {
  Dims L, k, s, d, output_padding;
  /// (k-1)*d + 1
  Dims span() const;
  /// s*(L-1) + output_padding + span: the output's size where pads take nothing away.
  Dims full() const;
};

/// With the attributes strides, dilations and output_padding.
ConvTransposeGeometry conv_transpose_geometry(const Call& call, const Dims& L, const Dims& k);

/// Pads and the output's sizes: O = full - pads.begin - pads.end, but more where O is stated and exceeds full.
struct ConvTransposePadding {
  Pads pads;
  Dims O;
};

/// What decides where elements meet: Operator::placement.
std::vector<Dims> placement_of(const ConvTransposePadding& padding);

/// Which pad of an axis takes the odd one.
enum class OddPad : std::uint8_t { begin, end };

/// total = begin + end, equally or nearly; halves of a negative total round down.
Pads split_padding(const Dims& total, OddPad odd);

/// Of a stated O: where it exceeds full, there are no pads, or what is left is split as they are.
enum class Surplus : std::uint8_t { end, split };
ConvTransposePadding padded_to(const Dims& O, const ConvTransposeGeometry& geometry, OddPad odd,
                               Surplus surplus = Surplus::end);

/// Each number, but at least 0.
Dims at_least_zero(Dims numbers);

/// The taps that each output position has.
TapAxes conv_transpose_axes(const ConvTransposeGeometry& geometry, const ConvTransposePadding& padding);

/// Y[n, g*M+m, o] = the bias of g*M+m + Σ over c in [0, C) and all i, k that meet in o of X[n, g*C+c, i] * W[g*C+c, m,
/// k].
Tensor conv_transpose(const Output& y, const fast::TransposedConvolution& c, exact::Integers integers = {});

/// `op` with what both standards' have: generators of ties and of sums that cancel, names, the order of terms.
Operator transposed_operator(Operator op);

/// The output's sizes are > 0, as far as the node's pads decide them.
void require_output_sizes(const Dims& y);
}  // namespace opref::ops
