// SPDX-License-Identifier: Apache-2.0
// openvino DetectionOutput, versions 1 (opset1), 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/boxes.h"
#include "ops/shared/openvino.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_detection_output {
namespace {
constexpr const char *kCorners = "caffe.PriorBoxParameter.CORNER", *kCenter = "caffe.PriorBoxParameter.CENTER_SIZE";

/// The inputs of both versions.
struct Names {
  std::string_view boxes = "box_logits", scores = "class_preds", priors = "proposals", other_scores = "aux_class_preds",
                   other_boxes = "aux_box_preds";
  explicit Names(const Call& call) {
    if (call.version() < 8)
      boxes = "input0", scores = "input1", priors = "input2", other_scores = "input3", other_boxes = "input4";
  }
};

struct Sizes {
  std::int64_t images, priors, classes, places;  ///< places: how many classes have boxes of their own
  std::int64_t of_prior;                         ///< 4 numbers, or one more before them
};

Sizes sizes_of(const Call& call) {
  const Names names(call);
  const Dims &boxes = call.type(names.boxes).shape, &scores = call.type(names.scores).shape,
             &priors = call.type(names.priors).shape;
  require(boxes.size() == 2, "{} has rank {}, but must be 2", call.name(names.boxes), boxes.size());
  require(scores.size() == 2, "{} has rank {}, but must be 2", call.name(names.scores), scores.size());
  require(priors.size() == 3, "{} has rank {}, but must be 3", call.name(names.priors), priors.size());
  Sizes s{boxes[0], 0, 0, 1, call.flag("normalized") ? 4 : 5};
  s.priors = priors[2] / s.of_prior;
  require(s.priors > 0 && priors[2] % s.of_prior == 0,
          "{} has shape {}, but its last size must be a multiple of {}, the numbers of a prior",
          call.name(names.priors), priors, s.of_prior);
  s.classes = call.version() < 8 ? call.integer("num_classes") : scores[1] / s.priors;
  require(s.classes >= 1 && scores == Dims{s.images, checked_multiply(s.priors, s.classes)},
          "{} has shape {}, but must be ({}, {}·classes): one score for each prior and class", call.name(names.scores),
          scores, s.images, s.priors);
  if (!call.flag("share_location")) s.places = s.classes;
  const std::int64_t numbers = checked_multiply(checked_multiply(s.priors, s.places), 4);
  require(boxes[1] == numbers, "{} has shape {}, but must be ({}, {}): 4 for each prior{}", call.name(names.boxes),
          boxes, s.images, numbers, s.places == 1 ? "" : " and class");
  return s;
}

std::vector<ValueType> output_types(const Call& call) {
  const Names names(call);
  const Sizes s = sizes_of(call);
  const Dims& priors = call.type(names.priors).shape;
  require(priors[0] == 1 || priors[0] == s.images, "{} has shape {}, but its first size must be 1 or {}, the images",
          call.name(names.priors), priors, s.images);
  const std::int64_t rows_of_priors = call.flag("variance_encoded_in_target") ? 1 : 2;
  require(priors[1] == rows_of_priors, "{} has shape {}, but its second size must be {}: variances are {}",
          call.name(names.priors), priors, rows_of_priors, rows_of_priors == 1 ? "in the target" : "a row of it");
  require(call.has(names.other_scores) == call.has(names.other_boxes),
          "{} and {} go together, but one of them is missing", call.name(names.other_scores),
          call.name(names.other_boxes));
  if (call.has(names.other_scores)) {
    const Dims &scores = call.type(names.other_scores).shape, &boxes = call.type(names.other_boxes).shape;
    require(scores == Dims{s.images, s.priors * 2}, "{} has shape {}, but must be {}: 2 for each prior",
            call.name(names.other_scores), scores, Dims{s.images, s.priors * 2});
    require(boxes == call.type(names.boxes).shape, "{} has shape {}, but must be {}, as {}",
            call.name(names.other_boxes), boxes, call.type(names.boxes).shape, call.name(names.boxes));
  }
  const std::string& code = call.string("code_type");
  require(code == kCorners || code == kCenter, "attribute 'code_type' is '{}', but must be {} or {}", printable(code),
          kCorners, kCenter);
  const std::vector<std::int64_t> keep = call.integers("keep_top_k");
  require(!keep.empty(), "attribute 'keep_top_k' has {} values, but must have one", keep.size());
  require(!call.flag("decrease_label_id") || call.integer("background_label_id") == 0,
          "attribute 'background_label_id' is {}, but with decrease_label_id it must be 0",
          call.integer("background_label_id"));
  const std::int64_t top = call.integer("top_k");
  const std::int64_t rows = keep[0] > 0                ? keep[0]
                            : keep[0] == -1 && top > 0 ? checked_multiply(top, s.classes)
                                                       : checked_multiply(s.priors, s.classes);
  return {TensorType{call.type(names.boxes).dtype, Dims{1, 1, checked_multiply(s.images, rows), 7}}};
}

/// A prior that a class of an image found.
struct Detection {
  std::int64_t image, class_of, prior;
};

class Detections {
 public:
  explicit Detections(const Call& call)
      : call_(call),
        s_(sizes_of(call)),
        logits_(call.input(Names(call).boxes)),
        scores_(call.input(Names(call).scores)),
        priors_(call.input(Names(call).priors)),
        other_scores_(elements_if_given(call, Names(call).other_scores)),
        other_logits_(elements_if_given(call, Names(call).other_boxes)),
        has_variances_(!call.flag("variance_encoded_in_target")),
        by_corners_(call.string("code_type") == kCorners),
        clips_(call.flag("clip_before_nms")),
        divides_twice_(call.reads("detection_output.second_division", "twice")),
        background_(call.integer("background_label_id")),
        top_(call.integer("top_k")) {
    const Names names(call);
    require_finite(call, names.boxes);
    require_finite(call, names.priors);
    if (other_logits_) require_finite(call, names.other_boxes);
    for (std::int64_t image = 0; image < s_.images; ++image) {
      std::vector<Detection> found = call.flag("decrease_label_id") ? by_mxnet(image) : by_caffe(image);
      const std::int64_t most = call.integers("keep_top_k")[0];
      const bool cuts_late = call.reads("detection_output.top_k", "after");
      for (const std::int64_t k : {cuts_late ? top_ : -1, most}) {
        if (k < 0 || std::ssize(found) <= k) continue;
        std::ranges::stable_sort(found, {}, &Detection::prior);
        sort_places(found, [&](const Detection& a, const Detection& b) { return score(a) > score(b); });
        keep_first(found, k);
        std::ranges::stable_sort(found, {}, &Detection::class_of);
      }
      all_.insert(all_.end(), found.begin(), found.end());
    }
  }
  const std::vector<Detection>& all() const { return all_; }
  template <class R>
  R score(const Detection& one, const Reader<R>& x) const {
    return is_hidden(one) ? R(score(one)) : x(scores_, score_place(one));
  }
  // The prior, moved by box_logits; or first by aux_box_preds, then by box_logits.
  template <class R>
  Box<R> box(const Detection& one, const Reader<R>& x) const {
    const std::int64_t row = prior_row(one) + one.prior * s_.of_prior + s_.of_prior - 4;
    const Box<R> prior = box_at(priors_, row, x);
    if (!other_logits_) return decoded(one, parts(prior, x), logits_, x);
    const Box<R> first = decoded(one, parts(prior, x), *other_logits_, x);
    return decoded(one, divides_twice_ ? parts(first, x) : first, logits_, x);
  }

 private:
  std::int64_t score_place(const Detection& one) const {
    return (one.image * s_.priors + one.prior) * s_.classes + one.class_of;
  }
  /// An additional score of the prior is below objectness_score: it shows the background.
  bool is_hidden(const Detection& one) const {
    return other_scores_ &&
           other_scores_->number((one.image * s_.priors + one.prior) * 2 + 1) < call_.number("objectness_score");
  }
  double score(const Detection& one) const {
    if (!is_hidden(one)) return scores_.number(score_place(one));
    return one.class_of == background_ ? 1 : 0;
  }
  std::int64_t prior_row(const Detection& one) const {
    const Dims& shape = call_.type(Names(call_).priors).shape;
    return shape[0] == 1 ? 0 : one.image * shape[1] * shape[2];
  }
  /// As parts of the image.
  template <class R>
  Box<R> parts(const Box<R>& box, const Reader<R>&) const {
    if (call_.flag("normalized")) return box;
    const R width = R::whole(call_.integer("input_width")), height = R::whole(call_.integer("input_height"));
    return {box.x1 / width, box.y1 / height, box.x2 / width, box.y2 / height};
  }
  // CORNER: prior + variance·logit, of each coordinate. CENTER_SIZE: `moved` by variance·logit.
  template <class R>
  Box<R> decoded(const Detection& one, const Box<R>& prior, const Elements& logits, const Reader<R>& x) const {
    const std::int64_t place = s_.places == 1 ? 0 : one.class_of,
                       at = ((one.image * s_.priors + one.prior) * s_.places + place) * 4,
                       variances = prior_row(one) + s_.priors * s_.of_prior + one.prior * 4;
    const auto delta = [&](std::int64_t k) {
      const R logit = x(logits, at + k);
      return has_variances_ ? x(priors_, variances + k) * logit : logit;
    };
    const Box<R> box = by_corners_
                           ? Box<R>{prior.x1 + delta(0), prior.y1 + delta(1), prior.x2 + delta(2), prior.y2 + delta(3)}
                           : moved(prior, {delta(0), delta(1), delta(2), delta(3)}, {});
    return clips_ ? clipped(box, R(1.0), R(1.0)) : box;
  }
  std::int64_t known_priors(std::int64_t image) const {
    if (call_.flag("normalized") || !call_.reads("detection_output.prior_end", "minus_one")) return s_.priors;
    std::int64_t prior = 0;
    while (prior < s_.priors && priors_.number(prior_row({image, 0, 0}) + prior * s_.of_prior) != -1) ++prior;
    return prior;
  }
  void suppress(std::int64_t image, std::int64_t c, const std::vector<std::int64_t>& order,
                std::vector<Detection>& found) const {
    const auto box_of = [&](std::int64_t prior, const auto& x) { return box({image, c, prior}, x); };
    for (const std::int64_t prior : suppressed(order, box_of, {.threshold = call_.number("nms_threshold")}))
      found.push_back({image, c, prior});
  }
  // Of each class but the background's the priors with a score above confidence_threshold, the best first, the first
  // top_k of them, without those whose overlap with one before is above nms_threshold.
  std::vector<Detection> by_caffe(std::int64_t image) const {
    std::vector<Detection> found;
    for (std::int64_t c = 0; c < s_.classes; ++c) {
      if (c == background_) continue;
      std::vector<std::int64_t> order;
      for (std::int64_t prior = 0; prior < known_priors(image); ++prior)
        if (score({image, c, prior}) > call_.number("confidence_threshold")) order.push_back(prior);
      sort_by_score(order, [&](std::int64_t prior) { return score({image, c, prior}); });
      keep_first(order, call_.reads("detection_output.top_k", "before") ? top_ : -1);
      suppress(image, c, order, found);
    }
    return found;
  }
  // Each prior has one class, whose score is the greatest, and no less than confidence_threshold; of all classes the
  // best top_k; without those whose overlap with one of their class is above nms_threshold.
  std::vector<Detection> by_mxnet(std::int64_t image) const {
    std::vector<Detection> best, found;
    for (std::int64_t prior = 0; prior < known_priors(image); ++prior) {
      std::optional<Detection> greatest;
      for (std::int64_t c = 1; c < s_.classes; ++c) {
        const Detection one{image, c, prior};
        if (!std::isnan(score(one)) && (!greatest || score(one) > score(*greatest))) greatest = one;
      }
      if (greatest && score(*greatest) >= call_.number("confidence_threshold")) best.push_back(*greatest);
    }
    sort_places(best, [&](const Detection& a, const Detection& b) { return score(a) > score(b); });
    keep_first(best, call_.reads("detection_output.top_k", "before") ? top_ : -1);
    for (std::int64_t c = 1; c < s_.classes; ++c) {
      std::vector<std::int64_t> order;
      for (const Detection& one : best)
        if (one.class_of == c) order.push_back(one.prior);
      suppress(image, c, order, found);
    }
    return found;
  }

  const Call& call_;
  Sizes s_;
  Elements logits_, scores_, priors_;
  std::optional<Elements> other_scores_, other_logits_;
  bool has_variances_, by_corners_, clips_, divides_twice_;
  std::int64_t background_, top_;
  std::vector<Detection> all_;
};

// Rows image, class, score, x1, y1, x2, y2: by image, then class, the best first. After the last one a row -1, 0, 0, …,
// then 0. With decrease_label_id the class is one less.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Detections found(call);
  const bool clips = call.flag("clip_after_nms"), decreases = call.flag("decrease_label_id");
  const std::int64_t rows = std::ssize(found.all());
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    const auto [row, k] = split(i, 7);
    if (row >= rows) return R(row == rows && k == 0 ? -1.0 : 0.0);
    const Detection& one = found.all()[static_cast<size_t>(row)];
    if (k < 2) return R::whole(k == 0 ? one.image : one.class_of - (decreases ? 1 : 0));
    if (k == 2) return found.score(one, x);
    const Box<R> box = found.box(one, x);
    return x.sum((clips ? clipped(box, R(1.0), R(1.0)) : box)[static_cast<size_t>(k - 3)]);
  })};
}

bool has_two_moves(const Call& call) { return call.has(Names(call).other_boxes) && !call.flag("normalized"); }
bool has_top(const Call& call) { return call.integer("top_k") >= 0; }
bool has_first_column(const Call& call) { return !call.flag("normalized"); }

void version_1(OpSchema& s) {
  s.attribute(required(INT, "num_classes", at_least(1)))
      .attribute(with_default("background_label_id", 0))
      .attribute(with_default("top_k", -1, at_least(-1)))
      .attribute(with_default("variance_encoded_in_target", 0, flag()))
      .attribute(required(INTS, "keep_top_k", at_least(-1)))
      .attribute(with_default("code_type", kCorners))
      .attribute(with_default("share_location", 1, flag()))
      .attribute(required(FLOAT, "nms_threshold"))
      .attribute(with_default("confidence_threshold", 0.0F))
      .attribute(with_default("clip_after_nms", 0, flag()))
      .attribute(with_default("clip_before_nms", 0, flag()))
      .attribute(with_default("decrease_label_id", 0, flag()))
      .attribute(with_default("normalized", 0, flag()))
      .attribute(with_default("input_height", 1, at_least(1)))
      .attribute(with_default("input_width", 1, at_least(1)))
      .attribute(with_default("objectness_score", 0.0F, at_least(0)))
      .input("input0", "T", "box logits, (images, priors·classes·4), or (images, priors·4) that all classes share")
      .input("input1", "T", "scores, (images, priors·classes)")
      .input("input2", "T", "priors, (images or 1, 1 or 2, priors·4 or ·5): boxes, and a row of variances")
      .input("input3", "T", Arity::optional, "other scores, (images, priors·2): the second says what is an object")
      .input("input4", "T", Arity::optional, "other box logits, which move the priors first")
      .output("output0", "T", "image, class, score and corners of each")
      .types("T", computed_floats);
}
void version_8(OpSchema& s) {
  s.remove("num_classes")
      .rename("input0", "box_logits")
      .rename("input1", "class_preds")
      .rename("input2", "proposals")
      .rename("input3", "aux_class_preds")
      .rename("input4", "aux_box_preds");
}
}  // namespace
Operator detection_output() {
  return Operator("openvino", "DetectionOutput")
      .summary("priors that logits move, the best of each class, without those that overlap a better one")
      .page("detection/detectionoutput-8")
      .category("category object detection")
      .version(1, version_1)
      .version(8, version_8)
      .reading({.name = "detection_output.second_division",
                .alternatives = {"twice: priors moved by the other logits are divided by the image's sides again",
                                 "once: they are not"},
                .defaults = {{1, "twice"}},
                .reason = "the CPU plugin and the reference implementation; once is what makes sense",
                .may_change_values = has_two_moves})
      .reading({.name = "detection_output.top_k",
                .alternatives = {"before: of each class the best top_k are compared with one another",
                                 "after: of each image the best top_k are kept of those left"},
                .defaults = {{1, "before"}},
                .reason = "the programs, and the shape on the page; its words say per batch after suppression",
                .may_change_values = has_top})
      .reading({.name = "detection_output.prior_end",
                .alternatives = {"none: the first number of a prior of five means nothing",
                                 "minus_one: a prior with -1 there ends the priors"},
                .defaults = {{1, "none"}},
                .reason = "the page and the reference implementation; the CPU plugin ends the priors",
                .may_change_values = has_first_column})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_detection_output
