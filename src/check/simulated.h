// SPDX-License-Identifier: Apache-2.0
// What simulated kernels (exact/real/faithful.h) make of an output.
#pragma once

#include "core/dtype.h"
#include "exact/real/with_kernel.h"

namespace opref::check {

/// The same of every run, on every machine.
inline SimulatedKernel simulated_kernel(std::uint32_t run) { return {.run = run}; }

/// A number as elements of the type have it.
double stored(double x, DType dtype);

}  // namespace opref::check
