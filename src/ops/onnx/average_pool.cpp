// SPDX-License-Identifier: Apache-2.0
// ai.onnx AveragePool, versions 1, 7, 10, 11, 19, 22
// https://onnx.ai/onnx/operators/onnx__AveragePool.html
#include "ops/operator_file.h"
#include "ops/shared/pooling.h"
namespace opref::ops::onnx::file_average_pool {
namespace {
bool counts_pads(const Call& call) { return call.flag("count_include_pad"); }

// Y[n,c,o] = Σ X[n, c, o*s + k*d - pb] / count over the taps inside X;  count is how many these are, with
// count_include_pad how many taps lie inside X and its pads
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Counted counted = !counts_pads(call)                                ? Counted::elements
                          : call.reads("average_pool.overhang", "included") ? Counted::all
                                                                            : Counted::pads;
  return {average_pool(outs[0], call.input("X"), pooling_windows(call), counted)};
}

std::vector<ValueType> output_types(const Call& call) { return {pooled_type(call)}; }

bool rounds_up_and_counts_pads(const Call& call) { return counts_pads(call) && call.flag("ceil_mode"); }
}  // namespace
Operator average_pool() {
  return pooling_operator("AveragePool")
      .summary("the mean of each window of each channel")
      .version(1, [](OpSchema& s) { pooling_version_1(s, "the means of the windows"); })
      .version(7, [](OpSchema& s) { s.attribute(with_default("count_include_pad", 0, flag())); })
      .version(10, [](OpSchema& s) { s.attribute(with_default("ceil_mode", 0, flag())); })
      .version(11, pooling_version_11)
      .version(19, [](OpSchema& s) { s.attribute(per_axis_attribute("dilations", 1)); })
      .version(22, adds("T", DType::bfloat16))
      .reading(ceil_drop_reading("average_pool.ceil_drop", 10))
      .reading(same_size_reading("average_pool.same_size"))
      .reading(same_dilation_reading("average_pool.same_dilation", 19))
      .reading(valid_ceil_reading("average_pool.valid_ceil", 19))
      .reading(pads_with_auto_pad_reading("average_pool.pads_with_auto_pad", 1))
      .reading(overhang_reading(10,
                                "published data of averagepool_3d_dilations_large count what lies in the pads alone; "
                                "the text's count is silent",
                                rounds_up_and_counts_pads))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_average_pool
