// SPDX-License-Identifier: Apache-2.0
// What --version prints.
#pragma once

#include <string>

namespace opref::cli {

/// "0.2.0"
std::string version_number();
/// Of the source: twelve hexadecimal digits, or "unknown".
std::string version_commit();
/// Version, commit, compiler, build type and instruction set, a line each.
std::string version_text();
/// The same as a JSON document.
std::string version_json();

}  // namespace opref::cli
