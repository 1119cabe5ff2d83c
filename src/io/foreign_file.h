// SPDX-License-Identifier: Apache-2.0
// Files that stand where a tensor or a model should.
#pragma once

#include <string_view>

#include "core/rooms.h"

namespace opref::io {

/// What the bytes are, and what may be done: "a git-lfs pointer, not the file itself: 'git lfs pull' fetches it"; empty
/// where they are nothing that is known here.
std::string_view foreign_kind(std::string_view content);
/// Of such bytes a `malformed` error: "the file is a git-lfs pointer, …".
void require_no_foreign_file(std::string_view content);

}  // namespace opref::io
