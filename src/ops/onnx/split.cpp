// SPDX-License-Identifier: Apache-2.0
// ai.onnx Split, versions 1, 2, 11, 13, 18
// https://onnx.ai/onnx/operators/onnx__Split.html
#include "ops/operator_file.h"
#include "schema/remedies.h"
namespace opref::ops::onnx::file_split {
namespace {
using Sizes = std::vector<std::int64_t>;

/// Version 1 does not say what the axis is where it is absent.
size_t axis_along(const Call& call, size_t rank) {
  if (call.has("axis")) return axis_of(call, rank);
  require(call.reads("split.v1_axis", "0"), "attribute 'axis' is missing; the reading split.v1_axis=0 takes it as 0");
  require(rank > 0, "input is a scalar, but needs an axis to be split along");
  return 0;
}

/// split: an attribute, an input, or either of them, which is then of input's own type.
std::optional<Sizes> stated_sizes(const Call& call) {
  const bool in_both = call.version() == 1, has_input = call.inputs().size() > 1 && call.has("split");
  if (!in_both || !has_input) return call.has("split") ? std::optional(list_of(call, "split")) : std::nullopt;
  require(!call.stated("split"), "{} is stated twice, as an attribute of {} and among its inputs", call.name("split"),
          call.title());
  const Tensor& split = call.inputs()[1].tensor();
  require(split.shape().size() == 1, "{} has shape {}, but must be a list", call.name("split"), split.shape());
  const Elements numbers(split);
  Sizes sizes;
  for (std::int64_t k = 0; k < split.count(); ++k) {
    const double size = numbers.number(k);
    require(size == std::floor(size) && std::abs(size) < 0x1p63, "{}[{}] is {}, but must be a whole number",
            call.name("split"), k, size);
    sizes.push_back(static_cast<std::int64_t>(size));
  }
  return sizes;
}

/// n parts of equal size; from version 18 on the last may be smaller.
Sizes equal_parts(const Call& call, std::int64_t size, std::int64_t n) {
  if (call.version() < 18) {
    require(size % n == 0, "axis {} of {} has size {}, which does not divide into {} equal parts",
            call.has("axis") ? call.integer("axis") : 0, call.name("input"), size, n);
    return Sizes(static_cast<size_t>(n), size / n);
  }
  const std::int64_t part = size / n + (size % n != 0 ? 1 : 0);
  require(call.reads("split.overshoot", "clip") || (n - 1) * part <= size,
          "num_outputs is {}, but size {} does not divide into {} parts of {} and a last one that is smaller; the "
          "reading split.overshoot=clip gives what is left",
          n, size, n - 1, part);
  Sizes sizes;
  for (std::int64_t k = 0, rest = size; k < n; rest -= sizes.back(), ++k) sizes.push_back(std::min(part, rest));
  return sizes;
}

/// The size of each output along the axis.
Sizes sizes_along(const Call& call, std::int64_t size) {
  const auto stated = stated_sizes(call);
  const auto outputs = static_cast<std::int64_t>(call.output_count());
  if (call.version() >= 18 && stated.has_value() == call.has("num_outputs")) {
    const WayOut give = stated ? WayOut() : WayOut(kGiveAttributes, "num_outputs=INT");
    fail(Fault::invalid, give, "{} takes either {} or num_outputs, but has {}", call.title(), call.name("split"),
         stated ? "both" : "neither");
  }
  if (!stated) {
    if (call.has("num_outputs"))
      require(call.integer("num_outputs") == outputs, "num_outputs is {}, but the node has {}",
              call.integer("num_outputs"), counted(outputs, "output"));
    return equal_parts(call, size, std::max<std::int64_t>(outputs, 1));
  }
  const std::string text = join_some(*stated, ",");
  require(std::ssize(*stated) == outputs, "{} is [{}], but the node has {}", call.name("split"), text,
          counted(outputs, "output"));
  std::int64_t sum = 0;
  for (const std::int64_t part : *stated) {
    require(part >= 0, "{} is [{}], but no size can be negative", call.name("split"), text);
    sum = checked_add(sum, part);
  }
  require(sum == size, "{} is [{}], which is {} in all, but the axis has size {}", call.name("split"), text, sum, size);
  return *stated;
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, input] = call.type("input");
  const size_t axis = axis_along(call, input.size());
  std::vector<ValueType> types;
  Dims shape = input;
  for (const std::int64_t size : sizes_along(call, input[axis])) {
    shape[axis] = size;
    types.emplace_back(TensorType{dtype, shape});
  }
  return types;
}

// outputs[k][i] = input[i + first], first being the sum of the sizes before k, along the axis
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& input = call.input("input");
  const size_t axis = axis_along(call, input.shape().size());
  const Dims strides = strides_of(input.shape());
  std::vector<Value> outputs;
  std::int64_t first = 0;
  for (const Output& out : outs) {
    outputs.emplace_back(move(out, input, Strided(out.type().shape, strides, first * strides[axis])));
    first += out.type().shape[axis];
  }
  return outputs;
}

void version_1(OpSchema& s) {
  s.input("input", "T").input("split", "T", Arity::optional).output("outputs...", "T", Arity::variadic);
  s.types("T", types::floats).attribute(optional(INT, "axis")).attribute(optional(INTS, "split"));
  s.shape_inference(ShapeInference::none);
}

void version_2(OpSchema& s) {
  s.anew();
  s.input("input", "T").output("outputs", "T", Arity::variadic).types("T", types::basic);
  s.attribute(with_default("axis", 0)).attribute(optional(INTS, "split")).shape_inference(ShapeInference::onnx);
}
}  // namespace
Operator split() {
  return Operator("ai.onnx", "Split")
      .summary("consecutive parts of the input along an axis, each an output")
      .version(1, version_1)
      .version(2, version_2)
      .version(11, words("axis may be negative: it then counts from the last axis back"))
      .version(13, [](OpSchema& s) { s.becomes_input("split").types("T", types::ir4); })
      .version(18, [](OpSchema& s) { s.attribute(optional(INT, "num_outputs", at_least(1))); })
      .reading(negative_axis_reading(1, 11, "accept"))
      .reading({.name = "split.v1_axis",
                .alternatives = {"0: an absent axis is 0", "reject: it is invalid"},
                .defaults = {{1, "0"}, {2, ""}},
                .reason = "version 2 states the default, version 1 none"})
      .reading({.name = "split.overshoot",
                .alternatives = {"invalid: parts beyond the end are invalid", "clip: they are empty"},
                .defaults = {{18, "invalid"}},
                .reason = "the page lets only the last part be smaller; ONNX's reference clips"})
      .output_types(output_types)
      .outputs_counted_by({.elements_of = "split", .attribute = "num_outputs"})
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_split
