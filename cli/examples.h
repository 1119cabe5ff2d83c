// SPDX-License-Identifier: Apache-2.0
// The examples of --help.
#pragma once

#include <string>
#include <string_view>

namespace opref::cli {

/// The lines of a HelpText's examples. A command that is too long for 80 columns goes on in the next line, after a
/// backslash; words, and what stands in quotes, are not broken.
std::string examples_text(std::string_view examples);

}  // namespace opref::cli
