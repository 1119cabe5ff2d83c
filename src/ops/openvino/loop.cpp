// SPDX-License-Identifier: Apache-2.0
// openvino Loop, version 5 (opset5)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/port_maps.h"
namespace opref::ops::openvino::file_loop {
namespace {
// for (i = 0; (trip_count = -1 or i < trip_count) and execution_condition; ++i)
//   execution_condition, results… = body(inputs by port_map, those of sliced_inputs part i; by back_edges results)
// out: the last results, or those of all iterations put together
constexpr size_t kCondition = 1;  // the outputs of body that are none of the node's

std::vector<ValueType> output_types(const Call& call) {
  require_single(call, "trip_count");
  require_single(call, "execution_condition");
  return types_of_iterations(call, kCondition);
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return values_of_iterations(call, outs, kCondition);
}
}  // namespace
Operator loop() {
  return Operator("openvino", "Loop")
      .summary("a net again and again, on values that it carries along and on parts of others")
      .page("infrastructure/loop-5")
      .category("category infrastructure")
      .version(5,
               [](OpSchema& s) {
                 s.input("trip_count", "I").input("execution_condition", "bool");
                 s.input("values", "V", Arity::heterogeneous_or_none).output("out", "V", Arity::heterogeneous);
                 s.types("I", types::signed_wide);
                 s.types("V", any_type | types::int4s);
                 add_iterations(s);
               })
      .reading(empty_dims_reading(5, may_be_idle))
      .output_types(output_types)
      .outputs_counted_by({.outputs_of = "body", .beyond = kCondition})
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_loop
