// SPDX-License-Identifier: Apache-2.0
// Joining the shards of a golden set.
#include <map>

#include "core/error.h"
#include "golden/golden.h"
#include "golden/remedies.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::golden {
namespace {

namespace fs = std::filesystem;

/// What became of a case, and in which folder.
struct Found {
  MadeCase made;
  const fs::path* shard;
};

void require_one_set(const Manifest& first, const fs::path& first_folder, const Manifest& other,
                     const fs::path& folder) {
  if (other.opref != first.opref)
    fail(Fault::usage, "opref {} made {}, but {} {}", printable(other.opref), shown(folder), printable(first.opref),
         shown(first_folder));
  GoldenRequest alike = other.request;
  alike.shard = first.request.shard;
  if (const std::string what = difference(alike, first.request); !what.empty())
    fail(Fault::usage, "{} is of another request than {} ({})", shown(folder), shown(first_folder), what);
  if (other.request.shard.count != first.request.shard.count)
    fail(Fault::usage, "{} is shard {}, but {} is {}", shown(folder), to_text(other.request.shard), shown(first_folder),
         to_text(first.request.shard));
  if (!other.complete) fail(Fault::usage, "{} is not complete: the command that made it goes on", shown(folder));
}

/// All files of a case, each of them the same one where the file system can, else a copy.
void share(const fs::path& from, const fs::path& to) {
  for (const fs::path& file : files_below(from)) {
    const fs::path there = to / file.lexically_relative(from);
    make_folder(there.parent_path());
    share_file(file, there);
  }
}

}  // namespace

GoldenResult merge_golden(std::span<const fs::path> folders, const GoldenWork& work, const fs::path& folder,
                          Replace replace, Empty empty) {
  if (folders.empty()) fail(Fault::usage, "there is no folder to merge");
  std::vector<Manifest> manifests;
  ShardHolders shards;
  for (const fs::path& shard : folders) {
    manifests.push_back(read_manifest(shard));
    require_one_set(manifests.front(), folders.front(), manifests.back(), shard);
    shards.emplace_back(manifests.back().request.shard.index, shown(shard));
  }
  const Manifest& first = manifests.front();
  require_each_once(shards, first.request.shard.count);
  std::map<std::string, Found> cases;
  for (size_t i = 0; i < folders.size(); ++i)
    for (const auto& [name, made] : manifests[i].made)
      if (const auto [other, added] = cases.try_emplace(name, Found{made, &folders[i]}); !added)
        fail(Fault::usage, "case '{}' is there twice: in {} and {}", printable(name), shown(*other->second.shard),
             shown(folders[i]));
  GoldenRequest whole = first.request;
  whole.shard = {};
  GoldenWork joining = work;
  joining.version = first.opref;
  joining.make = [&](const GoldenCase& golden, const fs::path& to) {
    const auto listed = cases.find(golden.name);
    if (listed == cases.end()) fail(Fault::usage, "case '{}' is in none of these folders", printable(golden.name));
    const Found& found = listed->second;
    if (!found.made.is_case()) return found.made;
    const fs::path from = *found.shard / golden.name;
    if (is_folder(from)) share(from, to);
    if (!holds(to, found.made)) fail(Fault::malformed, kVerifyGolden, "{} is not as its manifest says", shown(from));
    return found.made;
  };
  return make_golden(whole, joining, folder, replace, empty);
}

}  // namespace opref::golden
