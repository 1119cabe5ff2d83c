// SPDX-License-Identifier: Apache-2.0
// An output never overwrites what is read for it.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "run/bind.h"
#include "run/write_outputs.h"

namespace opref::run {

/// The files and folders that evaluating the case opens: the node's, and those of its inputs.
std::vector<std::filesystem::path> files_read(const Bound& bound);

/// A `usage` error where `output` is one of the files in `read`, by whatever name or link, or would lie in a folder of
/// them. An output that is not there yet is none of them.
void require_not_read(const std::filesystem::path& output, std::span<const std::filesystem::path> read);

/// The same for all that the destinations stand for: in a folder also the folder of each output's elements.
void require_not_read(const Bound& bound, std::span<const Destination> destinations,
                      std::span<const std::filesystem::path> read);

}  // namespace opref::run
