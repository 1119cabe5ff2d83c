// SPDX-License-Identifier: Apache-2.0
// From what the tiers know of a sum or norm to the bytes of an element of any floating type that arithmetic gives.
#pragma once

#include <cstddef>
#include <span>

#include "core/dtype.h"
#include "exact/compensated_sum.h"
#include "exact/exact_sum.h"
#include "exact/ratio.h"
#include "exact/root.h"

namespace opref::exact {

/// Whether results of the type are rounded here: floating types of whole bytes.
bool is_rounded(DType dtype);

/// Writes the element that all of the bracket rounds to; false if there is none, and nothing is written.
bool store_bracket(DType dtype, const Bracket& sum, std::byte* element);
/// Writes sum·a/b, rounded once.
void store_sum(DType dtype, ExactSum& sum, const Ratio& ratio, std::byte* element);
/// By settle_root and lp_norm. `dtype` is float16, bfloat16, float32 or, of norms, float64.
bool store_root(DType dtype, double sum, const Power& p, double relative, std::byte* element);
void store_norm(DType dtype, std::span<const double> window, double p, const Ratio& scale, std::byte* element);

}  // namespace opref::exact
