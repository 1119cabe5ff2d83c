// SPDX-License-Identifier: Apache-2.0
// ai.onnx MaxPool, versions 1, 8, 10, 11, 12, 22
// https://onnx.ai/onnx/operators/onnx__MaxPool.html
#include <algorithm>
#include <cmath>

#include "core/nearly.h"
#include "ops/common/max_pool.h"
#include "ops/common/mistakes.h"

namespace opref::ops::onnx {
namespace {

std::vector<ValueType> output_types(const Call& call) {
  const TensorType y = pooled_type(call);
  return {y, TensorType{DType::int64, y.shape}};
}

// "The index values are that of a flatten 1-D tensor"; storage_order 1 is column major: the first axis runs fastest, of
// each plane, or of the whole tensor.
std::int64_t column_major(std::int64_t at, const Dims& shape) {
  const std::int64_t size = element_count(shape);
  const Dims inside = coordinates(at % size, shape);
  std::int64_t index = 0;
  for (size_t axis = shape.size(); axis-- > 0;) index = index * shape[axis] + inside[axis];
  return at / size * size + index;
}

MaxPool pool_of(const Call& call) {
  const Dims& x = call.type("X").shape;
  const bool by_columns = call.has("storage_order") && call.integer("storage_order") != 0;
  const Dims turned = call.reads("max_pool.column_major", "plane") ? spatial(x) : x;
  return {.windows = pooling_windows(call),
          .tie = call.reads("max_pool.tie", "last") ? Tie::last : Tie::first,
          .index = [=](std::int64_t at) { return by_columns ? column_major(at, turned) : at; }};
}

// Y[n,c,o] = the greatest X[n, c, o*s + k*d - pb] inside X;  NaN wins, +0 is greater than -0. Indices[n,c,o] is its
// place in X, of equals the first one.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return max_pool(call, call.input("X"), outs, pool_of(call));
}

bool wants_indices(const Call& call) { return call.version() >= 8 && call.wants("Indices"); }
bool is_column_major(const Call& call) { return wants_indices(call) && call.integer("storage_order") != 0; }
bool has_empty_windows(const Call& call) { return has_empty_window(pooling_windows(call)); }

void version_8(OpSchema& s) {
  s.attribute(with_default("storage_order", 0, flag()))
      .output("Indices", "I", Arity::optional, "the places of Y's elements in X")
      .types("I", DType::int64, "Constrain index tensor to int64");
}

void version_10(OpSchema& s) {
  s.attribute(with_default("ceil_mode", 0, flag())).attribute(per_axis_attribute("dilations", 1));
}

std::vector<Value> indices_within_planes(const Call& call, std::span<const Output> outs) {
  std::vector<Value> found = kernel(call, outs);
  const std::int64_t plane = element_count(call.type("X").shape.without_first(2));
  if (found.size() > 1) found[1] = with_first({found[1]}, [plane](double i) { return std::fmod(i, nearly(plane)); })[0];
  return found;
}

// onnx.reference splits the number of the chosen tap by Y's sizes, not by the kernel's, and counts within the plane.
std::optional<Call> if_windows_touch(const Call& call) {
  const PoolingWindows w = pooling_windows(call);
  const bool known = wants_indices(call) && w.L.size() > 1 && std::ranges::all_of(w.s, [](auto s) { return s == 1; });
  return known ? call.without_attribute("storage_order") : std::optional<Call>();
}
std::vector<Value> indices_split_by_output(const Call& call, std::span<const Output> outs) {
  std::vector<Value> found = kernel(call, outs);
  if (found.size() < 2 || found[1].tensor() == nullptr) return found;
  const PoolingWindows w = pooling_windows(call);
  const Tensor indices = *found[1].tensor();
  const std::int64_t plane = element_count(w.O), x_plane = element_count(w.L);
  const Dims strides = strides_of(w.L);
  found[1] = tensor_of_bits(indices.type(), [&](std::int64_t i) {
    const auto index = static_cast<std::int64_t>(element_bits(indices, i));
    const Dims o = coordinates(i % plane, w.O), x = coordinates(index % x_plane, w.L);
    std::int64_t tap = 0, place = 0;
    for (size_t axis = 0; axis < o.size(); ++axis)
      tap = tap * w.k[axis] + (x[axis] + w.pads.begin[axis] - o[axis]) / w.d[axis];
    for (size_t axis = o.size(); axis-- > 0;) {
      const std::int64_t split = axis == 0 ? tap : tap % w.O[axis];
      place += (o[axis] - (call.stated("pads") ? w.pads.begin[axis] : 0) + split) * strides[axis];
      tap /= w.O[axis];
    }
    return static_cast<std::uint64_t>(place);
  });
  return found;
}

// Padding is a 0 that may be the greatest.
std::vector<Value> padded_with_zeros(const Call& call, std::span<const Output> outs) {
  std::vector<Value> found = kernel(call, outs);
  if (!outs[0].wanted()) return found;
  const PoolingWindows w = pooling_windows(call);
  const Tensor numbers = *with_first({found[0]}, [](double y) { return std::max(y, 0.0); })[0].tensor();
  found[0] = tensor_of_bits(outs[0].type(), [&, right = *found[0].tensor()](std::int64_t i) {
    const Dims o = coordinates(i % element_count(w.O), w.O);
    bool is_padded = false;
    for (size_t axis = 0; axis < o.size(); ++axis) {
      const std::int64_t first = o[axis] * w.s[axis] - w.pads.begin[axis], last = first + (w.k[axis] - 1) * w.d[axis];
      is_padded = is_padded || first < 0 || last >= w.L[axis];
    }
    return element_bits(is_padded ? numbers : right, i);
  });
  return found;
}

// Dilations decide Y's shape, but not which elements are compared.
std::vector<Value> without_dilations(const Call& call, std::span<const Output> outs) {
  MaxPool pool = pool_of(call);
  std::ranges::fill(pool.windows.d, 1);
  return max_pool(call, call.input("X"), outs, pool);
}

std::vector<Value> by_comparison(const Call& call, std::span<const Output> outs) {
  return max_pool_by_comparison(call, outs, pool_of(call), kernel);
}

// storage_order 1 as a transposition of Indices, which are counted row by row: its spatial axes in reverse order.
std::optional<Call> row_major(const Call& call) {
  if (!is_column_major(call)) return std::nullopt;
  return call.with_attribute("storage_order", AttributeValue::of(std::int64_t{0}));
}
Dims reversed_spatial(Dims dims) {
  std::reverse(dims.begin() + 2, dims.end());
  return dims;
}
std::vector<ValueType> transposed_indices_types(const Call& call) {
  const TensorType y = pooled_type(call);
  return {y, TensorType{DType::int64, reversed_spatial(y.shape)}};
}
std::vector<Value> transposed_indices(const Call& call, std::span<const Output> outs) {
  std::vector<Value> found = kernel(call, outputs_of(call, output_types(call)));
  if (outs.size() > 1 && found.size() > 1) found[1] = read_as(outs[1].type(), *found[1].tensor(), reversed_spatial);
  return found;
}

}  // namespace

Operator max_pool() {
  return pooling_operator("MaxPool")
      .summary("the greatest element of each window of each channel, and where it lies")
      .version(1, [](OpSchema& s) { pooling_version_1(s, "the greatest elements of the windows"); })
      .version(8, version_8)
      .version(10, version_10)
      .version(11, pooling_version_11)
      .version(12, adds("T", Types(DType::int8) | DType::uint8))
      .version(22, adds("T", DType::bfloat16))
      .reading(ceil_drop_reading("max_pool.ceil_drop", 10))
      .reading(same_size_reading("max_pool.same_size"))
      .reading(same_dilation_reading("max_pool.same_dilation", 10))
      .reading(valid_ceil_reading("max_pool.valid_ceil", 10))
      .reading(pads_with_auto_pad_reading("max_pool.pads_with_auto_pad", 1))
      .reading("max_pool.column_major",
               {"plane: storage_order 1 counts column by column in each plane",
                "tensor: over the whole tensor, its first axis fastest"},
               {{8, "plane"}},
               "the text says \"column major\" alone; onnxruntime and onnx.reference count within each plane", "",
               is_column_major)
      .reading("max_pool.tie", {"first: of equal elements Indices names the first", "last: the last"}, {{8, "first"}},
               "the text is silent; onnxruntime and torch take the first of equal elements", "", wants_indices)
      .reading(max_pool_empty_reading(1, has_empty_windows))
      .output_types(output_types)
      .kernel(kernel)
      .mistake("indices by columns", taken_as<"storage_order", 1>)
      .mistake("indices counted within each plane", computed_by<as_it_is, indices_within_planes>)
      .mistake("Indices by Y's sizes, counted within each plane",
               computed_by<if_windows_touch, indices_split_by_output>)
      .mistake("Indices transposed by storage_order",
               computed_by<row_major, transposed_indices, transposed_indices_types>)
      .mistake("padding compared as 0", computed_by<as_it_is, padded_with_zeros>)
      .mistake("dilations ignored but for the shape", computed_by<as_it_is, without_dilations>)
      .mistake("NaN passed over", nan_passed_over)
      .mistake("NaN kept only where it is first in its window", computed_by<if_floats, by_comparison>);
}

}  // namespace opref::ops::onnx
