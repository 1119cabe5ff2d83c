// SPDX-License-Identifier: Apache-2.0
// How the cases of a run differ from those of an earlier run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/verdict.h"

namespace opref::report {

/// In the order in which they are told. A case that changes in several ways has the first one.
enum class Change : std::uint8_t { new_failure, fixed, other_verdict, other_cause, other_share, added, gone };
inline constexpr std::array kChanges = {Change::new_failure, Change::fixed, Change::other_verdict, Change::other_cause,
                                        Change::other_share, Change::added, Change::gone};

/// "new_failure", as documents have it.
constexpr std::string_view name(Change change) {
  constexpr std::array<std::string_view, kChanges.size()> kNames = {
      "new_failure", "fixed", "other_verdict", "other_cause", "other_share", "added", "gone"};
  return kNames[static_cast<std::size_t>(change)];
}

/// What a run says of a case.
struct CaseState {
  Verdict verdict = Verdict::skip;
  std::string cause = {};            ///< of what does not pass: what reproduces it, or the reason
  std::optional<double> share = {};  ///< the largest of its outputs' errors over their bounds

  bool operator==(const CaseState&) const = default;
};

struct CaseChange {
  Change change = Change::new_failure;
  std::string name;
  std::optional<CaseState> before, now;  ///< nothing: the run does not have the case

  bool operator==(const CaseChange&) const = default;
};

/// What a comparison with an earlier run found.
struct Baseline {
  std::string file;                      ///< the earlier report
  std::vector<std::string> differences;  ///< between the runs as a whole: "opref is 0.2.0, was 0.1.0"
  std::int64_t known_failures = 0;       ///< cases that fail now and failed before
  std::vector<CaseChange> changes;       ///< by kind, then by name; other shares by how much they grew

  std::int64_t count(Change change) const;
  bool operator==(const Baseline&) const = default;
};

/// "new failures"
std::string_view heading(Change change);
/// "pass, now fail: mistake B ignored (share 26)"
std::string change_text(const CaseChange& change);
/// "1 new failure, 2 fixed; 3 cases fail as before"
std::string changes_text(const Baseline& baseline);
/// All that was found in lines of text, but for changes_text; of each kind at most `most` cases.
std::vector<std::string> change_lines(const Baseline& baseline, std::size_t most);

}  // namespace opref::report
