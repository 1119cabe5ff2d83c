// SPDX-License-Identifier: Apache-2.0
// What any node may be mistaken for, by its schema alone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schema/operator.h"

namespace opref::ops {

/// A node as somebody may have understood it.
struct KnownMistake {
  std::string name;  ///< "keepdims taken as 0"
  /// The call as they took it; nothing where the mistake cannot be made. May fail as resolve does.
  std::function<std::optional<Call>(const Call&)> made;
};

/// A flag, a word or an axis, attribute or input, taken as another one, alpha or epsilon as another usual number, and
/// two inputs of one type exchanged: "keepdims taken as 0", "mode taken as edge", "axis taken as 0", "epsilon taken as
/// 0.001", "scale and B exchanged", "alpha and beta exchanged". Of numbers of each channel the first one taken for all
/// and their reverse order; a zero point taken as 0. An axis beside keepdims also as numpy has it: "axis taken as 0,
/// keepdims taken as 0".
std::vector<KnownMistake> general_mistakes(const Call& call);

/// The call as one of each other operator of its domain that takes the same inputs and has the attributes that the node
/// states: "computed as ReduceSum". Nothing of those that have no kernel or evaluate graphs.
std::vector<KnownMistake> other_operators(const Call& call);

}  // namespace opref::ops
