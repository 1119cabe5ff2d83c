// SPDX-License-Identifier: Apache-2.0
// manifest.json: what a folder of golden cases was made from, and the SHA-256 of every file in it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/make_case.h"
#include "io/json/tree.h"
#include "system/shard.h"

namespace opref::golden {

inline constexpr std::string_view kManifestFile = "manifest.json";

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

using NameAndText = std::pair<std::string, std::string>;

struct Manifest {
  std::string opref;  ///< the version that made it
  GoldenRequest request;
  bool complete = false;
  std::vector<NameAndText> entries;  ///< in the order of the cases, as entry_text writes them
  std::vector<NameAndText>
      rejected;  ///< what the specification rejects and is not kept, in that order, with the reason
};

/// Its last member is the SHA-256 of all that stands before the line with it.
std::string manifest_text(const Manifest& manifest);

/// The recipes' files are relative to the current folder. Faults: `system` (there is none), `malformed`.
Manifest read_manifest(const std::filesystem::path& folder);

/// Whether both ask for the same cases; the difference in words, or nothing.
std::string difference(const GoldenRequest& a, const GoldenRequest& b);

/// What became of the manifest's cases, by name.
std::map<std::string, MadeCase> made_cases(const Manifest& manifest);

/// SHA-256 by path below the case's folder. The names of a manifest never lead out of its folder.
std::map<std::string, std::string> files_of(std::string_view entry);

/// Whether the case's folder holds exactly these files.
bool holds(const std::filesystem::path& case_folder, std::string_view entry);

}  // namespace opref::golden
