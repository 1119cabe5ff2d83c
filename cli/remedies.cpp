// SPDX-License-Identifier: Apache-2.0
#include "cli/remedies.h"

namespace opref::cli {

std::string way_out_text(const WayOut& way_out) {
  switch (way_out.remedy) {
    case Remedy::none:
      return "";
    case Remedy::more_memory:
      return " (--max-bytes)";
    case Remedy::more_time:
      return " (--timeout)";
    case Remedy::other_opset:
      return format("; --opset {} evaluates it as {}", way_out.argument, way_out.argument);
    case Remedy::pick_node:
      if (way_out.argument.empty()) return ": pick one with --node";
      return format("; nodes that are known can be picked with --node: {}", way_out.argument);
    case Remedy::name_output:
      return ": give -o NAME=FILE, a folder or an .npz";
    case Remedy::compare_in_run:
      return ": opref run NODE --expect NAME=FILE --bound";
    case Remedy::state_dtype:
      return ": state it with --dtype";
    case Remedy::state_shard:
      return format(": give --shard {} (see 'opref check --help')", way_out.argument);
    case Remedy::verify_golden:
      return ": see opref golden --verify";
    case Remedy::whole_shards:
      return " (Ctrl-C or --fail-fast?)";
    case Remedy::npy_layout:
      return ": choose --layout npy";
    case Remedy::keep_refused:
      return "; --negative keeps such as must-fail cases, --allow-empty leaves the folder without any";
    case Remedy::replace:
      return ": choose another folder, or --replace";
    case Remedy::overwrite:
      return "; --force writes it all the same";
    case Remedy::give_attribute:
      return format(": give -a {}", way_out.argument);
    case Remedy::give_input:
      return format("; it is an input: give {}=FILE", way_out.argument);
    case Remedy::name_input:
      return format(": give {}", way_out.argument);
    case Remedy::swap_inputs:
      return format("; with {} swapped it would fit", way_out.argument);
    case Remedy::missing_inputs:
      return format(": {} is missing", way_out.argument);
    case Remedy::known_names:
      return format(" (there are {})", way_out.argument);
    case Remedy::write_list:
      return format(": a list is written -a {}", way_out.argument);
    case Remedy::list_operators:
      return "; 'opref ops' lists those that are";
  }
  return "";
}

}  // namespace opref::cli
