// SPDX-License-Identifier: Apache-2.0
// What a backend may have done instead of what the node says: known mistakes and other arithmetic, generic over
// operators. They are tried, never selectable.
#pragma once

#include <span>
#include <string>

#include "explain/cause.h"
#include "explain/evaluated.h"
#include "explain/search.h"
#include "io/case.h"
#include "run/evaluate.h"

namespace opref::explain {

/// Whether a call may have been meant.
using Accepts = std::function<bool(const Call&)>;

/// What the call may have been taken for, each once: the known mistakes, other versions of its operator, and what any
/// operator may be taken for. Of these those that are accepted.
std::vector<Changed> misunderstandings(const Call& call, const Accepts& accepts);

/// What gives `actual`, outputs of the step's node (those at `places`, or the first ones), beside other readings alone:
/// those of the first kind of which one fits, at most kMostEqual, the plainest first. Arithmetic fits bit for bit only;
/// of mistakes those that fit bit for bit, else those that do with other arithmetic, else those that fit by `rules`,
/// one for each output (none: not tried). Where the right outputs fit by the rules, too, `can_return` decides before
/// them whether narrower arithmetic may give the outputs: float32 those of float64, of 16 bits its own. Nothing is
/// tried on nodes with outputs of more than 2^22 elements, and no arithmetic on more than 2^21 terms. The step has the
/// values of the node's inputs.
Explanation explain_step(const Step& step, std::span<const Tensor> actual, std::span<const Tolerance> rules,
                         std::span<const size_t> places = {}, const CanReturn& can_return = nullptr);

/// Gives the cause the reading's reason and link.
void describe_reading(Cause& cause, const Operator& op, std::string_view reading);

}  // namespace opref::explain
