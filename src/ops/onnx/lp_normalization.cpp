// SPDX-License-Identifier: Apache-2.0
// ai.onnx LpNormalization, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__LpNormalization.html
#include "evaluators/slices.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_lp_normalization {
namespace {
enum class OfZero : std::uint8_t { zero, nan, keeps_sign };

// output = input / (Σ |input|^p)^(1/p) along the axis, p being 1 or 2; "defined to be zero" where the norm is 0
struct LpNormalization {
  SliceOperand input;
  bool is_root;
  OfZero of_zero;

  template <class R>
  void operator()(const Slices<R>& s) const {
    const auto x = s.row(input);
    const bool is_zero = x.range().is_zero();
    const R total = is_root ? sum(square(x)) : sum(abs(x)), norm = is_root && !is_zero ? sqrt(total) : total;
    s.named("the norm", norm);
    if (!is_zero || of_zero == OfZero::nan) return s.put(0, x / norm);
    if (of_zero == OfZero::keeps_sign) return s.put(0, x);
    s.put(0, abs(x));
  }
};

std::vector<ValueType> output_types(const Call& call) {
  const TensorType& input = call.type("input");
  call.axis("axis", input.rank());
  return {input};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& x = call.type("input").shape;
  const Slicing lines = Slicing::along(x, {call.axis("axis", x.size())});
  const OfZero of_zero = call.reads("lp_normalization.zero", "nan")          ? OfZero::nan
                         : call.reads("lp_normalization.zero", "keeps_sign") ? OfZero::keeps_sign
                                                                             : OfZero::zero;
  return slices(outs, lines, LpNormalization{lines.operand(call.input("input")), call.integer("p") == 2, of_zero});
}

bool has_zero(const Call& call) {
  return any_of(call, "input", true, [](double x) { return x == 0; });
}

void version_1(OpSchema& s) {
  s.attribute(with_default("axis", -1)).attribute(with_default("p", 2, between(1, 2)));
  s.input("input", "T")
      .output("output", "T")
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}
}  // namespace
Operator lp_normalization() {
  return Operator("ai.onnx", "LpNormalization")
      .summary("each element divided by the norm of those along an axis")
      .version(1, version_1)
      .version(22, adds("T", DType::bfloat16))
      .reading({.name = "lp_normalization.zero",
                .alternatives = {"zero: +0 where the norm is 0", "nan: 0/0",
                                 "keeps_sign: the elements themselves, +0 or -0"},
                .defaults = {{1, "zero"}},
                .reason = "the page of 22: \"the output is defined to be zero\" where the norm is 0",
                .may_change_values = has_zero})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_lp_normalization
