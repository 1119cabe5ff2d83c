// SPDX-License-Identifier: Apache-2.0
// Files that hold tensors by their names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/rooms.h"

namespace opref::io {

/// The place of the tensor that `key` names, or of the only one where it is empty. `usage` errors say which there are,
/// or offer the nearest; `extension` is the file's in them: ".pt".
std::size_t named_tensor(std::span<const std::string> names, std::string_view key, std::string_view extension);

}  // namespace opref::io
