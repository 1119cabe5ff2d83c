// SPDX-License-Identifier: Apache-2.0
#include "check/told_output.h"

#include <algorithm>

namespace opref::check {

size_t place_of(const Step& step, std::string_view output) {
  return static_cast<size_t>(std::ranges::find(step.node->outputs, output) - step.node->outputs.begin());
}
std::vector<Output> output_told(const Step& step, std::string_view output, TermSink& sink) {
  return output_of(step.call, step.types, place_of(step, output), sink);
}
void tell(const Step& step, std::string_view output, TermSink& sink) {
  step.call.op().kernel(step.call, output_told(step, output, sink));
}

}  // namespace opref::check
