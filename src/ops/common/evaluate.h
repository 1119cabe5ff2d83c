// From a call and a definition to the output tensor. The loops over batches, channels and output positions are here,
// the terms of one element in the definition, rounding in exact/.
#pragma once

#include <algorithm>
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
///   definition(const S* x, const S* w, const S* b, std::span<const Tap> taps, Sum& sum)
/// with x = X[n, g*C] (the group's first plane), w = the first filter plane of output channel m of group g, b = its
/// bias or null, and the taps of o. S is the storage of Y's dtype. The definition adds the terms.
template <class Definition>
Tensor evaluate_convolution(const Call& call, const TensorType& type, const Convolution& convolution,
                            const Definition& definition);

/// Y[n, c, o] for each output element of Y (N, C, …), by
///   definition(const S* x, std::span<const Tap> taps, Sum& sum)
/// with x = X[n, c] (the plane) and the taps of o. The definition adds the terms, `finish` makes y of them.
template <class Definition>
Tensor evaluate_pooling(const Call& call, const TensorType& type, const Tensor& x, const TapAxes& axes,
                        const PowerSum& finish, const Definition& definition);

// What follows is how; kernels need not know it.

/// How many of `count` slices to hold at once: all where they need no copy, else as many as fit into 1 MiB of copies,
/// at least one. `slice` is in elements of at most 8 bytes.
std::int64_t slices_at_once(std::int64_t count, std::int64_t slice, bool copies);

/// Calls element(index in Y, at) for each element of Y, where at(sum) applies the definition. An accumulator of another
/// kind needs another `element` only. X and W have storage S.
template <class S, class Element, class Definition>
void visit_convolution(const TensorType& type, const Convolution& c, const Definition& definition, Element& element) {
  const std::int64_t batches = type.shape[0], channels = type.shape[1], outputs = channels / c.groups;
  const std::int64_t plane = element_count(type.shape) / (batches * channels);
  const std::int64_t x_group = c.x.count() / (batches * c.groups), w_group = c.w.count() / c.groups;
  const std::int64_t w_output = w_group == 0 ? 0 : c.w_output;
  Widened<S> x(c.x), w(c.w);
  std::optional<Widened<S>> b;
  if (c.b) b.emplace(*c.b);
  const S* biases = b ? b->part(0, channels) : nullptr;
  TapBlocks blocks(x_group == 0 ? without_taps(c.axes) : c.axes);
  const std::int64_t groups_at_once = slices_at_once(c.groups, x_group + w_group, x.copies());
  for (std::int64_t g0 = 0; g0 < c.groups; g0 += groups_at_once) {
    const std::int64_t groups = std::min(groups_at_once, c.groups - g0);
    const S* filters = w.part(g0 * w_group, groups * w_group);
    for (std::int64_t n = 0; n < batches; ++n) {
      const S* planes = x.part((n * c.groups + g0) * x_group, groups * x_group);
      for (blocks.rewind(); blocks.next();) {
        for (std::int64_t channel = 0; channel < groups * outputs; ++channel) {
          const std::int64_t g = channel / outputs, m = channel % outputs, y_channel = g0 * outputs + channel;
          const S* from = planes + g * x_group;
          const S* filter = filters + g * w_group + m * w_output;
          const S* bias = biases == nullptr ? nullptr : biases + y_channel;
          const std::int64_t y = (n * channels + y_channel) * plane + blocks.first();
          for (std::int64_t i = 0; i < blocks.size(); ++i)
            element(y + i, [&](auto& sum) { definition(from, filter, bias, blocks.taps(i), sum); });
        }
      }
    }
  }
}

/// Likewise for planes.
template <class S, class Element, class Definition>
void visit_pooling(const TensorType& type, const Tensor& input, const TapAxes& axes, const Definition& definition,
                   Element& element) {
  const std::int64_t planes = type.shape[0] * type.shape[1], y_plane = element_count(type.shape) / planes;
  const std::int64_t x_plane = input.count() / planes;
  Widened<S> x(input);
  TapBlocks blocks(axes);
  const std::int64_t planes_at_once = slices_at_once(planes, x_plane, x.copies());
  for (std::int64_t p0 = 0; p0 < planes; p0 += planes_at_once) {
    const std::int64_t count = std::min(planes_at_once, planes - p0);
    const S* from = x.part(p0 * x_plane, count * x_plane);
    for (blocks.rewind(); blocks.next();)
      for (std::int64_t p = 0; p < count; ++p) {
        const std::int64_t y = (p0 + p) * y_plane + blocks.first();
        for (std::int64_t i = 0; i < blocks.size(); ++i)
          element(y + i, [&](auto& sum) { definition(from + p * x_plane, blocks.taps(i), sum); });
      }
  }
}

template <class Definition>
Tensor evaluate_convolution(const Call& call, const TensorType& type, const Convolution& convolution,
                            const Definition& definition) {
  TensorBuilder y(type);
  if (element_count(type.shape) == 0) return std::move(y).finish();
  with_storage(type.dtype, [&]<class S>(S) {
    const auto visit = [&](auto element) { visit_convolution<S>(type, convolution, definition, element); };
    if (call.numerics().sink != nullptr)
      visit(SinkResults(*call.numerics().sink));
    else if constexpr (std::is_floating_point_v<S>)
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
      if (TermSink* sink = call.numerics().sink) {
        sink->norms(finish);
        SinkResults element(*sink);
        return visit_pooling<S>(type, x, axes, definition, element);
      }
      NormResults<S> element(y, type.dtype, call.numerics(), finish);
      visit_pooling<S>(type, x, axes, definition, element);
    } else {
      fail(Fault::internal, "p-norms of {} are not defined", type.dtype);
    }
  });
  return std::move(y).finish();
}

}  // namespace opref::ops
