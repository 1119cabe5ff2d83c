// SPDX-License-Identifier: Apache-2.0
// openvino CTCGreedyDecoder, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/ctc.h"
#include "ops/shared/openvino.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_ctc_greedy_decoder {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  require(data.size() == 3 && data[2] >= 1, "data has shape {}, but must have those of steps, batches and classes",
          data);
  const Dims steps{data[0], data[1]}, &mask = call.type("sequence_mask").shape;
  require(mask == steps, "sequence_mask has shape {}, but must have {}", mask, steps);
  return {TensorType{dtype, {data[1], data[0], 1, 1}}};
}

/// The steps of a batch, before its first 0.
std::int64_t steps_of(const Elements& mask, std::int64_t batch, std::int64_t steps, std::int64_t batches) {
  std::int64_t before = steps;
  for (std::int64_t t = steps - 1; t >= 0; --t) {
    const double step = mask.number(t * batches + batch);
    require(step == 0 || step == 1, "sequence_mask[{},{}] is {}, but must be 0 or 1", t, batch, step);
    if (step == 0) before = t;
  }
  return before;
}

// output0[n] = the classes of the greatest data of each step, those that are repeated made one, without blanks, which
// are the last class; then -1
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_no_nan(call, "data");
  const Tensor& data = call.input("data");
  const Elements x(data), mask(call.input("sequence_mask"));
  const std::int64_t T = data.shape()[0], N = data.shape()[1], C = data.shape()[2];
  std::vector<std::int64_t> places(static_cast<size_t>(N * T), -1);
  for (std::int64_t n = 0; n < N; ++n) {
    const ClassSteps numbers{.x = x, .classes = C, .first = n * C, .step = N * C};
    std::ranges::copy(best_path(numbers, steps_of(mask, n, T, N), C - 1, call.flag("ctc_merge_repeated")),
                      places.begin() + n * T);
  }
  const Output classes = outs[0].inner(TensorType{DType::int64, outs[0].type().shape});
  return {convert(outs[0], evaluators::places(
                               classes, data, [&](std::int64_t i) { return places[static_cast<size_t>(i)]; },
                               [C](std::int64_t at) { return at < 0 ? -1 : at % C; }))};
}
}  // namespace
Operator ctc_greedy_decoder() {
  return Operator("openvino", "CTCGreedyDecoder")
      .summary("the classes of the best path through each step's greatest number")
      .page("sequence/ctc-greedy-decoder-1")
      .category("category sequence processing")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(with_default("ctc_merge_repeated", 1, flag()))
                     .input("data", "T_F")
                     .input("sequence_mask", "T_F")
                     .output("output0", "T_F")
                     .types("T_F", computed_floats);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_ctc_greedy_decoder
