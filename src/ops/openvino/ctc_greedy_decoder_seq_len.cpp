// SPDX-License-Identifier: Apache-2.0
// openvino CTCGreedyDecoderSeqLen, version 6 (opset6)
#include "ops/operator_file.h"
#include "ops/shared/ctc.h"
#include "ops/shared/openvino.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_ctc_greedy_decoder_seq_len {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims& data = call.type("data").shape;
  require(data.size() == 3 && data[2] >= 1, "data has shape {}, but must have those of batches, steps and classes",
          data);
  const Dims batches{data[0]}, &lengths = call.type("sequence_length").shape;
  require(lengths == batches, "sequence_length has shape {}, but must have {}", lengths, batches);
  if (call.has("blank_index")) require_scalar_or_one(call, "blank_index");
  return {TensorType{element_type_of(call, "classes_index_type"), data.first(2)},
          TensorType{element_type_of(call, "sequence_length_type"), batches}};
}

// output0[n] = the classes of the greatest data of each step, those that are repeated made one, without blanks; then -1
// output1[n] = how many classes there are
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_no_nan(call, "data");
  const Tensor& data = call.input("data");
  const Elements x(data);
  const std::int64_t N = data.shape()[0], T = data.shape()[1], C = data.shape()[2],
                     blank = call.has("blank_index") ? call.integer("blank_index") : C - 1;
  require(blank >= 0 && blank < C, "blank_index is {}, but must be from 0 to {}", blank, C - 1);
  const std::vector<std::int64_t> lengths = call.integers("sequence_length");
  std::vector<std::int64_t> places(static_cast<size_t>(N * T), -1), counts;
  for (std::int64_t n = 0; n < N; ++n) {
    const std::int64_t steps = lengths[static_cast<size_t>(n)];
    require(steps >= 0 && steps <= T, "sequence_length[{}] is {}, but must be from 0 to {}", n, steps, T);
    const ClassSteps numbers{.x = x, .classes = C, .first = n * T * C, .step = C};
    const std::vector<std::int64_t> path = best_path(numbers, steps, blank, call.flag("merge_repeated"));
    std::ranges::copy(path, places.begin() + n * T);
    counts.push_back(std::ssize(path));
  }
  return {evaluators::places(
              outs[0], data, [&](std::int64_t i) { return places[static_cast<size_t>(i)]; },
              [C](std::int64_t at) { return at < 0 ? -1 : at % C; }),
          convert(outs[1], Tensor::of<std::int64_t>(DType::int64, {N}, counts))};
}
}  // namespace
Operator ctc_greedy_decoder_seq_len() {
  return Operator("openvino", "CTCGreedyDecoderSeqLen")
      .summary("the classes of the best path through each step's greatest number, and how many they are")
      .page("sequence/ctc-greedy-decoder-seq-len-6")
      .category("category sequence processing")
      .version(6,
               [](OpSchema& s) {
                 s.attribute(with_default("merge_repeated", 1, flag()))
                     .attribute(with_default("classes_index_type", "i32", index_types()))
                     .attribute(with_default("sequence_length_type", "i32", index_types()));
                 s.input("data", "T_F")
                     .input("sequence_length", "T_I")
                     .input("blank_index", "T_I", Arity::optional)
                     .output("output0", "T_IND1")
                     .output("output1", "T_IND2");
                 s.types("T_F", computed_floats)
                     .types("T_I", types::signed_wide)
                     .types("T_IND1", types::signed_wide)
                     .types("T_IND2", types::signed_wide);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_ctc_greedy_decoder_seq_len
