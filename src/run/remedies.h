// SPDX-License-Identifier: Apache-2.0
// What a user may do about an error in a case, or in what is said of it.
#pragma once

#include "core/error.h"

namespace opref::run {

/// A greater limit of what is written.
inline constexpr Remedy kMoreWritten{"more_written"};
/// Evaluating by another opset: its number.
inline constexpr Remedy kOtherOpset{"other_opset"};
/// One node of several.
inline constexpr Remedy kPickNode{"pick_node"};
inline constexpr Remedy kListNodes{"list_nodes"};
/// All nodes instead of those that are picked: an output of what is picked.
inline constexpr Remedy kEvaluateAll{"evaluate_all"};
/// A file for each output.
inline constexpr Remedy kNameOutput{"name_output"};
/// An attribute in the place of an input: "p=2".
inline constexpr Remedy kGiveAttribute{"give_attribute"};
/// A name before the file: "X=x.npy".
inline constexpr Remedy kNameInput{"name_input"};
/// Two inputs in each other's place: "X and W".
inline constexpr Remedy kSwapInputs{"swap_inputs"};
/// Another shape of an input: "B as [3,1,1]", "A transposed or B transposed".
inline constexpr Remedy kOtherShape{"other_shape"};
/// A list as it is written: "kernel_shape=2,2".
inline constexpr Remedy kWriteList{"write_list"};
/// The command that makes the cases of a recipe.
inline constexpr Remedy kMakeGolden{"make_golden"};
/// The test that judges lists of known mistakes.
inline constexpr Remedy kTestMistakes{"test_mistakes"};
/// The command that reads a report: its file.
inline constexpr Remedy kReadReport{"read_report"};
/// The command that judges all cases of a folder: its name.
inline constexpr Remedy kCheckFolder{"check_folder"};
/// Names and an order of nodes that the model breaks.
inline constexpr Remedy kFixNames{"fix_names"};
/// Writing over what is read.
inline constexpr Remedy kOverwriteRead{"overwrite"};

}  // namespace opref::run
