// SPDX-License-Identifier: Apache-2.0
// The files into which `check` and `report` write what they know, and what they print of it.
#pragma once

#include <string>
#include <vector>

#include "report/earlier_verdicts.h"
#include "report/report.h"
#include "report/report_summary.h"

namespace opref::cli {

/// Where a report goes, by format; an empty name is none, "-" is standard output.
struct ReportFiles {
  std::string json, junit, html, markdown;
};

/// Two documents for one file or for standard output, where `json_printed` is one too, are a `usage` error; a file
/// whose folder cannot be written to is a `system` error: reports are written at the end.
void require_sound(const ReportFiles& files, bool json_printed);
bool has_any(const ReportFiles& files);
/// A report that would take the place of a file that is read, or of one in a folder that is, is a `usage` error; also
/// one in the place of any tensor or model, which a case may name.
void require_others_than(const ReportFiles& files, const std::string& read);
/// Whether a document goes to standard output, which text then leaves to it.
bool take_standard_output(const ReportFiles& files);
void write_all(const CheckReport& report, const ReportFiles& files);
/// Writes a page of what is no case of check, such as nodes and regions: `names` are all of them, and no filter finds
/// them.
void write_node_page(CheckReport report, const std::vector<std::string>& names, const std::string& html);

/// The verdict on a case with its warnings; of a failure also where it differs and how to repeat it.
void print_case(const CaseRecord& record, const ExitRules& rules);

/// Prints cases that do not pass, of a run that is compared with an earlier one those that are new: all, or the first
/// ones and how many more there are.
class FailurePrinter {
 public:
  FailurePrinter(const ExitRules& rules, bool all, const EarlierVerdicts* earlier = nullptr)
      : rules_(rules), all_(all), earlier_(earlier) {}
  bool counts(const CaseRecord& record) const;
  /// Whether it would be printed.
  bool prints(const CaseRecord& record) const;
  void add(const CaseRecord& record);
  void finish() const;

 private:
  static constexpr std::size_t kInFull = 3;
  ExitRules rules_;
  bool all_;
  const EarlierVerdicts* earlier_;
  std::size_t count_ = 0;
};

/// The lines of summary_lines, after which shard they are; of many causes only the first ones, unless `all_causes`.
void print_summary(const CheckReport& report, bool all_causes);
/// What differs from an earlier run; of each kind only the first cases, unless `all`.
void print_changes(const Baseline& baseline, bool all);

}  // namespace opref::cli
