// SPDX-License-Identifier: Apache-2.0
// ai.onnx Attention, versions 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Attention.html
#include "ops/shared/attention.h"
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_attention {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const AttentionSizes z = attention_sizes(call);
  if (call.has("softmax_precision")) floating_type_of(call, "softmax_precision");
  AttentionBias::check(call, z);
  const DType t1 = call.type("Q").dtype, t2 = call.type("V").dtype;
  return {TensorType{t1, z.is_flat ? Dims{z.batch, z.queries, checked_multiply(z.heads, z.value_size)}
                                   : Dims{z.batch, z.heads, z.queries, z.value_size}},
          TensorType{t1, {z.batch, z.kv_heads, z.total(), z.size}},
          TensorType{t2, {z.batch, z.kv_heads, z.total(), z.value_size}},
          TensorType{t1, {z.batch, z.heads, z.queries, z.total()}}};
}

}  // namespace
std::vector<Value> attention_by(const Call& call, std::span<const Output> outs, Scaled scaled) {
  const AttentionSizes z = attention_sizes(call);
  const std::optional<double> scale = stated_scale(call);
  const AttentionNode node{.z = z,
                           .inputs = AttentionInputs(call, z),
                           .bias = AttentionBias(call, z),
                           .scale = scale,
                           .root = call.reads("attention.scale", "exact")
                                       ? std::nullopt
                                       : std::optional(attention_scale_root(scale, z.size, call.type("Q").dtype)),
                           .softcap = call.number("softcap"),
                           .mode = call.integer("qk_matmul_output_mode"),
                           .raw = call.reads("attention.qk_mode0", "raw"),
                           .counted = call.reads("attention.masked_value", "counted")};
  std::vector<Value> y = ops::attention_by(std::array{outs[0], outs[3]}, node, scaled);
  return {std::move(y[0]), present(outs[1], z, {node.inputs.K()}), present(outs[2], z, {node.inputs.V()}),
          std::move(y[1])};
}
namespace {
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return attention_by(call, outs, Scaled::product);
}

void version_23(OpSchema& s) {
  s.input("Q", "T1").input("K", "T1").input("V", "T2").input("attn_mask", "U", Arity::optional);
  s.input("past_key", "T1", Arity::optional).input("past_value", "T2", Arity::optional);
  s.output("Y", "T1")
      .output("present_key", "T1", Arity::optional)
      .output("present_value", "T2", Arity::optional)
      .output("qk_matmul_output", "T1", Arity::optional);
  s.types("T1", types::floats | DType::bfloat16)
      .types("T2", types::floats | DType::bfloat16)
      .types("U", types::numbers | Types{DType::bfloat16, DType::boolean});
  s.attribute(with_default("is_causal", 0, flag()))
      .attribute(optional(INT, "kv_num_heads", at_least(1)))
      .attribute(optional(INT, "q_num_heads", at_least(1)))
      .attribute(with_default("qk_matmul_output_mode", 0, between(0, 3)))
      .attribute(optional(FLOAT, "scale"))
      .attribute(with_default("softcap", 0.0F))
      .attribute(optional(INT, "softmax_precision", element_types()));
}

void version_25(OpSchema& s) {
  s.attribute(with_default("left_window_size", -1, at_least(-1)))
      .attribute(with_default("right_window_size", -1, at_least(-1)));
}

/// "nonpad_kv_seqlen should not be used together with past_key … inputs or present_key … outputs": the latter are K and
/// V.
std::vector<Note> notes(const Call& call) {
  if (!call.has("nonpad_kv_seqlen") || !call.wants("present_key")) return {};
  return {remark("present_key", "is K: nonpad_kv_seqlen should not be used together with it")};
}

/// A root that the type has squares to the scale.
bool has_rough_root(const Call& call) {
  const std::int64_t size = attention_sizes(call).size;
  const double root = attention_scale_root(stated_scale(call), size, call.type("Q").dtype), square = root * root;
  return call.has("scale") ? square != call.number("scale") : square * square * nearly(size) != 1;
}
bool has_mask(const Call& call) { return call.has("attn_mask"); }
bool may_mask(const Call& call) { return has_mask(call) || call.flag("is_causal"); }
bool has_raw_scores(const Call& call) {
  return call.wants("qk_matmul_output") && call.integer("qk_matmul_output_mode") == 0 && call.number("softcap") != 0;
}
}  // namespace
Operator attention() {
  return Operator("ai.onnx", "Attention")
      .summary("values weighted by how well their keys match each query, per head")
      .version(23, version_23)
      .version(24, [](OpSchema& s) { s.input("nonpad_kv_seqlen", "int64", Arity::optional); })
      .version(25, version_25)
      .reading({.name = "attention.one_column",
                .alternatives = {"short: the other keys are masked", "broadcast: the column is that of every key"},
                .defaults = {{24, "short"}},
                .reason = "a mask may be shorter than the keys, and broadcasts: both sentences apply to one column",
                .may_change_values = has_mask})
      .reading({.name = "attention.qk_mode0",
                .alternatives = {"raw: mode 0 gives the scores before softcap", "capped: it gives them after softcap"},
                .defaults = {{23, "raw"}},
                .reason = "the text, onnxruntime; the reference gives the scores after softcap",
                .may_change_values = has_raw_scores})
      .reading({.name = "attention.masked_value",
                .alternatives = {"counted: a masked key's value takes part, times 0",
                                 "skipped: it does not, whatever it is"},
                .defaults = {{23, "counted"}},
                .reason = "0·Inf is NaN, as the formula has it",
                .may_change_values = may_mask})
      .reading({.name = "attention.scale",
                .alternatives = {"exact: scores are multiplied by scale",
                                 "rounded: Q and K are multiplied by its root, rounded to T1"},
                .defaults = {{23, "exact"}},
                .reason = "a formula is worked out exactly; the body and the reference round the root",
                .may_change_values = has_rough_root})
      .output_types(output_types)
      .notes(notes)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_attention
