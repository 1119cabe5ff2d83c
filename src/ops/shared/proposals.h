// SPDX-License-Identifier: Apache-2.0
// Boxes that the cells of a map propose: anchors that deltas move, each with a score.
#pragma once

#include <array>

#include "ops/shared/boxes.h"
#include "ops/shared/openvino.h"
#include "schema/operator.h"
namespace opref::ops {
/// Names of inputs: images (images, 3 or more): height, width, scale; anchors, 4 for each row, column and anchor;
/// deltas (images, 4·anchors, rows, columns); scores (images, anchors, rows, columns).
struct ProposalInputs {
  std::string_view image, anchors, deltas, scores;
};

class Proposals {
 public:
  /// `more` as Sides has it; the factors of sides are at most 62.5. Numbers that are not finite are `invalid`.
  Proposals(const Call& call, const ProposalInputs& names, int more);

  std::int64_t images() const { return images_; }
  /// Of one image: rows·columns·anchors, in this order.
  std::int64_t count() const { return rows_ * columns_ * anchors_; }
  /// Where a score is, by the place of the box among all images.
  std::int64_t score_place(std::int64_t at) const {
    const auto [image, row, column, k] = split(at, rows_, columns_, anchors_);
    return ((image * anchors_ + k) * rows_ + row) * columns_ + column;
  }
  double score(std::int64_t at) const { return scores_.number(score_place(at)); }
  template <class R>
  R score(std::int64_t at, const Reader<R>& x) const {
    return x(scores_, score_place(at));
  }
  /// Moved and clipped to the image.
  template <class R>
  Box<R> box(std::int64_t at, const Reader<R>& x) const {
    const auto [image, row, column, k] = split(at, rows_, columns_, anchors_);
    const auto delta = [&, image = image, row = row, column = column, k = k](std::int64_t c) {
      return x(deltas_, ((image * anchors_ * 4 + k * 4 + c) * rows_ + row) * columns_ + column);
    };
    const R e = R::whole(more_), height = x(image_, image * image_numbers_) - e,
            width = x(image_, image * image_numbers_ + 1) - e;
    return clipped(moved(box_at(anchors_of_, at % count() * 4, x), {delta(0), delta(1), delta(2), delta(3)},
                         {.more = more_, .most = 62.5}),
                   width, height);
  }
  /// Whether a side, longer by `more`, is below min_size, times the image's scale of it where it has scales that count.
  bool is_small(std::int64_t at, double min_size, bool has_scales) const {
    const std::int64_t image = at / count() * image_numbers_;
    return decide(
        [&]<class R>(const Reader<R>& x) {
          const R least(min_size), one(1.0);
          return ops::is_small(box(at, x), more_, least * (has_scales ? x(image_, image + image_numbers_ - 1) : one),
                               least * (has_scales ? x(image_, image + 2) : one));
        },
        [&] { return format("whether box {} is below min_size", at); });
  }

 private:
  Elements image_, anchors_of_, deltas_, scores_;
  std::int64_t images_, image_numbers_, anchors_, rows_, columns_;
  int more_;
};

/// proposal.small, of versions from `since` on: what becomes of boxes below min_size.
Reading small_proposals_reading(std::int64_t since);
/// proposal.min_size_scale: with what their sides are compared.
Reading scaled_least_reading(std::int64_t since);
}  // namespace opref::ops
