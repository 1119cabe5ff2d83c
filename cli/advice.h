// SPDX-License-Identifier: Apache-2.0
// What a user does about a case whose values were not judged.
#pragma once

#include <string_view>

#include "report/trouble.h"

namespace opref::cli {

/// One sentence that says what it means and what to do; "" of none.
std::string_view advice(report::Trouble trouble);

}  // namespace opref::cli
