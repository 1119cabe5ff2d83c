// SPDX-License-Identifier: Apache-2.0
#include "ops/common/softmax.h"

#include <limits>

#include "evaluators/elements.h"

namespace opref::ops {
namespace {

constexpr std::string_view kPlusInfinity = "softmax.plus_infinity";

std::vector<ValueType> output_types(const Call& call) {
  const TensorType& input = call.type("input");
  call.axis("axis", input.rank());
  return {input};
}

bool has_plus_infinity(const Call& call) {
  const Input& input = call.inputs()[0];
  if (!input.value) return false;
  const Elements numbers(input.tensor());
  for (std::int64_t i = 0; i < input.tensor().count(); ++i)
    if (numbers.number(i) == std::numeric_limits<double>::infinity()) return true;
  return false;
}

void version_1(OpSchema& s) {
  s.attribute(with_default("axis", 1))
      .input("input", "T")
      .output("output", "T")
      .types("T", types::floats, "Constrain input and output types to float tensors.");
}

void version_13(OpSchema& s) {
  s.change("axis") = with_default("axis", -1);
  s.add_types("T", DType::bfloat16).other_rule("a slice is one axis; before, all axes from `axis` on");
}

}  // namespace

SliceAxes slice_axes(const Call& call) {
  const Dims& input = call.type("input").shape;
  const auto axis = call.axis("axis", input.size());
  const std::int64_t outer = element_count(input.first(axis));
  if (call.version() < 13) return {outer, element_count(input.without_first(axis)), 1};
  return {outer, input[axis], element_count(input.without_first(axis + 1))};
}

Operator softmax_operator(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .version(1, version_1)
      .version(11, words("the page says that axis may be negative"))
      .version(13, version_13)
      .output_types(output_types);
}

Reading plus_infinity_reading(std::int64_t since, std::string_view per_element, std::string_view reason) {
  return {.name = kPlusInfinity,
          .alternatives = {per_element, "nan_row: NaN in the whole row"},
          .defaults = {{since, "per_element"}},
          .reason = reason,
          .may_change_values = has_plus_infinity};
}
bool has_nan_rows(const Call& call) { return call.reads(kPlusInfinity, "nan_row"); }

}  // namespace opref::ops
