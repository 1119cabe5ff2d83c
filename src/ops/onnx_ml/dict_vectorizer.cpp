// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml DictVectorizer, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_DictVectorizer.html
#include "ops/operator_file.h"
#include "ops/shared/maps.h"
namespace opref::ops::onnx_ml::file_dict_vectorizer {
namespace {
/// "One and only one vocabulary must be defined", and that of X's keys
Tensor vocabulary_of(const Call& call) {
  Tensor words = either_list(call, "int64_vocabulary", "string_vocabulary");
  const DType key = call.value_type("X").key;
  require(words.dtype() == key, "the vocabulary is of type {}, but X has keys of type {}", words.dtype(), key);
  return words;
}

/// "All keys in the input dictionary must be present in the vocabulary"
void require_words(const Call& call, std::span<const std::optional<size_t>> places) {
  if (call.reads("dict_vectorizer.unknown", "dropped")) return;
  const Map& X = call.map("X");
  const auto unknown = first_unlisted(X, places);
  if (unknown) fail(Fault::invalid, "X has the key {}, which is not in the vocabulary", key_text(X.keys, *unknown));
}

std::vector<ValueType> output_types(const Call& call) {
  const Tensor words = vocabulary_of(call);
  if (call.has_value("X")) require_words(call, places_of_keys(call.map("X"), words));
  const bool is_row = call.reads("dict_vectorizer.shape", "row");
  return {TensorType{call.value_type("X").dtype(), is_row ? Dims{1, words.count()} : Dims{words.count()}}};
}

// Y[i] = X[vocabulary[i]], 0 or "" where X has no such key
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Map& X = call.map("X");
  const std::vector<std::optional<size_t>> places = places_of_keys(X, vocabulary_of(call));
  require_words(call, places);
  return {move(outs[0], X.values, [&](std::int64_t i) {
    const auto& place = places[static_cast<size_t>(i)];
    return place ? Run{static_cast<std::int64_t>(*place)} : Run::fill();
  })};
}

void version_1(OpSchema& s) {
  s.input("X", "T1").output("Y", "T2");
  s.types("T1", maps(DType::string, {DType::int64, DType::float32, DType::float64}) |
                    maps(DType::int64, {DType::string, DType::float32, DType::float64}));
  s.types("T2", {DType::int64, DType::float32, DType::float64, DType::string});
  s.attribute(optional(INTS, "int64_vocabulary")).attribute(optional(STRINGS, "string_vocabulary"));
}
}  // namespace
Operator dict_vectorizer() {
  return Operator("ai.onnx.ml", "DictVectorizer")
      .summary("the values of a map in the order of a vocabulary, 0 or \"\" for words that it does not have")
      .version(1, version_1)
      .reading({.name = "dict_vectorizer.shape",
                .alternatives = {"list: Y has shape [n]", "row: [1, n], as onnxruntime has it"},
                .defaults = {{1, "list"}},
                .reason = "the page: \"the output will be a tensor … of the same length as the input vocabulary\""})
      .reading(
          {.name = "dict_vectorizer.unknown",
           .alternatives = {"refused: a key that is not in the vocabulary is invalid", "dropped: it has no effect"},
           .defaults = {{1, "refused"}},
           .reason = "the page: \"All keys … must be present in the vocabulary\"; onnxruntime drops others"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_ml::file_dict_vectorizer
