// SPDX-License-Identifier: Apache-2.0
// What TreeEnsembleRegressor and TreeEnsembleClassifier share beside the trees: their attributes, which list nodes in
// parallel, from version 3 on with tensors of doubles instead of floats; and what all tree operators do with them.
#pragma once

#include <array>

#include "core/dtype.h"
#include "ops/shared/trees.h"
namespace opref::ops {
/// The attributes of version 1.
inline void with_tree_lists(OpSchema& s) {
  using enum schema::AttributeType;
  s.attribute(schema::optional(FLOATS, "base_values"));
  for (const char* name : {"nodes_falsenodeids", "nodes_featureids", "nodes_missing_value_tracks_true", "nodes_nodeids",
                           "nodes_treeids", "nodes_truenodeids"})
    s.attribute(schema::optional(INTS, name));
  s.attribute(schema::optional(FLOATS, "nodes_hitrates")).attribute(schema::optional(FLOATS, "nodes_values"));
  s.attribute(schema::optional(STRINGS, "nodes_modes")).attribute(post_transform_attribute());
}
/// What version 3 adds.
inline void with_tree_tensors(OpSchema& s) {
  for (const char* name : {"base_values_as_tensor", "nodes_hitrates_as_tensor", "nodes_values_as_tensor"})
    s.attribute(schema::optional(schema::AttributeType::TENSOR, name));
}

/// For the names of golden cases: of lists that are long, and of the votes that PREFIX_treeids and so on list.
std::vector<schema::ShortName> tree_list_names(std::array<std::string_view, 5> votes);

/// The scores of the rows of X, of a floating type's finite range where a target has no vote.
TreeScores tree_scores(const Call& call, const Forest& forest, std::int64_t targets, Aggregate aggregate,
                       std::vector<double> base, DType type);

/// For `explain` of an element of rows of `width` scores: the way through each tree; and what was read, where no terms
/// of a sum are told.
inline void tell_path(const Output& out, const TreeScores& scores, std::int64_t width, bool has_terms) {
  if (out.wanted() && out.sink() != nullptr && out.only())
    scores.forest.tell(out, scores.input, *out.only() / width, scores.features, !has_terms);
}
}  // namespace opref::ops
