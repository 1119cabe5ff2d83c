// SPDX-License-Identifier: Apache-2.0
// What `check` found of one case.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/compare.h"
#include "compare/error_map.h"
#include "core/error.h"
#include "report/trouble.h"
#include "report/verdict.h"

namespace opref::report {

/// A reading that decides a case's result.
struct ReadingRecord {
  std::string name, in_force;         ///< "lp_pool.ceil_drop", "drop"
  std::string stands_for;             ///< the alternative that `in_force` meant here, if it decides by the values
  bool selected = false;              ///< by the case
  std::vector<std::string> others;    ///< the alternatives that give another result
  std::vector<std::string> possible;  ///< those that may, but were not evaluated in time
};

/// One output of one case.
struct OutputRecord {
  std::string name;
  std::string type;                ///< "float32[1,3,8,8]", the expected one
  std::string rule;                ///< "rtol 0.001, atol 1e-07"
  Comparison comparison;           ///< with statistics, histogram and where
  std::string description;         ///< what describe() says of a comparison that does not pass, else empty
  std::optional<ErrorMap> errors;  ///< only where it does not pass
};

/// What reproduces an output: "reading lp_pool.ceil_drop=keep", "mistake kernel flipped".
struct CauseRecord {
  std::string name;
  std::string meaning;  ///< one line
  std::string link;     ///< where the specification says it

  bool operator==(const CauseRecord&) const = default;
};

struct CaseRecord;
/// "reading a.b=c (rtol 0.001)": the cause, with the record's rule and doubt as far as there are such.
std::string explained_text(std::string_view cause, const CaseRecord& record);
/// What stands before it: "reproduced by: ", which is said of bits alone.
std::string_view explained_how(const CaseRecord& record);

/// One judged case.
struct CaseRecord {
  std::string name;  ///< see discover.h
  std::string path;  ///< what `opref run` takes
  Verdict verdict = Verdict::skip;
  std::string reason;           ///< why it did not pass; one line
  std::string advice;           ///< what that means where no values were judged, and what to do; a sentence, or empty
  bool output_differs = false;  ///< of a failure: the reason is how the first of `outputs` that is not equal differs
  std::string domain, op_type;  ///< of the first node, where known
  std::int64_t since_version = 0, opset = 0;
  std::string dtype;  ///< the first one that the operator leaves open, inputs before outputs; else the first one
  std::vector<std::pair<std::string, std::string>> attributes;  ///< in force, as `infer` prints them
  std::vector<std::pair<std::string, std::string>> inputs;      ///< name, "float32[1,3,8,8]"
  std::vector<std::pair<std::string, std::string>> values;      ///< name, "[[1,2],[3,4]]"; of what does not pass, and
                                                                ///< of inputs with few elements
  std::vector<OutputRecord> outputs;
  std::vector<ReadingRecord> readings;  ///< those that mattered
  std::vector<std::string> warnings;
  std::string explained_by;         ///< what reproduces the output: the one chosen of `causes`, with the rule
  std::vector<CauseRecord> causes;  ///< all that reproduce it equally well, the plainest first
  std::string within;               ///< the rule by which they do: "rtol 0.001, atol 1e-07"; empty: bit for bit
  std::string doubt;                ///< how weak the evidence is; empty: there is no doubt
  bool unexplained = false;         ///< nothing that is known reproduces it
  std::string cause;                ///< of a failure or error: the row of RunRecord::causes that counts it
  std::string stderr_tail;          ///< the last lines that a runner wrote
  std::string repeat;               ///< the command that repeats it alone
  double seconds = 0;
  std::string files;                ///< SHA-256 of what it was judged by: see case_digests.h; empty: unknown
  bool transient = false;           ///< an error of the machine, or of a runner that died: another time it may be none
  bool internal = false;            ///< a bug in opref, in place of a verdict
  bool lacks_memory = false;        ///< the memory limit ended it
  bool taken_over = false;          ///< from an earlier report; in no document
  WayOut way_out;                   ///< of an error that is the reason; in no document
  Trouble trouble = Trouble::none;  ///< that is the reason; in no document, but as the advice

  /// Of its outputs' errors over their bounds; nothing where no bound is known.
  std::optional<double> largest_share() const {
    std::optional<double> largest;
    for (const OutputRecord& output : outputs)
      if (const auto& share = output.comparison.bound_ratio; share && share >= largest) largest = share;
    return largest;
  }
};

}  // namespace opref::report
