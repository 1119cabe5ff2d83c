// SPDX-License-Identifier: Apache-2.0
// Reductions over some axes: which, and what is left.
#pragma once

#include "families/strided.h"
#include "schema/operator.h"

namespace opref::ops {

/// `data` seen as kept × reduced axes: the elements that become element i of the output are, for each place p of
/// `reduced`, data[kept(i) + p].
struct Reduction {
  Dims shape;  ///< of the output
  Strided kept, reduced;
  bool is_noop;  ///< by noop_with_empty_axes nothing is reduced
};

/// By the attribute or input `axes`, keepdims and, where the version has it, noop_with_empty_axes: an absent or empty
/// list means all axes.
Reduction reduction(const Call& call);

/// The input's element type, in the reduction's shape.
std::vector<ValueType> reduced_types(const Call& call);

/// reduce.duplicate_axes, which all reductions list.
Reading duplicate_axes_reading();

}  // namespace opref::ops
