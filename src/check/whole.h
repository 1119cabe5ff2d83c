// SPDX-License-Identifier: Apache-2.0
// Whether a case folder has all of its files.
#pragma once

#include <filesystem>

#include "io/case.h"

namespace opref::check {

/// That the folder, or its data set, has a file for each of the model's outputs or for none, and no other: of a copy
/// that broke off, what is left would pass. Else a `malformed` error names the first file. What is no folder, or must
/// be refused, is not looked at.
void require_whole(const Case& read, const std::filesystem::path& path);

}  // namespace opref::check
