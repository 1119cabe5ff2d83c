// SPDX-License-Identifier: Apache-2.0
// What lies in a folder of golden cases beside the cases, and changes to it.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/text.h"

namespace opref::golden {

/// Where cases are made before they get their names; hidden, and no case is found in it.
inline constexpr std::string_view kScratchFolder = ".golden.part";

/// Whether a name in the folder is of what a run that was killed left behind: the scratch folder, half a manifest.
bool is_leftover(std::string_view name);

/// Removes that. Fault: MachineError.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace opref::golden
