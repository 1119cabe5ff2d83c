// SPDX-License-Identifier: Apache-2.0
// openvino GatherTree, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_gather_tree {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const TensorType& steps = call.type("step_ids");
  const Dims &parents = call.type("parent_ids").shape, &lengths = call.type("max_seq_len").shape;
  require(steps.shape.size() == 3, "step_ids has shape {}, but must have those of steps, batches and beams",
          steps.shape);
  require(parents == steps.shape, "parent_ids has shape {}, but must have that of step_ids, {}", parents, steps.shape);
  require(lengths == Dims{steps.shape[1]}, "max_seq_len has shape {}, but must have {}", lengths, Dims{steps.shape[1]});
  require_scalar(call, "end_token");
  return {steps};
}

/// The whole number that an element of any type is.
std::int64_t whole(const Call& call, std::string_view input, const Elements& x, std::int64_t i) {
  if (!x.is_floating()) return static_cast<std::int64_t>(std::min<Elements::Wide>(x.wide(i), INT64_MAX));
  const double number = x.number(i);
  require(number == std::floor(number) && std::abs(number) < 0x1p62, "{}{} is {}, but must be a whole number", input,
          coordinates(i, call.type(input).shape), number);
  return static_cast<std::int64_t>(number);
}

// final_ids[t, b, k]: the beam that ends as beam k of the last step, min(steps, max_seq_len[b]) - 1, taken back through
// the parents: step_ids[t, b, beam]. After the first end_token, and beyond the last step, all are end_token.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<Tensor> from{call.input("step_ids"), call.input("end_token")};
  const Elements ids(from[0]), end(from[1]), parents(call.input("parent_ids")), lengths(call.input("max_seq_len"));
  const Dims& shape = from[0].shape();
  const std::int64_t T = shape[0], N = shape[1], K = shape[2];
  const auto is_end = [&](std::int64_t at) {
    return ids.is_floating() ? ids.number(at) == end.number(0) : ids.integer(at) == end.integer(0);
  };
  std::vector<std::int64_t> place(static_cast<size_t>(T * N * K), -1);
  for (std::int64_t b = 0; b < N; ++b)
    for (std::int64_t k = 0; k < K; ++k) {
      require_time();
      const std::int64_t last = std::clamp<std::int64_t>(whole(call, "max_seq_len", lengths, b), 0, T) - 1;
      for (std::int64_t t = last, beam = k; t >= 0; --t) {
        const std::int64_t at = (t * N + b) * K + beam;
        place[static_cast<size_t>((t * N + b) * K + k)] = at;
        if (t == 0) break;
        beam = whole(call, "parent_ids", parents, at);
        require(beam >= 0 && beam < K, "parent_ids{} is {}, but must be from 0 to {}", coordinates(at, shape), beam,
                K - 1);
      }
      bool is_over = false;
      for (std::int64_t t = 0; t <= last; ++t) {
        std::int64_t& at = place[static_cast<size_t>((t * N + b) * K + k)];
        if (is_over) at = -1;
        is_over = is_over || is_end(at);
      }
    }
  return {move(outs[0], from, [&](std::int64_t i) {
    const std::int64_t at = place[static_cast<size_t>(i)];
    return at < 0 ? Run{0, 1, 1, 1} : Run{at, 1, 1, 0};
  })};
}
}  // namespace
Operator gather_tree() {
  return Operator("openvino", "GatherTree")
      .summary("the full beams of a beam search, by the ids of each step and their parents")
      .page("movement/gather-tree-1")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.input("step_ids", "T")
                     .input("parent_ids", "T")
                     .input("max_seq_len", "T")
                     .input("end_token", "T")
                     .output("final_ids", "T")
                     .types("T", computed_numbers);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_gather_tree
