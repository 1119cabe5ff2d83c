// SPDX-License-Identifier: Apache-2.0
// openvino AvgPool, versions 1 (opset1), 14 (opset14), 16 (opset16)
// https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/pooling/avg-pool-14.html
#include "ops/operator_file.h"
#include "ops/shared/openvino_windows.h"
#include "ops/shared/pooling.h"
namespace opref::ops::openvino::file_avg_pool {
namespace {
std::vector<ValueType> output_types(const Call& call) { return {openvino_pooled_type(call)}; }

// output[n,c,o] = Σ data[n, c, o*s + k*d - pb] / count over the taps inside data;  count is how many these are, without
// exclude-pad how many taps lie inside data and its pads
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Counted counted = call.string("exclude-pad") == "true" ? Counted::elements : Counted::pads;
  const EmptyMean empty = call.reads("avg_pool.empty", "zero") ? EmptyMean::zero : EmptyMean::nan;
  return {average_pool(outs[0], call.input("data"), openvino_pooling_windows(call), counted, empty)};
}

bool has_empty_means(const Call& call) {
  return call.string("exclude-pad") == "true" && has_empty_window(openvino_pooling_windows(call));
}

void version_1(OpSchema& s) {
  openvino_pooling_attributes(s);
  s.attribute(required(STRING, "exclude-pad", one_of({"true", "false"})))
      .input("data", "T", "the data, [N, C, Z, Y, X], [… Y, X] or [… X]")
      .output("output", "T", "the means of the windows")
      .types("T", openvino_numbers(), "Any numeric type.");
}
}  // namespace
Operator avg_pool() {
  return openvino_pooling("AvgPool")
      .summary("the mean of each window of each channel")
      .page("pooling/avg-pool-14")
      .version(1, version_1)
      .version(14, version_with_ceil_torch)
      .version(16, [](OpSchema& s) { s.attribute(per_axis_attribute("dilations", 1)); })
      .reading({.name = "avg_pool.empty",
                .alternatives = {"nan: 0/0, a sum of nothing by a count of 0; of integers it is invalid",
                                 "zero: the mean of a window without elements of data is 0"},
                .defaults = {{1, "nan"}},
                .reason = "the formula of the page; OpenVINO's own reference gives 0",
                .may_change_values = has_empty_means})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_avg_pool
