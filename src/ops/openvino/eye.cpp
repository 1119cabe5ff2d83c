// SPDX-License-Identifier: Apache-2.0
// openvino Eye, version 9 (opset9)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_eye {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const DType dtype = element_type_of(call, "output_type");
  for (const std::string_view size : {"num_rows", "num_columns"})
    require(call.integer(size) >= 0, "{} is {}, but must be >= 0", size, call.integer(size));
  const Dims batch = call.has("batch_shape") ? sizes_of(call, "batch_shape") : Dims{};
  return {TensorType{dtype, join(batch, Dims{call.integer("num_rows"), call.integer("num_columns")})}};
}

// output0[…, r, c] = 1 where c - r = diagonal_index, else 0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::int64_t rows = call.integer("num_rows"), columns = call.integer("num_columns"),
                     k = std::clamp(call.integer("diagonal_index"), -rows, columns);
  const TensorType& output = outs[0].type();
  return {move_one_hot(outs[0].inner(output), zero_and_one(output.dtype), columns, 1,
                       [&](std::int64_t line) { return line % rows + k; })};
}
}  // namespace
Operator eye() {
  return Operator("openvino", "Eye")
      .summary("ones on a diagonal, zeros elsewhere")
      .page("generation/eye-9")
      .version(9,
               [](OpSchema& s) {
                 s.attribute(required(STRING, "output_type"))
                     .input("num_rows", "T_NUM")
                     .input("num_columns", "T_NUM")
                     .input("diagonal_index", "T_NUM")
                     .input("batch_shape", "T_SHAPE", Arity::optional)
                     .output("output0", "T")
                     .types("T_NUM", types::signed_wide)
                     .types("T_SHAPE", types::signed_wide)
                     .types("T", computed_numbers);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_eye
