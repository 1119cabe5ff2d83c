// SPDX-License-Identifier: Apache-2.0
// The rule of comparison `bound` as it is written: the kernel whose error it allows.
#pragma once
#include "core/error.h"

#include <string>
#include <string_view>

#include "io/case.h"

namespace opref::compare {

/// Comparing where the node is known.
inline constexpr Remedy kCompareInRun{"compare_in_run"};

/// "accumulator=float16,flush=1,input-error=0.001": any of them, or "". Faults: `usage`.
BoundedKernel parse_kernel(std::string_view text);
/// As parse_kernel reads it; what has its default is left out.
std::string to_text(const BoundedKernel& kernel);

/// Two tensors alone have no bound: the `usage` error that says so.
[[noreturn]] void refuse_bound_without_node();

}  // namespace opref::compare
