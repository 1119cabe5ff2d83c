// SPDX-License-Identifier: Apache-2.0
// ai.onnx Erf, versions 9, 13
// https://onnx.ai/onnx/operators/onnx__Erf.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_erf {
namespace {
// 2/√π·∫ e^(-t²) dt from 0 to x
struct Erf : RealFormula<1> {
  static constexpr Sign sign = Sign::as_input;
  static constexpr double greatest = 1;
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return erf(x);
  }
};

// Of an integer x != 0 it is a number between 0.84 and 1, or its negative: as an integer 0, or ±1 from some |x| on.
struct ErfOfInteger : RealFormula<1> {
  static constexpr bool one_operation = true, integers = true;
  bool is_nearest, is_float_first;
  explicit ErfOfInteger(const Call& call)
      : is_nearest(call.reads("erf.integer", "nearest")), is_float_first(call.reads("erf.integer", "float32")) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    constexpr double kFloatIsOne = 4;  // 1 - erf(4) = 1.5e-8, half of a float32's place below 1; 1 - erf(3) = 2.2e-5
    if (!is_nearest && !is_float_first) return R(0.0);
    const double size = is_nearest ? 1.0 : kFloatIsOne;
    const R least(size), most_below(-size);
    const R from_below = choose(
        most_below < x, [] { return R(0.0); }, [] { return R(-1.0); });
    const R otherwise = choose(
        x < R(0.0), [&] { return from_below; }, [] { return R(0.0); });
    return choose(
        x < least, [&] { return otherwise; }, [] { return R(1.0); });
  }
};

bool is_of_integers(const Call& call) { return !is_floating(call.type("input").dtype); }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return is_of_integers(call) ? each_element<ErfOfInteger>(call, outs) : each_element<Erf>(call, outs);
}

void version_9(OpSchema& s) { s.input("input", "T").output("output", "T").types("T", types::numbers); }
}  // namespace
Operator erf() {
  return Operator("ai.onnx", "Erf")
      .summary("the error function of each element")
      .version(9, version_9)
      .version(13, allows("T", types::floats | DType::bfloat16))
      .reading({.name = "erf.integer",
                .alternatives = {"truncate: toward zero, so always 0", "nearest: ±1 but for 0",
                                 "float32: as a float32 first, which is ±1 from 4 on, then truncated"},
                .defaults = {{9, "truncate"}, {13, ""}},
                .reason = "the output has the type of the input, and the text says nothing of how; as Cast does it",
                .may_change_values = is_of_integers})
      .output_types(same_type)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_erf
