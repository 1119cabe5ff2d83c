// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/embeddings.h"

#include <algorithm>

#include "core/error.h"
#include "evaluators/strided.h"
#include "evaluators/sum.h"
#include "ops/shared/openvino.h"
#include "ops/shared/parameters.h"
namespace opref::ops {
namespace {
/// Where the row begins in emb_table, for each index.
std::vector<std::int64_t> row_places(const Call& call, std::int64_t rows, std::int64_t size) {
  const Dims& shape = call.type("indices").shape;
  std::vector<std::int64_t> places = call.integers("indices");
  for (size_t k = 0; k < places.size(); ++k) {
    require(places[k] >= 0 && places[k] < rows, "indices{} is {}, but must be from 0 to {}: emb_table has {}",
            coordinates(static_cast<std::int64_t>(k), shape), places[k], rows - 1, counted(rows, "row"));
    places[k] *= size;
  }
  return places;
}

/// The row that an empty bag is; -1: zeros.
std::int64_t default_row(const Call& call, std::int64_t rows) {
  if (!call.has_here("default_index")) return -1;
  const std::int64_t row = call.integer("default_index");
  require(row >= -1 && row < rows, "default_index is {}, but must be from -1 to {}: emb_table has {}", row, rows - 1,
          counted(rows, "row"));
  return row;
}
}  // namespace

OpSchema& add_table(OpSchema& s) {
  return s.types("T", computed_numbers)
      .types("T_IND", types::signed_wide)
      .input("emb_table", "T")
      .input("indices", "T_IND");
}
OpSchema& add_default_and_weights(OpSchema& s) {
  return s.input("default_index", "T_IND", Arity::optional).input("per_sample_weights", "T", Arity::optional);
}

std::vector<ValueType> bag_types(const Call& call, std::int64_t bags) {
  const auto& [dtype, table] = call.type("emb_table");
  require(!table.empty(), "emb_table is a scalar, but must have rows");
  if (call.has_here("default_index")) require_scalar(call, "default_index");
  if (call.has("per_sample_weights")) {
    const Dims &weights = call.type("per_sample_weights").shape, &indices = call.type("indices").shape;
    require(weights == indices, "per_sample_weights has shape {}, but indices has {}: there is one for each", weights,
            indices);
    require(!call.has_here("reduction") || call.string("reduction") == "sum",
            "per_sample_weights is given, but reduction is mean, which has no weights");
  }
  return {TensorType{dtype, join(Dims{bags}, table.without_first(1))}};
}

std::vector<Value> bag_sums(const Call& call, std::span<const Output> outs, const std::vector<std::int64_t>& first) {
  const Dims& shape = call.type("emb_table").shape;
  const std::int64_t size = element_count(shape.without_first(1)), empty = default_row(call, shape[0]);
  const std::vector<std::int64_t> rows = row_places(call, shape[0], size);
  const Elements table(call.input("emb_table"));
  const std::optional<Elements> weights = elements_if_given(call, "per_sample_weights");
  const bool is_mean = call.has_here("reduction") && call.string("reduction") == "mean";
  const auto bag = [&](std::int64_t i, auto& sum) {
    const std::int64_t b = i / size, column = i % size;
    const std::int64_t begin = first[static_cast<size_t>(b)], end = first[static_cast<size_t>(b + 1)];
    for (std::int64_t k = begin; k < end; ++k) {
      const Element x = table[rows[static_cast<size_t>(k)] + column];
      if (weights)
        sum.add(x, (*weights)[k]);
      else
        sum.add(x);
    }
    if (begin == end && empty >= 0) sum.add(table[empty * size + column]);
    if (is_mean && begin < end) sum.scale({1, end - begin});
  };
  const auto rounding = is_mean ? Integers::Rounding::truncate : Integers::Rounding::wrap;
  return {sum(outs[0], table.dtype(), bag, Integers{rounding})};
}

std::vector<std::int64_t> ascending(const Call& call, std::string_view input, std::int64_t most) {
  std::vector<std::int64_t> list = call.integers(input);
  for (size_t k = 0; k < list.size(); ++k) {
    require(list[k] >= 0, "{}[{}] is {}, but must not be negative", input, k, list[k]);
    require(list[k] <= most, "{}[{}] is {}, but must be at most {}", input, k, list[k], most);
    require(k == 0 || list[k - 1] <= list[k], "{}[{}] is {}, but the one before is {}: they must ascend", input, k,
            list[k], k == 0 ? 0 : list[k - 1]);
  }
  return list;
}

std::vector<std::int64_t> begins_of(const std::vector<std::int64_t>& ascending, std::int64_t count) {
  std::vector<std::int64_t> begins;
  for (std::int64_t n = 0; n <= count; ++n)
    begins.push_back(std::ranges::lower_bound(ascending, n) - ascending.begin());
  return begins;
}
}  // namespace opref::ops
