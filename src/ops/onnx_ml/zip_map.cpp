// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml ZipMap, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_ZipMap.html
#include "ops/operator_file.h"
#include "ops/shared/maps.h"
namespace opref::ops::onnx_ml::file_zip_map {
namespace {
/// "Exactly one of the attributes": the keys, one for each column
Tensor labels_of(const Call& call) { return either_list(call, "classlabels_int64s", "classlabels_strings"); }

// "Must provide keys in either classlabels_strings or classlabels_int64s (but not both)."
std::vector<ValueType> output_types(const Call& call) {
  const Dims& shape = call.type("X").shape;
  const Tensor labels = labels_of(call);
  require(shape.size() == 1 || shape.size() == 2, "X has shape {}, but must be [N, C] or [C]", shape);
  const std::int64_t columns = shape[shape.size() - 1];
  require(columns == labels.count(), "X has {}, but there {} {}", counted(columns, "column"),
          labels.count() == 1 ? "is" : "are", counted(labels.count(), "key"));
  return {ValueType(Form::map_sequence, DType::float32, labels.dtype())};
}

// Z[n] = {labels[c]: X[n, c]} for each column c; of a key that is there twice the last column
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor X = call.input("X").reshaped(Dims{call.input("X").count()}), labels = labels_of(call);
  const auto columns = static_cast<size_t>(labels.count()), N = static_cast<size_t>(X.count()) / columns;
  const std::vector<size_t> order = places_in_order(labels);
  const Tensor keys = taken(labels, order);
  call.require_room(checked_multiply(static_cast<std::int64_t>(N), 2 * kSequenceElementBytes + 4 * labels.count()));
  MapSequence Z{labels.dtype(), DType::float32};
  if (const Output& out = outs[0]; out.sink() != nullptr && out.only()) {  // an entry, counted over all maps
    const auto [n, k] = split(*out.only(), std::ssize(order));
    const size_t column = order[static_cast<size_t>(k)];
    out.sink()->moves({call.input("X").identity(), n * labels.count() + static_cast<std::int64_t>(column)});
  }
  for (size_t n = 0; n < N; ++n) {
    std::vector<size_t> row = order;
    for (size_t& place : row) place += n * columns;
    Z.push_back({keys, taken(X, row)});
  }
  return {std::move(Z)};
}

void version_1(OpSchema& s) {
  s.input("X", "float32").output("Z", "T");
  s.types("T", map_sequences(DType::int64, DType::float32) | map_sequences(DType::string, DType::float32));
  s.attribute(optional(INTS, "classlabels_int64s")).attribute(optional(STRINGS, "classlabels_strings"));
}
}  // namespace
Operator zip_map() {
  return Operator("ai.onnx.ml", "ZipMap")
      .summary("a map for each row, from the columns' keys to their elements")
      .version(1, version_1)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_ml::file_zip_map
