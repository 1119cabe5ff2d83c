// SPDX-License-Identifier: Apache-2.0
#include "cli/open_backend.h"

#include <sstream>

#include "core/error.h"

namespace opref::cli {

OpenBackend open_runner(const std::string& command, const RunnerOptions& options) {
  OpenBackend opened;
  opened.scratch = std::make_unique<ScratchFolder>();
  opened.backend =
      at_place([&] { return "in --runner " + printable(command); }, [&] { return runner(command, options); });
  return opened;
}

std::string last_lines_text(const std::string& lines) {
  constexpr size_t kLongest = 10000;
  std::string text = "  the runner's last lines:";
  std::istringstream all(lines);
  for (std::string line; std::getline(all, line);) text += "\n  | " + printable(line, kLongest);
  return text;
}

}  // namespace opref::cli
