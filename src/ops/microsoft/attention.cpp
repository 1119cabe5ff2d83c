// SPDX-License-Identifier: Apache-2.0
// com.microsoft Attention, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Attention
#include "ops/operator_file.h"
#include "ops/shared/contrib_attention.h"
namespace opref::ops::microsoft::file_attention {
namespace {
ProjectedSizes sizes(const Call& call) {
  const Dims& w = call.type("weights").shape;
  require(w.size() == 2, "weights has shape {}, but must have 2 axes", w);
  if (!call.has("qkv_hidden_sizes")) {
    // "When qkv_hidden_sizes is omitted, the weights' second dimension must be divisible by three."
    require(w[1] % 3 == 0, "weights has shape {}, whose last axis is no multiple of 3", w);
    return projected_sizes(call, "weights", Dims::filled(3, w[1] / 3));
  }
  const std::vector<std::int64_t> hidden = call.integers("qkv_hidden_sizes");
  require(hidden.size() == 3, "attribute 'qkv_hidden_sizes' has {} numbers, but must have 3", hidden.size());
  require(hidden[0] == hidden[1], "attribute 'qkv_hidden_sizes' is {}, but Q and K have one size", Dims(hidden));
  const std::int64_t sum = checked_add(checked_add(hidden[0], hidden[1]), hidden[2]);
  require(sum == w[1], "attribute 'qkv_hidden_sizes' is {}, but weights has shape {}", Dims(hidden), w);
  return projected_sizes(call, "weights", Dims(hidden));
}

std::vector<ValueType> output_types(const Call& call) {
  require_unsaid(call, "past_sequence_length");
  const ProjectedSizes of = sizes(call);
  if (call.has("bias"))
    require(call.type("bias").shape == Dims{of.columns}, "bias has shape {}, but must have {}", call.type("bias").shape,
            Dims{of.columns});
  check_attention_bias(call, of.z, of.z.total());
  return projected_types(call, of, call.type("input").dtype);
}

// Q, K, V = input·weights + bias, their columns one after another, each head's side by side
// output = softmax(scale·Q·K^T + attention_bias + mask)·V
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const ProjectedSizes of = sizes(call);
  return projected_attention(
      call, outs, of, {Elements(call.input("weights")), of.inputs, of.columns, elements_if_given(call, "bias")}, 0);
}

void version_1(OpSchema& s) {
  s.input("input", "T")
      .input("weights", "T")
      .input("bias", "T", Arity::optional)
      .input("mask_index", "M", Arity::optional);
  s.input("past", "T", Arity::optional)
      .input("attention_bias", "T", Arity::optional)
      .input("past_sequence_length", "M", Arity::optional)
      .output("output", "T");
  s.output("present", "T", Arity::optional)
      .types("T", {DType::bfloat16, DType::float16, DType::float32})
      .types("M", DType::int32);
  s.attribute(optional(INT, "do_rotary", flag()))
      .attribute(optional(FLOAT, "mask_filter_value"))
      .attribute(required(INT, "num_heads", at_least(1)))
      .attribute(optional(INT, "past_present_share_buffer", flag()));
  s.attribute(optional(INTS, "qkv_hidden_sizes"))
      .attribute(optional(INT, "rotary_embedding_dim"))
      .attribute(optional(FLOAT, "scale"))
      .attribute(with_default("unidirectional", 0, flag()));
}
bool has_mask(const Call& call) { return call.has("mask_index"); }
}  // namespace
Operator attention() {
  return Operator("com.microsoft", "Attention")
      .summary("values weighted by how well their keys match each query, all projections of one input")
      .version(1, version_1)
      .reading(fill_reading(has_mask))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_attention
