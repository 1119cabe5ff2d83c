// SPDX-License-Identifier: Apache-2.0
// openvino Proposal, versions 1 (opset1), 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/boxes.h"
#include "ops/shared/openvino.h"
#include "ops/shared/prior_boxes.h"
#include "ops/shared/proposals.h"
#include "ops/shared/windows.h"
namespace opref::ops::openvino::file_proposal {
namespace {
/// In the place of a box: the row after the last one, and those beyond.
constexpr std::int64_t kEnd = -1, kNothing = -2;

/// The inputs of both versions.
struct Names {
  std::string_view scores = "class_probs", deltas = "bbox_deltas", image = "image_shape";
  explicit Names(const Call& call) {
    if (call.version() < 4) scores = "input0", deltas = "input1", image = "input2";
  }
};

bool is_tensorflow(const Call& call) { return call.has("framework") && call.string("framework") == "tensorflow"; }

/// The nearest whole number to √(base²/ratio), of two the greater.
double nearest_side(double base, double ratio) {
  const auto is_above = [&](double n) {  // n - 1/2 > √(base²/ratio)
    return decide(
        [&]<class R>(const Reader<R>&) {
          const R odd(2 * n - 1), twice(2 * base);
          return is_less(twice * twice, odd * odd * R(ratio));
        },
        [] { return "the side of an anchor"; });
  };
  constexpr double kLargest = 0x1p50;  // doubles have all whole numbers and halves up to there
  const double about = std::sqrt(base * base / ratio);
  if (!(base <= kLargest && about <= kLargest))
    fail(Fault::unsupported, "base_size {} and ratio {} give an anchor of side {}, but sides above 2^50 are not known",
         base, ratio, about);
  double n = std::floor(about) + 2;
  while (n > 0 && is_above(n)) --n;
  return n;
}

/// The boxes that the cells propose, in the order image, row, column, anchor.
class Anchors {
 public:
  explicit Anchors(const Call& call)
      : ratios_(numbers_of(call, "ratio")),
        scales_(numbers_of(call, "scale")),
        is_tensorflow_(is_tensorflow(call)),
        clips_(call.flag("clip_before_nms")),
        base_(nearly(call.integer("base_size"))),
        stride_(call.integer("feat_stride")),
        size_scale_(call.number("box_size_scale")),
        place_scale_(call.number("box_coordinate_scale")),
        scores_(call.input(Names(call).scores)),
        deltas_(call.input(Names(call).deltas)),
        image_(call.input(Names(call).image)),
        shape_(call.type(Names(call).scores).shape),
        is_height_first_(is_tensorflow_ && call.reads("proposal.tensorflow_image", "height")),
        scales_least_(call.reads("proposal.min_size_scale", "scaled")),
        least_(nearly(call.integer("min_size"))),
        last_number_(call.type(Names(call).image).shape[0] - 1) {
    for (const double ratio : ratios_) sides_.push_back(is_tensorflow_ ? 0 : nearest_side(base_, ratio));
  }
  std::int64_t anchors() const { return std::ssize(ratios_) * std::ssize(scales_); }
  std::int64_t per_image() const { return shape_[2] * shape_[3] * anchors(); }
  Sides sides() const { return {.more = is_tensorflow_ ? 0 : 1, .is_apart = true}; }
  /// The second half of the channels.
  std::int64_t score_place(std::int64_t at) const {
    const auto [image, row, column, k] = split(at, shape_[2], shape_[3], anchors());
    return ((image * 2 * anchors() + anchors() + k) * shape_[2] + row) * shape_[3] + column;
  }
  double score(std::int64_t at) const { return scores_.number(score_place(at)); }
  /// What limits the first and the second coordinate.
  template <class R>
  std::pair<R, R> limits(const Reader<R>& x) const {
    const R height = x(image_, 0), width = x(image_, 1);
    return is_height_first_ ? std::pair(height, width) : std::pair(width, height);
  }
  // Anchor k of ratio r and scale s has sides w·s and w·r·s, w = √(base_size²/r), both rounded unless by tensorflow. It
  // moves to the cell, and there by the deltas.
  template <class R>
  Box<R> box(std::int64_t at, const Reader<R>& x) const {
    const auto [image, row, column, k] = split(at, shape_[2], shape_[3], anchors());
    const R e = R::whole(sides().more), half(0.5), middle = is_tensorflow_ ? R(0.0) : (R(base_) - e) * half;
    const auto index = static_cast<size_t>(k / std::ssize(scales_));
    const R ratio(ratios_[index]), scale(scales_[static_cast<size_t>(k % std::ssize(scales_))]),
        w = is_tensorflow_ ? sqrt(R(base_) * R(base_) / ratio) : R(sides_[index]),
        h = is_tensorflow_ ? w * ratio : R(std::round(sides_[index] * ratios_[index])), right = (w * scale - e) * half,
        down = (h * scale - e) * half, first = middle + R::whole((is_tensorflow_ ? row : column) * stride_),
        second = middle + R::whole((is_tensorflow_ ? column : row) * stride_);
    const auto [most_x, most_y] = limits(x);
    const auto delta = [&, image = image, row = row, column = column, k = k](std::int64_t c) {
      return x(deltas_, ((image * anchors() * 4 + k * 4 + c) * shape_[2] + row) * shape_[3] + column) /
             R(c < 2 ? place_scale_ : size_scale_);
    };
    Box<R> box{first - right, second - down, first + right, second + down};
    if (is_tensorflow_) box = clipped(box, most_x, most_y);
    box = moved(box, {delta(0), delta(1), delta(2), delta(3)}, {.more = sides().more, .ends_within = false});
    return clips_ ? clipped(box, most_x - e, most_y - e) : box;
  }
  // A side is below min_size times the image's scale: of the second side the first scale, of the first the last.
  bool is_small(std::int64_t at) const {
    return decide(
        [&]<class R>(const Reader<R>& x) {
          const R least(least_), one(1.0);
          return ops::is_small(box(at, x), sides().more, least * (scales_least_ ? x(image_, last_number_) : one),
                               least * (scales_least_ ? x(image_, 2) : one));
        },
        [&] { return format("whether box {} is below min_size", at); });
  }

 private:
  std::vector<double> ratios_, scales_, sides_;
  bool is_tensorflow_, clips_;
  double base_;
  std::int64_t stride_;
  double size_scale_, place_scale_;
  Elements scores_, deltas_, image_;
  Dims shape_;
  bool is_height_first_, scales_least_;
  double least_;
  std::int64_t last_number_;
};

std::vector<ValueType> output_types(const Call& call) {
  const Names names(call);
  const auto& [dtype, scores] = call.type(names.scores);
  const Dims &deltas = call.type(names.deltas).shape, &image = call.type(names.image).shape;
  const std::string framework = call.has("framework") ? call.string("framework") : "";
  require(framework.empty() || framework == "tensorflow",
          "attribute 'framework' is '{}', but must be tensorflow or empty", printable(framework));
  const std::int64_t anchors = std::ssize(numbers_of(call, "ratio")) * std::ssize(numbers_of(call, "scale"));
  require(anchors > 0, "attributes 'ratio' and 'scale' have {} pairs of values, but must have at least one", anchors);
  require(scores.size() == 4 && scores[1] == 2 * anchors,
          "{} has shape {}, but must be (images, {}, height, width): 2 channels for each ratio and scale",
          call.name(names.scores), scores, 2 * anchors);
  require(deltas == Dims{scores[0], 4 * anchors, scores[2], scores[3]},
          "{} has shape {}, but {} has shape {}: it must be {}", call.name(names.deltas), deltas,
          call.name(names.scores), scores, Dims{scores[0], 4 * anchors, scores[2], scores[3]});
  require(image == Dims{3} || image == Dims{4}, "{} has shape {}, but must be [3] or [4]: height, width, scales",
          call.name(names.image), image);
  const std::int64_t rows = checked_multiply(scores[0], call.integer("post_nms_topn"));
  std::vector<ValueType> types{TensorType{dtype, Dims{rows, 5}}};
  if (call.version() >= 4) types.emplace_back(TensorType{dtype, Dims{rows}});
  return types;
}

void require_numbers(const Call& call) {
  const Names names(call);
  require_finite(call, names.deltas);
  require_finite(call, names.image);
  require_no_nan(call, names.scores);
  const Elements image(call.input(names.image));
  for (std::int64_t i = 0; i < call.type(names.image).shape[0]; ++i)
    require(i < 2 ? image.number(i) > 0 : image.number(i) >= 0, "{} has {} at {}, but it must be {}",
            call.name(names.image), image.number(i), i, i < 2 ? "> 0: a side" : ">= 0: a scale");
}

// Of each image's boxes without a small side the pre_nms_topn with the best scores, and of these the first
// post_nms_topn whose overlap with none before is above nms_thresh: image, box and score. After them a row of -1 and 0,
// then 0.
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_numbers(call);
  const Anchors all(call);
  const bool removes = call.reads("proposal.small", "removed");
  const std::int64_t most = call.integer("post_nms_topn");
  std::vector<std::int64_t> rows;
  std::set<std::int64_t> small;
  for (std::int64_t image = 0; image < call.type(Names(call).scores).shape[0]; ++image) {
    std::vector<std::int64_t> order;
    for (std::int64_t at = image * all.per_image(); at < (image + 1) * all.per_image(); ++at) {
      const bool is_small = all.is_small(at);
      if (is_small) small.insert(at);
      if (!removes || !is_small) order.push_back(at);
    }
    sort_by_score(order, [&](std::int64_t at) { return small.contains(at) ? 0 : all.score(at); });
    keep_first(order, call.integer("pre_nms_topn"));
    const std::vector<std::int64_t> kept =
        suppressed(order, [&](std::int64_t at, const auto& x) { return all.box(at, x); },
                   {.threshold = call.number("nms_thresh"), .sides = all.sides(), .most = most});
    rows.insert(rows.end(), kept.begin(), kept.end());
    if (std::ssize(kept) < most) rows.push_back(kEnd);
    rows.resize(static_cast<size_t>((image + 1) * most), kNothing);
  }
  const bool clips = call.flag("clip_after_nms"), is_part = call.flag("normalize");
  std::vector<Value> results{real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    const auto [row, k] = split(i, 5);
    const std::int64_t at = rows[static_cast<size_t>(row)];
    if (at < 0) return R(k == 0 && at == kEnd ? -1.0 : 0.0);
    if (k == 0) return R::whole(row / most);
    const auto [most_x, most_y] = all.limits(x);
    const Box<R> own = all.box(at, x), box = clips ? clipped(own, most_x, most_y) : own;
    const R& place = box[static_cast<size_t>(k - 1)];
    return x.sum(is_part ? place / (k % 2 == 1 ? most_x : most_y) : place);
  })};
  if (outs.size() == 1) return results;
  results.emplace_back(move(outs[1], call.input(Names(call).scores), [&](std::int64_t i) {
    const std::int64_t at = rows[static_cast<size_t>(i)];
    return at < 0 || small.contains(at) ? Run::fill() : Run{all.score_place(at)};
  }));
  return results;
}

void version_1(OpSchema& s) {
  for (const char* name : {"base_size", "pre_nms_topn", "post_nms_topn", "feat_stride", "min_size"})
    s.attribute(required(INT, name, at_least(1)));
  s.attribute(required(FLOAT, "nms_thresh", above(0)))
      .attribute(required(FLOATS, "ratio", above(0)))
      .attribute(required(FLOATS, "scale", above(0)))
      .attribute(with_default("clip_before_nms", 1, flag()))
      .attribute(with_default("clip_after_nms", 0, flag()))
      .attribute(with_default("normalize", 0, flag()))
      .attribute(with_default("box_size_scale", 1.0F, above(0)))
      .attribute(with_default("box_coordinate_scale", 1.0F, above(0)))
      .attribute(optional(STRING, "framework"))
      .input("input0", "T", "scores, (images, 2·anchors, height, width): those of the second half count")
      .input("input1", "T", "deltas, (images, 4·anchors, height, width): dx, dy, dw, dh of each anchor")
      .input("input2", "T", "the image, [3] or [4]: height, width, scale or scales of height and width")
      .output("output0", "T", "image and box of each, (images·post_nms_topn, 5)")
      .types("T", computed_floats);
}
void version_4(OpSchema& s) {
  s.rename("input0", "class_probs")
      .rename("input1", "bbox_deltas")
      .rename("input2", "image_shape")
      .output("output1", "T", "their scores");
}
}  // namespace
Operator proposal() {
  return Operator("openvino", "Proposal")
      .summary("anchors of each cell that deltas move, the best ones, without those that overlap a better one")
      .page("detection/proposal-4")
      .category("category object detection")
      .version(1, version_1)
      .version(4, version_4)
      .reading(small_proposals_reading(1))
      .reading(scaled_least_reading(1))
      .reading({.name = "proposal.tensorflow_image",
                .alternatives = {"height: by tensorflow the first coordinate runs along the height of the image",
                                 "width: along the width"},
                .defaults = {{1, "height"}},
                .reason = "the CPU plugin; the reference implementation takes the width",
                .may_change_values = is_tensorflow})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_proposal
