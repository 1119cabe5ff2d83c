// SPDX-License-Identifier: Apache-2.0
#include "cli/advice.h"

namespace opref::cli {

std::string_view advice(report::Trouble trouble) {
  using enum report::Trouble;
  switch (trouble) {
    case none:
      return "";
    case killed:
      return "A signal ended the backend's process before it answered: the command that repeats the case runs it "
             "alone, "
             "for a debugger or a sanitizer.";
    case late:
      return "The backend did not answer within the time limit: look for where it hangs, or give it more seconds with "
             "--timeout.";
    case machine:
      return "The backend says that its machine was at fault, by exit code 6, or 126 or 127 of a command that does not "
             "start: see its last lines, mend that, and run the case again.";
    case own_bug:
      return "The backend says that it met a bug of its own, by exit code 70 or \"fault\": \"internal\": see its last "
             "lines.";
    case protocol:
      return "A worker must answer each line that it reads with one line of JSON, {\"id\", \"status\", \"why\"}, and "
             "write nothing else to standard output: see 'opref help backends'.";
    case refused:
      return "The case is valid, but the backend refuses it: see its last lines; a backend that only lacks an operator "
             "or a type must end with exit code 5, or answer \"unsupported\".";
    case unsupported:
      return "The backend says that it does not support the case, which is no failure: --filter leaves such cases out.";
    case absent:
      return "The folder of --outputs has no output of the case: write DIR/CASE/output_0.npy, or leave the case out "
             "with "
             "--filter.";
    case missing_output:
      return "The backend reports success, but an output is not there: it must write each one as output_K.pb, "
             "output_K.npy or NAME.npy into the folder {outputs}; a function of Python returns a tuple or a dict of "
             "all.";
    case surplus_output:
      return "There are more files than outputs, so that one may be a mistake: each output must have one file, and "
             "other "
             "files must have other endings than .pb and .npy.";
    case unreadable_output:
      return "The backend wrote a file that does not hold what its name says: write it with numpy.save as .npy, or as "
             "a "
             "TensorProto in .pb, and close it before the answer.";
    case other_type:
      return "No values were compared, because the specification gives the output another type or shape: 'opref infer' "
             "of the case prints them and the attributes in force.";
    case wrong_random:
      return "The outputs are random, so that opref checks only their types, ranges and statistics, and what does not "
             "depend on chance: the reason says which of these is wrong, and no causes are looked for.";
    case accepted:
      return "The specification forbids this node, so a backend must refuse it: with any exit code but 0, 5, 6 and 70, "
             "or with the status \"error\".";
    case refused_late:
      return "A backend that refuses a case must leave no output, which others could take for a result: remove it "
             "before the end.";
    case invalid_case:
      return "opref refuses the case itself, because it breaks its specification, so that no output can be right: mend "
             "the case, or give it \"expect_error\" if it must fail.";
    case unreadable_case:
      return "opref cannot read the case, so that nothing was judged: mend its files, and try 'opref run' of it.";
    case unknown_to_opref:
      return "opref does not support the case, so that nothing was judged: 'opref ops' lists the operators that it "
             "knows.";
    case time_of_opref:
      return "opref itself needs more time for the case: give it more seconds with --timeout, or make the case "
             "smaller.";
    case memory_of_opref:
      return "opref itself needs more memory for the case: raise --max-bytes, judge fewer cases at once with -j 1, or "
             "make the case smaller.";
    case bug_of_opref:
      return "A bug in opref says nothing about the backend: please report it, with the case.";
  }
  return "";
}

}  // namespace opref::cli
