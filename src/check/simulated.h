// SPDX-License-Identifier: Apache-2.0
// What simulated kernels (exact/real/faithful.h) make of an output.
#pragma once

#include "exact/real/faithful.h"

namespace opref::check {

/// The same of every run, on every machine.
inline SimulatedKernel simulated_kernel(std::uint32_t run) { return {.run = run}; }

/// While it lives, the thread's formulas are of this kernel, and where `simulated` is one, they give its own numbers.
class WithKernel {
 public:
  explicit WithKernel(const KernelModel& kernel, const SimulatedKernel* simulated = nullptr)
      : former_kernel_(Faithful::kernel), former_simulated_(Faithful::simulated) {
    Faithful::kernel = kernel;
    Faithful::simulated = simulated;
  }
  WithKernel(const WithKernel&) = delete;
  WithKernel& operator=(const WithKernel&) = delete;
  ~WithKernel() {
    Faithful::kernel = former_kernel_;
    Faithful::simulated = former_simulated_;
  }

 private:
  const KernelModel former_kernel_;
  const SimulatedKernel* former_simulated_;
};

/// A number as elements of the type have it.
double stored(double x, DType dtype);

}  // namespace opref::check
