// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "evaluators/parts.h"
#include "exact/storage.h"
#include "exact/vector.h"
#include "fast/fast.h"
#include "fast/row_writer.h"
#include "system/deadline.h"

namespace opref::fast {
namespace {

constexpr std::int64_t kRow = 1024;
/// i·delta is exact of delta's 24 bits and the 29 of i.
constexpr std::int64_t kMost = std::int64_t{1} << 29;

/// value[k] = start + (first + k)·delta, rounded once, with what it may be wrong by: nothing where it is exact, else
/// more than that rounding.
OPREF_CLONES void exact_terms_row(double start, double delta, std::int64_t first, std::size_t n, double* value,
                                  double* error) {
  for (std::size_t k = 0; k < n; ++k) {
    const double product = static_cast<double>(first + static_cast<std::int64_t>(k)) * delta, sum = start + product;
    const double back = sum - start, lost = (start - (sum - back)) + (product - back);  // TwoSum
    value[k] = sum;
    error[k] = lost == 0 ? 0.0 : std::abs(sum) * 0x1p-52;
  }
}

OPREF_CLONES void rounded_row(double start, double delta, std::int64_t first, std::size_t n, double* y) {
  for (std::size_t k = 0; k < n; ++k)
    y[k] = __builtin_fma(static_cast<double>(first + static_cast<std::int64_t>(k)), delta, start);
}

}  // namespace

bool progression(const RowTarget& y, double start, double delta) {
  const std::int64_t count = element_count(y.type.shape);
  const DType dtype = y.type.dtype;
  if (count > kMost || info(dtype).bits < 16) return false;
  const double from = 0.0 + start;  // an exact zero is +0
  with_float(dtype, [&]<class T>(T) {
    for_each_part(count, kRow, y.numerics, [&](std::int64_t begin, std::int64_t end) {
      RowWriter<T> writer(y.y, y.by_definition);
      std::array<double, kRow> value, error;
      for (std::int64_t first = begin; first < end; first += kRow) {
        system::require_time();
        const std::int64_t n = std::min(kRow, end - first);
        writer.write({first, n, 1, n}, [&](T* out, std::uint64_t* undecided) -> std::size_t {
          if constexpr (std::is_same_v<T, double>) {
            rounded_row(from, delta, first, static_cast<std::size_t>(n), out);
            return 0;
          } else {
            exact_terms_row(from, delta, first, static_cast<std::size_t>(n), value.data(), error.data());
            return settle_row(value.data(), error.data(), 1, static_cast<std::size_t>(n), out, undecided);
          }
        });
      }
      if (y.numerics.stats != nullptr) y.numerics.stats->estimated += writer.estimated();
    });
  });
  return true;
}

}  // namespace opref::fast
