// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fast/fast.h"
#include "fast/winograd.h"

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
  const std::int64_t k = ceil_divide(a.kernel, s);
  return {s, std::min(s, a.kernel), a.output - 1 + k, k, a.offset, 0};
}

Dims sizes(const std::vector<Phases>& axes, std::int64_t Phases::*size) {
  Dims list;
  for (const Phases& axis : axes) list.push_back(axis.*size);
  return list;
}

/// The elements i of a phase, of `size`, that are inside an axis of `whole` elements: first, …, last-1; element i is
/// the axis' i*s + at.
struct Inside {
  std::int64_t first, last, at;
  Inside(const Phases& axis, std::int64_t phase, std::int64_t size, std::int64_t whole, bool is_x)
      : at(phase + (is_x ? axis.offset : 0)) {
    first = std::clamp<std::int64_t>(ceil_divide(-at, axis.s), 0, size);
    last = std::clamp<std::int64_t>(ceil_divide(whole - at, axis.s), first, size);
  }
};

/// Elements of a plane that become neighbours: to[i] = from[i*s], i < count, from these places on.
struct Copy {
  std::int64_t from, to, count;
};

/// How a plane of these sizes becomes its phases: to[phase, i] = from[i*s + phase + offset], where that is inside.
std::vector<Copy> copies_of(const Dims& plane, const std::vector<Phases>& axes, const Dims& size, bool is_x) {
  const Dims counts = sizes(axes, &Phases::count);
  const std::int64_t elements = element_count(size);
  const size_t last = axes.size() - 1;
  Dims outer = size;
  outer[last] = 1;
  std::vector<Copy> copies;
  for (std::int64_t phase = 0; phase < element_count(counts); ++phase) {
    const Dims p = coordinates(phase, counts);
    std::vector<Inside> inside;
    for (size_t axis = 0; axis <= last; ++axis) inside.emplace_back(axes[axis], p[axis], size[axis], plane[axis], is_x);
    const auto [first, end, start] = inside[last];
    for (std::int64_t row = 0; row < elements / size[last]; ++row) {
      Dims at = coordinates(row, outer);
      bool is_inside = first < end;
      for (size_t axis = 0; axis < last; ++axis) {
        is_inside = is_inside && at[axis] >= inside[axis].first && at[axis] < inside[axis].last;
        at[axis] = at[axis] * axes[axis].s + inside[axis].at;
      }
      at[last] = first * axes[last].s + start;
      if (is_inside) copies.push_back({position(at, plane), phase * elements + row * size[last] + first, end - first});
    }
  }
  return copies;
}

/// The planes of `from`, of these sizes, each in its phases; what is outside stays zero. Plane by plane, so that what
/// its phases share is in a cache.
template <class Unit>
void split_phases(const Unit* from, std::int64_t planes, const Dims& plane, const std::vector<Phases>& axes,
                  const Dims& size, bool is_x, Unit* to) {
  const std::vector<Copy> copies = copies_of(plane, axes, size, is_x);
  const std::int64_t each = element_count(plane), s = axes.back().s,
                     all = element_count(sizes(axes, &Phases::count)) * element_count(size);
  for (std::int64_t n = 0; n < planes; ++n, from += each, to += all)
    for (const Copy& copy : copies) {
      const Unit* const x = from + copy.from;
      Unit* const y = to + copy.to;
      for (std::int64_t i = 0; i < copy.count; ++i) y[i] = x[i * s];
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

/// Whether the one tap of each output is the element of X at the same place.
bool stays_in_place(const TapAxes& axes) {
  return std::ranges::all_of(axes, [](const TapAxis& a) {
    return a.kernel == 1 && a.output_step == 1 && a.offset == 0 && a.input == a.output;
  });
}

/// The kernels of one tap of group g, a matrix (M/groups, C), times X's channels, one of (C, elements of a plane).
MatrixProduct product_in_place(const Convolution& c) {
  const std::int64_t N = c.x.shape()[0], M = c.w.shape()[0] / c.groups, C = c.w.shape()[1];
  const std::int64_t L = element_count(c.x.shape().without_first(2));
  MatrixProduct p{{c.w, evaluators::Strided({N, c.groups}, {0, M * C}), C, 1},
                  {c.x, evaluators::Strided({N, c.groups}, {c.groups * C * L, C * L}), 1, L},
                  M,
                  L,
                  C};
  if (c.b) p.c = MatrixAddend{*c.b, 1, 0};
  return p;
}

}  // namespace

bool convolution(const RowTarget& y, const Convolution& c) {
  if (c.x.count() == 0 || c.w.count() == 0) return false;
  if (stays_in_place(c.axes) && (c.groups == 1 || !c.b) && matrix_product(y, product_in_place(c))) return true;
  if (const WinogradForm form = winograd_form(c); form != WinogradForm::none) return winograd_convolution(y, c, form);
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
