// SPDX-License-Identifier: Apache-2.0
// openvino ConvertPromoteTypes, version 14 (opset14)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_convert_promote_types {
namespace {
/// bool, then integers, then floats.
int priority(DType type) { return type == DType::boolean ? 0 : is_integer(type) ? 1 : 2; }

bool is_signed(DType type) { return info(type).kind == Kind::signed_integer; }

/// Whether `type` has all numbers of `other`, which has its priority.
bool has_all_of(DType type, DType other) {
  if (type == other) return true;
  const int bits = info(type).bits, other_bits = info(other).bits;
  if (is_floating(type)) return bits > other_bits;
  return is_signed(type) == is_signed(other) ? bits > other_bits : is_signed(type) && bits > other_bits;
}

/// The type of integers of either sign that has all numbers of this one, which has none below 0.
DType signed_like(DType type) {
  for (const DTypeInfo& wider : all_dtypes())
    if (wider.kind == Kind::signed_integer && wider.bits == 2 * info(type).bits) return wider.dtype;
  fail(Fault::internal, "no signed type has twice the bits of {}", type);
}

/// The common type of two of one priority, none of which has all numbers of the other.
DType wider(const Call& call, DType a, DType b) {
  if (is_floating(a)) return info(a).bits == 8 ? DType::float16 : DType::float32;
  const DType without_sign = is_signed(a) ? b : a;
  return without_sign == DType::uint64 ? element_type_of(call, "u64_integer_promotion_target")
                                       : signed_like(without_sign);
}

/// The common type, and whether it is reached without promote_unsafe.
std::pair<DType, bool> promoted(const Call& call) {
  const auto& [a, a_shape] = call.type("input_0");
  const auto& [b, b_shape] = call.type("input_1");
  if (priority(a) != priority(b)) {
    const auto& [high, low] = priority(a) > priority(b) ? std::pair(a, b) : std::pair(b, a);
    return {high, priority(high) < 2 || priority(low) < 1 || info(high).bits >= 2 * info(low).bits};
  }
  if (call.flag("pytorch_scalar_promotion") && a_shape.empty() != b_shape.empty())
    return b_shape.empty() ? std::pair(a, has_all_of(a, b)) : std::pair(b, has_all_of(b, a));
  if (has_all_of(a, b)) return {a, true};
  if (has_all_of(b, a)) return {b, true};
  return {wider(call, a, b), false};
}

std::vector<ValueType> output_types(const Call& call) {
  const auto [common, is_safe] = promoted(call);
  require(is_safe || call.flag("promote_unsafe"),
          "input_0 is {} and input_1 {}: {} for both needs promote_unsafe, for numbers may be lost or types widen",
          call.type("input_0"), call.type("input_1"), common);
  return {TensorType{common, call.type("input_0").shape}, TensorType{common, call.type("input_1").shape}};
}

// out_0 and out_1 = input_0 and input_1 as elements of their common type
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  std::vector<Value> results;
  for (size_t k = 0; k < outs.size(); ++k)
    results.emplace_back(evaluators::convert(outs[k], call.inputs()[k].tensor(), {.saturates = false}));
  return results;
}
}  // namespace
Operator convert_promote_types() {
  constexpr Types kTypes =
      computed_numbers | types::int4s | Types{DType::float8_e4m3fn, DType::float8_e5m2, DType::boolean};
  return Operator("openvino", "ConvertPromoteTypes")
      .summary("two tensors, converted to their common type")
      .page("type/convert-promote-types-14")
      .category("category type conversion")
      .version(14,
               [=](OpSchema& s) {
                 s.attribute(with_default("promote_unsafe", 0, flag()))
                     .attribute(with_default("pytorch_scalar_promotion", 0, flag()))
                     .attribute(with_default("u64_integer_promotion_target", "f32"));
                 s.input("input_0", "T1")
                     .input("input_1", "T2")
                     .output("out_0", "T_OUT")
                     .output("out_1", "T_OUT")
                     .types("T1", kTypes)
                     .types("T2", kTypes)
                     .types("T_OUT", kTypes);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_convert_promote_types
