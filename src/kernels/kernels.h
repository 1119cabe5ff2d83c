// SPDX-License-Identifier: Apache-2.0
// Formulas by which right kernels compute an operator though its own is another one here, of better condition: mostly
// the page's words as they stand. They give no values: what is asked of them is how far their kernels may be (`bound`).
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "compare/tolerance.h"
#include "schema/operator.h"
#include "schema/output.h"

namespace opref::kernels {

/// One formula of a node.
struct OtherFormula {
  std::string_view words;  ///< "alpha·(e^x - 1)"
  /// Tells the sink of the output that is wanted how far such a kernel may be from each element that it asks for.
  std::function<void(std::span<const Output>)> tell;
};

/// Those of the call's operator, or of the one whose rules it takes (Operator::as).
std::vector<OtherFormula> other_formulas(const Call& call);

/// The kernel by which an output of this type is judged: `kernel`, or by its default accumulator also one that computes
/// in the type that the node states (ops/stated_type.h), if that is narrower. Its inputs are rounded to that type.
compare::BoundedKernel kernel_of(const compare::BoundedKernel& kernel, const Call& call, DType output);

}  // namespace opref::kernels
