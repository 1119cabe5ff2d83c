// SPDX-License-Identifier: Apache-2.0
#include "cli/captured_names.h"

#include "core/error.h"
#include "system/file.h"

namespace opref::cli {

void add_names(Options& command, std::string& names) {
  add_option(command, "--names", names, "MAP.json",
             "with --outputs: {\"tensor of the model\": \"name of its file\"}, where they differ")
      .not_empty();
}

void require_outputs_of_names(const std::string& names, const std::string& outputs) {
  if (!names.empty() && outputs.empty())
    fail(Fault::usage, "--names says how the files of --outputs are named, but --outputs is missing");
}

CapturedNames read_captured(const std::string& names, const Graph& graph) {
  if (names.empty()) return {};
  return at_place([&] { return "in " + printable(names, 1000); },
                  [&] { return read_captured_names(read_file(names).text(), graph); });
}

}  // namespace opref::cli
