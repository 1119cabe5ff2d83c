// SPDX-License-Identifier: Apache-2.0
// openvino NonMaxSuppression, versions 1 (opset1), 3 (opset3), 4 (opset4), 5 (opset5), 9 (opset9)
#include "ops/operator_file.h"
#include "ops/shared/openvino_boxes.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_non_max_suppression {
namespace {
double number_or_0(const Call& call, std::string_view name) { return call.has(name) ? call.number(name) : 0; }

/// A box that is chosen: whose scores it is among, batch by batch and class by class, and which boxes before it took
/// from its score.
struct Chosen {
  std::int64_t line, box;
  std::vector<std::int64_t> decayed_by = {};
  exact::Bounded power = 0.0;  ///< of e, by which they do, as far as it is known
};

// A box is chosen if its score is the greatest of those left, and no less than score_threshold. Then of each box left,
//   without soft_nms_sigma:  it is removed if its overlap, IoU, with the chosen one is more than iou_threshold
//   with it:                 score = score·e^(-IoU²/(2·soft_nms_sigma)); in version 5 it is removed likewise
class Choice {
 public:
  explicit Choice(const Call& call)
      : boxes_(call.input("boxes")),
        scores_(call.input("scores")),
        by_center_(call.string("box_encoding") == "center"),
        least_(number_or_0(call, "score_threshold")),
        sigma_(number_or_0(call, "soft_nms_sigma")),
        by_{.threshold = number_or_0(call, "iou_threshold"),
            .most = call.has("max_output_boxes_per_class") ? call.integer("max_output_boxes_per_class") : 0},
        removes_(call.reads("non_max_suppression.soft_threshold", "removed")) {
    require_finite(call, "boxes");
    require(by_.most >= 0, "max_output_boxes_per_class is {}, but must be >= 0", by_.most);
    require(by_.threshold >= 0 && by_.threshold <= 1, "iou_threshold is {}, but must be from 0 to 1", by_.threshold);
    require(!std::isnan(least_), "score_threshold is {}, but must be a number", least_);
    require(sigma_ >= 0 && std::isfinite(sigma_), "soft_nms_sigma is {}, but must be finite and >= 0", sigma_);
    const Dims& shape = call.type("scores").shape;
    classes_ = shape[1], count_ = shape[2];
    for (std::int64_t line = 0; line < shape[0] * classes_; ++line) sigma_ == 0 ? choose(line) : choose_softly(line);
    if (call.flag("sort_result_descending"))
      sort_places(chosen_, [&](const Chosen& a, const Chosen& b) { return is_less_than(b, a); });
  }
  const std::vector<Chosen>& chosen() const { return chosen_; }
  std::int64_t place(const Chosen& one) const { return one.line * count_ + one.box; }
  template <class R>
  R score(const Chosen& one, const Reader<R>& x) const {
    const R score = x(scores_, place(one));
    return one.decayed_by.empty() ? score : score * exp(power(one, x));
  }

 private:
  double number(const Chosen& one) const { return scores_.number(place(one)); }
  template <class R>
  Box<R> box(const Chosen& one, std::int64_t i, const Reader<R>& x) const {
    return box_by_corners_or_center(boxes_, one.line / classes_ * count_ + i, by_center_, x);
  }
  template <class R>
  Sized<R> sized(const Chosen& one, const Reader<R>& x) const {
    return {box(one, one.box, x), by_.sides};
  }
  template <class R>
  R power(const Chosen& one, const Reader<R>& x) const {
    if constexpr (std::is_same_v<R, exact::Bounded>) return one.power;
    SumOf<R> sum;
    for (const std::int64_t j : one.decayed_by) sum.add(decay(one, j, x));
    return sum.total();
  }
  template <class R>
  R decay(const Chosen& one, std::int64_t by, const Reader<R>& x) const {
    const R IoU = overlap_ratio(box(one, one.box, x), box(one, by, x), by_.sides);
    return -(IoU * IoU) / (R(2) * R(sigma_));
  }
  std::vector<Chosen> candidates(std::int64_t line) const {
    std::vector<Chosen> all;
    for (std::int64_t i = 0; i < count_; ++i)
      if (!std::isnan(number({line, i}))) all.push_back({line, i});
    return all;
  }
  void choose(std::int64_t line) {
    std::vector<std::int64_t> order;
    for (const Chosen& one : candidates(line))
      if (number(one) >= least_) order.push_back(one.box);
    sort_by_score(order, [&](std::int64_t i) { return number({line, i}); });
    const auto box_of = [&](std::int64_t i, const auto& x) { return box({line, i}, i, x); };
    for (const std::int64_t i : suppressed(order, box_of, by_)) chosen_.push_back({line, i});
  }
  void choose_softly(std::int64_t line) {
    std::vector<Chosen> left = candidates(line);
    for (std::int64_t taken = 0; taken < by_.most && !left.empty(); ++taken) {
      auto best = left.begin();
      for (auto one = best + 1; one != left.end(); ++one)
        if (is_less_than(*best, *one)) best = one;
      if (is_below_least(*best)) return;
      const Chosen now = *best;
      left.erase(best);
      chosen_.push_back(now);
      std::erase_if(left, [&](Chosen& one) {
        const auto about = [&] { return format("how boxes {} and {} overlap", one.box, now.box); };
        if (removes_ && decide(
                            [&]<class R>(const Reader<R>& x) {
                              return overlap_more(sized(one, x), sized(now, x), by_.sides, R(by_.threshold));
                            },
                            about))
          return true;
        if (decide([&](const auto& x) { return do_overlap(box(one, one.box, x), box(now, now.box, x), by_.sides); },
                   about))
          take_from(one, now.box);
        return false;
      });
    }
  }
  void take_from(Chosen& one, std::int64_t by) const {
    one.decayed_by.push_back(by);
    one.power = one.power + decay(one, by, Reader<exact::Bounded>());
  }
  bool is_less_than(const Chosen& a, const Chosen& b) const {
    if (a.decayed_by.empty() && b.decayed_by.empty()) return number(a) < number(b);
    return decide(
        [&](const auto& x) {
          return is_less_by_powers(x(scores_, place(a)), power(a, x), x(scores_, place(b)), power(b, x));
        },
        [&] { return format("the greater of the scores of boxes {} and {}", a.box, b.box); });
  }
  bool is_below_least(const Chosen& one) const {
    return decide(
        [&]<class R>(const Reader<R>& x) {
          return is_less_by_powers(x(scores_, place(one)), power(one, x), R(least_), R(0.0));
        },
        [&] { return format("whether the score of box {} is below score_threshold", one.box); });
  }

  Elements boxes_, scores_;
  bool by_center_;
  double least_, sigma_;
  Suppression by_;
  bool removes_;  ///< what overlaps too much
  std::int64_t classes_ = 0, count_ = 0;
  std::vector<Chosen> chosen_;
};

std::vector<ValueType> output_types(const Call& call) {
  require_boxes_and_scores(call, 4);
  DType of_scores = DType::float32;
  for (const std::string_view name :
       {"soft_nms_sigma", "score_threshold", "iou_threshold", "max_output_boxes_per_class"}) {
    if (!call.has(name)) continue;
    call.version() < 5 ? require_scalar(call, name) : require_scalar_or_one(call, name);
    if (name != "max_output_boxes_per_class") of_scores = call.type(name).dtype;
  }
  const std::int64_t found = std::ssize(Choice(call).chosen());
  const bool is_padded = call.reads("non_max_suppression.padding", "minus_one");
  const std::int64_t most = call.has("max_output_boxes_per_class") ? call.integer("max_output_boxes_per_class") : 0;
  const Dims& scores = call.type("scores").shape;
  const Dims rows{is_padded ? std::min(scores[2], most) * scores[0] * scores[1] : found, 3};
  const DType index = call.has("output_type") ? index_type_of(call, "output_type") : DType::int64;
  if (call.version() < 5) return {TensorType{index, rows}};
  return {TensorType{index, rows}, TensorType{of_scores, rows}, TensorType{index, Dims{1}}};
}

// selected_indices[k] = [batch, class, box] and selected_scores[k] = [batch, class, score] of the k-th chosen box;
// valid_outputs: how many there are
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Choice choice(call);
  std::vector<std::int64_t> chosen;
  for (const Chosen& one : choice.chosen()) chosen.push_back(choice.place(one));
  return selected_boxes(call, outs, chosen,
                        [&](size_t k, const auto& x) { return choice.score(choice.chosen()[k], x); });
}

bool is_soft(const Call& call) { return call.has("soft_nms_sigma"); }

void version_1(OpSchema& s) {
  s.attribute(with_default("box_encoding", "corner", one_of({"corner", "center"})))
      .attribute(with_default("sort_result_descending", 1, flag()))
      .input("boxes", "T", "(batches, boxes, 4): two corners, y before x, or x and y of the center, width, height")
      .input("scores", "T", "(batches, classes, boxes)")
      .input("max_output_boxes_per_class", "T_MAX_BOXES", Arity::optional, "no box where it is absent or 0")
      .input("iou_threshold", "T_THRESHOLDS", Arity::optional, "a box that shares more with a chosen one is removed")
      .input("score_threshold", "T_THRESHOLDS", Arity::optional, "a box with a lower score is not chosen")
      .output("selected_indices", "T_IND", "batch, class and box of each chosen one")
      .types("T", computed_floats)
      .types("T_MAX_BOXES", types::integers)
      .types("T_THRESHOLDS", computed_floats)
      .types("T_IND", types::signed_wide);
}
void version_3(OpSchema& s) { s.attribute(with_default("output_type", "i64", index_types())); }
void version_5(OpSchema& s) {
  s.input("soft_nms_sigma", "T_THRESHOLDS", Arity::optional, "above 0: chosen boxes take from the scores of others")
      .output("selected_scores", "T_THRESHOLDS", "batch, class and score of each chosen one")
      .output("valid_outputs", "T_IND", "how many are chosen");
}
}  // namespace
Operator non_max_suppression() {
  return Operator("openvino", "NonMaxSuppression")
      .summary("the boxes with the best scores, without those that overlap a better one")
      .page("sort/non-max-suppression-9")
      .category("category sorting and maximization")
      .version(1, version_1)
      .version(3, version_3)
      .version(4, rules("padded, the rows are the fewer of boxes and boxes per class, times batches and classes"))
      .version(5, version_5)
      .version(9, rules("with soft_nms_sigma no box is removed"))
      .reading({.name = "non_max_suppression.padding",
                .alternatives = {"none: there are exactly the rows that are chosen",
                                 "minus_one: after them there are rows of -1, up to the greatest number"},
                .defaults = {{1, "none"}},
                .reason = "the CPU plugin; the pages allow both"})
      .reading({.name = "non_max_suppression.soft_threshold",
                .alternatives = {"removed: a box whose overlap is above iou_threshold is removed",
                                 "exp: with soft_nms_sigma it loses score alone, as in version 9"},
                .defaults = {{5, "removed"}, {9, ""}},
                .reason = "the page: \"0\" beyond the threshold; the CPU plugin does as in version 9",
                .may_change_values = is_soft})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_non_max_suppression
