// Generated values that look at the node which takes them: Operator::generator's functions.
#pragma once

#include "core/random.h"
#include "schema/operator.h"

namespace opref::ops {

inline constexpr std::string_view kTies =
    "sums that fall on a midpoint between two numbers of the output's type, or beside it";
inline constexpr std::string_view kCancel =
    "terms that cancel to less than 2^-p of the largest, p the type's precision";

// Of transposed convolutions, which take the data, the kernels and, some, a bias, in this order.

/// Whole numbers of which many sums (a tenth or more) are midpoints, which a bias with this generator leaves as they
/// are or moves a little.
Tensor product_ties(const Call& call, std::string_view input, const Random& random);

/// Of each group's input channels the first and the last cancel, what is between them and the bias are left. A `usage`
/// error where a group has one channel.
Tensor product_cancel(const Call& call, std::string_view input, const Random& random);

/// Of LpPool: each whole window is a midpoint, or in some planes one with a little more under the root. A `usage` error
/// where p is not 1, 2 or 3, for the powers of larger numbers have no such sums that are known, or a window too small.
Tensor norm_ties(const Call& call, std::string_view input, const Random& random);

// Of MaxUnpool's I: the position of the largest of random numbers in each pooling window over the output.

/// Windows do not overlap, as if the pooling's stride were its kernel: no index twice.
Tensor max_pool_indices(const Call& call, std::string_view input, const Random& random);
/// Whole windows: where these overlap, an index can come twice.
Tensor max_pool_duplicates(const Call& call, std::string_view input, const Random& random);

}  // namespace opref::ops
