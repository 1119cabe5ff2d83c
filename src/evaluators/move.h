// SPDX-License-Identifier: Apache-2.0
// Y[i] = X[source(i)], or the fill: the bits of any element type, strings and packed ones too. NaN payloads are kept.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "evaluators/strided.h"
#include "schema/output.h"

namespace opref::evaluators {

// Where the elements of Y come from. In all of these `from` and x are of Y's element type, and what comes from no
// element of theirs is `fill`, one element, else the type's 0, False or "".

/// Where the element of Y at position i comes from, and how many of those after it lie a step apart there. Any position
/// may be asked for, by several threads.
using Source = std::function<Run(std::int64_t i)>;
/// Y of `type`, of which i is from[run.tensor][run.from], i + 1 the element run.step further, … for run = source(i):
/// for long runs, or few elements.
Tensor move(const Output& out, std::span<const Tensor> from, const Source& source,
            const std::optional<Tensor>& fill = {});
Tensor move(const Output& out, const Tensor& from, const Source& source, const std::optional<Tensor>& fill = {});

/// Y[i] = x[place(i)]
Tensor move(const Output& out, const Tensor& x, const Strided& place);

/// The places of slices of `size` neighbours, one slice after another: where each begins.
struct SlicePlaces {
  std::vector<std::int64_t> first;
  std::int64_t size = 1;

  std::int64_t count() const { return std::ssize(first) * size; }
  std::int64_t operator()(std::int64_t i) const {
    return size == 1 ? first[static_cast<size_t>(i)] : first[static_cast<size_t>(i / size)] + i % size;
  }
};
/// Y[i] = x[places(i)]
Tensor move(const Output& out, const Tensor& x, const SlicePlaces& places);

/// Of each coordinate of Y along an axis the one of x that it takes, -1: none. Without a list each takes its own.
using Coordinates = std::optional<std::vector<std::int64_t>>;
/// Y[o0, o1, …] = x[from[0][o0], from[1][o1], …], or the fill where one of them is -1. The lists give these axes; Y may
/// be of another shape with as many elements.
Tensor move_by_axis(const Output& out, const Tensor& x, std::span<const Coordinates> from,
                    const std::optional<Tensor>& fill = {});

/// Y[outer, j, in] = pair[1] where j is hot(outer·inner + in), else pair[0], for j < n, in < inner.
Tensor move_one_hot(const Output& out, const Tensor& pair, std::int64_t n, std::int64_t inner,
                    const std::function<std::int64_t(std::int64_t line)>& hot);

/// Y[i] = X[i] where the condition, of bool, is true, else Z[i]. All three broadcast to Y's shape, X and Z are of its
/// element type.
Tensor move_either(const Output& out, const Tensor& condition, const Tensor& x, const Tensor& z);

/// [0, 1] of a type of numbers, [False, True] of bool.
Tensor zero_and_one(DType dtype);

/// A number as a fill of this type, rounded to nearest even; of complex numbers it is the real part.
Tensor fill_of(double number, DType dtype);

/// Y, of int64 or int32: Y[i] = number(place(i)), the name of an element of x, at the flat position place(i), or of
/// none, -1.
Tensor places(const Output& out, const Tensor& x, const std::function<std::int64_t(std::int64_t i)>& place,
              const std::function<std::int64_t(std::int64_t at)>& number);

/// The same where the name depends on i too: number(i, place(i)).
Tensor places(const Output& out, const Tensor& x, const std::function<std::int64_t(std::int64_t i)>& place,
              const std::function<std::int64_t(std::int64_t i, std::int64_t at)>& number);

/// Where an update goes; throws where it has no place.
using Target = std::function<std::int64_t(std::int64_t e)>;
/// A faster way to all bytes of Y; false, having written nothing, where it does not serve.
using ScatterRows = std::function<bool(TensorBuilder& y)>;

/// Y of `type`: the elements of `base`, else the type's 0, False or "" everywhere; then for e ascending
/// Y[target(e)] = updates[e], so that the last write wins. `rows`, of byte-sized types, comes first where there is one.
Tensor scatter(const Output& out, const std::optional<Tensor>& base, const Tensor& updates, const Target& target,
               const ScatterRows& rows = nullptr);
/// The same for places that are known.
Tensor scatter(const Output& out, const std::optional<Tensor>& base, const Tensor& updates, const SlicePlaces& places);

/// Y of `type`, filled with zeros where nothing else is said: what a kernel whose terms are listed returns.
Tensor zeros_of(const TensorType& type);

}  // namespace opref::evaluators
