// SPDX-License-Identifier: Apache-2.0
// The backend that --runner names.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"
#include "system/process.h"

namespace opref::cli {

/// A backend and what it needs; order of destruction: processes, then their files.
struct OpenBackend {
  std::unique_ptr<ScratchFolder> scratch;  ///< null where it needs no files
  std::unique_ptr<Backend> backend;
};

/// Faults: those of backend::runner, in --runner.
OpenBackend open_runner(const std::string& command, const RunnerOptions& options);

/// What it wrote last, under a title, for people: no line of it stands at the start of a line, where GitHub's runner
/// takes "::error …" for a command.
std::string last_lines_text(const std::string& lines);

}  // namespace opref::cli
