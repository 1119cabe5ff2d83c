// SPDX-License-Identifier: Apache-2.0
// What backends are known to get wrong: for a call, the calls that somebody may have computed instead of it. They are
// tried, never selectable.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/operator.h"

namespace opref::mistakes {

enum class MistakeKind : std::uint8_t {
  ignored,         ///< an attribute or input, as if it were not there
  reversed,        ///< a list, read from its end
  few_digits,      ///< a formula that loses digits: what it loses depends on the order of its sums
  rounded_steps,   ///< the same formula, its steps rounded: right kernels do it where their bound allows that
  misread,         ///< anything else that an operator may be taken for
  other_operator,  ///< the node as another operator computes it
  other_version,   ///< or as another version of its own does
};

/// How somebody may have misunderstood a node.
struct Mistake {
  std::string name;  ///< "pads swapped"
  MistakeKind kind = MistakeKind::misread;
  /// The call as they took it; nothing where the mistake cannot be made here. May fail as resolve does.
  std::function<std::optional<Call>(const Call&)> made;
};

/// The operator's rows in the tables of this room, and those of the operator whose rules it takes (Operator::as).
std::vector<Mistake> listed_mistakes(const Operator& op);

/// The one catalogue, for this call: what is ignored, what its operator lists, what is reversed.
std::vector<Mistake> known_mistakes(const Call& call);

// What follows from the schema of any operator.

/// "strides ignored" of each stated attribute and optional input.
std::vector<Mistake> ignored_parts(const Call& call);
/// "strides in reverse order of axes" of each stated list.
std::vector<Mistake> reversed_lists(const Call& call);

/// A flag, a word or an axis, attribute or input, taken as another one, alpha or epsilon as another usual number, and
/// two inputs of one type exchanged: "keepdims taken as 0", "mode taken as edge", "axis taken as 0", "epsilon taken as
/// 0.001", "scale and B exchanged", "alpha and beta exchanged". Of numbers of each channel the first one taken for all
/// and their reverse order; a zero point taken as 0. A bias added twice or subtracted, numbers of one axis broadcast
/// along another one: "C along axis 0". An axis beside keepdims also as numpy has it: "axis taken as 0,
/// keepdims taken as 0"; of several axes one less or one more. Of an operand the first slice along an axis for all,
/// integers of 8 bits read with a sign or without, a few integers beside the data one less or one more.
std::vector<Mistake> general_mistakes(const Call& call);

/// The call as each other version of its operator says it, by that version's defaults and by those in force: "computed
/// as Softmax-11", "computed as Softmax-11 with axis -1".
std::vector<Mistake> other_versions(const Call& call);

/// The call as one of each other operator of its domain that takes the same inputs and has the attributes that the node
/// states: "computed as ReduceSum". Nothing of those that have no kernel or evaluate graphs.
std::vector<Mistake> other_operators(const Call& call);

/// The call with the mistake; nothing where it says the same as the call itself: then nothing about it is in play here.
/// Another version may say the same and compute otherwise.
std::optional<Call> in_play(const Mistake& mistake, const Call& call);

/// Whether both say the same, and are computed by the same kernel.
bool is_same(const Call& a, const Call& b);

}  // namespace opref::mistakes
