// SPDX-License-Identifier: Apache-2.0
#include "io/case.h"

#include <algorithm>

namespace opref::io {

std::string name_in_list(std::string_view list, size_t place) { return format("{}_{}", list, place); }

void BoundedKernel::set_accumulator(std::string_view text) {
  const auto found = std::ranges::find(kAccumulators, dtype_meant(text));
  if (found == kAccumulators.end()) {
    std::array<std::string_view, kAccumulators.size()> names;
    std::ranges::transform(kAccumulators, names.begin(), [](DType dtype) { return name(dtype); });
    fail(Fault::usage, "the accumulator is '{}', but must be {}{}", printable(text), join_text(names, ", "),
         did_you_mean(text, names));
  }
  accumulator = *found;
}

void BoundedKernel::set_input_error(double error) {
  if (error != 0 && !(error >= 1e-30 && error <= 1))
    fail(Fault::usage, "the input error is {}, but must be 0, or from 1e-30 to 1", error);
  input_error = error;
}

}  // namespace opref::io
