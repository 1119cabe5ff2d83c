// SPDX-License-Identifier: Apache-2.0
// Progressions and attentions.
#include "evaluators/nothing.h"
#include "evaluators/programs.h"
#include "kernels/tables.h"
#include "ops/shared/attention.h"

namespace opref::kernels {
namespace {

using evaluators::Elements;
using evaluators::Reader;

// Each element is the one before plus delta.
std::vector<Value> accumulated_range(const Call& call, std::span<const Output> outs) {
  const Elements start(call.input("start")), delta(call.input("delta"));
  if (!start.is_floating()) return evaluators::nothing(outs);
  const Reader<Faithful> x;
  const Faithful step = x(delta, 0);
  std::vector<Faithful> all;
  Faithful next = x(start, 0);
  for (std::int64_t i = 0, count = element_count(outs[0].type().shape); i < count; ++i, next = next + step)
    all.push_back(next);
  if (outs[0].sink()->asks_for_bounds())
    evaluators::tell_bounds(outs[0], [&](std::int64_t i) { return all[static_cast<std::size_t>(i)]; });
  return evaluators::nothing(outs);
}

}  // namespace

const Table& sequences() {
  static const Table table = {
      {"Range", "the element before, plus delta", accumulated_range},
      {"Attention", "softmax((√scale·Q)·(√scale·K)^T)·V",
       [](const Call& call, std::span<const Output> outs) {
         return ops::onnx::attention_by(call, outs, ops::Scaled::factors);
       }},
  };
  return table;
}

}  // namespace opref::kernels
