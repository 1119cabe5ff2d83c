// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/proposals.h"

#include "ops/shared/windows.h"

namespace opref::ops {
Proposals::Proposals(const Call& call, const ProposalInputs& names, int more)
    : image_(call.input(names.image)),
      anchors_of_(call.input(names.anchors)),
      deltas_(call.input(names.deltas)),
      scores_(call.input(names.scores)),
      more_(more) {
  for (const std::string_view name : {names.image, names.anchors, names.deltas}) require_finite(call, name);
  require_no_nan(call, names.scores);
  const Dims &scores = call.type(names.scores).shape, &image = call.type(names.image).shape;
  const size_t before = scores.size() - 3;
  images_ = before == 0 ? 1 : scores[0], image_numbers_ = image[image.size() - 1];
  anchors_ = scores[before], rows_ = scores[before + 1], columns_ = scores[before + 2];
}

Reading small_proposals_reading(std::int64_t since) {
  return {.name = "proposal.small",
          .alternatives = {"removed: a box with a side below min_size is removed", "zero: it stays, with score 0"},
          .defaults = {{since, "removed"}},
          .reason = "the page removes it; both programs keep it with score 0",
          .may_change_values = [](const Call&) { return true; }};
}
Reading scaled_least_reading(std::int64_t since) {
  return {.name = "proposal.min_size_scale",
          .alternatives = {"scaled: sides are compared with min_size times the image's scale",
                           "plain: with min_size itself"},
          .defaults = {{since, "scaled"}},
          .reason = "both programs; the page names the scale and no use of it",
          .may_change_values = [](const Call&) { return true; }};
}
}  // namespace opref::ops
