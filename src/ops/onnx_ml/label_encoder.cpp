// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml LabelEncoder, versions 1, 2, 4
// https://onnx.ai/onnx/operators/onnx_aionnxml_LabelEncoder.html
#include "ops/operator_file.h"
#include "ops/shared/lookups.h"
namespace opref::ops::onnx_ml::file_label_encoder {
namespace {
constexpr std::string_view kRepeated = "label_encoder.repeated", kFloatKey = "label_encoder.float_key",
                           kDefault = "label_encoder.default";

template <class T>
Tensor one(DType dtype, T value) {
  return Tensor::of<T>(dtype, {1}, std::array{value});
}
Tensor one(const std::string& text) { return Tensor({1}, {text}); }

/// "the 'default_*' that matches the specified 'values_*' attribute"; empty: none does.
std::string_view default_name(const Call& call, DType values) {
  if (is_given(call, "default_tensor")) return "default_tensor";
  if (is_given(call, "values_tensor") && call.reads(kDefault, "matching")) return "";
  return values == DType::string    ? "default_string"
         : values == DType::int64   ? "default_int64"
         : values == DType::float32 ? "default_float"
                                    : "";
}
Tensor default_of(const Call& call, DType values) {
  const std::string_view name = default_name(call, values);
  if (name == "default_string") return one(call.string(name));
  if (name == "default_int64") return one(DType::int64, call.integer(name));
  if (name == "default_float") return one(DType::float32, static_cast<float>(call.number(name)));
  // "{"_Unused"} if values_* has string type, {-1} if … integral type, and {-0.f} if … float type"
  if (name.empty())
    return values == DType::string ? one("_Unused") : fill_of(is_floating(values) ? -0.0 : -1.0, values);
  const Tensor& stated = call.tensor(name);
  // "The type of the 'default_*' attribute must match the 'values_*' attribute chosen"
  require(stated.dtype() == values, "{} is {}, but the values are {}", name, stated.dtype(), values);
  require(stated.shape() == Dims{1}, "{} has shape {}, but must be [1]", name, stated.shape());
  return stated;
}

/// Version 1: strings to their places in classes_strings, or places to strings; X says the direction.
Table of_classes(const Call& call) {
  require(is_given(call, "classes_strings"), "classes_strings is missing or empty");
  const Tensor classes = list_tensor(call, "classes_strings");
  std::vector<std::int64_t> numbers(static_cast<size_t>(classes.count()));
  std::iota(numbers.begin(), numbers.end(), 0);
  const Tensor places = Tensor::of<std::int64_t>(DType::int64, classes.shape(), numbers);
  if (call.type("X").dtype == DType::string) return {classes, places, default_of(call, DType::int64)};
  return {places, classes, default_of(call, DType::string)};
}

/// Versions 2 and 4: "only one of 'keys_*'/'values_*' can be set".
Table of_keys(const Call& call) {
  const std::string_view keys_name = given_one(call, {"keys_floats", "keys_int64s", "keys_strings", "keys_tensor"}),
                         values_name =
                             given_one(call, {"values_floats", "values_int64s", "values_strings", "values_tensor"});
  const Tensor keys = list_tensor(call, keys_name), values = list_tensor(call, values_name);
  // "input's element type and the element type of the specified 'keys_*' should be identical"
  require(keys.dtype() == call.type("X").dtype, "{} has keys of {}, but X is {}", keys_name, keys.dtype(),
          call.type("X").dtype);
  require(call.schema().types_of("T2").contains(values.dtype()), "{} is {}, which is no type of Y in {}", values_name,
          values.dtype(), call.title());
  require_equal_lengths(call, keys_name, values_name);
  return {keys, values, default_of(call, values.dtype())};
}

Table table_of(const Call& call) { return call.version() == 1 ? of_classes(call) : of_keys(call); }

// "its input and output shapes are the same"
std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{table_of(call).values.dtype(), call.type("X").shape}};
}

// Y = values[k] where X = keys[k], else the default. Keys of floats: version 2 "bit-wise comparison"; 4 "NaN match any
// input 'NaN' value regardless of bit value". Keys that come twice: 4 "the last key takes precedence".
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const FloatKeys floats = call.version() >= 4                ? FloatKeys::numbers_and_nan
                           : call.reads(kFloatKey, "numbers") ? FloatKeys::numbers
                                                              : FloatKeys::bits;
  return {looked_up(outs[0], call.input("X"), table_of(call), call.reading_choice<Repeated>(kRepeated), floats)};
}

std::vector<Note> notes(const Call& call) {
  return unused_defaults(call, default_name(call, table_of(call).values.dtype()));
}

bool has_float_keys(const Call& call) { return is_floating(call.type("X").dtype); }

bool has_repeated_keys(const Call& call) {
  const Tensor keys = table_of(call).keys;
  return places_among(keys, keys, Repeated::first, FloatKeys::numbers_and_nan) !=
         places_among(keys, keys, Repeated::last, FloatKeys::numbers_and_nan);
}

void version_1(OpSchema& s) {
  s.input("X", "T1")
      .output("Y", "T2")
      .types("T1", {DType::int64, DType::string})
      .types("T2", {DType::int64, DType::string});
  s.attribute(optional(STRINGS, "classes_strings"))
      .attribute(with_default("default_int64", -1))
      .attribute(with_default("default_string", "_Unused"));
}

void version_2(OpSchema& s) {
  s.remove("classes_strings")
      .attribute(with_default("default_float", -0.0F))
      .attribute(optional(FLOATS, "keys_floats"))
      .attribute(optional(INTS, "keys_int64s"));
  s.attribute(optional(STRINGS, "keys_strings"))
      .attribute(optional(FLOATS, "values_floats"))
      .attribute(optional(INTS, "values_int64s"))
      .attribute(optional(STRINGS, "values_strings"));
  s.add_types("T1", DType::float32).add_types("T2", DType::float32);
}

void version_4(OpSchema& s) {
  s.attribute(optional(TENSOR, "default_tensor"))
      .attribute(optional(TENSOR, "keys_tensor"))
      .attribute(optional(TENSOR, "values_tensor"))
      .add_types("T1", {DType::float64, DType::int16, DType::int32});
  s.add_types("T2", {DType::float64, DType::int16, DType::int32});
}
}  // namespace
Operator label_encoder() {
  return Operator("ai.onnx.ml", "LabelEncoder")
      .summary("for each element the value of the key that equals it, by two lists")
      .version(1, version_1)
      .version(2, version_2)
      .version(4, version_4)
      .reading({.name = kFloatKey,
                .alternatives = {"bits: floats are one key where their bits are equal: a NaN too, but -0 is not 0",
                                 "numbers: where the numbers are equal: -0 is 0, and NaN is never found"},
                .defaults = {{2, "bits"}, {4, ""}},
                .reason = "the page of 2: \"bit-wise comparison is used\"; onnxruntime compares numbers",
                .may_change_values = has_float_keys})
      .reading({.name = kRepeated,
                .alternatives = {"first: of equal keys the first", "last: the last"},
                .defaults = {{1, "last"}, {2, "first"}, {4, "last"}},
                .reason = "the page of 4: \"the last key takes precedence\"; of 1 and 2 as onnxruntime has it",
                .may_change_values = has_repeated_keys})
      .reading({.name = kDefault,
                .alternatives = {"matching: values_tensor takes default_tensor alone, or -1, \"_Unused\" or -0",
                                 "of_type: without default_tensor the default_* of its type"},
                .defaults = {{4, "matching"}},
                .reason = "the page: \"the 'default_*' that matches the specified 'values_*' attribute\"; onnxruntime "
                          "takes that of the type",
                .may_change_values = [](const Call& call) { return call.has("values_tensor"); }})
      .output_types(output_types)
      .kernel(kernel)
      .notes(notes)
      .short_names({{"classes_strings", ""},
                    {"keys_floats", "keys"},
                    {"keys_int64s", "keys"},
                    {"keys_strings", "keys"},
                    {"keys_tensor", "keys"},
                    {"values_floats", "values"},
                    {"values_int64s", "values"},
                    {"values_strings", "values"},
                    {"values_tensor", "values"},
                    {"default_float", "default"},
                    {"default_int64", "default"},
                    {"default_string", "default"},
                    {"default_tensor", "default"}});
}
}  // namespace opref::ops::onnx_ml::file_label_encoder
