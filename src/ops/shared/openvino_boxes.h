// SPDX-License-Identifier: Apache-2.0
// What OpenVINO's operations that choose boxes share: their inputs' shapes, their order, and the rows that they write.
#pragma once

#include <vector>

#include "evaluators/move.h"
#include "evaluators/programs.h"
#include "ops/shared/boxes.h"
#include "ops/shared/openvino.h"
namespace opref::ops {
/// boxes is (batches, boxes, `numbers`), scores (batches, classes, boxes); else `invalid`.
void require_boxes_and_scores(const Call& call, std::int64_t numbers);

/// i32 or i64, as the attribute says.
inline DType index_type_of(const Call& call, std::string_view attribute) {
  return call.string(attribute) == "i32" ? DType::int32 : DType::int64;
}

/// An output of one integer, or of several: numbers that no element has.
Tensor counts(const Output& out, const std::vector<std::int64_t>& numbers);

/// Rows of batch, class and box, of batch, class and score, and how many there are. chosen[k] is the place in `scores`
/// of the k-th chosen one, score(k, x) its score. Rows beyond are -1.
template <class Score>
std::vector<Value> selected_boxes(const Call& call, std::span<const Output> outs,
                                  const std::vector<std::int64_t>& chosen, const Score& score) {
  const Tensor& scores = call.input("scores");
  const auto is_there = [&](std::int64_t i) { return i / 3 < std::ssize(chosen); };
  const auto place = [&](std::int64_t i) { return is_there(i) ? chosen[static_cast<size_t>(i / 3)] : -1; };
  const auto part = [&](std::int64_t i, std::int64_t at) {
    return at < 0 ? -1 : coordinates(at, scores.shape())[static_cast<size_t>(i % 3)];
  };
  std::vector<Value> results{places(outs[0], scores, place, part)};
  if (outs.size() == 1) return results;
  results.emplace_back(real(outs[1], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    return is_there(i) && i % 3 == 2 ? score(static_cast<size_t>(i / 3), x) : R::whole(part(i, place(i)));
  }));
  results.emplace_back(counts(outs[2], {std::ssize(chosen)}));
  return results;
}

/// A box that MatrixNms or MulticlassNms selects.
struct SelectedBox {
  std::int64_t image, class_of, box;
  std::int64_t score_at, box_at;  ///< where its score and its first corner are in the inputs
  std::int64_t index;             ///< as selected_indices has it
  size_t line = 0, rank = 0;      ///< among what line of candidates it has which place: of MatrixNms
};
/// The attributes and outputs that both have.
void add_nms_attributes(OpSchema& s);
std::vector<ValueType> nms_output_types(const Call& call, std::int64_t rows, std::int64_t images);
/// Of each image the first keep_top_k by score, in the order of sort_result_type; sizes: how many each has. is_less(a,
/// b): a has the lower score.
template <class IsLess>
std::vector<SelectedBox> in_order(const Call& call, std::vector<std::vector<SelectedBox>> images,
                                  std::vector<std::int64_t>& sizes, const IsLess& is_less) {
  const bool by_class = call.string("sort_result_type") == "classid",
             sorts_all = call.flag("sort_result_across_batch") && call.string("sort_result_type") != "none";
  const auto by_score = [&](const SelectedBox& a, const SelectedBox& b) { return is_less(b, a); };
  const auto class_first = [](const SelectedBox& a, const SelectedBox& b) { return a.class_of < b.class_of; };
  std::vector<SelectedBox> all;
  for (std::vector<SelectedBox>& found : images) {
    sort_places(found, by_score);
    keep_first(found, call.integer("keep_top_k"));
    if (by_class) sort_places(found, class_first);
    sizes.push_back(std::ssize(found));
    all.insert(all.end(), found.begin(), found.end());
  }
  if (sorts_all && by_class) sort_places(all, class_first);
  if (sorts_all && !by_class) sort_places(all, by_score);
  return all;
}
/// Rows of class, score and corners, their indices, and how many each image has.
template <class Score>
std::vector<Value> selected_rows(const Call& call, std::span<const Output> outs, const std::vector<SelectedBox>& rows,
                                 const std::vector<std::int64_t>& sizes, const Score& score) {
  const Elements boxes(call.input("boxes"));
  std::vector<std::int64_t> indices;
  for (const SelectedBox& row : rows) indices.push_back(row.index);
  return {real(outs[0],
               [&]<class R>(std::int64_t i, const Reader<R>& x) {
                 const SelectedBox& row = rows[static_cast<size_t>(i / 6)];
                 if (i % 6 == 0) return R::whole(row.class_of);
                 return i % 6 == 1 ? score(row, x) : x(boxes, row.box_at + i % 6 - 2);
               }),
          counts(outs[1], indices), counts(outs[2], sizes)};
}
}  // namespace opref::ops
