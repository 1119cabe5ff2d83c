// SPDX-License-Identifier: Apache-2.0
// Operators whose output has an element for each element of their inputs: one input, two that broadcast, any number.
#pragma once

#include <array>
#include <cmath>

#include "evaluators/elementwise.h"
#include "evaluators/strided.h"
#include "schema/operator.h"
namespace opref::ops {
// Operators of one input whose output has its type and shape.

/// The type of the first input.
std::vector<ValueType> same_type(const Call& call);
/// bool, of the shape of the first input.
std::vector<ValueType> truth_of_each(const Call& call);

/// Versions 1, with `consumed_inputs`, 6 and, with bfloat16, 13 of an operator of floats.
Operator unary_since_1(std::string_view op_type, std::string_view input = "input", std::string_view output = "output");
/// The same with version 6 taking integers too, its parameters being X and Y.
Operator unary_with_integers(std::string_view op_type, const Types& integers);
/// An operator of floats that came with `since_version`, and version 22 with bfloat16.
Operator unary_until_22(std::string_view op_type, std::int64_t since_version, std::string_view input = "input",
                        std::string_view output = "output");

/// Versions 1 of such operators have this attribute, of any length, which says nothing.
void with_consumed_inputs(OpSchema& s);
/// Version 6 removes it.
void without_consumed_inputs(OpSchema& s);

/// Whether an element of the first input, as far as its values are known, is such a number: for readings.
bool has_element(const Call& call, bool (*is_such)(double));
inline bool is_negative_zero(double x) { return x == 0 && std::signbit(x); }

/// F of each element of the first input. F is made of nothing, or of the call.
template <class F>
std::vector<Value> each_element(const Call& call, std::span<const Output> outs) {
  const std::array operands{call.input(call.schema().inputs()[0].name)};
  if constexpr (std::is_constructible_v<F, const Call&>)
    return {elementwise(outs[0], operands, F(call))};
  else
    return {elementwise(outs[0], operands, F{})};
}

// Elementwise operators of two inputs: NumPy's broadcasting, and ONNX's before opset 7.

/// One output of the first input's element type. From version 7 on of the shape to which the first two inputs, A and B,
/// broadcast; before, of A's shape: without `broadcast` B has it too, with it B's axes lie on those of A from `axis`
/// on, by default on the last ones.
std::vector<ValueType> broadcast_types(const Call& call);
/// The same, of bool.
std::vector<ValueType> truth_types(const Call& call);

/// A and B, in shapes that NumPy's broadcasting takes to that of the output.
std::vector<Tensor> broadcast_operands(const Call& call);

/// What versions before 7 have, and what 7 does to it.
void with_old_broadcast(OpSchema& s);
void with_numpy_broadcast(OpSchema& s);
/// old_broadcast.unit_dims, of versions 1 to 6.
Reading unit_dims_reading();

/// Versions 1, 6, 7, 13 and 14 of Add, Sub, Mul and Div, their readings and output types.
Operator arithmetic(std::string_view op_type);
/// Versions 1, 7, 9 and 13 of Less and Greater.
Operator ordered(std::string_view op_type);
/// Versions 12 and 16 of LessOrEqual and GreaterOrEqual.
Operator ordered_or_equal(std::string_view op_type);
/// Versions 1 and 7 of And, Or and Xor.
Operator logical(std::string_view op_type);
/// Version 18 of BitwiseAnd, BitwiseOr and BitwiseXor.
Operator bitwise(std::string_view op_type);

// Kernels of operators of two broadcast inputs, and what their integers may not be.

/// F of each pair of elements of the first two inputs. F is made of nothing, or of the call.
template <class F>
std::vector<Value> each_pair(const Call& call, std::span<const Output> outs) {
  if constexpr (std::is_constructible_v<F, const Call&>)
    return {elementwise(outs[0], broadcast_operands(call), F(call))};
  else
    return {elementwise(outs[0], broadcast_operands(call), F{})};
}

// What would have no number, for require_nowhere.
struct IsZero : RealFormula<1> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE Truth operator()(const R& x) const {
    return x == R(0.0);
  }
};
/// An integer divisor of 0 is `invalid`, with its position; nothing is divided where the output is empty.
inline void require_divisors(const Output& out, std::string_view name, const Tensor& divisors) {
  const TensorType& type = out.type();
  if (info(type.dtype).kind != Kind::floating && element_count(type.shape) > 0)
    require_nowhere(out, divisors.shape(), std::array{divisors}, IsZero{}, name,
                    "is 0, but must not be: it is a divisor");
}

// Max, Min, Sum and Mean: elementwise operators of one input or more.

/// Versions 1, 6, 8 and 13 of such an operator, and 12, of all numbers, where it has that; its output types: before 8
/// of the inputs' one shape, then of the shape to which they broadcast.
enum class Integers12 : std::uint8_t { no, yes };
Operator variadic(std::string_view op_type, std::string_view output, Integers12 integers);

/// The places of each input's elements that meet in an element of the output.
std::vector<Strided> input_places(std::span<const Tensor> inputs, const Dims& output);
}  // namespace opref::ops
