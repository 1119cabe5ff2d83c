// SPDX-License-Identifier: Apache-2.0
// openvino NMSRotated, version 13 (opset13)
#include "ops/operator_file.h"
#include "ops/shared/openvino_boxes.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_nms_rotated {
namespace {
template <class R>
struct Point {
  R x, y;
};
template <class R>
using Polygon = std::vector<Point<R>>;

/// A box x, y of the center, width, height, angle.
template <class R>
struct Turned {
  R x, y, w, h, angle;

  // corner (±w/2, ±h/2) turns to (x·cos - y·sin, x·sin + y·cos)
  Polygon<R> corners(bool clockwise) const {
    const R turn = clockwise ? angle : -angle, c = cos(turn), s = sin(turn), half(0.5);
    Polygon<R> all;
    for (const auto& [right, down] : {std::pair(-1, -1), std::pair(1, -1), std::pair(1, 1), std::pair(-1, 1)}) {
      const R u = w * half * R::whole(right), v = h * half * R::whole(down);
      all.push_back({x + u * c - v * s, y + u * s + v * c});
    }
    return all;
  }
};

/// (b - a) × (p - a): its sign says on which side of the line p is.
template <class R>
R cross(const Point<R>& a, const Point<R>& b, const Point<R>& p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/// The area that two boxes share, the first one cut along each side of the second. A corner of which numbers R do not
/// tell the side is taken to be on the line. It is nearer to it than ε/|b - a|, ε being its cross product, so that the
/// cut is wrong by a strip twice as wide at most, and no longer than width + height.
template <class R>
R common_area(const Turned<R>& one, const Turned<R>& other, bool clockwise) {
  Polygon<R> shared = one.corners(clockwise);
  const Polygon<R> cutter = other.corners(clockwise);
  R strips(0.0);
  for (size_t k = 0; k < 4; ++k) {
    const Point<R>&a = cutter[k], &b = cutter[(k + 1) % 4];
    std::vector<R> off;
    std::vector<int> side;
    for (const Point<R>& p : shared) {
      off.push_back(cross(a, b, p));
      const std::optional<int> known = sign_of(off.back());
      side.push_back(known.value_or(0));
      const R& length = k % 2 == 0 ? other.w : other.h;
      if (!known) strips = strips + (off.back() - off.back()) * R(4) * (one.w + one.h) / length;
    }
    Polygon<R> left;
    for (size_t i = 0; i < shared.size(); ++i) {
      const size_t before = (i + shared.size() - 1) % shared.size();
      if (side[before] * side[i] < 0) {
        const R t = off[before] / (off[before] - off[i]);
        left.push_back({shared[before].x + (shared[i].x - shared[before].x) * t,
                        shared[before].y + (shared[i].y - shared[before].y) * t});
      }
      if (side[i] >= 0) left.push_back(shared[i]);
    }
    shared = std::move(left);
  }
  R twice(0.0);
  for (size_t i = 0; i < shared.size(); ++i) {
    const Point<R>&p = shared[i], &q = shared[(i + 1) % shared.size()];
    twice = twice + (p.x * q.y - q.x * p.y);
  }
  return twice * R(0.5) + strips;
}

/// The places in scores of the boxes that are chosen.
std::vector<std::int64_t> chosen(const Call& call) {
  const Dims& shape = call.type("scores").shape;
  for (const std::string_view name : {"boxes", "iou_threshold", "score_threshold"}) require_finite(call, name);
  const Elements boxes(call.input("boxes")), scores(call.input("scores"));
  const std::int64_t most = call.integer("max_output_boxes_per_class");
  require(most >= 0, "max_output_boxes_per_class is {}, but must be >= 0", most);
  const double iou = call.number("iou_threshold"), least = call.number("score_threshold");
  const bool keeps_equal = call.reads("nms_rotated.score_equal", "keep"), clockwise = call.flag("clockwise");
  const auto score = [&](std::int64_t at) { return scores.number(at); };
  std::vector<std::int64_t> all;
  for (std::int64_t line = 0; line < shape[0] * shape[1]; ++line) {
    const auto first_number = [&](std::int64_t at) { return (line / shape[1] * shape[2] + at % shape[2]) * 5; };
    const auto has_area = [&](std::int64_t at) {
      return boxes.number(first_number(at) + 2) > 0 && boxes.number(first_number(at) + 3) > 0;
    };
    const auto box = [&]<class R>(std::int64_t at, const Reader<R>& x) {
      const std::int64_t i = first_number(at);
      return Turned<R>{x(boxes, i), x(boxes, i + 1), x(boxes, i + 2), x(boxes, i + 3), x(boxes, i + 4)};
    };
    const auto suppresses = [&](std::int64_t i, std::int64_t j) {
      if (!has_area(i) || !has_area(j)) return iou < 0;
      return decide(
          [&]<class R>(const Reader<R>& x) {
            const Turned<R> a = box(i, x), b = box(j, x);
            const R common = common_area(a, b, clockwise);
            return is_less(R(iou) * (a.w * a.h + b.w * b.h - common), common);
          },
          [&] {
            return format("whether the overlap of boxes {} and {} is above the threshold", i % shape[2], j % shape[2]);
          });
    };
    std::vector<std::int64_t> candidates, kept;
    for (std::int64_t at = line * shape[2]; at < (line + 1) * shape[2]; ++at)
      if (score(at) > least || (keeps_equal && score(at) == least)) candidates.push_back(at);
    sort_by_score(candidates, score);
    for (const std::int64_t j : candidates) {
      require_time();
      if (std::ssize(kept) >= most) break;
      if (std::ranges::none_of(kept, [&](std::int64_t i) { return suppresses(i, j); })) kept.push_back(j);
    }
    all.insert(all.end(), kept.begin(), kept.end());
  }
  if (call.flag("sort_result_descending")) {
    std::ranges::sort(all);
    sort_by_score(all, score);
  }
  return all;
}

std::vector<ValueType> output_types(const Call& call) {
  require_boxes_and_scores(call, 5);
  for (const std::string_view name : {"max_output_boxes_per_class", "iou_threshold", "score_threshold"})
    require_scalar_or_one(call, name);
  const Dims rows{std::ssize(chosen(call)), 3};
  const DType index = index_type_of(call, "output_type");
  return {TensorType{index, rows}, TensorType{call.type("iou_threshold").dtype, rows}, TensorType{index, Dims{1}}};
}

// A box is chosen if its score is no less than score_threshold and its overlap with none that is chosen before is above
// iou_threshold. selected_indices[k] = [batch, class, box], selected_scores[k] = [batch, class, score] of the k-th.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<std::int64_t> all = chosen(call);
  const Elements scores(call.input("scores"));
  return selected_boxes(call, outs, all, [&](size_t k, const auto& x) { return x(scores, all[k]); });
}

bool always(const Call&) { return true; }

void version_13(OpSchema& s) {
  s.attribute(with_default("sort_result_descending", 1, flag()))
      .attribute(with_default("output_type", "i64", index_types()))
      .attribute(with_default("clockwise", 1, flag()))
      .input("boxes", "T", "(batches, boxes, 5): x and y of the center, width, height, angle in radians")
      .input("scores", "T", "(batches, classes, boxes)")
      .input("max_output_boxes_per_class", "T_MAX_BOXES")
      .input("iou_threshold", "T_THRESHOLDS", "a box that shares more with a chosen one is removed")
      .input("score_threshold", "T_THRESHOLDS", "a box with a lower score is not chosen")
      .output("selected_indices", "T_IND", "batch, class and box of each chosen one")
      .output("selected_scores", "T_THRESHOLDS", "batch, class and score of each chosen one")
      .output("valid_outputs", "T_IND", "how many are chosen")
      .types("T", computed_floats)
      .types("T_MAX_BOXES", types::integers)
      .types("T_THRESHOLDS", computed_floats)
      .types("T_IND", types::signed_wide);
}
}  // namespace
Operator nms_rotated() {
  return Operator("openvino", "NMSRotated")
      .summary("the turned boxes with the best scores, without those that overlap a better one")
      .page("sort/nms-rotated-13")
      .category("category sorting and maximization")
      .version(13, version_13)
      .reading({.name = "nms_rotated.score_equal",
                .alternatives = {"keep: a score equal to the threshold is enough", "remove: it is not"},
                .defaults = {{13, "keep"}},
                .reason = "the page: \"greater or equal\"; the CPU plugin removes equal ones",
                .may_change_values = always})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_nms_rotated
