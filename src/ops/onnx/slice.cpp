// SPDX-License-Identifier: Apache-2.0
// ai.onnx Slice, versions 1, 10, 11, 13
// https://onnx.ai/onnx/operators/onnx__Slice.html
#include "ops/operator_file.h"
namespace opref::ops::onnx {
namespace {
/// What is taken along each axis: output[i] = data[start + i·step].
struct Cut {
  Dims start, step, shape;
};

/// The list, which has as many values as starts.
std::vector<std::int64_t> list_like_starts(const Call& call, std::string_view name, size_t n) {
  const std::vector<std::int64_t> list = list_of(call, name);
  require(list.size() == n, "{} has {}, but {} has {}", call.name(name), counted(std::ssize(list), "value"),
          call.name("starts"), n);
  return list;
}

/// "If axes are omitted, they are set to [0, …, ndim-1]", of which version 1 takes the first len(starts).
std::vector<size_t> sliced_axes(const Call& call, size_t rank, size_t n) {
  if (call.has("axes")) {
    list_like_starts(call, "axes", n);
    return axes_of(call, rank);
  }
  require(n <= rank, "{} has {}, but data has rank {}", call.name("starts"),
          counted(static_cast<long long>(n), "value"), rank);
  require(n == rank || call.reads("slice.axes_omitted", "leading"),
          "{} has {}, but data has rank {}: without axes there must be one for each", call.name("starts"), n, rank);
  return all_axes(n);
}

/// Along an axis of `size`: negative starts and ends count from its end; then start is clamped to the axis, end to one
/// place beyond it. Nothing leaves 64 bits.
void cut_axis(Cut& cut, size_t a, std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (start < 0) start += size;
  if (end < 0) end += size;
  const bool up = step > 0;
  start = std::clamp<std::int64_t>(start, 0, up ? size : std::max<std::int64_t>(size - 1, 0));
  end = std::clamp<std::int64_t>(end, up ? 0 : -1, up ? size : size - 1);
  const std::int64_t room = up ? end - start : start - end;
  const std::uint64_t stride = up ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const std::int64_t count =
      room <= 0 || size == 0 ? 0 : static_cast<std::int64_t>((static_cast<std::uint64_t>(room) - 1) / stride) + 1;
  cut.start[a] = start, cut.step[a] = count <= 1 ? 1 : step, cut.shape[a] = count;
}

Cut cut_of(const Call& call) {
  const Dims& data = call.type("data").shape;
  const std::vector<std::int64_t> starts = list_of(call, "starts");
  const size_t n = starts.size();
  const std::vector<std::int64_t> ends = list_like_starts(call, "ends", n),
                                  steps = call.has("steps") ? list_like_starts(call, "steps", n)
                                                            : std::vector<std::int64_t>(n, 1);
  const std::vector<size_t> axes = sliced_axes(call, data.size(), n);
  Cut cut{Dims::filled(data.size(), 0), Dims::filled(data.size(), 1), data};
  for (size_t k = 0; k < n; ++k) {
    require(steps[k] != 0, "{}[{}] is 0, but no step can be", call.name("steps"), k);
    cut_axis(cut, axes[k], data[axes[k]], starts[k], ends[k], steps[k]);
  }
  return cut;
}

std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{call.type("data").dtype, cut_of(call).shape}};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  if (element_count(outs[0].type().shape) == 0) return {zeros_of(outs[0].type())};
  const Cut cut = cut_of(call);
  const Dims strides = strides_of(data.shape());
  std::int64_t first = 0;
  for (size_t a = 0; a < strides.size(); ++a) first += cut.start[a] * strides[a];
  return {move(outs[0], data, Strided(cut.shape, cut.step * strides, first))};
}

void version_1(OpSchema& s) {
  s.input("data", "T").output("output", "T").types("T", types::basic);
  s.attribute(optional(INTS, "axes")).attribute(required(INTS, "ends")).attribute(required(INTS, "starts"));
}

void version_10(OpSchema& s) {
  s.remove("axes").remove("ends").remove("starts").input("starts", "Tind").input("ends", "Tind");
  s.input("axes", "Tind", Arity::optional).input("steps", "Tind", Arity::optional);
  s.types("Tind", types::signed_wide);
}
}  // namespace
Operator slice() {
  return Operator("ai.onnx", "Slice")
      .summary("every so many elements along some axes, from a start to an end")
      .version(1, version_1)
      .version(10, version_10)
      .version(11, words("axes may be negative: they then count from the last axis back"))
      .version(13, adds("T", DType::bfloat16))
      .reading(negative_axis_reading(1, 11))
      .reading({.name = "slice.axes_omitted",
                .alternatives = {"leading: starts may be fewer than the axes, the first of which they mean",
                                 "all: there must be one for each axis"},
                .defaults = {{1, "leading"}},
                .reason = "version 1 says len(starts), the others ndim; ONNX's inference takes the leading axes"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx
