// SPDX-License-Identifier: Apache-2.0
// openvino TensorIterator, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/port_maps.h"
namespace opref::ops::openvino::file_tensor_iterator {
namespace {
// for each part i of sliced_inputs: results… = body(inputs by port_map, part i; by back_edges results)
// out: the last results, or those of all iterations put together
std::vector<ValueType> output_types(const Call& call) { return types_of_iterations(call, 0); }

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  return values_of_iterations(call, outs, 0);
}
}  // namespace
Operator tensor_iterator() {
  return Operator("openvino", "TensorIterator")
      .summary("a net on one part of its inputs after another, on values that it carries along")
      .page("infrastructure/tensor-iterator-1")
      .category("category infrastructure")
      .version(1,
               [](OpSchema& s) {
                 s.input("values", "V", Arity::heterogeneous).output("out", "V", Arity::heterogeneous);
                 s.types("V", any_type | types::int4s);
                 add_iterations(s);
               })
      .reading(empty_dims_reading(1, may_be_idle))
      .output_types(output_types)
      .outputs_counted_by({.outputs_of = "body"})
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_tensor_iterator
