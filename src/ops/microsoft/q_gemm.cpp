// SPDX-License-Identifier: Apache-2.0
// com.microsoft QGemm, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QGemm
#include "ops/operator_file.h"
#include "ops/shared/requantized.h"
#include "ops/shared/scaled_products.h"
namespace opref::ops::microsoft::file_q_gemm {
namespace {
/// A (M, K) and B (K, N), as transA and transB turn them.
struct Sizes {
  std::int64_t M, K, N;
};
Sizes sizes(const Call& call) {
  const Dims &a = call.type("A").shape, &b = call.type("B").shape;
  require(a.size() == 2, "A has rank {}, but must have 2", a.size());
  require(b.size() == 2, "B has rank {}, but must have 2", b.size());
  const size_t a_line = call.flag("transA") ? 1 : 0, b_line = call.flag("transB") ? 0 : 1;
  const Sizes z{a[a_line], a[1 - a_line], b[b_line]};
  require(z.K == b[1 - b_line],
          "A has shape {} and transA is {}, B has shape {} and transB {}: inner sizes {} and {} differ", a,
          call.integer("transA"), b, call.integer("transB"), z.K, b[1 - b_line]);
  return z;
}
bool is_quantized(const Call& call) { return call.has("y_scale"); }

std::vector<ValueType> output_types(const Call& call) {
  const Sizes z = sizes(call);
  require_single_numbers(call, {"a_scale", "a_zero_point", "y_scale", "y_zero_point"});
  for (const char* parameter : {"b_scale", "b_zero_point"}) of_columns(call, parameter, z.N);
  require(is_quantized(call) == call.has("y_zero_point"), "{} is given, but {} is not: they come together",
          is_quantized(call) ? "y_scale" : "y_zero_point", is_quantized(call) ? "y_zero_point" : "y_scale");
  const Dims y{z.M, z.N};
  if (call.has("C"))
    require(broadcast(call.type("C").shape, y) == y, "C of shape {} does not broadcast to {}", call.type("C").shape, y);
  return {TensorType{is_quantized(call) ? call.type("y_zero_point").dtype : DType::float32, y}};
}

// v[m, n] = alpha·a_scale·b_scale[n]·(Σ over k of (A[m, k] - a_zero_point)·(B[k, n] - b_zero_point[n]) + C[m, n])
// Y = saturate(nearest(v / y_scale) + y_zero_point), without y_scale v itself
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  if (is_quantized(call)) require_usual_scales(call, {"y_scale"});
  const Sizes z = sizes(call);
  const Dims y{z.M, z.N};
  const bool a_turned = call.flag("transA"), b_turned = call.flag("transB");
  const std::int64_t a_line = a_turned ? 1 : z.K, a_depth = a_turned ? z.M : 1, b_line = b_turned ? z.K : 1,
                     b_depth = b_turned ? 1 : z.N;
  const auto of_scale = of_columns(call, "b_scale", z.N), of_zero = of_columns(call, "b_zero_point", z.N);
  const Tensor &A = call.input("A"), &B = call.input("B"), &b_zero_point = call.input("b_zero_point");
  const std::int64_t a_zero = call.integer("a_zero_point");
  const Strided one(Dims{}, Dims{});
  const ProductSums sums(
      outs[0],
      {{{A, one, a_line, a_depth}, {B, one, b_line, b_depth}, z.M, z.N, z.K},
       [=](std::int64_t) { return a_zero; },
       integer_at(b_zero_point, of_zero)},
      [=](std::int64_t i) {
        return Run{i / z.N * a_line, z.K, a_depth};
      },
      [=](std::int64_t i) {
        return Run{i % z.N * b_line, z.K, b_depth};
      });
  const std::optional<Elements> C = elements_if_given(call, "C"), y_scale = elements_if_given(call, "y_scale"),
                                y_zero_point = elements_if_given(call, "y_zero_point");
  const Strided of_c(y, call.has("C") ? broadcast_strides(call.type("C").shape, y) : Dims{0, 0});
  const Elements a_scale(call.input("a_scale")), b_scale(call.input("b_scale"));
  const double alpha = call.number("alpha");
  const Requantizing how(outs[0]);
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    const R product = sums.of(i, x), sum = C ? product + x(*C, of_c(i)) : product,
            v = x.sum(R(alpha) * x(a_scale, 0) * x(b_scale, of_scale(i)) * sum);
    return y_scale ? how.integer(v, x(*y_scale, 0), x(*y_zero_point, 0)) : v;
  })};
}

void version_1(OpSchema& s) {
  s.input("A", "TA").input("a_scale", "T").input("a_zero_point", "TA").input("B", "TB").input("b_scale", "T");
  s.input("b_zero_point", "TB").input("C", "TC", Arity::optional).input("y_scale", "T", Arity::optional);
  s.input("y_zero_point", "TYZ", Arity::optional).output("Y", "TY");
  for (const char* variable : {"TA", "TB", "TYZ"}) s.types(variable, {DType::int8, DType::uint8});
  s.types("T", DType::float32).types("TC", DType::int32).types("TY", {DType::float32, DType::int8, DType::uint8});
  s.attribute(with_default("alpha", 1.0F));
  s.attribute(with_default("transA", 0, flag())).attribute(with_default("transB", 0, flag()));
}
}  // namespace
Operator q_gemm() {
  return Operator("com.microsoft", "QGemm")
      .summary("the matrix product of quantized numbers and a bias, as floats or quantized again")
      .version(1, version_1)
      .reading(overflow_reading([](const Call& call) { return may_overflow(sizes(call).K); }))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_q_gemm
