// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml Imputer, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_Imputer.html
#include "ops/operator_file.h"
#include "ops/shared/lookups.h"
namespace opref::ops::onnx_ml::file_imputer {
namespace {
/// "floats if the input tensor holds floats, integers if the input tensor holds integers"
struct Names {
  std::string_view imputed, replaced, other_imputed, other_replaced;
};
Names names(const Call& call) {
  constexpr Names kFloats{"imputed_value_floats", "replaced_value_float", "imputed_value_int64s",
                          "replaced_value_int64"};
  constexpr Names kIntegers{kFloats.other_imputed, kFloats.other_replaced, kFloats.imputed, kFloats.replaced};
  return is_floating(call.type("X").dtype) ? kFloats : kIntegers;
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, X] = call.type("X");
  require(!X.empty(), "X is a scalar, but needs a last axis, of features");
  const auto [imputed, replaced, other_imputed, other_replaced] = names(call);
  // "One and only one of imputed_value_floats or imputed_value_int64s should be defined", and of the replaced values
  require(!is_given(call, other_imputed), "X is {}, so {} cannot be given", dtype, other_imputed);
  require(!call.stated(other_replaced), "X is {}, so {} cannot be given", dtype, other_replaced);
  require(is_given(call, imputed), "X is {}, so {} must be given", dtype, imputed);
  // "1 element, or … one element per input feature"
  const std::int64_t values = list_tensor(call, imputed).count(), features = X[X.size() - 1];
  require(values == 1 || values == features, "{} has {}, but must have 1, or {}, the size of X's last axis", imputed,
          counted(values, "value"), features);
  // "The imputed values must all fit within the width of the tensor element type"
  if (dtype == DType::int32)
    for (const std::int64_t value : call.integers(imputed))
      require(value >= INT32_MIN && value <= INT32_MAX, "{} has {}, which is no {}", imputed, value, dtype);
  return {call.type("X")};
}

/// Where X equals the value: NaN means every NaN, -0 and 0 are equal.
Tensor replaced(const Call& call) {
  const Tensor& X = call.input("X");
  const Elements x(X);
  std::vector<std::uint8_t> truths;
  if (x.is_floating()) {
    const double value = call.number("replaced_value_float");
    for (std::int64_t i = 0; i < X.count(); ++i)
      truths.push_back(std::isnan(value) ? std::isnan(x.number(i)) : x.number(i) == value);
  } else {
    const std::int64_t value = call.integer("replaced_value_int64");
    for (std::int64_t i = 0; i < X.count(); ++i) truths.push_back(x.integer(i) == value);
  }
  return Tensor::of<std::uint8_t>(DType::boolean, X.shape(), truths);
}

// Y[…, k] = imputed_value[k], or the only one, where X[…, k] equals replaced_value, else X[…, k]
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const auto [name, value, other_name, other_value] = names(call);
  const Tensor imputed = list_tensor(call, name), is_replaced = replaced(call), &X = call.input("X");
  const Output values = outs[0].inner({X.dtype(), imputed.shape()});
  if (const auto i = outs[0].only(); i && is_replaced.values<std::uint8_t>()[static_cast<size_t>(*i)] != 0)
    tell_rule(outs[0], X, *i, format("it equals {}, so {} stands for it", value, name));
  return {move_either(outs[0], is_replaced, convert(values, imputed), X)};
}

void version_1(OpSchema& s) {
  s.input("X", "T").output("Y", "T").types("T", types::signed_wide | Types{DType::float32, DType::float64});
  s.attribute(optional(FLOATS, "imputed_value_floats"))
      .attribute(optional(INTS, "imputed_value_int64s"))
      .attribute(with_default("replaced_value_float", 0.0F))
      .attribute(with_default("replaced_value_int64", 0));
  s.shape_inference(ShapeInference::none);
}
}  // namespace
Operator imputer() {
  return Operator("ai.onnx.ml", "Imputer")
      .summary("another value for each element that equals one, such as NaN")
      .version(1, version_1)
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"imputed_value_floats", "to"},
                    {"imputed_value_int64s", "to"},
                    {"replaced_value_float", "of"},
                    {"replaced_value_int64", "of"}});
}
}  // namespace opref::ops::onnx_ml::file_imputer
