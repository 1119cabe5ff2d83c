// SPDX-License-Identifier: Apache-2.0
// ai.onnx Gemm, versions 1, 6, 7, 9, 11, 13
// https://onnx.ai/onnx/operators/onnx__Gemm.html
#include "ops/operator_file.h"
#include "ops/shared/products.h"
namespace opref::ops::onnx::file_gemm {
namespace {
/// Before 7 C broadcasts only with `broadcast`.
std::vector<ValueType> output_types(const Call& call) {
  const DType dtype = call.type("A").dtype;
  const Dims y = matrices(call).shape();
  if (call.has("C"))
    require(call.version() >= 7 || call.flag("broadcast") || call.type("C").shape == y,
            "C has shape {}, but must have {}; without broadcast they must be the same", call.type("C").shape, y);
  require(info(dtype).kind == Kind::floating || !call.reads("gemm.integer_scale", "reject") ||
              (call.number("alpha") == 1 && call.number("beta") == 1),
          "alpha is {} and beta {}, but the reading gemm.integer_scale=reject wants 1 of {}", call.number("alpha"),
          call.number("beta"), dtype);
  return {TensorType{dtype, y}};
}

// Y = alpha·A'·B' + beta·C;  of integers truncated, modulo 2^bits
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const ScaledProduct formula(call, call.number("beta") != 0 || call.reads("gemm.beta_zero", "product"));
  const Matrices& p = formula.p;
  const std::optional<Elements>& C = formula.C;
  const auto definition = [&](std::int64_t i, auto& sum) {
    sum.add(formula.A[p.row(i / p.N)], formula.B[p.column(i % p.N)]);
    if (C) sum.add((*C)[formula.c_place(i)]);
  };
  const auto rows = [&](const RowTarget& target) {
    fast::MatrixProduct product = p.of(call.input("A"), call.input("B"));
    const Dims steps = C ? broadcast_strides(call.type("C").shape, p.shape()) : Dims{};
    if (C) product.c = fast::MatrixAddend{call.input("C"), steps[0], steps[1], formula.beta};
    product.scale = formula.alpha;
    return fast::matrix_product(target, product);
  };
  if (formula.alpha == 1 && (!C || formula.beta == 1))
    return {sum(outs[0], outs[0].type().dtype, definition, {}, rows)};
  return {real(
      outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) { return formula.of(i, x); }, {}, rows)};
}

bool is_zero_times_c(const Call& call) { return call.has("C") && call.number("beta") == 0; }
bool is_scaled_integer(const Call& call) {
  return info(call.type("A").dtype).kind != Kind::floating && (call.number("alpha") != 1 || call.number("beta") != 1);
}

void version_1(OpSchema& s) {
  s.attribute(with_default("alpha", 1.0F))
      .attribute(with_default("beta", 1.0F))
      .attribute(with_default("broadcast", 0))
      .attribute(with_default("transA", 0))
      .attribute(with_default("transB", 0));
  s.input("A", "T").input("B", "T").input("C", "T").output("Y", "T").types(
      "T", types::floats, "Constrain input and output types to float tensors.");
  s.shape_inference(ShapeInference::none);
}

void version_6(OpSchema& s) { s.shape_inference(ShapeInference::onnx); }
}  // namespace
Operator gemm() {
  return Operator("ai.onnx", "Gemm")
      .summary("alpha times a matrix product plus beta times a matrix")
      .version(1, version_1)
      .version(6, version_6)
      .version(7, [](OpSchema& s) { s.remove("broadcast").wording("C broadcasts to (M, N), always"); })
      .version(9, adds("T", types::wide))
      .version(11, [](OpSchema& s) { s.change_parameter("C").arity = Arity::optional; })
      .version(13, adds("T", DType::bfloat16))
      .reading(
          {.name = "gemm.beta_zero",
           .alternatives = {"product: beta of 0 is multiplied, 0·Inf being NaN", "skip: C is not read where beta is 0"},
           .defaults = {{1, "product"}},
           .reason = "the formula multiplies; BLAS and onnxruntime do not read C then",
           .may_change_values = is_zero_times_c})
      .reading({.name = "gemm.integer_scale",
                .alternatives = {"truncate: the real number, truncated toward zero",
                                 "reject: integers have alpha and beta of 1"},
                .defaults = {{9, "truncate"}},
                .reason = "alpha and beta are floats, whatever T is, and integers are divided by truncation",
                .may_change_values = is_scaled_integer})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_gemm
