// SPDX-License-Identifier: Apache-2.0
// ai.onnx BitShift, versions 11, 28
// https://onnx.ai/onnx/operators/onnx__BitShift.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_bit_shift {
namespace {
// Z = X shifted by Y places: what Y < 0 or Y >= width leaves is 0, or -1 to the right of a negative X
struct Left : RealFormula<2> {
  static constexpr bool integers = true, is_real = false;
  std::uint64_t width;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& y) const {
    return shift_left(x, y, width);
  }
};
struct Right : RealFormula<2> {
  static constexpr bool integers = true, is_real = false;
  std::uint64_t width;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& y) const {
    return shift_right(x, y, width);
  }
};
// Y counts modulo the width, a power of two
template <class Shift>
struct ByRest : Shift {
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& y) const {
    return Shift::operator()(x, y& R::whole(Shift::width - 1));
  }
};

struct IsTooFar : RealFormula<1> {
  static constexpr bool integers = true, is_real = false;
  std::uint64_t width;
  template <class R>
  OPREF_INLINE Truth operator()(const R& y) const {
    return !(y < R::whole(width));
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const auto width = static_cast<std::uint64_t>(info(outs[0].type().dtype).bits);
  const std::vector<Tensor> operands = broadcast_operands(call);
  if (call.reads("bit_shift.too_far", "reject"))
    require_nowhere(outs[0], operands[1].shape(), std::array{operands[1]}, IsTooFar{{}, width}, "Y",
                    format("must be from 0 to {}, the type's bits less 1", width - 1));
  const bool is_left = call.string("direction") == "LEFT";
  if (call.reads("bit_shift.too_far", "modulo"))
    return {is_left ? elementwise(outs[0], operands, ByRest<Left>{{{}, width}})
                    : elementwise(outs[0], operands, ByRest<Right>{{{}, width}})};
  return {is_left ? elementwise(outs[0], operands, Left{{}, width}) : elementwise(outs[0], operands, Right{{}, width})};
}

bool may_be_too_far(const Call& call) {
  if (!call.has_value("Y")) return true;
  const Elements y(call.input("Y"));
  for (std::int64_t i = 0; i < call.input("Y").count(); ++i)
    if (y.wide(i) >= info(call.type("Y").dtype).bits) return true;
  return false;
}

void version_11(OpSchema& s) {
  s.input("X", "T").input("Y", "T").output("Z", "T");
  s.types("T", types::unsigned_wide | Types{DType::uint16, DType::uint8});
  s.attribute(required(STRING, "direction", one_of({"LEFT", "RIGHT"})));
}
}  // namespace
Operator bit_shift() {
  return Operator("ai.onnx", "BitShift")
      .summary("the bits of X, moved by Y places")
      .version(11, version_11)
      .version(28, allows("T", types::integers))
      .reading({.name = "bit_shift.too_far",
                .alternatives = {"zero: nothing is left", "modulo: Y counts modulo the type's bits",
                                 "reject: it is invalid"},
                .defaults = {{11, "zero"}, {28, ""}},
                .reason = "28 says what is left; 11 says nothing, C and processors differ",
                .may_change_values = may_be_too_far})
      .output_types(broadcast_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_bit_shift
