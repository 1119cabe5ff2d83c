// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/blocks.h"
#include <utility>

#include "core/error.h"
#include "evaluators/sum.h"
#include "evaluators/taps.h"
#include "ops/shared/images.h"
namespace opref::ops {
using namespace evaluators;
namespace {
Dims sizes(const Call& call, std::string_view input) {
  require(call.type(input).rank() == 1, "{} has shape {}, but must be a list", input, call.type(input).shape);
  const Dims list(call.integers(input));
  require(all_positive(list), "{} is {}, but its sizes must be > 0", input, list);
  return list;
}

Tensor added_up(const Output& out, const Tensor& columns, const PoolingWindows& w, std::int64_t parts) {
  const Elements input(columns);
  const Taps taps(transposed_axes(w.O, w.k, w.L, w.s, w.d, w.pads.begin), out);
  const std::int64_t K = element_count(w.k), L = element_count(w.O), plane = element_count(w.L);
  const auto terms = [&, parts](std::int64_t i, auto& sum) {
    const auto [nc, at, part] = split(i, plane, parts);
    for (const Tap& tap : taps.of(at)) sum.add(input[((nc * K + tap.w) * L + tap.x) * parts + part]);
  };
  if (parts > 1 || L == 0) return sum(out, columns.dtype(), terms);
  return sum(out, columns.dtype(), terms, taps.neighbours(columns.count() / (K * L), K * L));
}
}  // namespace

std::pair<Dims, Dims> image_and_block(const Call& call, const BlockInputs& inputs) {
  const Dims image = sizes(call, inputs.image), block = sizes(call, inputs.block);
  require(image.size() == block.size() && !image.empty(),
          "{} is {}, {} is {}, but both must have a size for each spatial axis", inputs.image, image, inputs.block,
          block);
  return {image, block};
}

TensorType images_type(const Call& call, const BlockInputs& inputs, const PoolingWindows& w) {
  const auto& [dtype, x] = call.type(inputs.columns);
  const size_t rows = x.size() - 2;
  const std::int64_t K = element_count(w.k), L = element_count(w.O);
  require(x[rows] % K == 0, "{} has {} rows, but must have a multiple of {}: the sizes of {} {}", inputs.columns,
          x[rows], K, inputs.block, w.k);
  require(x[rows + 1] == L, "{} has {} columns, but {} blocks lie in {} {}: {}", inputs.columns, x[rows + 1], L,
          inputs.image, w.L, w.O);
  return {dtype, join(join(x.first(rows), Dims{x[rows] / K}), w.L)};
}

Tensor images_of(const Output& out, const Tensor& columns, const PoolingWindows& w) {
  if (!types::complexes.contains(columns.dtype())) return added_up(out, columns, w, 1);
  return by_parts(out, columns, [&](const Output& inner, const Tensor& parts) { return added_up(inner, parts, w, 2); });
}
}  // namespace opref::ops
