// SPDX-License-Identifier: Apache-2.0
// ai.onnx LpNormalization, versions 1, 22
// https://onnx.ai/onnx/operators/onnx__LpNormalization.html
#include "core/error.h"
#include "evaluators/programs.h"
#include "schema/operator.h"

namespace opref::ops::onnx {
namespace {

enum class OfZero : std::uint8_t { zero, nan, keeps_sign };

// output = input / (Σ |input|^p)^(1/p) along the axis, p being 1 or 2; "defined to be zero" where the norm is 0
struct LpNormalization {
  Elements X;
  std::int64_t n, inner;
  bool is_root;
  OfZero of_zero;

  template <class R>
  void operator()(std::int64_t line, const Reader<R>& x, Writer<R>& y) const {
    const std::int64_t first = line / inner * n * inner + line % inner;
    R sum = x.zero();
    bool is_zero = true;
    for (std::int64_t k = 0; k < n; ++k) {
      const R a = x(X, first + k * inner);
      is_zero &= X.number(first + k * inner) == 0;
      sum = sum + (is_root ? square(a) : abs(a));
    }
    const R norm = x.named("the norm", is_root && !is_zero ? sqrt(sum) : sum);
    for (std::int64_t k = 0; k < n; ++k)
      y.put(0, first + k * inner, [&] {
        const R a = x(X, first + k * inner);
        if (!is_zero || of_zero == OfZero::nan) return a / norm;
        return of_zero == OfZero::keeps_sign ? a : x.zero();
      });
  }
  std::int64_t program_of(size_t, std::int64_t at) const { return at / (n * inner) * inner + at % inner; }
};

std::vector<ValueType> output_types(const Call& call) {
  const TensorType& input = call.type("input");
  call.axis("axis", input.rank());
  return {input};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& x = outs[0].type().shape;
  const auto axis = call.axis("axis", x.size());
  const std::int64_t n = x[axis], inner = element_count(x.without_first(axis + 1));
  const OfZero of_zero = call.reads("lp_normalization.zero", "nan")          ? OfZero::nan
                         : call.reads("lp_normalization.zero", "keeps_sign") ? OfZero::keeps_sign
                                                                             : OfZero::zero;
  const LpNormalization lines{Elements(call.input("input")), n, inner, call.integer("p") == 2, of_zero};
  return programs(outs, n == 0 ? 0 : element_count(x.first(axis)) * inner, lines);
}

bool has_zero(const Call& call) {
  if (!call.has_value("input")) return true;
  const Elements x(call.input("input"));
  for (std::int64_t i = 0; i < call.input("input").count(); ++i)
    if (x.number(i) == 0) return true;
  return false;
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
