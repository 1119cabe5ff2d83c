// From a call and a definition to the output tensor. The loops over batches, channels and output positions are here,
// the terms of one element in the definition, rounding in exact/.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <type_traits>

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

/// Computes elements of Y, given by their positions, one by one by the definition, and counts them. For any thread.
using ByDefinition = std::function<void(std::span<const std::int64_t> positions)>;

/// An optional second way to the same bytes, faster: rounds what it is sure of into the bytes of Y, hands the rest to
/// `by_definition`, and counts what it decided. Returns false, having written nothing, where it does not serve the
/// call.
using ConvolutionRows = bool (*)(const TensorType& type, const Convolution& c, const Numerics& numerics,
                                 std::span<std::byte> y, const ByDefinition& by_definition);
using PoolingRows = bool (*)(const TensorType& type, const Tensor& x, const TapAxes& axes, const PowerSum& finish,
                             const Numerics& numerics, std::span<std::byte> y, const ByDefinition& by_definition);

/// Y[n, g*M+m, o] for each output element, by
///   definition(const T* x, const T* w, const T* b, std::span<const Tap> taps, Sum& sum)
/// with T the C++ type of Y's dtype and x = X[n, g*C] (the group's first plane), w = the first filter plane of output
/// channel m of group g, b = its bias or null, and the taps of o. The definition adds the terms.
template <class Definition>
Tensor evaluate_convolution(const Call& call, const TensorType& type, const Convolution& convolution,
                            const Definition& definition, ConvolutionRows rows = nullptr);

/// Y[n, c, o] for each output element of Y (N, C, …), by
///   definition(const T* x, std::span<const Tap> taps, Sum& sum)
/// with T the C++ type of Y's dtype, x = X[n, c] (the plane) and the taps of o. The definition adds the terms, `finish`
/// makes y of them.
template <class Definition>
Tensor evaluate_pooling(const Call& call, const TensorType& type, const Tensor& x, const TapAxes& axes,
                        const PowerSum& finish, const Definition& definition, PoolingRows rows = nullptr);

// What follows is how; kernels need not know it.

/// Some planes of Y, and positions in each.
struct Part {
  std::int64_t first_plane, last_plane, first, last;
};

/// Cuts `planes` of `positions` elements into parts for so many threads and calls f(part) for each.
void for_each_part(std::int64_t planes, std::int64_t positions, int threads, const std::function<void(Part)>& f);

/// Calls element(index in Y, at) for each element of a part of Y, where at(sum) applies the definition. An accumulator
/// of another kind needs another `element` only. X and W have storage S.
template <class S, class Element, class Definition>
void visit_convolution(const TensorType& type, const Convolution& c, const Definition& definition, Element& element,
                       const Part& part) {
  const std::int64_t batches = type.shape[0], channels = type.shape[1], outputs = channels / c.groups;
  const std::int64_t plane = element_count(type.shape) / (batches * channels);
  const std::int64_t x_group = c.x.count() / (batches * c.groups), w_group = c.w.count() / c.groups;
  const std::int64_t w_output = w_group == 0 ? 0 : c.w_output;
  TapBlocks blocks(x_group == 0 ? without_taps(c.axes) : c.axes);
  with_element<S>(type.dtype, [&]<class E>(E) {
    const E *x = c.x.values<E>().data(), *w = c.w.values<E>().data(), *b = c.b ? c.b->values<E>().data() : nullptr;
    for (blocks.seek(part.first, part.last); blocks.next();)
      for (std::int64_t p = part.first_plane; p < part.last_plane; ++p) {
        const std::int64_t n = p / channels, channel = p % channels, g = channel / outputs, m = channel % outputs;
        const E* planes = x + (n * c.groups + g) * x_group;
        const E* filter = w + g * w_group + m * w_output;
        const E* bias = b == nullptr ? nullptr : b + channel;
        for (std::int64_t i = 0; i < blocks.size(); ++i)
          element(p * plane + blocks.first() + i,
                  [&](auto& sum) { definition(planes, filter, bias, blocks.taps(i), sum); });
      }
  });
}
/// All of Y.
template <class S, class Element, class Definition>
void visit_convolution(const TensorType& type, const Convolution& c, const Definition& definition, Element& element) {
  const std::int64_t planes = type.shape[0] * type.shape[1];
  visit_convolution<S>(type, c, definition, element, {0, planes, 0, element_count(type.shape) / planes});
}

/// Likewise for planes.
template <class S, class Element, class Definition>
void visit_pooling(const TensorType& type, const Tensor& input, const TapAxes& axes, const Definition& definition,
                   Element& element, const Part& part) {
  const std::int64_t planes = type.shape[0] * type.shape[1], y_plane = element_count(type.shape) / planes;
  const std::int64_t x_plane = input.count() / planes;
  TapBlocks blocks(axes);
  with_element<S>(type.dtype, [&]<class E>(E) {
    const E* x = input.values<E>().data();
    for (blocks.seek(part.first, part.last); blocks.next();)
      for (std::int64_t p = part.first_plane; p < part.last_plane; ++p)
        for (std::int64_t i = 0; i < blocks.size(); ++i)
          element(p * y_plane + blocks.first() + i,
                  [&](auto& sum) { definition(x + p * x_plane, blocks.taps(i), sum); });
  });
}
template <class S, class Element, class Definition>
void visit_pooling(const TensorType& type, const Tensor& input, const TapAxes& axes, const Definition& definition,
                   Element& element) {
  const std::int64_t planes = type.shape[0] * type.shape[1];
  visit_pooling<S>(type, input, axes, definition, element, {0, planes, 0, element_count(type.shape) / planes});
}

/// All of Y by the definition, in parts: visit(element, part) with an `element` of make().
template <class Make, class Visit>
void evaluate_parts(const TensorType& type, const Numerics& numerics, const Make& make, const Visit& visit) {
  const std::int64_t planes = type.shape[0] * type.shape[1];
  for_each_part(planes, element_count(type.shape) / planes, numerics.threads, [&](Part part) {
    auto element = make(numerics);
    visit(element, part);
  });
}

/// Single elements of Y by the definition.
template <class Make, class Visit>
void evaluate_single(const TensorType& type, const Numerics& numerics, std::span<const std::int64_t> positions,
                     const Make& make, const Visit& visit) {
  const std::int64_t plane = element_count(type.shape) / (type.shape[0] * type.shape[1]);
  auto element = make(numerics);
  for (const std::int64_t position : positions) {
    const std::int64_t p = position / plane, o = position % plane;
    visit(element, Part{p, p + 1, o, o + 1});
  }
}

/// By rows where they serve, else by the definition alone. `rows(by_definition)` tries the rows. What they leave
/// undecided is computed by the definition, whose estimate is better than theirs.
template <class Make, class Visit, class Rows>
void evaluate_elements(const TensorType& type, const Numerics& numerics, const Make& make, const Visit& visit,
                       const Rows& rows) {
  const ByDefinition by_definition = [&](std::span<const std::int64_t> positions) {
    evaluate_single(type, numerics, positions, make, visit);
  };
  if (numerics.exact_only || !rows(by_definition)) evaluate_parts(type, numerics, make, visit);
}

template <class Definition>
Tensor evaluate_convolution(const Call& call, const TensorType& type, const Convolution& convolution,
                            const Definition& definition, ConvolutionRows rows) {
  TensorBuilder y(type, Content::any);
  if (element_count(type.shape) == 0) return std::move(y).finish();
  const TapBlocks checked(convolution.axes);  // that the axes are valid
  const auto by_rows = [&](const ByDefinition& by_definition) {
    return rows != nullptr && rows(type, convolution, call.numerics(), y.bytes(), by_definition);
  };
  with_storage(type.dtype, [&]<class S>(S) {
    const auto visit = [&](auto& element, const Part& part) {
      visit_convolution<S>(type, convolution, definition, element, part);
    };
    if (TermSink* sink = call.numerics().sink) {
      SinkResults element(*sink);
      return visit_convolution<S>(type, convolution, definition, element);
    }
    const auto evaluate = [&]<class Results>(std::type_identity<Results>) {
      evaluate_elements(
          type, call.numerics(), [&](const Numerics& numerics) { return Results(y, type.dtype, numerics); }, visit,
          by_rows);
    };
    if constexpr (std::is_floating_point_v<S>)
      evaluate(std::type_identity<SumResults<S>>{});
    else if (convolution.overflow == IntegerOverflow::wrap)
      evaluate(std::type_identity<IntegerResults<WrappingSum>>{});
    else
      evaluate(std::type_identity<IntegerResults<SaturatingSum<S>>>{});
  });
  return std::move(y).finish();
}

template <class Definition>
Tensor evaluate_pooling(const Call& call, const TensorType& type, const Tensor& x, const TapAxes& axes,
                        const PowerSum& finish, const Definition& definition, PoolingRows rows) {
  TensorBuilder y(type, Content::any);
  if (element_count(type.shape) == 0) return std::move(y).finish();
  with_storage(type.dtype, [&]<class S>(S) {
    if constexpr (std::is_floating_point_v<S>) {
      const auto visit = [&](auto& element, const Part& part) {
        visit_pooling<S>(type, x, axes, definition, element, part);
      };
      if (TermSink* sink = call.numerics().sink) {
        sink->norms(finish);
        SinkResults element(*sink);
        return visit_pooling<S>(type, x, axes, definition, element);
      }
      evaluate_elements(
          type, call.numerics(),
          [&](const Numerics& numerics) { return NormResults<S>(y, type.dtype, numerics, finish); }, visit,
          [&](const ByDefinition& by_definition) {
            return rows != nullptr && rows(type, x, axes, finish, call.numerics(), y.bytes(), by_definition);
          });
    } else {
      fail(Fault::internal, "p-norms of {} are not defined", type.dtype);
    }
  });
  return std::move(y).finish();
}

}  // namespace opref::ops
