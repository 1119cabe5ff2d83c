// SPDX-License-Identifier: Apache-2.0
// openvino StridedSlice, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/cuts.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_strided_slice {
namespace {
/// What is taken of data, and the shape in which it is given: with new axes, and without those that shrink.
struct Part {
  Cut cut;
  Dims shape;
};

/// Bit i of a mask: 0 where the mask is shorter. What is longer than the lists does not count.
bool bit(const Call& call, std::string_view mask, size_t i) {
  if (!call.has(mask)) return false;
  const std::vector<std::int64_t> bits = call.integers(mask);
  return i < bits.size() && bits[i] != 0;
}

/// The lists begin, end and stride, which is 1 where it is omitted.
std::vector<std::int64_t> list_like_begin(const Call& call, std::string_view name, size_t n) {
  if (!call.has(name)) return std::vector<std::int64_t>(n, 1);
  const std::vector<std::int64_t> list = list_of(call, name);
  require(list.size() == n, "{} has {}, but begin has {}", name, counted(std::ssize(list), "value"), n);
  return list;
}

/// Entry i along an axis of `size`: begin_mask and end_mask stand for Python's left-out numbers.
void cut_axis(const Call& call, Cut& cut, size_t axis, std::int64_t size, size_t i, std::int64_t begin,
              std::int64_t end, std::int64_t stride) {
  require(stride != 0, "stride[{}] is 0, but no stride can be", i);
  const bool from_start = bit(call, "begin_mask", i), to_end = bit(call, "end_mask", i);
  const auto from_front = [&](std::int64_t at) { return at < 0 ? at + size : at; };
  if (!from_start && !to_end && from_front(begin) == from_front(end) &&
      call.reads("strided_slice.begin_equals_end", "one")) {
    const std::int64_t at = std::clamp<std::int64_t>(from_front(begin), 0, std::max<std::int64_t>(size - 1, 0));
    return cut.cut(axis, size, at, at + 1, 1);
  }
  if (from_start) begin = stride > 0 ? 0 : INT64_MAX;
  if (to_end && stride > 0) end = INT64_MAX;
  if (to_end && stride < 0) end = call.reads("strided_slice.end_mask_reverse", "inclusive") ? INT64_MIN : 0;
  cut.cut(axis, size, begin, end, stride);
}

Part part_of(const Call& call) {
  const Dims& data = call.type("data").shape;
  const std::vector<std::int64_t> begin = list_of(call, "begin");
  const size_t n = begin.size();
  const std::vector<std::int64_t> end = list_like_begin(call, "end", n), stride = list_like_begin(call, "stride", n);
  size_t ellipses = 0, of_data = 0;  // entries of a kind
  for (size_t i = 0; i < n; ++i) {
    const bool is_ellipsis = bit(call, "ellipsis_mask", i);
    ellipses += is_ellipsis ? 1 : 0;
    of_data += is_ellipsis || bit(call, "new_axis_mask", i) ? 0 : 1;
  }
  require(ellipses <= 1, "ellipsis_mask has {} ones, but can have one", ellipses);
  require(of_data <= data.size(), "begin has {} along axes of data, which has rank {}",
          counted(static_cast<long long>(of_data), "value"), data.size());
  Part part{Cut(data), {}};
  size_t axis = 0;
  for (size_t i = 0; i < n; ++i) {
    if (bit(call, "ellipsis_mask", i)) {
      for (size_t k = of_data; k < data.size(); ++k) part.shape.push_back(data[axis++]);
    } else if (bit(call, "new_axis_mask", i)) {
      part.shape.push_back(1);
    } else if (bit(call, "shrink_axis_mask", i)) {
      const std::int64_t at = bit(call, "begin_mask", i) ? 0 : begin[i], size = data[axis];
      require(at >= -size && at < size, "begin[{}] is {}, but axis {} of data, which shrinks, has size {}", i, at, axis,
              size);
      part.cut.cut(axis++, size, at, at == -1 ? size : at + 1, 1);
    } else {
      cut_axis(call, part.cut, axis, data[axis], i, begin[i], end[i], stride[i]);
      part.shape.push_back(part.cut.shape[axis++]);
    }
  }
  for (; axis < data.size(); ++axis) part.shape.push_back(data[axis]);
  return part;
}

std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{call.type("data").dtype, part_of(call).shape}};
}

// out = data[begin:end:stride, …], with new_axis as numpy.newaxis, shrink_axis as a number, ellipsis as …
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  if (element_count(outs[0].type().shape) == 0) return {zeros_of(outs[0].type())};
  return {move(outs[0], call.input("data"), part_of(call).cut.places(call.type("data").shape))};
}
}  // namespace
Operator strided_slice() {
  return Operator("openvino", "StridedSlice")
      .summary("part of data, as NumPy's indexing has it, by masks")
      .page("movement/strided-slice-1")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(required(INTS, "begin_mask", flag()))
                     .attribute(required(INTS, "end_mask", flag()))
                     .attribute(optional(INTS, "new_axis_mask", flag()))
                     .attribute(optional(INTS, "shrink_axis_mask", flag()))
                     .attribute(optional(INTS, "ellipsis_mask", flag()));
                 s.input("data", "T")
                     .input("begin", "T_IND")
                     .input("end", "T_IND")
                     .input("stride", "T_IND", Arity::optional)
                     .output("out", "T")
                     .types("T", any_type)
                     .types("T_IND", types::integers);
               })
      .reading({.name = "strided_slice.end_mask_reverse",
                .alternatives = {"inclusive: end_mask with a negative stride goes down to the first element",
                                 "exclusive: it stops before that"},
                .defaults = {{1, "inclusive"}},
                .reason = "the page calls it array[::-1], and so do both programs; its sentence and numbers stop at 1"})
      .reading({.name = "strided_slice.begin_equals_end",
                .alternatives = {"empty: nothing is taken where begin is end", "one: the element there is"},
                .defaults = {{1, "empty"}},
                .reason = "end is exclusive, and both programs take nothing; a sentence of the page takes one element"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_strided_slice
