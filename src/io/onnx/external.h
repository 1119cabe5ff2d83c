// SPDX-License-Identifier: Apache-2.0
// The files in which a model keeps the data of tensors.
#pragma once

#include <filesystem>
#include <vector>

#include "core/rooms.h"

namespace opref::io {

/// The files with external data of a model's tensors, wherever in it they stand, by their paths from the model's
/// folder. None of what is no model, and none that is not there or does not lie in that folder.
std::vector<std::filesystem::path> external_data(const std::filesystem::path& model);

}  // namespace opref::io
