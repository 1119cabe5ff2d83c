// SPDX-License-Identifier: Apache-2.0
// ai.onnx Pow, versions 1, 7, 12, 13, 15
// https://onnx.ai/onnx/operators/onnx__Pow.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_pow {
namespace {
// Z = X^Y of the exact numbers;  of integer X the real number, truncated toward zero, modulo 2^bits
struct RaisedTo : RealFormula<2> {
  static constexpr bool wholes = true;
  bool zero_saturates;
  DType dtype;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& y) const {
    if constexpr (std::is_same_v<R, Whole>)
      if (zero_saturates && x.v == 0 && y.v < 0) return Whole::Wide{dtype == DType::int32 ? INT32_MAX : INT64_MAX};
    return pow(x, y);
  }
};

// What would be 1/0.
struct ZeroToNegative : RealFormula<2> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE Truth operator()(const R& x, const R& y) const {
    return (x == R(0.0)) & (R(-HUGE_VAL) < y) & (y < R(0.0)) & (y == round(y));
  }
};

bool is_of_integers(const Call& call) { return info(call.type("X").dtype).kind != Kind::floating; }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const TensorType& z = outs[0].type();
  const std::vector<Tensor> operands = broadcast_operands(call);
  if (is_of_integers(call) && call.reads("pow.integer_negative", "reject"))
    require_nowhere(outs[0], z.shape, operands, ZeroToNegative{}, "Z", "would be 0 to a negative power");
  using Beyond = Conversion::Beyond;
  const Beyond beyond = call.reads("pow.integer_result", "saturate")  ? Beyond::saturate
                        : call.reads("pow.integer_result", "minimum") ? Beyond::minimum
                        : call.reads("pow.integer_result", "reject")  ? Beyond::reject
                                                                      : Beyond::low_bits;
  return {elementwise(outs[0], operands, RaisedTo{{}, call.reads("pow.integer_negative", "saturate"), z.dtype},
                      {.beyond = beyond})};
}

void version_1(OpSchema& s) {
  s.input("X", "T").input("Y", "T").output("Z", "T").types("T", types::floats);
  with_old_broadcast(s);
}

void version_12(OpSchema& s) {
  s.add_types("T", types::signed_wide).types("T1", types::numbers);
  s.change_parameter("Y").type = "T1";
}
}  // namespace
Operator pow() {
  return Operator("ai.onnx", "Pow")
      .summary("X to the power of Y, element by element")
      .version(1, version_1)
      .version(7, with_numpy_broadcast)
      .version(12, version_12)
      .version(13, adds("T", DType::bfloat16))
      .version(15, adds("T1", DType::bfloat16))
      .reading(unit_dims_reading())
      .reading({.name = "pow.integer_result",
                .alternatives = {"wrap: the number is truncated, modulo 2^bits",
                                 "saturate: beyond the range the least or greatest",
                                 "minimum: beyond the range the least integer, as x86 has it",
                                 "reject: a number beyond the range is invalid"},
                .defaults = {{12, "wrap"}},
                .reason = "onnx.reference wraps; onnxruntime converts a double as the processor does",
                .may_change_values = is_of_integers})
      .reading({.name = "pow.integer_negative",
                .alternatives = {"reject: an integer 0 to a negative power is invalid", "zero: it is 0",
                                 "saturate: it is the greatest"},
                .defaults = {{12, "reject"}},
                .reason = "it is a division by zero",
                .may_change_values = is_of_integers})
      .output_types(broadcast_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_pow
