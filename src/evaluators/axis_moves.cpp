// SPDX-License-Identifier: Apache-2.0
#include "evaluators/axis_moves.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/index.h"
#include "evaluators/move.h"
#include "evaluators/parts.h"
#include "evaluators/strided.h"
#include "system/deadline.h"

namespace opref::evaluators {
namespace {

/// Where the coordinates of an axis of Y lie in X: places times the axis's stride there, or -1.
class Axis {
 public:
  Axis(size_t axis, std::int64_t size, std::int64_t stride, const PlaceAlong& place, bool by_table)
      : axis_(axis), size_(size), stride_(stride), place_(place) {
    constexpr std::int64_t kMostTabled = std::int64_t{1} << 20;
    if (by_table && size <= kMostTabled) table_.resize(static_cast<size_t>(size)), list(0, table_);
  }
  std::int64_t size() const { return size_; }
  std::int64_t at(std::int64_t o) const { return table_.empty() ? computed(o) : table_[static_cast<size_t>(o)]; }
  /// All of them, or those from `first` on in `room`.
  std::span<const std::int64_t> from(std::int64_t first, std::int64_t n, std::vector<std::int64_t>& room) const {
    if (!table_.empty()) return std::span(table_).subspan(static_cast<size_t>(first), static_cast<size_t>(n));
    room.resize(static_cast<size_t>(n));
    list(first, room);
    return room;
  }
  /// Whether there may be a -1 among them.
  bool may_fill() const { return table_.empty() || std::ranges::min(table_) < 0; }
  /// Whether Y is X along it.
  bool is_whole(std::int64_t size_of_x) const {
    if (table_.empty() || size_ != size_of_x) return false;
    for (std::int64_t o = 0; o < size_; ++o)
      if (at(o) != o * stride_) return false;
    return true;
  }

 private:
  std::int64_t computed(std::int64_t o) const {
    require_time();
    const std::int64_t place = place_(axis_, o);
    return place < 0 ? -1 : place * stride_;
  }
  void list(std::int64_t first, std::span<std::int64_t> to) const {
    for (std::int64_t& at : to) at = computed(first++);
  }

  size_t axis_;
  std::int64_t size_, stride_;
  const PlaceAlong& place_;
  std::vector<std::int64_t> table_;
};

std::vector<Axis> axes_of(const Dims& y, const Dims& x, const PlaceAlong& place, bool by_table) {
  const Dims strides = strides_of(x);
  std::vector<Axis> axes;
  for (size_t a = 0; a < y.size(); ++a) axes.emplace_back(a, y[a], strides[a], place, by_table);
  return axes;
}

std::int64_t place_of(std::span<const Axis> axes, std::int64_t i) {
  std::int64_t at = 0;
  for (size_t a = axes.size(); a-- > 0 && at >= 0;) {
    const std::int64_t outer = i / axes[a].size(), along = axes[a].at(i - outer * axes[a].size());
    at = along < 0 ? -1 : at + along;
    i = outer;
  }
  return at;
}

/// Elements of Y that lie beside each other in X, too, are a piece; pieces along the innermost axis are a row.
template <class Unit>
class Rows {
 public:
  Rows(std::span<const Axis> outer, const Axis& inner, std::int64_t piece, std::span<const Unit> x, Unit fill,
       std::span<Unit> y)
      : outer_(outer),
        inner_(inner),
        fills_(inner.may_fill()),
        piece_(piece),
        x_(x.data()),
        fill_(fill),
        y_(y.data()) {}

  void move(std::int64_t first, std::int64_t last) const {
    const std::int64_t size = inner_.size() * piece_;
    std::vector<std::int64_t> room;
    std::int64_t before = kNone;
    for (std::int64_t r = first; r < last; ++r) {
      require_time();
      const std::int64_t at = place_of(outer_, r);
      Unit* y = y_ + r * size;
      if (at == before)
        std::copy_n(y - size, size, y);
      else if (at < 0)
        std::fill_n(y, size, fill_);
      else
        move_row(at, y, room);
      before = at;
    }
  }

 private:
  static constexpr std::int64_t kNone = -2, kPart = 4096;

  void move_row(std::int64_t at, Unit* y, std::vector<std::int64_t>& room) const {
    for (std::int64_t o = 0; o < inner_.size(); o += kPart, y += kPart * piece_) {
      require_time();
      const auto places = inner_.from(o, std::min(kPart, inner_.size() - o), room);
      const Unit* x = x_ + at;
      Unit* to = y;
      if (piece_ == 1 && !fills_) {
        take(x, places.data(), places.size(), to);
        continue;
      }
      if (piece_ == 1) {
        for (const std::int64_t place : places) *to++ = place < 0 ? fill_ : x[place];
        continue;
      }
      for (const std::int64_t place : places) {
        if (place < 0)
          std::fill_n(to, piece_, fill_);
        else
          std::copy_n(x + place, piece_, to);
        to += piece_;
      }
    }
  }

  static void take(const Unit* __restrict x, const std::int64_t* __restrict places, size_t n, Unit* __restrict to) {
    for (size_t k = 0; k < n; ++k) to[k] = x[places[k]];
  }

  std::span<const Axis> outer_;
  const Axis& inner_;
  bool fills_;
  std::int64_t piece_;
  const Unit* x_;
  Unit fill_;
  Unit* y_;
};

}  // namespace

Tensor move_by_axes(const Output& out, const Tensor& x, const PlaceAlong& place, const std::optional<Tensor>& fill) {
  const TensorType& type = out.type();
  const std::vector<Axis> axes = axes_of(type.shape, x.shape(), place, !out.only());
  const bool in_order = type.dtype == DType::string || info(type.dtype).bits < 8 || axes.empty();
  if (!out.wanted() || out.only() || out.sink() != nullptr || in_order)
    return move(
        out, x,
        [&](std::int64_t i) {
          const std::int64_t at = place_of(axes, i);
          return at < 0 ? Run::fill() : Run{at};
        },
        fill);
  size_t rank = axes.size();
  while (rank > 1 && axes[rank - 1].is_whole(x.shape()[rank - 1])) --rank;
  const std::int64_t piece = element_count(type.shape.without_first(rank));
  TensorBuilder y(type, Content::any);
  with_unit(type.dtype, [&]<class Unit>(Unit) {
    const Axis& inner = axes[rank - 1];
    const std::int64_t row = inner.size() * piece;
    const std::span<const Axis> outer(axes.data(), rank - 1);
    const Rows<Unit> rows(outer, inner, piece, x.values<Unit>(), fill ? fill->values<Unit>()[0] : Unit{},
                          y.values<Unit>());
    for_each_part(row == 0 ? 0 : element_count(type.shape) / row, 1, out.numerics(),
                  [&](std::int64_t first, std::int64_t last) { rows.move(first, last); });
  });
  return std::move(y).finish();
}

}  // namespace opref::evaluators
