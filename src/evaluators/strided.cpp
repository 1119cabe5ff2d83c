// SPDX-License-Identifier: Apache-2.0
#include "evaluators/strided.h"

#include <algorithm>

#include "core/error.h"

namespace opref::evaluators {

Dims strides_of(const Dims& shape) {
  if (element_count(shape) == 0) return Dims::filled(shape.size(), 0);  // whatever its other sizes are
  Dims strides = Dims::filled(shape.size(), 1);
  for (size_t a = shape.size(); a-- > 1;) strides[a - 1] = strides[a] * shape[a];
  return strides;
}

Dims broadcast_strides(const Dims& shape, const Dims& to) {
  const Dims own = strides_of(shape);
  const size_t leading = to.size() - shape.size();
  Dims strides = Dims::filled(to.size(), 0);
  for (size_t a = 0; a < shape.size(); ++a) strides[leading + a] = shape[a] == 1 ? 0 : own[a];
  return strides;
}

Dims broadcast(const Dims& a, const Dims& b) {
  Dims y = Dims::filled(std::max(a.size(), b.size()), 1);
  const auto size = [](const Dims& shape, size_t from_end) {
    return from_end <= shape.size() ? shape[shape.size() - from_end] : 1;
  };
  for (size_t i = 1; i <= y.size(); ++i) {
    const std::int64_t m = size(a, i), n = size(b, i);
    require(m == n || m == 1 || n == 1, "the shapes {} and {} do not broadcast: {} meets {}", a, b, m, n);
    y[y.size() - i] = m == 1 ? n : m;
  }
  return y;
}

Strided::Strided(const Dims& shape, const Dims& strides, std::int64_t start)
    : start_(start), count_(element_count(shape)) {
  if (count_ == 0) return;
  for (size_t a = 0; a < shape.size(); ++a) {
    if (shape[a] == 1) continue;
    if (!axes_.empty() && axes_.back().stride == shape[a] * strides[a])
      axes_.back() = {axes_.back().size * shape[a], strides[a]};
    else
      axes_.push_back({shape[a], strides[a]});
  }
}

}  // namespace opref::evaluators
