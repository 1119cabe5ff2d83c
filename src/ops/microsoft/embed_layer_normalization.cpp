// SPDX-License-Identifier: Apache-2.0
// com.microsoft EmbedLayerNormalization, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.EmbedLayerNormalization
#include "ops/operator_file.h"
#include "ops/shared/summed_normalization.h"
namespace opref::ops::microsoft::file_embed_layer_normalization {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims &ids = call.type("input_ids").shape, &words = call.type("word_embedding").shape;
  require(ids.size() == 2, "input_ids has shape {}, but must have 2 axes: (batch, steps)", ids);
  require(words.size() == 2, "word_embedding has shape {}, but must have 2 axes: (words, n)", words);
  require(call.has("segment_ids") == call.has("segment_embedding"),
          "segment_ids and segment_embedding come together, but {} is not given",
          call.has("segment_ids") ? "segment_embedding" : "segment_ids");
  for (const std::string_view table : {"position_embedding", "segment_embedding"})
    if (call.has(table)) {
      const Dims& shape = call.type(table).shape;
      require(shape.size() == 2 && shape[1] == words[1], "{} has shape {}, but must have rows of {}, as word_embedding",
              table, shape, words[1]);
    }
  require_parameters(call, {"gamma", "beta"}, {words[1]});
  for (const std::string_view input : {"segment_ids", "mask"})
    if (call.has(input)) require_parameters(call, {input}, ids);
  if (call.has("position_ids")) {
    const Dims& positions = call.type("position_ids").shape;
    require(positions == ids || positions == Dims({1, ids[1]}), "position_ids has shape {}, but must have {} or {}",
            positions, ids, Dims{1, ids[1]});
  } else {
    const std::int64_t rows = call.type("position_embedding").shape[0];
    require(ids[1] <= rows, "input_ids has {}, but position_embedding {}", counted(ids[1], "step"),
            counted(rows, "row"));
  }
  const TensorType output{call.type("word_embedding").dtype, {ids[0], ids[1], words[1]}};
  return {output, TensorType{DType::int32, {ids[0]}}, output};
}

/// The row of the table that each place (batch, step) takes; another one than it has is `invalid`.
Addend rows_of(const Call& call, std::string_view table, std::string_view ids) {
  const Dims& shape = call.type(table).shape;
  const Tensor& tensor = call.input(ids);
  const Elements elements(tensor);
  for (std::int64_t i = 0; i < tensor.count(); ++i)
    if (const std::int64_t id = elements.integer(i); id < 0 || id >= shape[0])
      fail(Fault::invalid, "{}{} is {}, but must be from 0 to {}: {} has {}", ids, coordinates(i, tensor.shape()), id,
           shape[0] - 1, table, counted(shape[0], "row"));
  const std::int64_t repeats = tensor.count();  // position_ids may be of one batch row
  return {Slicing::along(shape, {1}).operand(call.input(table)),
          [elements, repeats](std::int64_t place) { return elements.integer(place % repeats); }};
}
Addend positions(const Call& call) {
  if (call.has("position_ids")) return rows_of(call, "position_embedding", "position_ids");
  const std::int64_t steps = call.type("input_ids").shape[1];
  return {Slicing::along(call.type("position_embedding").shape, {1}).operand(call.input("position_embedding")),
          [steps](std::int64_t place) { return place % steps; }};
}

// mask_index[b] = how many of mask[b] are 1, or where the first 0 is; 0 without a mask
Value mask_index(const Call& call, const Output& out) {
  const std::optional<Elements> mask = elements_if_given(call, "mask");
  const std::int64_t steps = mask ? call.type("mask").shape[1] : 0;
  const bool is_first_zero = call.reads("embed_layer_normalization.mask_index", "first_zero");
  return wholes(out, [&](std::int64_t b, const WholeReader& x) {
    std::uint64_t ones = 0;
    for (std::int64_t s = 0; s < steps; ++s) {
      const Elements::Wide element = x(*mask, b * steps + s);
      if (is_first_zero && element == 0) return static_cast<std::uint64_t>(s);
      ones += element == 1 ? 1 : 0;
    }
    return is_first_zero ? static_cast<std::uint64_t>(steps) : ones;
  });
}

// Of each place: e = word_embedding[input_ids] + position_embedding[position_ids, else the step] +
// segment_embedding[segment_ids]; output = (e - mean)/√(variance + epsilon)·gamma + beta, embedding_sum = e
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Slicing places = Slicing::from(outs[0].type().shape, 2);
  std::vector<Addend> addends{rows_of(call, "word_embedding", "input_ids"), positions(call)};
  if (call.has("segment_ids")) addends.push_back(rows_of(call, "segment_embedding", "segment_ids"));
  const SummedNormalization formula{addends,
                                    {.slices = places,
                                     .X = addends[0].x,
                                     .epsilon = call.number("epsilon"),
                                     .scale = places.broadcast(call.input("gamma")),
                                     .bias = places.broadcast(call.input("beta"))}};
  std::vector<Output> of_slices{outs[0]};
  if (outs.size() > 2) of_slices.push_back(outs[2]);
  std::vector<Value> values = slices(of_slices, places, formula);
  if (outs.size() > 1) values.insert(values.begin() + 1, outs[1].wanted() ? mask_index(call, outs[1]) : Value{});
  return values;
}

bool is_index_of_mask(const Call& call) { return call.has("mask") && call.wants("mask_index"); }

void version_1(OpSchema& s) {
  s.input("input_ids", "T1", "(batch, steps)")
      .input("segment_ids", "T1", Arity::optional, "(batch, steps)")
      .input("word_embedding", "T", "(words, n)")
      .input("position_embedding", "T", "(positions, n)");
  s.input("segment_embedding", "T", Arity::optional, "(segments, n)")
      .input("gamma", "T", "(n)")
      .input("beta", "T", "(n)")
      .input("mask", "T1", Arity::optional, "(batch, steps)");
  s.input("position_ids", "T1", Arity::optional, "(batch, steps), or (1, steps); else each step is its own position")
      .output("output", "T", "(batch, steps, n)")
      .output("mask_index", "T1", Arity::optional, "(batch)")
      .output("embedding_sum", "T", Arity::optional, "what is normalized");
  s.types("T1", DType::int32).types("T", types::floats - DType::float64);
  s.attribute(with_default("epsilon", 1e-12F)).attribute(optional(INT, "mask_index_type"));
}
}  // namespace
Operator embed_layer_normalization() {
  return Operator("com.microsoft", "EmbedLayerNormalization")
      .summary("(e - mean)/√(variance + epsilon)·gamma + beta of sums e of rows of tables: words, positions, segments")
      .version(1, version_1)
      .reading({.name = "embed_layer_normalization.mask_index",
                .alternatives = {"ones: how many elements of the mask are 1", "first_zero: where its first 0 is"},
                .defaults = {{1, "ones"}},
                .reason = "the page names both; they differ where a 1 follows a 0, and onnxruntime counts",
                .may_change_values = is_index_of_mask})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_embed_layer_normalization
