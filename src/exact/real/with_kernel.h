// SPDX-License-Identifier: Apache-2.0
// Of which kernel the formulas of this thread are.
#pragma once

#include "exact/real/faithful.h"

namespace opref::exact {

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

}  // namespace opref::exact
