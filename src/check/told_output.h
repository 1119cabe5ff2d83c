// SPDX-License-Identifier: Apache-2.0
// One output of a step, told to a sink.
#pragma once

#include <string_view>
#include <vector>

#include "exact/term_sink.h"
#include "run/evaluate.h"

namespace opref::check {

/// Which of the node's outputs has this name.
size_t place_of(const Step& step, std::string_view output);
/// What is asked of a kernel whose output of this name the sink hears.
std::vector<Output> output_told(const Step& step, std::string_view output, TermSink& sink);
void tell(const Step& step, std::string_view output, TermSink& sink);

}  // namespace opref::check
