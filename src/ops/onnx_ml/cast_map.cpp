// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml CastMap, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_CastMap.html
#include "exact/term_sink.h"
#include "ops/operator_file.h"
#include "ops/shared/maps.h"
#include "ops/shared/quantized.h"
namespace opref::ops::onnx_ml::file_cast_map {
namespace {
DType target(const Call& call) {
  constexpr std::array kTypes = {DType::float32, DType::string, DType::int64};
  enum class To : std::uint8_t { number, text, integer };
  return kTypes[static_cast<size_t>(call.choice<To>("cast_to"))];
}

bool is_sparse(const Call& call) { return call.string("map_form") == "SPARSE"; }

/// "keys … cannot exceed max_map-1", and are indices
void require_indices(const Call& call) {
  const Map& X = call.map("X");
  for (const std::int64_t key : X.keys.values<std::int64_t>())
    require(key >= 0 && key < call.integer("max_map"), "X has the key {}, but keys must be from 0 to {}, max_map - 1",
            key, call.integer("max_map") - 1);
}

// DENSE: as many columns as entries. SPARSE: max_map of them.
std::vector<ValueType> output_types(const Call& call) {
  const DType to = target(call);
  if (is_sparse(call)) {
    require(call.integer("max_map") >= 0, "max_map is {}, but must be >= 0", call.integer("max_map"));
    if (call.has_value("X")) require_indices(call);
    return {TensorType{to, Dims{1, call.integer("max_map")}}};
  }
  if (!call.has_value("X")) return {ValueType::of_unknown_shape(to)};
  return {TensorType{to, Dims{1, call.map("X").keys.count()}}};
}

Conversion conversion(const Call& call) {
  Conversion how;
  if (call.value_type("X").dtype() == DType::float32)
    how.beyond = call.reading_choice<Conversion::Beyond>("cast.float_to_int");
  const bool is_shortest = call.reads("cast_map.to_string", "shortest");
  how.digits = is_shortest ? Conversion::Digits::plain : Conversion::Digits::six_decimals;
  return how;
}

// DENSE: Y[0, i] is the value of the i-th key, converted. SPARSE: Y[0, k] that of the key k, 0 or "" without it.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Map& X = call.map("X");
  const Dims row{1, X.keys.count()};
  const Tensor values = X.values.reshaped(row);
  if (!is_sparse(call)) return {convert(outs[0].of({target(call), row}), values, conversion(call))};
  require_indices(call);
  const auto keys = X.keys.values<std::int64_t>();
  const auto entry = [&](std::int64_t k) {
    const auto next = std::ranges::lower_bound(keys, k);
    return next != keys.end() && *next == k ? Run{next - keys.begin()} : Run::fill();
  };
  if (const auto& asked = outs[0].only(); asked && outs[0].sink() != nullptr && !entry(*asked).is_fill()) {
    outs[0].sink()->reads({X.values.identity(), entry(*asked).from});
    outs[0].sink()->converts(conversion_rule(X.values.dtype(), target(call), conversion(call)));
    return nothing(outs);
  }
  const Tensor dense = convert(outs[0].inner({target(call), row}), values, conversion(call));
  return {move(outs[0], dense, entry)};
}

/// Whether a float is beyond the integers, or no number.
bool may_leave_range(const Call& call) {
  if (target(call) != DType::int64 || call.value_type("X").dtype() != DType::float32) return false;
  if (!call.has_value("X")) return true;
  return any_of(call.map("X").values, [](double x) { return !(std::trunc(x) >= -0x1p63 && x < 0x1p63); });
}
bool is_float_to_text(const Call& call) {
  return target(call) == DType::string && call.value_type("X").dtype() == DType::float32;
}

void version_1(OpSchema& s) {
  s.input("X", "T1").output("Y", "T2");
  s.types("T1", maps(DType::int64, {DType::string, DType::float32}));
  s.types("T2", {DType::string, DType::float32, DType::int64});
  s.attribute(with_default("cast_to", "TO_FLOAT", one_of({"TO_FLOAT", "TO_STRING", "TO_INT64"})));
  s.attribute(with_default("map_form", "DENSE", one_of({"DENSE", "SPARSE"})));
  s.attribute(with_default("max_map", 1));
}
}  // namespace
Operator cast_map() {
  Reading to_integer = conversion_readings(1).front();
  to_integer.may_change_values = may_leave_range;
  return Operator("ai.onnx.ml", "CastMap")
      .summary("the values of a map, converted, as a row in the order of the keys or at the places that they are")
      .version(1, version_1)
      .reading(std::move(to_integer))
      .reading({.name = "cast_map.to_string",
                .alternatives = {"six_decimals: as C's %f", "shortest: the shortest digits that read back"},
                .defaults = {{1, "six_decimals"}},
                .reason = "the page does not say; onnxruntime writes six decimals",
                .may_change_values = is_float_to_text})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx_ml::file_cast_map
