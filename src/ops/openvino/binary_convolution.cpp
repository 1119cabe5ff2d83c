// SPDX-License-Identifier: Apache-2.0
// openvino BinaryConvolution, version 1 (opset1)
// https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/binary-convolution-1.html
#include "evaluators/elements.h"
#include "ops/operator_file.h"
#include "ops/shared/openvino_windows.h"
namespace opref::ops::openvino::file_binary_convolution {
namespace {
// output0[n, m, o] = 2·P - B, where P of the B pairs (input0[n, c, o*s + k*d - pb], input1[m, c, k]) are equal:
// the convolution of the same values with -1 in place of 0, where pad_value stands outside input0.

/// 1 of 1, -1 of 0, as bits of the type.
std::uint64_t sign(DType dtype, bool is_one) { return bits_of_number(dtype, !is_one, 1, 0); }

/// What stands outside input0.
std::uint64_t padding(const Call& call, DType dtype) {
  const double value = call.number("pad_value");
  if (call.reads("convolution.pad_value", "term")) {
    require(value == -1 || value == 0 || value == 1, "pad_value is {}, but must be -1, 0 or 1", value);
    return bits_of_number(dtype, value < 0, value == 0 ? 0 : 1, 0);
  }
  require(value == 0 || value == 1, "pad_value is {}, but must be 0 or 1, as the values of input0", value);
  return sign(dtype, value == 1);
}

Input signs(const Input& bits, DType dtype) {
  const TensorType type{dtype, bits.type.tensor.shape};
  if (!bits.value) return {bits.name, type, {}};
  const evaluators::Elements elements(*bits.value->tensor());
  return {bits.name, type, Value(tensor_of_bits(type, [&](std::int64_t i) {
            const double element = elements.number(i);
            require(element == 0 || element == 1, "{} has {} at {}, but must have 0 or 1 alone", bits.name, element,
                    coordinates(i, type.shape));
            return sign(dtype, element == 1);
          }))};
}

/// input0 as signs, with its pads.
Input padded(const Input& signs, const PoolingWindows& w, std::uint64_t padding) {
  const TensorType type{signs.type.dtype(), join(signs.type.tensor.shape.first(2), w.pads.begin + w.L + w.pads.end)};
  if (!signs.value) return {signs.name, type, {}};
  const std::int64_t rows = w.L[0], columns = w.L[1], wide = type.shape[3],
                     plane = checked_multiply(type.shape[2], wide);
  return {signs.name, type, Value(tensor_of_bits(type, [&](std::int64_t i) {
            const std::int64_t y = i % plane / wide - w.pads.begin[0], x = i % wide - w.pads.begin[1];
            const bool is_inside = y >= 0 && y < rows && x >= 0 && x < columns;
            return is_inside ? element_bits(*signs.value->tensor(), (i / plane * rows + y) * columns + x) : padding;
          }))};
}

void of_signs(const Call& call, Restated& convolution) {
  const auto& [dtype, data] = call.type("input0");
  const Dims& kernel = call.type("input1").shape;
  require(data.size() == 4 && kernel.size() == 4, "input0 has shape {} and input1 has {}, but both must have rank 4",
          data, kernel);
  require(data[1] == kernel[1], "input0 has shape {} and input1 has {}, but both must have as many channels", data,
          kernel);
  const PoolingWindows w = openvino_windows(call, spatial(kernel));
  convolution.inputs[0] = padded(signs(convolution.inputs[0], dtype), w, padding(call, dtype));
  convolution.inputs[1] = signs(convolution.inputs[1], dtype);
  for (const std::string_view pads : {"pads_begin", "pads_end"})
    convolution.set(pads, AttributeValue::of(std::vector<std::int64_t>{0, 0}));
  convolution.set("auto_pad", AttributeValue::of(std::string("explicit")));
}

bool has_pads(const Call& call) { return !is_zero(openvino_windows(call, spatial(call.type("input1").shape)).pads); }

void version_1(OpSchema& s) {
  openvino_convolution_attributes(s);
  s.attribute(required(STRING, "mode", one_of({"xnor-popcount"}))).attribute(required(FLOAT, "pad_value"));
  s.input("input0", "T1", "the data, [N, C_IN, Y, X], of 0 and 1")
      .input("input1", "T2", "the kernels, [C_OUT, C_IN, Y, X], of 0 and 1")
      .output("output0", "T1", "the result, [N, C_OUT, Y, X]")
      .types("T1", openvino_numbers(), "Any numeric type.")
      .types("T2", DType::uint1);
}
}  // namespace
Operator binary_convolution() {
  return Operator("openvino", "BinaryConvolution")
      .summary("convolution of values of which 0 stands for -1: of each window's pairs, the equal ones less the others")
      .page("convolution/binary-convolution-1")
      .version(1, version_1)
      .reading({.name = "convolution.pad_value",
                .alternatives = {"input: pads are values of input0: 0 stands for -1, 1 for 1",
                                 "term: pads are the numbers themselves, -1, 0 or 1: of 0 they add nothing"},
                .defaults = {{1, "input"}},
                .reason = "the page fills the pad area with pad_value and interprets a 0 of its inputs as -1; so does "
                          "OpenVINO's reference; its CPU plugin takes 0 as nothing",
                .may_change_values = has_pads})
      .as("openvino", "Convolution", 1,
          {{"input0", "data"}, {"input1", "kernel"}, {"output0", "output"}, {"mode", ""}, {"pad_value", ""}})
      .restated(of_signs);
}
}  // namespace opref::ops::openvino::file_binary_convolution
