// SPDX-License-Identifier: Apache-2.0
// ai.onnx Gemm, versions 1, 6, 7, 9, 11, 13
// https://onnx.ai/onnx/operators/onnx__Gemm.html
#include "fast/fast.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx {
namespace {
// A' is A or its transpose, of shape (M, K), B' likewise (K, N). Their elements' places:
struct Matrices {
  std::int64_t M, K, N;
  bool transA, transB;
  Run row(std::int64_t m) const { return transA ? Run{m, K, M} : Run{m * K, K, 1}; }
  Run column(std::int64_t n) const { return transB ? Run{n * K, K, 1} : Run{n, K, N}; }
  fast::MatrixProduct product(const Tensor& a, const Tensor& b) const {
    const auto factor = [&](const Tensor& x, std::int64_t lines, bool by_line) {
      return fast::MatrixFactor{x, Strided({}, {}), by_line ? K : 1, by_line ? 1 : lines};
    };
    return {factor(a, M, !transA), factor(b, N, transB), M, N, K};
  }
};

Matrices matrices(const Call& call) {
  const Dims &a = call.type("A").shape, b = call.type("B").shape;
  require(a.size() == 2, "A has shape {}, but must be a matrix", a);
  require(b.size() == 2, "B has shape {}, but must be a matrix", b);
  const bool transA = call.flag("transA"), transB = call.flag("transB");
  const std::int64_t K = a[transA ? 0 : 1], rows = b[transB ? 1 : 0];
  const std::int64_t other_K = a[transA ? 1 : 0], other_rows = b[transB ? 0 : 1];
  const std::string fitting = K == other_rows   ? format("transB={}", transB ? 0 : 1)
                              : other_K == rows ? format("transA={}", transA ? 0 : 1)
                              : other_K == other_rows
                                  ? format("transA={} and transB={}", transA ? 0 : 1, transB ? 0 : 1)
                                  : "";
  require(K == rows, "A{} has {} columns, but B{} has {} rows{}", transA ? " transposed" : "", K,
          transB ? " transposed" : "", rows, fitting.empty() ? "" : format("; with {} it would fit", fitting));
  return {a[transA ? 1 : 0], K, b[transB ? 0 : 1], transA, transB};
}

/// "Inputs C should be unidirectional broadcastable to (M, N)"; before 7 only with `broadcast`.
std::vector<ValueType> output_types(const Call& call) {
  const auto [M, K, N, transA, transB] = matrices(call);
  const auto& [dtype, a] = call.type("A");
  const Dims y{M, N};
  if (call.has("C")) {
    const Dims& c = call.type("C").shape;
    require(call.version() >= 7 || call.flag("broadcast") || c == y,
            "C has shape {}, but must have {}; without broadcast they must be the same", c, y);
    require(c.size() <= 2 && broadcast(c, y) == y, "C has shape {}, which does not broadcast to {}", c, y);
  }
  require(info(dtype).kind == Kind::floating || !call.reads("gemm.integer_scale", "reject") ||
              (call.number("alpha") == 1 && call.number("beta") == 1),
          "alpha is {} and beta {}, but the reading gemm.integer_scale=reject wants 1 of {}", call.number("alpha"),
          call.number("beta"), dtype);
  return {TensorType{dtype, y}};
}

// Y = alpha·A'·B' + beta·C;  of integers truncated, modulo 2^bits
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Matrices p = matrices(call);
  const Dims& y = outs[0].type().shape;
  const double alpha = call.number("alpha"), beta = call.number("beta");
  const bool has_c = call.has("C") && (beta != 0 || call.reads("gemm.beta_zero", "product"));
  const Elements A(call.input("A")), B(call.input("B")), C(call.input(has_c ? "C" : "A"));
  const Strided place(y, has_c ? broadcast_strides(call.type("C").shape, y) : Dims{0, 0});
  const auto definition = [&](std::int64_t i, auto& sum) {
    sum.add(A[p.row(i / p.N)], B[p.column(i % p.N)]);
    if (has_c) sum.add(C[place(i)]);
  };
  const auto rows = [&](const RowTarget& target) {
    fast::MatrixProduct product = p.product(call.input("A"), call.input("B"));
    const Dims steps = has_c ? broadcast_strides(call.type("C").shape, y) : Dims{};
    if (has_c) product.c = fast::MatrixAddend{call.input("C"), steps[0], steps[1], beta};
    product.scale = alpha;
    return fast::matrix_product(target, product);
  };
  if (alpha == 1 && (!has_c || beta == 1)) return {sum(outs[0], A.dtype(), definition, {}, rows)};
  const auto scaled = [&]<class R>(std::int64_t i, const Reader<R>& x) {
    const Run row = p.row(i / p.N), column = p.column(i % p.N);
    SumOf<R> products;
    for (std::int64_t k = 0; k < p.K; ++k)
      products.add(x(A, row.from + k * row.step) * x(B, column.from + k * column.step));
    const R first = x.sum(R(alpha) * x.named("the sum of products", products.total()));
    return has_c ? first + R(beta) * x(C, place(i)) : first;
  };
  return {real(outs[0], scaled, {}, rows)};
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
}  // namespace opref::ops::onnx
