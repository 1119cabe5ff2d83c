// SPDX-License-Identifier: Apache-2.0
// manifest.json: what a folder of golden cases was made from, and the SHA-256 of every file in it.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/make_case.h"
#include "io/json/tree.h"
#include "report/shard.h"

namespace opref::golden {

inline constexpr std::string_view kManifestFile = "manifest.json";
/// Where cases are made before they get their names; hidden, and no case is found in it.
inline constexpr std::string_view kScratchFolder = ".golden.part";
/// Whether a name in the folder is of what a run that was killed left behind: the scratch folder, half a manifest.
bool is_leftover(std::string_view name);

/// What decides which cases there are, and what is in them.
struct GoldenRequest {
  std::vector<RecipeFile> recipes;
  std::optional<Layout> layout;
  std::optional<std::uint64_t> seed;  ///< instead of the recipes'
  std::string filter;                 ///< a regular expression that the names match; empty: all
  Refused refused = Refused::counted;
  Shard shard = {};  ///< the share of these that is asked for, by what the cases cost
};

/// The cases that are asked for, of a share perhaps none; `jobs` recipes at a time. Faults: those of `expand`; `usage`
/// (no regular expression, no case).
std::vector<GoldenCase> cases_of(const GoldenRequest& request, int jobs = 1);

struct Manifest {
  std::string opref;  ///< the version that made it
  GoldenRequest request;
  bool complete = false;
  std::vector<std::pair<std::string, MadeCase>> made;  ///< in the order of the cases

  size_t count(MadeCase::Kind kind) const;
  /// Of those that are kept.
  size_t cases() const { return made.size() - count(MadeCase::Kind::rejected); }
};

/// All that it says.
Json manifest_json(const Manifest& manifest);
/// The same as a text, whose last member is the SHA-256 of all that stands before the line with it.
std::string manifest_text(const Manifest& manifest);

/// The recipes' files are relative to the current folder. Faults: `system` (there is none), `malformed`.
Manifest read_manifest(const std::filesystem::path& folder);

/// Whether both ask for the same cases; the difference in words, or nothing.
std::string difference(const GoldenRequest& a, const GoldenRequest& b);

/// As the manifest lists them. The names of a manifest never lead out of its folder.
FileHashes files_of(const MadeCase& made);

/// Whether the case's folder holds exactly these files.
bool holds(const std::filesystem::path& case_folder, const MadeCase& made);

}  // namespace opref::golden
