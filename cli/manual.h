// SPDX-License-Identifier: Apache-2.0
// The manual: a page for each command and each page of help, from what --help and `opref help TOPIC` print.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/command_text.h"

namespace opref::cli {

/// Writes folder/man1/opref.1, man1/opref-run.1 …, man7/opref-readings.7 …, in the language man(7). `commands` are the
/// program and its commands. What the system refuses is a `system` error.
void write_manual(const std::vector<CommandText>& commands, const std::filesystem::path& folder);

}  // namespace opref::cli
