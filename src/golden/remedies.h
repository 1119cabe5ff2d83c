// SPDX-License-Identifier: Apache-2.0
// What a user may do about an error of golden cases.
#pragma once

#include "core/error.h"

namespace opref::golden {

/// A look at what differs from a folder's manifest.
inline constexpr Remedy kWriteRecipe{"write_recipe"};
/// A folder of golden cases.
inline constexpr Remedy kVerifyGolden{"verify_golden"};
/// Values of a recipe's input, which states only a type: its name.
inline constexpr Remedy kStateValues{"state_values"};
/// Golden cases as JSON and .npy.
inline constexpr Remedy kNpyLayout{"npy_layout"};
/// Must-fail cases of what the specification refuses, or a folder without cases.
inline constexpr Remedy kKeepRefused{"keep_refused"};
/// Golden cases in the place of those that are there.
inline constexpr Remedy kReplaceGolden{"replace"};

/// The command that judges a case.
inline constexpr Remedy kCheckCase{"check_case"};

}  // namespace opref::golden
