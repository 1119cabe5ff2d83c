// SPDX-License-Identifier: Apache-2.0
// ai.onnx Mod, versions 10, 13, 28
// https://onnx.ai/onnx/operators/onnx__Mod.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_mod {
namespace {
// fmod = 1:  C = A - n·B, n = A/B truncated: the sign of A
struct Fmod : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  double zero;  ///< is added for A = 0, so that -0 is kept or is not
  explicit Fmod(const Call& call) : zero(call.reads("mod.negative_zero", "positive") ? 0.0 : -0.0) {}
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    const R c = fmod(a, b);
    return choose(
        a == R(0.0), [&] { return c + R(zero); }, [&] { return c; });
  }
};

// fmod = 0:  C = A - n·B, n = floor(A/B): the sign of B
struct FloorMod : RealFormula<2> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE R operator()(const R& a, const R& b) const {
    return floor_mod(a, b);
  }
};

bool is_of_floats(const Call& call) { return is_floating(call.type("A").dtype); }
bool is_fmod(const Call& call) { return call.flag("fmod"); }

std::vector<ValueType> output_types(const Call& call) {
  const DType dtype = call.type("A").dtype;
  require(is_fmod(call) || !is_of_floats(call) || call.version() >= 28,
          "attribute 'fmod' is 0, but must be 1 with {}: {} has a floor modulus of integers only", dtype, call.title());
  require(!is_fmod(call) || is_of_floats(call) || !call.reads("mod.fmod_integer", "reject"),
          "attribute 'fmod' is 1, but {} is no floating type; the reading mod.fmod_integer=accept allows it", dtype);
  return broadcast_types(call);
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<Tensor> operands = broadcast_operands(call);
  require_divisors(outs[0], "B", operands[1]);
  if (is_fmod(call)) return {elementwise(outs[0], operands, Fmod(call))};
  return {elementwise(outs[0], operands, FloorMod{})};
}

bool is_float_fmod(const Call& call) { return is_fmod(call) && is_of_floats(call); }

void version_10(OpSchema& s) {
  s.input("A", "T").input("B", "T").output("C", "T").types("T", types::numbers);
  s.attribute(with_default("fmod", 0, flag()));
}
}  // namespace
Operator mod() {
  return Operator("ai.onnx", "Mod")
      .summary("the rest of A divided by B, element by element")
      .version(10, version_10)
      .version(13, adds("T", DType::bfloat16))
      .version(28, words("fmod 0 is also of floating types"))
      .reading({.name = "mod.fmod_integer",
                .alternatives = {"accept: fmod 1 of integers truncates", "reject: it is invalid"},
                .defaults = {{13, "accept"}, {28, ""}},
                .reason = "published test_mod_int64_fmod; the text of 13 has fmod 1 for floating types only"})
      .reading({.name = "mod.negative_zero",
                .alternatives = {"keep: fmod of -0 is -0", "positive: it is +0"},
                .defaults = {{13, "keep"}},
                .reason = "C's fmod keeps the sign of the dividend; the page permits both",
                .may_change_values = is_float_fmod})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_mod
