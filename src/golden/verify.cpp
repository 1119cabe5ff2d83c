// SPDX-License-Identifier: Apache-2.0
// Verifying a folder of golden cases.
#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

#include "core/error.h"
#include "golden/golden.h"
#include "golden/json_difference.h"
#include "io/json/parse.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::golden {
namespace {

namespace fs = std::filesystem;

std::string text_in(const fs::path& folder) {
  const fs::path manifest = folder / kManifestFile;
  if (is_folder(folder) && !is_file(manifest)) fail(Fault::usage, "{} has no manifest of golden cases", shown(folder));
  return std::string(read_file(manifest).text());
}

class Verification {
 public:
  Verification(const fs::path& folder, const GoldenWork& work)
      : folder_(folder),
        work_(work),
        text_(text_in(folder)),
        manifest_(read_manifest(folder)),
        is_intact_(manifest_text(manifest_) == text_) {
    result_.opref = manifest_.opref;
    result_.cases = manifest_.cases();
    if (!is_intact_) found("corrupted: {}: its text is not the one whose SHA-256 it states", kManifestFile);
  }

  VerifyResult verify(Verify how, const fs::path& scratch) {
    try {
      cases_ = cases_of(manifest_.request, work_.jobs);
    } catch (const Error& error) {
      if (is_intact_) throw;
      found("corrupted: {}: {}", kManifestFile, error.message());
      return std::move(result_);
    }
    if (!manifest_.complete)
      for (const GoldenCase& golden : cases_) unknown_.insert(golden.name);
    for (const auto& [name, made] : manifest_.made) unknown_.erase(name);
    compare_files();
    if (!manifest_.complete)
      name_missing();
    else if (how == Verify::recompute)
      recompute(scratch);
    std::ranges::sort(result_.problems);
    return std::move(result_);
  }

 private:
  template <class... A>
  void found(std::string_view pattern, const A&... arguments) {
    result_.problems.push_back(format(pattern, arguments...));
  }

  /// Files of the folder that are not as the manifest says.
  void compare_files() {
    FileHashes listed;
    for (const auto& [name, made] : manifest_.made)
      if (made.is_case())
        for (const auto& [file, hash] : files_of(made)) listed.emplace(name + "/" + file, hash);
    result_.files = listed.size();
    for (const auto& [file, hash] : hashes_below(folder_)) {
      const std::string top = file.substr(0, file.find('/'));
      // An interrupted run may have made a case after it wrote the manifest.
      if (file == kManifestFile || is_leftover(top) || unknown_.contains(top)) continue;
      const auto expected = listed.find(file);
      if (expected == listed.end()) {
        found("extra: {}", file);
        continue;
      }
      if (hash != expected->second) found("corrupted: {}", file);
      listed.erase(expected);
    }
    for (const auto& [file, hash] : listed) found("missing: {}", file);
  }

  MakeOptions options() const { return {manifest_.request.layout, manifest_.request.refused, work_.max_bytes}; }

  /// Cases that an interrupted run has not come to.
  void name_missing() {
    found("incomplete: the run that made it was interrupted; the same command goes on with it");
    for (const GoldenCase& golden : cases_) {
      if (!unknown_.contains(golden.name)) continue;
      const auto refusal = refusal_of(golden, options());
      if (!refusal || refusal->kind != MadeCase::Kind::rejected) found("missing: {}", golden.name);
    }
  }

  void recompute(const fs::path& scratch) {
    std::vector<size_t> all(cases_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    // The version is taken from a manifest that is intact: that another one computes the same is no difference.
    Manifest again{is_intact_ ? manifest_.opref : work_.version, manifest_.request, manifest_.complete, {}};
    for (const GoldenCase& golden : cases_) again.made.emplace_back(golden.name, MadeCase());
    std::mutex guard;
    make_all(cases_, all, options(), work_, scratch, [&](size_t i, const fs::path&, MadeCase&& made) {
      const std::lock_guard lock(guard);
      again.made[i].second = std::move(made);
    });
    const size_t known = result_.problems.size();
    compare_entries(again);
    const std::string expected = manifest_text(again);
    if (expected == text_) return;
    compare(without_cases(parse_json(text_).root()).root(), without_cases(manifest_json(again).root()).root());
    if (result_.problems.size() == known) found("differs: {} is written otherwise than by this opref", kManifestFile);
  }

  void compare_entries(const Manifest& again) {
    std::map<std::string, JsonValue> stated;
    for (const auto& [name, made] : manifest_.made)
      if (made.is_case()) stated.emplace(name, made.entry->root());
    for (const auto& [name, made] : again.made) {
      const auto listed = stated.find(name);
      if (listed == stated.end()) {
        if (made.is_case()) found("missing: {}", name);
        continue;
      }
      if (made.is_case())
        compare(listed->second, made.entry->root(), name);
      else
        found("differs: {} is refused by the specification, but in the manifest", name);
      stated.erase(listed);
    }
    for (const auto& [name, entry] : stated) found("differs: {} is of no recipe", name);
  }

  /// What the manifest says of a case, or beside the cases, and what this opref makes of it.
  void compare(const JsonValue& stated, const JsonValue& made, const std::string& name = "") {
    constexpr std::string_view kFiles = "files.";
    for (const JsonDifference& one : differences(stated, made, kMostNamed))
      if (one.path.starts_with(kFiles))
        found("differs: {}/{} is not what this opref makes", name, one.path.substr(kFiles.size()));
      else
        found("differs: {}: '{}'{} is {}, this opref makes {}", kManifestFile, one.path,
              name.empty() ? "" : " of " + name, one.first, one.second);
  }

  static Json without_cases(const JsonValue& manifest) {
    Json rest;
    for (const JsonValue member : manifest)
      if (member.key() != "cases" && member.key() != "sha256") rest.set(member.key(), member);
    return rest;
  }

  static constexpr size_t kMostNamed = 8;

  const fs::path& folder_;
  const GoldenWork& work_;
  const std::string text_;
  const Manifest manifest_;
  const bool is_intact_;
  std::vector<GoldenCase> cases_;
  std::set<std::string> unknown_;  ///< cases of a run that was interrupted which its manifest does not list
  VerifyResult result_;
};

}  // namespace

VerifyResult verify_golden(const fs::path& folder, Verify verify, const GoldenWork& work, const fs::path& scratch) {
  return Verification(folder, work).verify(verify, scratch);
}

}  // namespace opref::golden
