// From a call and a definition to the output tensor. The loops over batches, channels and output positions are here,
// the terms of one element in the definition, rounding in exact/.
#pragma once

#include <optional>
#include <span>

#include "exact/results.h"
#include "exact/storage.h"
#include "ops/common/taps.h"
#include "spec/call.h"

namespace opref::ops {

/// A convolution of any kind: Y (N, groups*M, …) from X (N, groups*C, …), filters W and bias B, all of Y's dtype.
struct Convolution {
  Tensor x, w;
  std::optional<Tensor> b;  ///< (groups*M)
  std::int64_t groups;      ///< the leading part of X's channel axis, and of W
  std::int64_t w_output;    ///< elements of W from the filter of one output channel to that of the next in its group
  TapAxes axes;             ///< of X's, W's and Y's spatial axes
  IntegerOverflow overflow = IntegerOverflow::wrap;
};

/// Y[n, g*M+m, o] for each output element, by
///   definition(const T* x, const T* w, const T* b, std::span<const Tap> taps, Sum& sum)
/// with T the C++ type of Y's dtype and x = X[n, g*C] (the group's first plane), w = the first filter plane of output
/// channel m of group g, b = its bias or null, and the taps of o. The definition adds the terms.
template <class Definition>
Tensor evaluate_convolution(const Call& call, const TensorType& type, const Convolution& convolution,
                            const Definition& definition);

/// Y[n, c, o] for each output element of Y (N, C, …), by
///   definition(const T* x, std::span<const Tap> taps, Sum& sum)
/// with T the C++ type of Y's dtype, x = X[n, c] (the plane) and the taps of o. The definition adds the terms, `finish`
/// makes y of them.
template <class Definition>
Tensor evaluate_pooling(const Call& call, const TensorType& type, const Tensor& x, const TapAxes& axes,
                        const PowerSum& finish, const Definition& definition);

// What follows is how; kernels need not know it.

/// Calls element(index in Y, at) for each element of Y, where at(sum) applies the definition. An accumulator of another
/// kind needs another `element` only. X and W have storage S.
template <class S, class Element, class Definition>
void visit_convolution(const TensorType& type, const Convolution& c, const Definition& definition, Element& element) {
  const std::int64_t batches = type.shape[0], channels = type.shape[1], outputs = channels / c.groups;
  const std::int64_t plane = element_count(type.shape) / (batches * channels);
  const std::int64_t x_group = c.x.count() / (batches * c.groups), w_group = c.w.count() / c.groups;
  const std::int64_t w_output = w_group == 0 ? 0 : c.w_output;
  TapBlocks blocks(x_group == 0 ? without_taps(c.axes) : c.axes);
  with_element<S>(type.dtype, [&]<class E>(E) {
    const E *x = c.x.values<E>().data(), *w = c.w.values<E>().data(), *b = c.b ? c.b->values<E>().data() : nullptr;
    for (std::int64_t n = 0; n < batches; ++n)
      for (blocks.rewind(); blocks.next();)
        for (std::int64_t channel = 0; channel < channels; ++channel) {
          const std::int64_t g = channel / outputs, m = channel % outputs;
          const E* planes = x + (n * c.groups + g) * x_group;
          const E* filter = w + g * w_group + m * w_output;
          const E* bias = b == nullptr ? nullptr : b + channel;
          const std::int64_t y = (n * channels + channel) * plane + blocks.first();
          for (std::int64_t i = 0; i < blocks.size(); ++i)
            element(y + i, [&](auto& sum) { definition(planes, filter, bias, blocks.taps(i), sum); });
        }
  });
}

/// Likewise for planes.
template <class S, class Element, class Definition>
void visit_pooling(const TensorType& type, const Tensor& input, const TapAxes& axes, const Definition& definition,
                   Element& element) {
  const std::int64_t planes = type.shape[0] * type.shape[1], y_plane = element_count(type.shape) / planes;
  const std::int64_t x_plane = input.count() / planes;
  TapBlocks blocks(axes);
  with_element<S>(type.dtype, [&]<class E>(E) {
    const E* x = input.values<E>().data();
    for (blocks.rewind(); blocks.next();)
      for (std::int64_t p = 0; p < planes; ++p)
        for (std::int64_t i = 0; i < blocks.size(); ++i)
          element(p * y_plane + blocks.first() + i,
                  [&](auto& sum) { definition(x + p * x_plane, blocks.taps(i), sum); });
  });
}

template <class Definition>
Tensor evaluate_convolution(const Call& call, const TensorType& type, const Convolution& convolution,
                            const Definition& definition) {
  TensorBuilder y(type);
  if (element_count(type.shape) == 0) return std::move(y).finish();
  with_storage(type.dtype, [&]<class S>(S) {
    const auto visit = [&](auto element) { visit_convolution<S>(type, convolution, definition, element); };
    if constexpr (std::is_floating_point_v<S>)
      visit(SumResults<S>(y, type.dtype, call.numerics()));
    else if (convolution.overflow == IntegerOverflow::wrap)
      visit(IntegerResults<WrappingSum>(y, type.dtype, call.numerics()));
    else
      visit(IntegerResults<SaturatingSum<S>>(y, type.dtype, call.numerics()));
  });
  return std::move(y).finish();
}

template <class Definition>
Tensor evaluate_pooling(const Call& call, const TensorType& type, const Tensor& x, const TapAxes& axes,
                        const PowerSum& finish, const Definition& definition) {
  TensorBuilder y(type);
  if (element_count(type.shape) == 0) return std::move(y).finish();
  with_storage(type.dtype, [&]<class S>(S) {
    if constexpr (std::is_floating_point_v<S>) {
      NormResults<S> element(y, type.dtype, call.numerics(), finish);
      visit_pooling<S>(type, x, axes, definition, element);
    } else {
      fail(Fault::internal, "p-norms of {} are not defined", type.dtype);
    }
  });
  return std::move(y).finish();
}

}  // namespace opref::ops
