// SPDX-License-Identifier: Apache-2.0
// Tensors as the numbers that they stand for, and how they lie in another model's order of axes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/tensor.h"
#include "models/room.h"

namespace opref::models {

/// Elements in C order, each exact in double but for 64-bit integers of more than 53 bits.
struct Numbers {
  Dims shape;
  std::vector<double> values;
};

/// By which integers stand for numbers: (q - zero) * scale.
struct Scale {
  double scale = 1, zero = 0;
};

/// Nothing for strings and complex numbers. bool is 0 or 1.
std::optional<Numbers> numbers_of(const Tensor& tensor, const Scale& scale = {});

/// The tensor of this type nearest to the numbers. Integers are round((x / scale) + zero), ties to even, within the
/// type's range; NaN gives the zero point.
Tensor tensor_of(const Numbers& numbers, const TensorType& type, const Scale& scale = {});

/// How the elements of a tensor lie in another one of as many elements: in the same order, or with permuted axes, those
/// of length 1 left out: axis k of the other one is axis order[k] of the tensor.
struct Layout {
  std::vector<size_t> order;  ///< empty: the same order

  bool is_flat() const { return order.empty(); }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// For each element of the other tensor, of shape `to`, the place of its element in the tensor of shape `from`. Empty
/// for a flat layout.
std::vector<std::int64_t> places_of(const Layout& layout, const Dims& from, const Dims& to);

/// The numbers in the order of a tensor of shape `to`.
Numbers arranged(Numbers numbers, const Layout& layout, const Dims& to);
/// The opposite: of numbers that lie as the other tensor, those of the tensor of shape `from`.
Numbers arranged_back(Numbers numbers, const Layout& layout, const Dims& from);
/// The same of a tensor, whose bits stay; not of strings.
Tensor arranged_back(const Tensor& tensor, const Layout& layout, const Dims& from);

/// The shape without axes of length 1.
Dims squeezed(const Dims& shape);

/// Permutations of the axes of `from` that give the shape `to`, those of length 1 left out, without the one that
/// changes nothing; none of more than 5 axes.
std::vector<Layout> possible_layouts(const Dims& from, const Dims& to);

}  // namespace opref::models
