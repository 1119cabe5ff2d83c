// SPDX-License-Identifier: Apache-2.0
// The table of operators.
#pragma once

#include <string>

namespace opref::cli {

/// The help page of all operators: a table, a row for each operator: name, domain, versions, and the types that any
/// input or output has in the newest version; below it what the words for groups of types stand for.
std::string operator_table();

}  // namespace opref::cli
