// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "exact/near_rows.h"
#include "exact/row_conversions.h"
#include "exact/rows.h"
#include "exact/storage.h"
#include "exact/vector.h"
#include "fast/fast.h"
#include "system/deadline.h"
#include "system/parallel.h"

namespace opref::fast {
namespace {

constexpr std::int64_t kLeastOfABlock = 1024;  ///< elements
/// A product of two numbers of 24 bits is exact, their sum is rounded once; and a place for both ends.
constexpr double kError = 0x1p-51;

struct Pairs {
  const float *x1, *x2, *cos, *sin;
};
/// real[step·k] = cos·x1 - sin·x2, imaginary[step·k] = sin·x1 + cos·x2; x1 and x2 lie `step` apart.
template <int step>
OPREF_CLONES void turn_loop(const Pairs& p, std::size_t n, double* __restrict real, double* __restrict imaginary) {
  const float *x1 = p.x1, *x2 = p.x2, *cos = p.cos, *sin = p.sin;
  OPREF_INDEPENDENT
  for (std::size_t k = 0; k < n; ++k) {
    const double a = static_cast<double>(x1[step * k]), b = static_cast<double>(x2[step * k]);
    const double c = static_cast<double>(cos[k]), s = static_cast<double>(sin[k]);
    real[step * k] = c * a - s * b;
    imaginary[step * k] = s * a + c * b;
  }
}

/// The numbers of a line, as float32: where they lie, or in `room`.
template <class T>
const float* floats(const T* x, std::int64_t n, std::vector<float>& room) {
  if constexpr (std::is_same_v<T, float>) {
    return x;
  } else {
    row_floats(x, static_cast<std::size_t>(n), room.data());
    return room.data();
  }
}

template <class T>
class Turning {
 public:
  Turning(const RowTarget& y, const Rotation& r)
      : y_(y),
        r_(r),
        x_(r.x.values<T>().data()),
        cos_(r.cos.values<T>().data()),
        sin_(r.sin.values<T>().data()),
        lines_(r.x.count() / r.size),
        block_(std::max<std::int64_t>(1, kLeastOfABlock / r.size)) {}

  std::size_t blocks() const { return static_cast<std::size_t>((lines_ + block_ - 1) / block_); }
  void compute(std::size_t block) const {
    const std::int64_t first = static_cast<std::int64_t>(block) * block_, last = std::min(lines_, first + block_),
                       count = (last - first) * r_.size, half = r_.turned / 2;
    const auto n = static_cast<std::size_t>(half);
    std::vector<double> v(static_cast<std::size_t>(count) + kRowSlack);
    const auto room = [&](std::int64_t size) {
      return std::vector<float>(std::is_same_v<T, float> ? 0 : static_cast<std::size_t>(size) + kRowSlack);
    };
    std::vector<float> of_x = room(r_.turned), of_cos = room(half), of_sin = room(half);
    for (std::int64_t line = first; line < last; ++line) {
      const std::int64_t row = r_.row(line) * half;
      const float* x = floats(x_ + line * r_.size, r_.turned, of_x);
      const float *cos = floats(cos_ + row, half, of_cos), *sin = floats(sin_ + row, half, of_sin);
      double* to = &v[static_cast<std::size_t>((line - first) * r_.size)];
      if (r_.are_neighbours)
        turn_loop<2>({x, x + 1, cos, sin}, n, to, to + 1);
      else
        turn_loop<1>({x, x + half, cos, sin}, n, to, to + half);
    }
    settle(first * r_.size, count, v.data());
  }

 private:
  void settle(std::int64_t first, std::int64_t count, const double* v) const {
    std::vector<std::uint32_t> open(static_cast<std::size_t>(count) + kRowSlack);
    std::vector<std::int64_t> left;
    T* y = reinterpret_cast<T*>(y_.y.data()) + first;
    if (settle_near_row(v, kError, 0, static_cast<std::size_t>(count), y, open.data()) > 0)
      for (std::int64_t k = 0; k < count; ++k)
        if (open[static_cast<std::size_t>(k)] != 0) left.push_back(first + k);
    if (!left.empty()) y_.by_definition(left);
    if (y_.numerics.stats != nullptr) y_.numerics.stats->estimated += count - std::ssize(left);
  }

  const RowTarget& y_;
  const Rotation& r_;
  const T *x_, *cos_, *sin_;
  std::int64_t lines_, block_;
};

}  // namespace

bool rotation(const RowTarget& y, const Rotation& r) {
  return with_element<float>(y.type.dtype, [&]<class T>(T) {
    const Turning<T> turning(y, r);
    for_each_job_in_shares(turning.blocks(), y.numerics.threads, [&](std::size_t block) {
      require_time();
      turning.compute(block);
    });
    return true;
  });
}

}  // namespace opref::fast
