// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <exception>
#include <new>
#include <span>
#include <system_error>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/output.h"
#include "cli/program.h"
#include "exact/numerics.h"
#include "system/file.h"
#include "system/large_pages.h"

using namespace opref;
using namespace opref::cli;

namespace {

/// A standard stream that is closed stays useless, but no file or pipe takes its place: what is written to it fails.
void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  use_large_pages();
  remove_unfinished_files_on_interrupt();
  try {
    require_ieee_environment();
    const auto owner = cli::new_program();
    CLI::App& program = *owner;
    for (const auto add :
         {cli::add_run, cli::add_infer, cli::add_diff, cli::add_show, cli::add_check, cli::add_golden, cli::add_explain,
          cli::add_ops, cli::add_report, cli::add_worker, cli::add_completion, cli::add_help})
      add(program);
    int exit_code = 0;
    if (const std::span given(argv, static_cast<size_t>(argc)); cli::is_completion_request(given))
      cli::print_completions(program, given);
    else
      exit_code = cli::parse_and_run(program, argc, argv);
    cli::finish_output();
    return exit_code;
  } catch (const Error& error) {
    return cli::report(error);
  } catch (const std::system_error& error) {
    return cli::report(Error(Fault::system, error.what()));
  } catch (const std::bad_alloc&) {
    return cli::report(Error(Fault::system, "not enough memory"));
  } catch (const std::exception& error) {
    return cli::report(Error(Fault::internal, error.what()));
  }
}
