// SPDX-License-Identifier: Apache-2.0
#include "golden/golden.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "core/error.h"
#include "golden/make_all.h"
#include "golden/remedies.h"
#include "run/evaluate.h"
#include "system/file.h"
#include "system/folder.h"
#include "system/interrupt.h"
#include "system/machine_error.h"

namespace opref::golden {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kBetweenManifests(10);

/// Nobody else writes into the folder while this lives.
class Lock {
 public:
  explicit Lock(const fs::path& folder) : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail_machine("cannot write {}: {}", shown(folder), std::generic_category().message(errno));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
    close(descriptor_);
    fail(Fault::system, "another opref golden writes into {}", shown(folder));
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { close(descriptor_); }

 private:
  int descriptor_;
};

/// Whether the next run would meet it again, as long as the recipe is the same.
bool will_recur(const Error& error) {
  return error.remedy() == kMoreMemory || (error.fault() != Fault::system && error.fault() != Fault::internal);
}

/// A folder that is being filled.
class GoldenFolder {
 public:
  GoldenFolder(const GoldenRequest& request, const GoldenWork& work, const fs::path& folder, Replace replace)
      : work_(work), folder_(folder), cases_(cases_of(request, work.jobs)), is_new_(!is_folder(folder)) {
    progress_.made.resize(cases_.size());
    manifest_.opref = work.version;
    manifest_.request = request;
    make_folder(folder_);
    lock_.emplace(folder_);
    for (const fs::path& path : entries_of(folder_))
      if (is_leftover(path.filename().string())) remove_path(path);
    take_over(replace);
  }

  GoldenResult fill(Empty empty) {
    const InterruptDelay delay;
    try {
      write_manifest();
      make_cases();
      if (manifest_.complete && empty == Empty::refused && manifest_.request.shard.count == 1) require_cases();
    } catch (const Error& error) {
      clean_up(will_recur(error));
      throw;
    } catch (...) {  // no memory
      clean_up(false);
      throw;
    }
    return result_;
  }

 private:
  void make_cases() {
    const fs::path scratch = folder_ / kScratchFolder;
    make_folder(scratch);
    const MakeOptions options{manifest_.request.layout, manifest_.request.refused, work_.max_bytes};
    make_all(cases_, options, work_, scratch, progress_,
             [&](size_t i, const fs::path& made_in, MadeCase&& made) { take(i, made_in, std::move(made)); });
    result_.signal = InterruptDelay::requested();
    manifest_.complete = result_.signal == 0;
    remove_path(scratch);
    write_manifest();
  }

  /// After a fault, of which the user is told, rather than of another one here.
  void clean_up(bool fault_will_recur) {
    manifest_.complete = false;
    const auto without_fault = [](const auto& act) {
      try {
        act();
      } catch (const Error&) {  // a full disk; the manifest that is there is a valid one
      }
    };
    without_fault([&] { remove_path(folder_ / kScratchFolder); });
    without_fault([&] { is_disposable_ && (fault_will_recur || !made_any()) ? discard() : write_manifest(); });
  }

  /// What is in the folder already.
  void take_over(Replace replace) {
    is_disposable_ = true;
    std::error_code error;
    if (!fs::exists(folder_ / kManifestFile, error)) {
      if (!entries_of(folder_).empty())
        fail(Fault::usage, "{} is not empty, and has no manifest of golden cases: choose another folder",
             shown(folder_));
      return;
    }
    const Manifest old = read_manifest(folder_);
    const std::string other = difference(old.request, manifest_.request);
    if (!other.empty() && replace == Replace::no)
      fail(Fault::usage, kReplaceGolden, "{} holds golden cases of another request ({})", shown(folder_), other);
    remove_stale(old);
    if (!other.empty()) return;
    is_disposable_ = !old.complete;
    const bool is_intact = manifest_text(old) == read_file(folder_ / kManifestFile).text();
    if (old.opref != manifest_.opref || !is_intact) return;
    for (const auto& [name, made] : old.made) former_[name] = made;
    if (!old.complete) resume();
  }

  /// Cases of a former run that are none any more; what is not as its manifest says may be anybody's.
  void remove_stale(const Manifest& old) const {
    std::set<std::string> wanted;
    for (const GoldenCase& golden : cases_) wanted.insert(golden.name);
    for (const auto& [name, made] : old.made)
      if (made.is_case() && !wanted.contains(name) && holds(folder_ / name, made)) remove_path(folder_ / name);
  }

  /// What an interrupted run made is made; the rest of what it lists is not there.
  void resume() {
    for (size_t i = 0; i < cases_.size(); ++i) {
      const auto former = former_.find(cases_[i].name);
      if (former == former_.end()) continue;
      const bool is_case = former->second.is_case();
      if (is_case && !holds(folder_ / cases_[i].name, former->second)) continue;
      progress_.made[i] = std::move(former->second);
      result_.resumed += is_case;
    }
    former_.clear();
  }

  bool made_any() const { return std::ranges::any_of(progress_.made, &std::optional<MadeCase>::has_value); }

  /// Gives a case that was made its name.
  void take(size_t i, const fs::path& made_in, MadeCase&& made) {
    const fs::path named = folder_ / cases_[i].name;
    if (!made.is_case() || !holds(named, made)) {
      const fs::path old = made_in.string() + ".old";
      if (is_folder(named)) rename_path(named, old);
      if (made.is_case()) rename_path(made_in, named);
      remove_path(old);
    }
    const std::lock_guard lock(progress_.guard);
    progress_.made[i] = std::move(made);
    const auto now = std::chrono::steady_clock::now();
    if (now - progress_.written > kBetweenManifests) write_manifest();
  }

  void require_cases() const {
    if (result_.cases > 0) return;
    const GoldenCase& first = cases_.front();
    at_place([&] { return first.recipe; },
             [&] {
               fail(Fault::invalid, kKeepRefused, "there is no case: the specification rejects {}, {} because {}",
                    result_.rejected.size() == 1 ? "the only combination"
                                                 : format("all {} combinations", result_.rejected.size()),
                    first.name, result_.rejected.front());
             });
  }

  /// Removes all that is in the folder, and the folder if it was not there before.
  void discard() const {
    for (const GoldenCase& golden : cases_) remove_path(folder_ / golden.name);
    remove_path(folder_ / kManifestFile);
    std::error_code ignored;
    if (is_new_) fs::remove(folder_, ignored);
  }

  void write_manifest() {
    manifest_.made.clear();
    result_.cases = result_.must_fail = 0;
    result_.rejected.clear();
    for (size_t i = 0; i < cases_.size(); ++i) {
      const MadeCase* made = progress_.made[i] ? &*progress_.made[i] : nullptr;
      if (const auto former = former_.find(cases_[i].name); made == nullptr && former != former_.end())
        made = &former->second;
      if (made == nullptr) continue;
      manifest_.made.emplace_back(cases_[i].name, *made);
      result_.cases += made->is_case();
      result_.must_fail += made->kind == MadeCase::Kind::must_fail;
      if (!made->is_case()) result_.rejected.push_back(made->reason);
    }
    FileWriter file(folder_ / kManifestFile);
    file.write(manifest_text(manifest_));
    if (made_any()) sync_file_system(folder_);  // cases before the manifest that lists them
    file.commit(Sync::yes);
    progress_.written = std::chrono::steady_clock::now();
  }

  const GoldenWork& work_;
  const fs::path folder_;
  const std::vector<GoldenCase> cases_;
  const bool is_new_;
  bool is_disposable_ = false;  ///< nothing in the folder is of a run that was complete
  Manifest manifest_;
  GoldenResult result_;
  std::optional<Lock> lock_;
  GoldenProgress progress_;
  std::map<std::string, MadeCase> former_;  ///< of a complete run: what the folder has until a case is made again
};

}  // namespace

GoldenResult make_golden(const GoldenRequest& request, const GoldenWork& work, const fs::path& folder, Replace replace,
                         Empty empty) {
  return GoldenFolder(request, work, folder, replace).fill(empty);
}

std::vector<std::string> reasons_by_count(std::span<const std::string> rejected) {
  std::map<std::string, size_t> counts;
  for (const std::string& reason : rejected) ++counts[reason];
  std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(), &std::pair<std::string, size_t>::second);
  std::vector<std::string> lines;
  for (const auto& [reason, count] : sorted) lines.push_back(format("{} {}", count, reason));
  return lines;
}

}  // namespace opref::golden
