// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fast/fast.h"

namespace opref::fast {
namespace {

/// An axis along which X moves by one: with stride s, X is s interleaved rows, phases, each a channel of its own, and
/// so are the kernels. Element i of phase p is X[i*s + p + offset], tap q of it W[q*s + p].
struct Phases {
  std::int64_t s, count;             ///< stride; phases that have a tap
  std::int64_t L, k, offset, start;  ///< sizes of a phase; offset in X, and that of the first tap of output 0
};

Phases phases_of(const TapAxis& a) {
  const std::int64_t s = a.output_step;
  if (s == 1) return {1, 1, a.input, a.kernel, 0, a.offset};
  const std::int64_t k = (a.kernel + s - 1) / s;
  return {s, std::min(s, a.kernel), a.output - 1 + k, k, a.offset, 0};
}

Dims sizes(const std::vector<Phases>& axes, std::int64_t Phases::*size) {
  Dims list;
  for (const Phases& axis : axes) list.push_back(axis.*size);
  return list;
}

/// The planes of `from`, of these sizes, each in its phases: to[plane, phase, i] = from[plane, i*s + phase + offset],
/// or zero where that is outside.
template <class Unit>
void split_phases(const Unit* from, std::int64_t planes, const Dims& plane, const std::vector<Phases>& axes,
                  const Dims& size, bool is_x, Unit* to) {
  const Dims counts = sizes(axes, &Phases::count);
  const std::int64_t phases = element_count(counts), elements = element_count(size), each = element_count(plane);
  for (std::int64_t phase = 0; phase < phases; ++phase) {
    const Dims p = coordinates(phase, counts);
    for (std::int64_t e = 0; e < elements; ++e) {
      Dims at = coordinates(e, size);
      bool inside = true;
      for (size_t axis = 0; axis < axes.size(); ++axis) {
        at[axis] = at[axis] * axes[axis].s + p[axis] + (is_x ? axes[axis].offset : 0);
        inside = inside && at[axis] >= 0 && at[axis] < plane[axis];
      }
      if (!inside) continue;
      const std::int64_t place = position(at, plane);
      for (std::int64_t n = 0; n < planes; ++n) to[(n * phases + phase) * elements + e] = from[n * each + place];
    }
  }
}

/// (M, C, k) as (groups*C, M/groups, k), the taps in reverse.
template <class Unit>
void turn(const Unit* from, std::int64_t groups, std::int64_t M, std::int64_t C, std::int64_t K, Unit* to) {
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t m = 0; m < M; ++m)
      for (std::int64_t c = 0; c < C; ++c)
        std::reverse_copy(from + ((g * M + m) * C + c) * K, from + ((g * M + m) * C + c + 1) * K,
                          to + ((g * C + c) * M + m) * K);
}

}  // namespace

bool convolution(const RowTarget& y, const Convolution& c) {
  if (c.x.count() == 0 || c.w.count() == 0) return false;
  std::vector<Phases> axes;
  TapAxes transposed;
  for (const TapAxis& a : c.axes) {
    const bool moves_by_one = a.output_step == 1;
    if (!moves_by_one && a.kernel_step != 1) return false;
    const Phases p = axes.emplace_back(phases_of(a));
    const std::int64_t d = moves_by_one ? a.kernel_step : 1;
    const std::int64_t pad = checked_add(checked_multiply(p.k - 1, d), p.start);
    if (pad < 0) return false;  // padding beyond the kernel
    transposed.push_back({p.L, p.k, a.output, 1, -d, pad, 1, a.output});
  }
  const std::int64_t N = c.x.shape()[0], phases = element_count(sizes(axes, &Phases::count));
  const std::int64_t M = c.w.shape()[0], C = checked_multiply(c.w.shape()[1], phases);
  const Dims L = sizes(axes, &Phases::L), k = sizes(axes, &Phases::k);
  const bool has_phases = std::ranges::any_of(axes, [](const Phases& p) { return p.s != 1; });
  constexpr std::int64_t kMostCopies = 4;  // padding can make phases much larger than X
  if (has_phases &&
      checked_multiply(N * c.groups * C, element_count(L)) / kMostCopies > c.x.count() + element_count(y.type.shape))
    return false;
  TensorBuilder x({y.type.dtype, has_phases ? join(Dims{N, c.groups * C}, L) : Dims{0}});
  TensorBuilder w({y.type.dtype, has_phases ? join(Dims{M, C}, k) : Dims{0}});
  TensorBuilder turned({y.type.dtype, join(Dims{c.groups * C, M / c.groups}, k)});
  with_unit(y.type.dtype, [&]<class Unit>(Unit) {
    const Unit* kernels = c.w.values<Unit>().data();
    if (has_phases) {
      split_phases(c.x.values<Unit>().data(), N * c.x.shape()[1], c.x.shape().without_first(2), axes, L, true,
                   x.values<Unit>().data());
      split_phases(kernels, M * c.w.shape()[1], c.w.shape().without_first(2), axes, k, false, w.values<Unit>().data());
      kernels = w.values<Unit>().data();
    }
    turn(kernels, c.groups, M / c.groups, C, element_count(k), turned.values<Unit>().data());
  });
  const Tensor data = has_phases ? std::move(x).finish() : c.x;
  return transposed_convolution(y, {data, std::move(turned).finish(), c.b, c.groups, transposed});
}

}  // namespace opref::fast
