// SPDX-License-Identifier: Apache-2.0
// Boxes that detection finds: how much they overlap, which of them suppress others, how deltas move them. Numbers R are
// Bounded, Interval or Faithful; every decision is made on the numbers themselves, never on rounded ones.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "evaluators/stretches.h"
#include "ops/shared/decisions.h"
#include "schema/call.h"
namespace opref::ops {
/// [x1, x2] × [y1, y2]
template <class R>
struct Box {
  R x1, y1, x2, y2;

  const R& operator[](size_t k) const {
    const std::array<const R*, 4> all{&x1, &y1, &x2, &y2};
    return *all[k];
  }
};

/// Four elements from `at` on, as they are.
template <class R>
Box<R> box_at(const Elements& boxes, std::int64_t at, const Reader<R>& x) {
  return {x(boxes, at), x(boxes, at + 1), x(boxes, at + 2), x(boxes, at + 3)};
}

/// Box i of NonMaxSuppression: any two opposite corners, y before x; or x and y of the center, width, height.
template <class R>
Box<R> box_by_corners_or_center(const Elements& boxes, std::int64_t i, bool by_center, const Reader<R>& x) {
  const R a = x(boxes, i * 4), b = x(boxes, i * 4 + 1), c = x(boxes, i * 4 + 2), d = x(boxes, i * 4 + 3), half(0.5);
  if (!by_center) return {min(b, d), min(a, c), max(b, d), max(a, c)};
  return {a - c * half, b - d * half, a + c * half, b + d * half};
}

/// How overlaps are measured.
struct Sides {
  int more = 0;           ///< of each side: 1 where corners are pixels that belong to the box
  bool is_apart = false;  ///< boxes of which one ends before the other begins do not overlap, though sides are longer
};
template <class R>
R side(const R& from, const R& to, const Sides& sides) {
  return to - from + R::whole(sides.more);
}
template <class R>
R area_of(const Box<R>& box, const Sides& sides) {
  return side(box.x1, box.x2, sides) * side(box.y1, box.y2, sides);
}
/// A box with its area, and whether it has sides above 0, as far as numbers R tell.
template <class R>
struct Sized {
  Box<R> box;
  R area;
  std::optional<bool> has_area;

  Sized(const Box<R>& of, const Sides& sides) : box(of), area(R(0.0)) {
    const R w = side(of.x1, of.x2, sides), h = side(of.y1, of.y2, sides);
    area = w * h, has_area = are_positive(w, h);
  }
  static std::optional<bool> are_positive(const R& w, const R& h) {
    const std::optional<bool> is_wide = is_positive(w), is_high = is_positive(h);
    if (is_wide == false || is_high == false) return false;
    return is_wide && is_high ? std::optional(true) : std::nullopt;
  }
};
/// What two boxes share.
template <class R>
struct Overlap {
  R w, h;

  Overlap(const Box<R>& a, const Box<R>& b, const Sides& sides)
      : w(min(a.x2, b.x2) - max(a.x1, b.x1)), h(min(a.y2, b.y2) - max(a.y1, b.y1)) {
    if (sides.more != 0) w = w + R::whole(sides.more), h = h + R::whole(sides.more);
  }
  R common() const { return w * h; }
  R all(const Sized<R>& a, const Sized<R>& b) const { return a.area + b.area - common(); }
  /// Whether there is one at all: each side of both boxes, and of what they share, is above 0.
  std::optional<bool> is_there(const Sized<R>& a, const Sized<R>& b, const Sides& sides) const {
    const std::optional<bool> is_common = Sized<R>::are_positive(w, h);
    if (is_common != true) return is_common;
    if (a.has_area == false || b.has_area == false) return false;
    if (!a.has_area || !b.has_area) return std::nullopt;
    if (sides.is_apart && sides.more != 0)
      for (const auto& [first, second] : {std::pair(&a.box, &b.box), std::pair(&b.box, &a.box)})
        for (const auto& [begin, end] : {std::pair(&first->x1, &second->x2), std::pair(&first->y1, &second->y2)})
          if (const auto is_apart = is_less(*end, *begin); is_apart != false)
            return is_apart ? std::optional(false) : std::nullopt;
    return true;
  }
};
template <class R>
std::optional<bool> do_overlap(const Box<R>& a, const Box<R>& b, const Sides& sides) {
  const Sized<R> one(a, sides), other(b, sides);
  return Overlap<R>(a, b, sides).is_there(one, other, sides);
}
/// common / (area of a + area of b - common), of boxes that do.
template <class R>
R overlap_ratio(const Box<R>& a, const Box<R>& b, const Sides& sides) {
  const R common = Overlap<R>(a, b, sides).common();
  return common / (area_of(a, sides) + area_of(b, sides) - common);
}
/// Whether they overlap by more than the threshold, or, if equal ones count, by no less.
template <class R>
std::optional<bool> overlap_more(const Sized<R>& a, const Sized<R>& b, const Sides& sides, const R& threshold,
                                 bool counts_equal = false) {
  const Overlap<R> overlap(a.box, b.box, sides);
  const std::optional<bool> is_there = overlap.is_there(a, b, sides);
  if (!is_there) return std::nullopt;
  const R common = *is_there ? overlap.common() : R(0.0), limit = *is_there ? threshold * overlap.all(a, b) : threshold;
  if (!counts_equal) return is_less(limit, common);
  const std::optional<bool> is_below = is_less(common, limit);
  return is_below ? std::optional(!*is_below) : std::nullopt;
}

/// What suppresses boxes.
struct Suppression {
  double threshold = 0;
  Sides sides = {};
  std::int64_t most = INT64_MAX;  ///< boxes that are kept
  double eta = 1;                 ///< if below 1: each kept box multiplies a threshold above 1/2 by it
  bool by_newest = false;     ///< a box is compared by the newest threshold, else by that of the box that suppresses
  bool counts_equal = false;  ///< an overlap equal to the threshold suppresses too

  /// The threshold after so many steps.
  template <class R>
  R after(std::int64_t steps) const {
    R now(threshold);
    for (std::int64_t i = 0; i < steps; ++i) now = now * R(eta);
    return now;
  }
};
/// Those of the candidates, in their order, that overlap with none kept before by more than the threshold. box(i, x) is
/// the box of candidate i, x a Reader<R>.
template <class BoxOf>
std::vector<std::int64_t> suppressed(const std::vector<std::int64_t>& candidates, const BoxOf& box,
                                     const Suppression& by) {
  struct Kept {
    std::int64_t candidate, steps;
    Sized<exact::Bounded> about;
    exact::Bounded threshold;
  };
  const Reader<exact::Bounded> estimates;
  std::vector<Kept> kept;
  std::int64_t steps = 0;
  exact::Bounded newest(by.threshold);
  const auto overlaps = [&](std::int64_t i, const Sized<exact::Bounded>& about, const Kept& j) {
    if (const auto estimate =
            overlap_more(j.about, about, by.sides, by.by_newest ? newest : j.threshold, by.counts_equal))
      return *estimate;
    return decide(
        [&]<class R>(const Reader<R>& x) {
          return overlap_more(Sized<R>(box(j.candidate, x), by.sides), Sized<R>(box(i, x), by.sides), by.sides,
                              by.template after<R>(by.by_newest ? steps : j.steps), by.counts_equal);
        },
        [&] { return format("whether the overlap of boxes {} and {} is above the threshold", j.candidate, i); });
  };
  for (const std::int64_t i : candidates) {
    require_time();
    if (std::ssize(kept) >= by.most) break;
    const Sized<exact::Bounded> about(box(i, estimates), by.sides);
    if (std::ranges::any_of(kept, [&](const Kept& j) { return overlaps(i, about, j); })) continue;
    const auto is_above_half = [&]<class R>(const Reader<R>&) { return is_less(R(0.5), by.template after<R>(steps)); };
    if (by.eta < 1 && decide(is_above_half, [] { return "whether the threshold is above 1/2"; })) ++steps;
    newest = by.template after<exact::Bounded>(steps);
    kept.push_back({i, steps, about, newest});
  }
  std::vector<std::int64_t> all;
  for (const Kept& one : kept) all.push_back(one.candidate);
  return all;
}

/// The candidates by descending score; of equal ones the first stays first.
template <class ScoreOf>
void sort_by_score(std::vector<std::int64_t>& candidates, const ScoreOf& score) {
  sort_places(candidates, [&](std::int64_t i, std::int64_t j) { return score(i) > score(j); });
}
/// The first ones of them, all where `most` is -1.
template <class T>
void keep_first(std::vector<T>& all, std::int64_t most) {
  if (most >= 0 && std::ssize(all) > most) all.resize(static_cast<size_t>(most));
}

/// Whether a side, longer by `more`, is below its least.
template <class R>
std::optional<bool> is_small(const Box<R>& box, int more, const R& width, const R& height) {
  const auto is_thin = is_less(box.x2 - box.x1 + R::whole(more), width),
             is_flat = is_less(box.y2 - box.y1 + R::whole(more), height);
  if (is_thin == true || is_flat == true) return true;
  return is_thin && is_flat ? std::optional(false) : std::nullopt;
}

/// How deltas dx, dy, dw, dh move a box: its center by d·side, its sides by the factor e^d, which is at most `most`.
struct Move {
  int more = 0;                     ///< as Sides has it
  std::optional<double> most = {};  ///< of the factors
  bool ends_within = true;          ///< the last corner is less by `more`
};
template <class R>
Box<R> moved(const Box<R>& box, const std::array<R, 4>& d, const Move& by) {
  const R e = R::whole(by.more), half(0.5);
  const auto side = [&](const R& from, const R& to, const R& shift, const R& log) {
    const R size = to - from + e, factor = exp(log), stretched = (by.most ? min(factor, R(*by.most)) : factor) * size;
    const R center = from + size * half + shift * size, reach = stretched * half;
    return std::pair(center - reach, by.ends_within ? center + reach - e : center + reach);
  };
  const auto [x1, x2] = side(box.x1, box.x2, d[0], d[2]);
  const auto [y1, y2] = side(box.y1, box.y2, d[1], d[3]);
  return {x1, y1, x2, y2};
}
/// Each coordinate limited to [0, width] or [0, height].
template <class R>
Box<R> clipped(const Box<R>& box, const R& width, const R& height) {
  const auto to = [](const R& v, const R& most) { return max(R(0.0), min(v, most)); };
  return {to(box.x1, width), to(box.y1, height), to(box.x2, width), to(box.y2, height)};
}
}  // namespace opref::ops
