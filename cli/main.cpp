// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include "cli/entry.h"
#include "system/interrupt.h"
#include "system/large_pages.h"

namespace {

/// A standard stream that is closed stays useless, but no file or pipe takes its place: what is written to it fails.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  opref::system::use_large_pages();
  opref::system::remove_unfinished_files_on_interrupt();
  return opref::cli::run_program(argc, argv);
}
