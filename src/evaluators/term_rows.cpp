// SPDX-License-Identifier: Apache-2.0
#include "evaluators/term_rows.h"

#include <array>
#include <memory>
#include <vector>

#include "evaluators/element_rows.h"
#include "evaluators/elementwise.h"
#include "evaluators/parts.h"
#include "exact/row_terms.h"
#include "system/deadline.h"

namespace opref::evaluators {
namespace {

constexpr std::int64_t kRow = 1024;

/// Writes what is known of the elements from i on; puts the places of the others into `left`.
template <class T>
void sum_row(const std::vector<const float*>& terms, double divisor, std::int64_t i, size_t n, T* y,
             std::vector<std::int64_t>& left) {
  std::array<std::int32_t, kRow> is_inexact, doubts;
  size_t count = 0;
  if constexpr (std::is_same_v<T, float>) {
    count = row_sum_of_terms(terms.data(), terms.size(), divisor, n, y, is_inexact.data(), doubts.data());
  } else {
    std::array<float, kRow> rounded;
    row_sum_of_terms(terms.data(), terms.size(), divisor, n, rounded.data(), is_inexact.data(), doubts.data());
    count = row_nearest_of_rounded(rounded.data(), is_inexact.data(), n, y, doubts.data());
  }
  for (size_t k = 0; count > 0 && k < n; ++k)
    if (doubts[k] != 0) left.push_back(i + static_cast<std::int64_t>(k));
}

}  // namespace

Rows rows_of_terms(std::span<const Tensor> inputs, double divisor) {
  std::vector<Elements> x;
  std::vector<Dims> shapes;
  std::vector<DType> types;
  for (const Tensor& input : inputs)
    x.emplace_back(input), shapes.push_back(input.shape()), types.push_back(input.dtype());
  return [=](RowTarget& target) {
    const TensorType& type = target.type;
    if (type.dtype == DType::boolean || !are_of_one_float(types, type.dtype)) return false;
    std::vector<Strided> places;
    for (const Dims& shape : shapes) places.emplace_back(type.shape, broadcast_strides(shape, type.shape));
    for_each_part(element_count(type.shape), kRow, target.numerics, [&](std::int64_t first, std::int64_t last) {
      const auto rooms = std::make_unique_for_overwrite<float[]>(x.size() * kRow);
      std::vector<const float*> terms(x.size());
      std::vector<std::int64_t> left;
      for (std::int64_t i = first; i < last; i += kRow) {
        require_time();
        const std::int64_t n = std::min(kRow, last - i);
        for (size_t k = 0; k < x.size(); ++k)
          terms[k] = row_of(
              x[k], [&](std::int64_t at) { return places[k].run(at); }, i, n, &rooms[k * kRow]);
        with_elements_in_float32(type.dtype, target.y.data(), [&]<class T>(const T*) {
          if constexpr (!std::is_integral_v<T>)
            sum_row(terms, divisor, i, static_cast<size_t>(n), reinterpret_cast<T*>(target.y.data()) + i, left);
        });
        count_elements(target.numerics, n - std::ssize(left), 0);
        target.by_definition(left);
        left.clear();
      }
    });
    return true;
  };
}

}  // namespace opref::evaluators
