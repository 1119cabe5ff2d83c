// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/summed_normalization.h"

#include "core/error.h"
namespace opref::ops {
std::vector<ValueType> skip_types(const Call& call, std::initializer_list<std::string_view> parameters) {
  const auto& [dtype, input] = call.type("input");
  require(input.size() == 2 || input.size() == 3, "input has shape {}, but must have 2 or 3 axes", input);
  const Dims &skip = call.type("skip").shape, of_batch = input.without_first(1);
  const bool repeats = input.size() == 3 && (skip == of_batch || skip == join(Dims{1}, of_batch));
  require(skip == input || repeats, "skip has shape {}, but must have that of input, {}{}", skip, input,
          input.size() == 3 ? format(", or {} or {}", of_batch, join(Dims{1}, of_batch)) : "");
  const std::int64_t hidden = input[input.size() - 1];
  for (const std::string_view name : parameters)
    if (call.has(name)) require_parameters(call, {name}, {hidden});
  Dims of_rows = input;
  of_rows[input.size() - 1] = 1;
  const TensorType statistics{DType::float32, of_rows};
  return {TensorType{dtype, input}, statistics, statistics, TensorType{dtype, input}};
}
Slicing skip_slices(const Call& call) {
  const Dims& input = call.type("input").shape;
  return Slicing::from(input, input.size() - 1);
}
std::vector<Addend> skip_addends(const Call& call, const Slicing& slices) {
  std::vector<Addend> addends;
  addends.push_back({slices.operand(call.input("input"))});
  addends.push_back({slices.broadcast(call.input("skip"))});
  if (call.has("bias")) addends.push_back({slices.broadcast(call.input("bias"))});
  return addends;
}
void with_skip_outputs(OpSchema& s) {
  s.output("output", "T")
      .output("mean", "U", Arity::optional)
      .output("inv_std_var", "U", Arity::optional)
      .output("input_skip_bias_sum", "T", Arity::optional, "input + skip + bias");
  s.types("T", {DType::bfloat16, DType::float16, DType::float32}).types("U", DType::float32);
  s.attribute(with_default("epsilon", 1e-12F));
}
}  // namespace opref::ops
