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
      return ": pick one with --node";
    case Remedy::name_output:
      return ": give -o NAME=FILE, a folder or an .npz";
    case Remedy::compare_in_run:
      return ": opref run NODE --expect NAME=FILE --bound";
    case Remedy::state_dtype:
      return ": state it with --dtype";
    case Remedy::state_shard:
      return format(": give --shard {} (see 'opref check --help')", way_out.argument);
    case Remedy::whole_shards:
      return " (--fail-fast?)";
    case Remedy::npy_layout:
      return ": choose --layout npy";
    case Remedy::keep_refused:
      return "; --negative keeps such as must-fail cases, --allow-empty leaves the folder without any";
    case Remedy::replace:
      return ": choose another folder, or --replace";
    case Remedy::overwrite:
      return "; --force writes it all the same";
  }
  return "";
}

}  // namespace opref::cli
