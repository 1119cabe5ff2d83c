// SPDX-License-Identifier: Apache-2.0
#include "evaluators/contraction.h"

#include <algorithm>

namespace opref::evaluators {
namespace {

using Places = std::vector<std::size_t>;

/// One index of all arrays that some labels make together.
struct Merged {
  std::int64_t size = 1;
  std::vector<std::int64_t> steps;  ///< of each array
  Places taken;
};
/// Of the labels at `places`, ascending, the last one, and those before it that go on where it ends.
Merged merged(const std::vector<Dims>& strides, const Dims& sizes, const Places& places) {
  Merged index;
  for (const Dims& own : strides) index.steps.push_back(places.empty() ? 0 : own[places.back()]);
  for (std::size_t k = places.size(); k-- > 0;
       index.taken.push_back(places[k]), index.size = checked_multiply(index.size, sizes[places[k]]))
    for (std::size_t a = 0; a < strides.size(); ++a)
      if (strides[a][places[k]] != index.steps[a] * index.size) return index;
  return index;
}

}  // namespace

Labels Contraction::summed() const {
  Labels labels;
  for (const auto& [label, size] : sizes)
    if (std::ranges::find(output, label) == output.end()) labels.push_back(label);
  return labels;
}

Dims Contraction::sizes_of(const Labels& labels) const {
  Dims shape;
  for (const Label label : labels) shape.push_back(sizes.at(label));
  return shape;
}

Dims Contraction::strides(std::size_t k, const Labels& labels) const {
  Dims strides;
  const Dims own = strides_of(shapes[k]);
  for (const Label label : labels) {
    std::int64_t stride = 0;
    for (std::size_t axis = 0; axis < terms[k].size(); ++axis)
      if (terms[k][axis] == label && shapes[k][axis] == sizes.at(label)) stride += own[axis];
    strides.push_back(stride);
  }
  return strides;
}

// N is the last labels of the output, which one operand alone has; M some that the other one alone has; the rest counts
// the products.
std::optional<MatrixForm> Contraction::matrix_form() const {
  const auto is_empty = [](const Dims& operand) { return element_count(operand) == 0; };
  if (terms.size() != 2 || output.empty() || std::ranges::any_of(shapes, is_empty)) return std::nullopt;
  const Dims shape = sizes_of(output);
  const std::size_t first = strides(0, output)[output.size() - 1] == 0 ? 0 : 1;
  const std::vector<Dims> of{strides_of(shape), strides(first, output), strides(1 - first, output)};
  Places rows, columns, rest;
  for (std::size_t at = 0; at < output.size(); ++at) {
    if (of[1][at] != 0 && of[2][at] == 0) rows.push_back(at);
    if (of[1][at] == 0 && of[2][at] != 0)
      columns.push_back(at);
    else
      columns.clear();
  }
  const Merged N = merged(of, shape, columns), M = merged(of, shape, rows);
  const Labels inner = summed();
  Places all;
  for (std::size_t at = 0; at < inner.size(); ++at) all.push_back(at);
  const Merged K = merged({strides(first, inner), strides(1 - first, inner)}, sizes_of(inner), all);
  if (columns.empty() || K.taken.size() < all.size()) return std::nullopt;
  Dims batch, places[3];
  for (std::size_t at = 0; at < output.size(); ++at) {
    if (std::ranges::count(N.taken, at) + std::ranges::count(M.taken, at) > 0) continue;
    batch.push_back(shape[at]);
    for (std::size_t a = 0; a < 3; ++a) places[a].push_back(of[a][at]);
  }
  return MatrixForm{first,
                    Strided(batch, places[0]),
                    Strided(batch, places[1]),
                    Strided(batch, places[2]),
                    M.size,
                    N.size,
                    K.size,
                    M.steps[0],
                    M.steps[1],
                    K.steps[0],
                    N.steps[2],
                    K.steps[1]};
}

}  // namespace opref::evaluators
