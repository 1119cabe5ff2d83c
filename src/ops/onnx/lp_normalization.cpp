// SPDX-License-Identifier: Apache-2.0
// ai.onnx LpNormalization, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__LpNormalization.html
#include "evaluators/lines.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx {
namespace {
enum class OfZero : std::uint8_t { zero, nan, keeps_sign };

// output = input / (Σ |input|^p)^(1/p) along the axis, p being 1 or 2; "defined to be zero" where the norm is 0
struct LpNormalization {
  Elements X;
  Lines lines;
  bool is_root;
  OfZero of_zero;

  template <class R>
  void operator()(std::int64_t line, const Reader<R>& x, Writer<R>& y) const {
    const std::int64_t first = lines.at(line, 0), end = first + lines.length() * lines.step();
    R sum = x.zero();
    bool is_zero = true;
    for (std::int64_t at = first; at != end; at += lines.step()) {
      const R a = x(X, at);
      is_zero &= X.number(at) == 0;
      sum = sum + (is_root ? square(a) : abs(a));
    }
    const R norm = x.named("the norm", is_root && !is_zero ? sqrt(sum) : sum);
    for (std::int64_t at = first; at != end; at += lines.step())
      y.put(0, at, [&] {
        const R a = x(X, at);
        if (!is_zero || of_zero == OfZero::nan) return a / norm;
        return of_zero == OfZero::keeps_sign ? a : x.zero();
      });
  }
  std::int64_t program_of(size_t, std::int64_t at) const { return lines.line_of(at); }
};

std::vector<ValueType> output_types(const Call& call) {
  const TensorType& input = call.type("input");
  call.axis("axis", input.rank());
  return {input};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& x = outs[0].type().shape;
  const Lines lines(x, {call.axis("axis", x.size())});
  const OfZero of_zero = call.reads("lp_normalization.zero", "nan")          ? OfZero::nan
                         : call.reads("lp_normalization.zero", "keeps_sign") ? OfZero::keeps_sign
                                                                             : OfZero::zero;
  return programs(outs, lines.count(),
                  LpNormalization{Elements(call.input("input")), lines, call.integer("p") == 2, of_zero});
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
}  // namespace opref::ops::onnx
