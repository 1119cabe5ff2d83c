// SPDX-License-Identifier: Apache-2.0
#include "cli/open_backend.h"

#include "core/error.h"

namespace opref::cli {

OpenBackend open_runner(const std::string& command, const RunnerOptions& options) {
  OpenBackend opened;
  opened.scratch = std::make_unique<ScratchFolder>();
  opened.backend =
      at_place([&] { return "in --runner " + printable(command); }, [&] { return runner(command, options); });
  return opened;
}

}  // namespace opref::cli
