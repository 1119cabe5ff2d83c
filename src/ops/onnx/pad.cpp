// SPDX-License-Identifier: Apache-2.0
// ai.onnx Pad, versions 1, 2, 11, 13, 18, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Pad.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_pad {
namespace {
enum class Mode : std::uint8_t { constant, reflect, edge, wrap };

/// An axis of n elements, of which number `begin` is the first of data. What may be repeated is data[low, high).
struct Padded {
  std::int64_t n, begin, low, high;
};

/// Along an axis of `size`. Negative pads remove elements, before others are added: what is left is repeated.
Padded padded_axis(const Call& call, size_t axis, std::int64_t size, std::int64_t begin, std::int64_t end) {
  const auto mode = call.choice<Mode>("mode");
  const bool crops = mode == Mode::constant || call.reads("pad.crop_first", "crop");
  const std::int64_t n = checked_add(checked_add(size, std::min(begin, end)), std::max(begin, end)),
                     low = crops && begin < 0 ? checked_subtract(0, begin) : 0,
                     high = crops && end < 0 ? checked_add(size, end) : size;
  require(n >= 0, "pads {} and {} leave {} elements of axis {}, of size {}", begin, end, n, axis, size);
  require(mode == Mode::constant || high > low || n == 0,
          "pads {} and {} leave nothing of axis {}, of size {}, that mode {} could repeat", begin, end, axis, size,
          call.string("mode"));
  if (mode == Mode::reflect && call.reads("pad.reflect_wide", "invalid"))
    require(std::max(begin, end) < std::max<std::int64_t>(high - low, 1),
            "pads {} and {} of axis {} reach beyond its {}, which the reading pad.reflect_wide=invalid refuses", begin,
            end, axis, counted(high - low, "element"));
  return {n, begin, low, high};
}

std::vector<Padded> padded_axes(const Call& call) {
  const Dims& data = call.type("data").shape;
  const std::string_view name = call.version() == 1 ? "paddings" : "pads";
  const std::vector<size_t> axes = axes_of(call, data.size());
  const size_t n = axes.size();
  const std::string needed = n == 1 ? "2: its one axis has a begin and an end"
                                    : format("{}: the begins of {} axes, then their ends", 2 * n, n);
  require(call.attributes().contains(name) || !call.type(name).shape.empty(),
          "{} is one number, but must be a list of {}", name, needed);
  const std::vector<std::int64_t> pads = list_of(call, name);
  require(pads.size() == 2 * n, "{} has {}, but must have {}", name, counted(std::ssize(pads), "value"), needed);
  const bool interleaved = call.reads("pad.v1_order", "interleaved");
  std::vector<Padded> padded;
  for (const std::int64_t size : data) padded.push_back({size, 0, 0, size});
  for (size_t k = 0; k < n; ++k) {
    const std::int64_t begin = pads[interleaved ? 2 * k : k], end = pads[interleaved ? 2 * k + 1 : n + k];
    padded[axes[k]] = padded_axis(call, axes[k], data[axes[k]], begin, end);
  }
  return padded;
}

std::vector<ValueType> output_types(const Call& call) {
  const DType dtype = call.type("data").dtype;
  require_scalar_or_one(call, "constant_value");
  require(dtype != DType::float8_e8m0fnu || call.has("constant_value") || call.choice<Mode>("mode") != Mode::constant,
          "float8_e8m0fnu has no 0, which an absent constant_value would be");
  Dims shape;
  for (const Padded& axis : padded_axes(call)) shape.push_back(axis.n);
  return {TensorType{dtype, shape}};
}

/// value of versions 1 and 2, rounded to the type of data; else constant_value, 0, False or "".
std::optional<Tensor> stated_fill(const Call& call) {
  if (call.has("constant_value")) return call.input("constant_value");
  return call.has("value") ? std::optional(fill_of(call.number("value"), call.type("data").dtype)) : std::nullopt;
}

// output[i] = data[i - begin] along each axis; where that is outside
//   constant: the fill    edge: the nearest    wrap: modulo n    reflect: there and back again, a period of 2·n - 2
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const auto mode = call.choice<Mode>("mode");
  const std::vector<Padded> axes = padded_axes(call);
  const auto from = [&](size_t axis, std::int64_t i) -> std::int64_t {
    const auto& [count, begin, low, high] = axes[axis];
    const std::int64_t at = i - (begin + low), n = high - low;
    const auto modulo = [at](std::int64_t period) { return (at % period + period) % period; };
    if (at >= 0 && at < n) return low + at;
    if (mode == Mode::constant) return -1;
    if (mode == Mode::edge) return low + (at < 0 ? 0 : n - 1);
    if (mode == Mode::wrap) return low + modulo(n);
    return low + (n == 1 ? 0 : std::min(modulo(2 * n - 2), 2 * n - 2 - modulo(2 * n - 2)));
  };
  return {moved_by_axis(outs[0], call.input("data"), from, stated_fill(call))};
}

bool has_several_axes(const Call& call) { return call.type("data").rank() > 1; }
bool repeats(const Call& call) { return call.choice<Mode>("mode") != Mode::constant; }

void version_1(OpSchema& s) {
  s.input("data", "T").output("output", "T").types("T", types::floats).shape_inference(ShapeInference::none);
  s.attribute(with_default("mode", "constant", one_of({"constant", "reflect", "edge"})));
  s.attribute(required(INTS, "paddings", at_least(0))).attribute(with_default("value", 0.0F));
}

void version_2(OpSchema& s) {
  s.remove("paddings").attribute(required(INTS, "pads")).shape_inference(ShapeInference::onnx);
  s.wording("negative pads remove elements");
}

void version_11(OpSchema& s) {
  s.remove("value").becomes_input("pads", Arity::single).input("constant_value", "T", Arity::optional);
  s.types("T", types::numbers);
}

void version_18(OpSchema& s) { s.input("axes", "Tind", Arity::optional).types("Tind", types::signed_wide); }
void version_19(OpSchema& s) { s.change("mode").range = one_of({"constant", "reflect", "edge", "wrap"}); }
}  // namespace
Operator pad() {
  Operator op = Operator("ai.onnx", "Pad")
                    .summary("the input with further elements at the ends of its axes, or with fewer")
                    .version(1, version_1)
                    .version(2, version_2)
                    .version(11, version_11)
                    .version(13, allows("T", types::ir4))
                    .version(18, version_18)
                    .version(19, version_19);
  return with_newer_types(std::move(op), "T")
      .reading({.name = "pad.v1_order",
                .alternatives = {"begins: all begins, then all ends",
                                 "interleaved: begin and end of one axis, then of the next"},
                .defaults = {{1, "begins"}, {2, ""}},
                .reason = "the stated format; the example of version 1, [0,0,2,0], is interleaved",
                .may_change_values = has_several_axes})
      .reading({.name = "pad.crop_first",
                .alternatives = {"crop: what negative pads leave is reflected, repeated or wrapped",
                                 "whole: what they remove is, too"},
                .defaults = {{2, "crop"}},
                .reason = "onnxruntime crops first, the page does not say",
                .may_change_values = repeats})
      .reading({.name = "pad.reflect_wide",
                .alternatives = {"repeat: reflections repeat, as those of numpy.pad", "invalid: the pad is too wide"},
                .defaults = {{1, "repeat"}},
                .reason = "the page says \"similar to numpy.pad\"; onnxruntime refuses pads beyond n - 1"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_pad
