// SPDX-License-Identifier: Apache-2.0
#include "schema/sparse.h"

#include "core/error.h"
#include "exact/rounding.h"

namespace opref::schema {
namespace {

/// The index of element `i` as it is stated: a number, or one for each axis.
std::string stated_index(const SparseTensor& sparse, std::int64_t i) {
  const auto indices = sparse.indices.values<std::int64_t>();
  if (sparse.indices.type().rank() == 1) return std::to_string(indices[static_cast<size_t>(i)]);
  const size_t rank = sparse.shape.size();
  return to_text(Dims(indices.subspan(static_cast<size_t>(i) * rank, rank)));
}

/// The flat position of element `i`.
std::int64_t place(const SparseTensor& sparse, std::int64_t i) {
  const auto indices = sparse.indices.values<std::int64_t>();
  if (sparse.indices.type().rank() == 1) {
    const std::int64_t count = element_count(sparse.shape), flat = indices[static_cast<size_t>(i)];
    require(flat >= 0 && flat < count, "index {} of the sparse tensor is {}, but it has {} elements", i, flat, count);
    return flat;
  }
  const size_t rank = sparse.shape.size();
  const Dims at(indices.subspan(static_cast<size_t>(i) * rank, rank));
  for (size_t axis = 0; axis < rank; ++axis)
    require(at[axis] >= 0 && at[axis] < sparse.shape[axis], "index {} of the sparse tensor is {}, but its shape is {}",
            i, at, sparse.shape);
  return position(at, sparse.shape);
}

}  // namespace

TensorType dense_type(const SparseTensor& sparse) {
  const Dims &values = sparse.values.shape(), &indices = sparse.indices.shape();
  require(values.size() == 1, "the sparse tensor's values have shape {}, but must have one axis", values);
  require(sparse.indices.dtype() == DType::int64, "the sparse tensor's indices are {}, but must be int64",
          sparse.indices.dtype());
  const bool flat = indices == values, coordinates = indices == Dims{values[0], std::ssize(sparse.shape)};
  require(flat || coordinates, "the sparse tensor's indices have shape {}, but must have {} or {}", indices, values,
          Dims{values[0], std::ssize(sparse.shape)});
  for (const std::int64_t size : sparse.shape)
    require(size >= 0, "the sparse tensor has shape {}, but sizes must be >= 0", sparse.shape);
  element_count(sparse.shape);  // which has to fit
  for (std::int64_t i = 0, before = -1; i < values[0]; ++i) {
    const std::int64_t at = place(sparse, i);
    if (at <= before)
      fail(Fault::invalid, "index {} of the sparse tensor is {}, but index {} is {}: they must ascend", i,
           stated_index(sparse, i), i - 1, stated_index(sparse, i - 1));
    before = at;
  }
  return {sparse.values.dtype(), sparse.shape};
}

Tensor dense(const SparseTensor& sparse) {
  const TensorType type = dense_type(sparse);
  const std::int64_t count = sparse.values.count();
  if (type.dtype == DType::string) {
    std::vector<std::string> elements(static_cast<size_t>(element_count(type.shape)));
    for (std::int64_t i = 0; i < count; ++i)
      elements[static_cast<size_t>(place(sparse, i))] = sparse.values.strings()[static_cast<size_t>(i)];
    return {type.shape, std::move(elements)};
  }
  const int width = info(type.dtype).bits, units = width > 64 ? 2 : 1;
  TensorBuilder builder(type);
  for (std::int64_t i = 0; i < count; ++i)
    for (int unit = 0; unit < units; ++unit) {
      const std::int64_t from = i * units + unit, to = place(sparse, i) * units + unit;
      set_bits(builder.bytes(), width / units, to, bits_at(sparse.values.bytes(), width / units, from));
    }
  return std::move(builder).finish();
}

}  // namespace opref::schema
