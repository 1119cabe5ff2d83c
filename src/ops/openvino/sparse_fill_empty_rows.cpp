// SPDX-License-Identifier: Apache-2.0
// openvino SparseFillEmptyRows, version 16 (opset16)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_sparse_fill_empty_rows {
namespace {
/// The entries of the matrix in row-major order: where each is, and which of the values it has; -1: the default.
struct Entry {
  std::int64_t row, column, value;
};
struct Entries {
  std::vector<Entry> all;
  std::vector<bool> is_empty;  ///< of each row, before it was filled
};

Dims dense_shape(const Call& call) {
  const Dims shape = sizes_of(call, "dense_shape");
  require(shape.size() == 2, "dense_shape is {}, but must be of a matrix", shape);
  return shape;
}

Entries entries_of(const Call& call) {
  const Dims shape = dense_shape(call);
  const std::vector<std::int64_t> at = call.integers("indices");
  Entries entries{{}, std::vector<bool>(static_cast<size_t>(shape[0]), true)};
  for (std::int64_t k = 0; k < std::ssize(at) / 2; ++k) {
    const std::int64_t row = at[static_cast<size_t>(2 * k)], column = at[static_cast<size_t>(2 * k + 1)];
    require(row >= 0 && row < shape[0] && column >= 0 && column < shape[1],
            "indices[{}] is {}, which is no place in a matrix of dense_shape {}", k, Dims{row, column}, shape);
    entries.all.push_back({row, column, k});
    entries.is_empty[static_cast<size_t>(row)] = false;
  }
  for (std::int64_t row = 0; row < shape[0]; ++row)
    if (entries.is_empty[static_cast<size_t>(row)]) entries.all.push_back({row, 0, -1});
  std::ranges::stable_sort(entries.all, {}, [](const Entry& entry) { return std::pair(entry.row, entry.column); });
  return entries;
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, values] = call.type("values");
  const auto& [index, indices] = call.type("indices");
  require_list("values", values);
  require(indices == Dims({values[0], 2}), "indices has shape {}, but must have [{},2]: row and column of each value",
          indices, values[0]);
  require_scalar(call, "default_value");
  const Dims rows{dense_shape(call)[0]};
  if (!call.has_value("indices"))
    return {ValueType::of_unknown_shape(index), ValueType::of_unknown_shape(dtype), TensorType{DType::boolean, rows}};
  const std::int64_t count = std::ssize(entries_of(call).all);
  return {TensorType{index, {count, 2}}, TensorType{dtype, {count}}, TensorType{DType::boolean, rows}};
}

// output_indices, output_values = the entries in row-major order; default_value at [row, 0] of each row without one,
// for which empty_row_indicator is true
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Entries entries = entries_of(call);
  const auto entry = [&](std::int64_t i) { return entries.all[static_cast<size_t>(i)]; };
  const auto value = [&](std::int64_t i) { return entry(i).value < 0 ? Run::fill() : Run{entry(i).value}; };
  const auto index = [&](std::int64_t i, const WholeReader&) {
    return static_cast<std::uint64_t>(i % 2 == 0 ? entry(i / 2).row : entry(i / 2).column);
  };
  const auto is_empty = [&](std::int64_t row) { return entries.is_empty[static_cast<size_t>(row)] ? 1 : 0; };
  return {wholes(outs[0], index), move(outs[1], call.input("values"), value, call.input("default_value")),
          tensor_of_bits(outs[2].type(), is_empty)};
}
}  // namespace
Operator sparse_fill_empty_rows() {
  return Operator("openvino", "SparseFillEmptyRows")
      .summary("a sparse matrix, with a default value in each row without an entry")
      .page("sparse/fill-empty-rows-16")
      .version(16,
               [](OpSchema& s) {
                 s.input("values", "T")
                     .input("dense_shape", "T_IDX")
                     .input("indices", "T_IDX")
                     .input("default_value", "T")
                     .output("output_indices", "T_IDX")
                     .output("output_values", "T")
                     .output("empty_row_indicator", "bool");
                 s.types("T", computed_numbers).types("T_IDX", types::signed_wide);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_sparse_fill_empty_rows
