// SPDX-License-Identifier: Apache-2.0
// Generated values that look at the node which takes them: Operator::generator's functions.
#pragma once

#include "core/random.h"
#include "schema/operator.h"

namespace opref::ops {

inline constexpr std::string_view kTies =
    "sums that fall on a midpoint between two numbers of the output's type, or beside it";
inline constexpr std::string_view kCancel =
    "terms that cancel to less than 2^-p of the largest, p the type's precision";

/// The exponent e of a floating type's least positive normal number, 2^e.
int least_exponent(DType dtype);

// Of transposed convolutions, which take the data, the kernels and, some, a bias, in this order.

/// Whole numbers of which many sums (a tenth or more) are midpoints, which a bias with this generator leaves as they
/// are or moves a little.
Tensor product_ties(const Call& call, std::string_view input, const Random& random);

/// Of each group's input channels the first and the last cancel, what is between them and the bias are left. A `usage`
/// error where a group has one channel.
Tensor product_cancel(const Call& call, std::string_view input, const Random& random);

}  // namespace opref::ops
