// SPDX-License-Identifier: Apache-2.0
// openvino Pad, versions 1 (opset1), 12 (opset12)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_pad {
namespace {
enum class Mode : std::uint8_t { constant, edge, reflect, symmetric };

/// How the axis grows at both ends; by less than nothing it shrinks.
struct Ends {
  std::vector<std::int64_t> begin, end;
};
Ends ends_of(const Call& call) {
  const Dims& data = call.type("data").shape;
  Ends ends{list_of(call, "pads_begin"), list_of(call, "pads_end")};
  for (const std::string_view name : {"pads_begin", "pads_end"}) {
    const std::vector<std::int64_t>& pads = name == "pads_begin" ? ends.begin : ends.end;
    require(pads.size() == data.size(), "{} has {}, but data has rank {}", name, counted(std::ssize(pads), "value"),
            data.size());
    require(call.version() >= 12 || std::ranges::none_of(pads, [](std::int64_t n) { return n < 0; }),
            "{} is {}, but no pad of {} can be negative", name, Dims(pads), call.title());
  }
  return ends;
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  const auto mode = call.choice<Mode>("pad_mode");
  if (call.has("pad_value")) require_scalar(call, "pad_value");
  require(dtype != DType::string || mode == Mode::constant,
          "attribute 'pad_mode' is {}, but strings are padded with constant alone", call.string("pad_mode"));
  const auto [begin, end] = ends_of(call);
  Dims shape;
  for (size_t axis = 0; axis < data.size(); ++axis) {
    const std::int64_t size = data[axis], most = mode == Mode::reflect ? size - 1 : size;
    shape.push_back(std::max<std::int64_t>(
        checked_add(checked_add(size, std::min(begin[axis], end[axis])), std::max(begin[axis], end[axis])), 0));
    require(mode == Mode::constant || mode == Mode::edge ||
                std::max(begin[axis], end[axis]) <= std::max<std::int64_t>(most, 0),
            "pads_begin is {} and pads_end {}, but mode {} pads axis {} of data {} by {} at most", Dims(begin),
            Dims(end), call.string("pad_mode"), axis, data, std::max<std::int64_t>(most, 0));
    require(mode == Mode::constant || size > 0 || shape[axis] == 0,
            "axis {} of data {} is empty: mode {} has nothing to pad it with", axis, data, call.string("pad_mode"));
  }
  return {TensorType{dtype, shape}};
}

// output[i] = data[i - begin] along each axis; outside of data
//   constant: pad_value    edge: the nearest    reflect: mirrored at the last element    symmetric: beyond it
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const auto mode = call.choice<Mode>("pad_mode");
  const Tensor& data = call.input("data");
  const auto [begin, end] = ends_of(call);
  const auto from = [&](size_t axis, std::int64_t i) -> std::int64_t {
    const std::int64_t at = i - begin[axis], last = data.shape()[axis] - 1;
    if (at >= 0 && at <= last) return at;
    if (mode == Mode::constant) return -1;
    if (mode == Mode::edge) return at < 0 ? 0 : last;
    const std::int64_t beyond = mode == Mode::symmetric ? 1 : 0;
    return at < 0 ? -at - beyond : 2 * last - at + beyond;
  };
  return {moved_by_axis(outs[0], data, from,
                        call.has("pad_value") ? std::optional(call.input("pad_value")) : std::nullopt)};
}

void version_1(OpSchema& s) {
  s.attribute(required(STRING, "pad_mode", one_of({"constant", "edge", "reflect", "symmetric"})));
  s.input("data", "T")
      .input("pads_begin", "T_INT")
      .input("pads_end", "T_INT")
      .input("pad_value", "T", Arity::optional)
      .output("output0", "T")
      .types("T", computed_numbers | DType::boolean)
      .types("T_INT", types::integers);
}
}  // namespace
Operator pad() {
  return Operator("openvino", "Pad")
      .summary("data with further elements at the ends of its axes, or with fewer")
      .page("movement/pad-12")
      .category("category data movement")
      .version(1, version_1)
      .version(12,
               [](OpSchema& s) {
                 s.rename("output0", "out").add_types("T", DType::string);
                 s.wording("negative pads remove elements");
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_pad
