// SPDX-License-Identifier: Apache-2.0
// com.microsoft QAttention, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QAttention
#include "ops/operator_file.h"
#include "ops/shared/contrib_attention.h"
namespace opref::ops::microsoft::file_q_attention {
namespace {
ProjectedSizes sizes(const Call& call) {
  const Dims& w = call.type("weight").shape;
  require(w.size() == 2, "weight has shape {}, but must have 2 axes", w);
  require(w[1] % 3 == 0, "weight has shape {}, whose last axis is no multiple of 3", w);
  return projected_sizes(call, "weight", Dims::filled(3, w[1] / 3));
}

/// "It's a scalar or a 1D tensor, which means a per-tensor/per-column quantization."
void require_per_column(const Call& call, std::string_view name, std::int64_t columns) {
  const Dims& shape = call.type(name).shape;
  require(shape.empty() || shape == Dims{1} || shape == Dims{columns},
          "{} has shape {}, but must be a scalar or have {}", name, shape, Dims{columns});
}

std::vector<ValueType> output_types(const Call& call) {
  const ProjectedSizes of = sizes(call);
  require(call.type("bias").shape == Dims{of.columns}, "bias has shape {}, but must have {}", call.type("bias").shape,
          Dims{of.columns});
  require_scalar_or_one(call, "input_scale");
  require_per_column(call, "weight_scale", of.columns);
  if (call.has("input_zero_point")) require_scalar_or_one(call, "input_zero_point");
  if (call.has("weight_zero_point")) require_per_column(call, "weight_zero_point", of.columns);
  return projected_types(call, of, call.type("bias").dtype);
}

// Q, K, V = input_scale·weight_scale[n]·Σ(input - input_zero_point)·(weight - weight_zero_point[n]) + bias[n]
// output = softmax(scale·Q·K^T + mask)·V
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const ProjectedSizes of = sizes(call);
  std::vector<std::int64_t> zero_points{0};
  if (call.has("weight_zero_point")) zero_points = call.integers("weight_zero_point");
  const Elements W(call.input("weight")), bias(call.input("bias")), input_scale(call.input("input_scale"));
  const Tensor& weight_scale = call.input("weight_scale");
  return projected_attention(call, outs, of,
                             {.W = W,
                              .inputs = of.inputs,
                              .columns = of.columns,
                              .bias = bias,
                              .scales = {{input_scale, Elements(weight_scale), std::move(zero_points)}},
                              .has_one_scale = weight_scale.count() == 1},
                             call.has("input_zero_point") ? call.integer("input_zero_point") : 0);
}

void version_1(OpSchema& s) {
  s.input("input", "T1").input("weight", "T2").input("bias", "T3").input("input_scale", "T3");
  s.input("weight_scale", "T3")
      .input("mask_index", "T4", Arity::optional)
      .input("input_zero_point", "T1", Arity::optional)
      .input("weight_zero_point", "T2", Arity::optional);
  s.input("past", "T3", Arity::optional)
      .output("output", "T3")
      .output("present", "T3", Arity::optional)
      .types("T1", {DType::int8, DType::uint8});
  s.types("T2", {DType::int8, DType::uint8}).types("T3", types::floats - DType::float64).types("T4", DType::int32);
  s.attribute(optional(INT, "do_rotary", flag()))
      .attribute(optional(FLOAT, "mask_filter_value"))
      .attribute(required(INT, "num_heads", at_least(1)))
      .attribute(optional(INT, "past_present_share_buffer", flag()));
  s.attribute(optional(FLOAT, "scale")).attribute(with_default("unidirectional", 0, flag()));
}
bool has_mask(const Call& call) { return call.has("mask_index"); }
}  // namespace
Operator q_attention() {
  return Operator("com.microsoft", "QAttention")
      .summary("values weighted by how well their keys match each query, projections of quantized numbers")
      .version(1, version_1)
      .reading(fill_reading(has_mask))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_q_attention
