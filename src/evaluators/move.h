// SPDX-License-Identifier: Apache-2.0
// Y[i] = X[source(i)], or the fill: the bits of any element type, strings and packed ones too. NaN payloads are kept.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "evaluators/strided.h"
#include "schema/output.h"

namespace opref::evaluators {

/// Where the element of Y at position i comes from, and how many of those after it lie a step apart there. Any position
/// may be asked for, by several threads.
using Source = std::function<Run(std::int64_t i)>;

/// Y of `type`, of which i is from[run.tensor][run.from], i + 1 the element run.step further, … for run = source(i).
/// `from` are of Y's element type. What a Run::fill stands for is `fill`, one element, else the type's 0, False or "".
Tensor move(const Output& out, std::span<const Tensor> from, const Source& source,
            const std::optional<Tensor>& fill = {});
Tensor move(const Output& out, const Tensor& from, const Source& source, const std::optional<Tensor>& fill = {});

/// Y[i] = X[i] where the condition, of bool, is true, else Z[i]. All three broadcast to Y's shape, X and Z are of its
/// element type.
Tensor move_either(const Output& out, const Tensor& condition, const Tensor& x, const Tensor& z);

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

/// Y of `type`, filled with zeros where nothing else is said: what a kernel whose terms are listed returns.
Tensor zeros_of(const TensorType& type);

}  // namespace opref::evaluators
