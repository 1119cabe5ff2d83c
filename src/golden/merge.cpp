// SPDX-License-Identifier: Apache-2.0
#include "golden/merge.h"

#include <map>

#include "core/error.h"
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

class Shards {
 public:
  explicit Shards(std::span<const fs::path> folders) : folders_(folders) {
    if (folders.empty()) fail(Fault::usage, "there is no folder to merge");
    for (const fs::path& folder : folders) manifests_.push_back(read_manifest(folder));
    require_one_set();
    ShardHolders shards;
    for (size_t i = 0; i < manifests_.size(); ++i)
      shards.emplace_back(manifests_[i].request.shard.index, shown(folders[i]));
    require_each_once(shards, manifests_.front().request.shard.count);
    for (size_t i = 0; i < manifests_.size(); ++i)
      for (auto& [name, made] : manifests_[i].made) add(name, std::move(made), folders[i]);
  }

  const std::string& version() const { return manifests_.front().opref; }
  GoldenRequest request() const {
    GoldenRequest whole = manifests_.front().request;
    whole.shard = {};
    return whole;
  }
  /// Which no other folder has.
  const Found& find(const std::string& name) const {
    const auto found = cases_.find(name);
    if (found == cases_.end()) fail(Fault::usage, "case '{}' is in none of these folders", printable(name));
    return found->second;
  }

 private:
  void require_one_set() const {
    for (size_t i = 0; i < manifests_.size(); ++i) {
      const Manifest &first = manifests_.front(), &manifest = manifests_[i];
      if (manifest.opref != first.opref)
        fail(Fault::usage, "opref {} made {}, but {} {}", printable(manifest.opref), shown(folders_[i]),
             printable(first.opref), shown(folders_.front()));
      GoldenRequest alike = manifest.request;
      alike.shard = first.request.shard;
      if (const std::string other = difference(alike, first.request); !other.empty())
        fail(Fault::usage, "{} is of another request than {} ({})", shown(folders_[i]), shown(folders_.front()), other);
      if (manifest.request.shard.count != first.request.shard.count)
        fail(Fault::usage, "{} is shard {}, but {} is {}", shown(folders_[i]), to_text(manifest.request.shard),
             shown(folders_.front()), to_text(first.request.shard));
      if (!manifest.complete)
        fail(Fault::usage, "{} is not complete: the command that made it goes on", shown(folders_[i]));
    }
  }

  void add(const std::string& name, MadeCase made, const fs::path& folder) {
    const auto [other, added] = cases_.try_emplace(name, Found{std::move(made), &folder});
    if (!added)
      fail(Fault::usage, "case '{}' is there twice: in {} and {}", printable(name), shown(*other->second.shard),
           shown(folder));
  }

  std::span<const fs::path> folders_;
  std::vector<Manifest> manifests_;
  std::map<std::string, Found> cases_;
};

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
  const Shards shards(folders);
  GoldenWork joining = work;
  joining.version = shards.version();
  joining.make = [&](const GoldenCase& golden, const fs::path& to) {
    const Found& found = shards.find(golden.name);
    if (!found.made.is_case()) return found.made;
    const fs::path from = *found.shard / golden.name;
    if (is_folder(from)) share(from, to);
    if (!holds(to, found.made)) fail(Fault::malformed, kVerifyGolden, "{} is not as its manifest says", shown(from));
    return found.made;
  };
  return make_golden(shards.request(), joining, folder, replace, empty);
}

}  // namespace opref::golden
