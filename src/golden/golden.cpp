// SPDX-License-Identifier: Apache-2.0
#include "golden/golden.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <mutex>

#include "core/error.h"
#include "golden/remedies.h"
#include "run/evaluate.h"
#include "system/descriptor.h"
#include "system/file.h"
#include "system/folder.h"
#include "system/interrupt.h"
#include "system/machine_error.h"
#include "system/parallel.h"

namespace opref::golden {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kBetweenManifests(10);

/// Nobody else writes into the folder while what is returned lives.
Descriptor locked(const fs::path& folder) {
  Descriptor lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.is_open()) fail_machine("cannot write {}: {}", shown(folder), std::generic_category().message(errno));
  if (flock(lock.number(), LOCK_EX | LOCK_NB) != 0)
    fail(Fault::system, "another opref golden writes into {}", shown(folder));
  return lock;
}

/// Whether the next run would meet it again, as long as the recipe is the same.
bool will_recur(const Error& error) {
  return error.remedy() == kMoreMemory || (error.fault() != Fault::system && error.fault() != Fault::internal);
}

/// A folder that is being filled.
class GoldenFolder {
 public:
  GoldenFolder(const GoldenRequest& request, const GoldenWork& work, const fs::path& folder, Replace replace)
      : work_(work),
        folder_(folder),
        cases_(cases_of(request, work.jobs)),
        is_new_(!is_folder(folder)),
        manifest_{work.version, request, false, {}},
        made_(cases_.size()) {
    make_folder(folder_);
    lock_ = locked(folder_);
    for (const fs::path& path : entries_of(folder_))
      if (is_leftover(path.filename().string())) remove_path(path);
    take_over(replace);
    for (size_t i = 0; i < cases_.size(); ++i)
      if (!made_[i] || is_made_again_)
        to_do_.push_back(i);
      else
        resumed_ += made_[i]->is_case();
  }

  GoldenResult fill(Empty empty) {
    const InterruptDelay delay;
    try {
      write_manifest();
      make_cases();
      const GoldenResult result = counted();
      if (manifest_.complete && empty == Empty::refused && manifest_.request.shard.count == 1) require_case(result);
      return result;
    } catch (const Error& error) {
      clean_up(will_recur(error));
      throw;
    } catch (...) {  // no memory
      clean_up(false);
      throw;
    }
  }

 private:
  /// What is in the folder already: cases of the same request stay, at least till they are made again, others go.
  void take_over(Replace replace) {
    std::error_code error;
    if (!fs::exists(folder_ / kManifestFile, error)) {
      if (entries_of(folder_).empty()) return;
      fail(Fault::usage, "{} is not empty, and has no manifest of golden cases: choose another folder", shown(folder_));
    }
    const Manifest old = read_manifest(folder_);
    const std::string other = difference(old.request, manifest_.request);
    if (!other.empty() && replace == Replace::no)
      fail(Fault::usage, kReplaceGolden, "{} holds golden cases of another request ({})", shown(folder_), other);
    is_made_again_ = other.empty() && old.complete;
    const bool is_known = other.empty() && old.opref == manifest_.opref &&
                          manifest_text(old) == read_file(folder_ / kManifestFile).text();
    std::map<std::string_view, size_t> numbers;
    for (size_t i = 0; i < cases_.size(); ++i) numbers.emplace(cases_[i].name, i);
    for (const auto& [name, made] : old.made) {
      const auto wanted = numbers.find(name);
      if (made.is_case() && !holds(folder_ / name, made)) continue;  // it may be anybody's
      if (wanted == numbers.end() && made.is_case()) remove_path(folder_ / name);
      if (wanted != numbers.end() && is_known) made_[wanted->second] = made;
    }
  }

  void make_cases() {
    const fs::path scratch = folder_ / kScratchFolder;
    make_folder(scratch);
    const MakeOptions options{manifest_.request.layout, manifest_.request.refused, work_.max_bytes};
    make_all(cases_, to_do_, options, work_, scratch,
             [&](size_t i, const fs::path& made_in, MadeCase&& made) { take(i, made_in, std::move(made)); });
    manifest_.complete = InterruptDelay::requested() == 0;
    remove_path(scratch);
    write_manifest();
  }

  /// Gives a case that was made its name.
  void take(size_t i, const fs::path& made_in, MadeCase&& made) {
    const fs::path named = folder_ / cases_[i].name;
    if (!made.is_case() || !holds(named, made)) {
      const fs::path old = made_in.string() + ".old";
      if (is_folder(named)) rename_path(named, old);
      if (made.is_case()) rename_path(made_in, named);
      remove_path(old);
    }
    const std::lock_guard lock(guard_);
    made_[i] = std::move(made);
    if (std::chrono::steady_clock::now() - written_ > kBetweenManifests) write_manifest();
  }

  void write_manifest() {
    manifest_.made.clear();
    for (size_t i = 0; i < cases_.size(); ++i)
      if (made_[i]) manifest_.made.emplace_back(cases_[i].name, *made_[i]);
    FileWriter file(folder_ / kManifestFile);
    file.write(manifest_text(manifest_));
    if (!manifest_.made.empty()) sync_file_system(folder_);  // cases before the manifest that lists them
    file.commit(Sync::yes);
    written_ = std::chrono::steady_clock::now();
  }

  GoldenResult counted() const {
    GoldenResult result;
    result.cases = manifest_.cases();
    result.must_fail = manifest_.count(MadeCase::Kind::must_fail);
    for (const auto& [name, made] : manifest_.made)
      if (!made.is_case()) result.rejected.push_back(made.reason);
    result.resumed = resumed_;
    result.signal = InterruptDelay::requested();
    return result;
  }

  void require_case(const GoldenResult& result) const {
    if (result.cases > 0) return;
    const GoldenCase& first = cases_.front();
    at_place([&] { return first.recipe; },
             [&] {
               fail(Fault::invalid, kKeepRefused, "there is no case: the specification rejects {}, {} because {}",
                    result.rejected.size() == 1 ? "the only combination"
                                                : format("all {} combinations", result.rejected.size()),
                    first.name, result.rejected.front());
             });
  }

  /// After a fault, of which the user is told, rather than of another one here.
  void clean_up(bool fault_will_recur) {
    manifest_.complete = false;
    try {
      remove_path(folder_ / kScratchFolder);
      const bool has_any = std::ranges::any_of(made_, &std::optional<MadeCase>::has_value);
      if (is_made_again_ || (has_any && !fault_will_recur)) return write_manifest();
      for (const GoldenCase& golden : cases_) remove_path(folder_ / golden.name);
      remove_path(folder_ / kManifestFile);
      std::error_code ignored;
      if (is_new_) fs::remove(folder_, ignored);
    } catch (const Error&) {  // a full disk; the manifest that is there is a valid one
    }
  }

  const GoldenWork& work_;
  const fs::path folder_;
  const std::vector<GoldenCase> cases_;
  const bool is_new_;
  bool is_made_again_ = false;  ///< a run of the same request was complete
  Manifest manifest_;
  Descriptor lock_{-1};
  std::vector<size_t> to_do_;  ///< numbers of cases
  size_t resumed_ = 0;
  std::mutex guard_;
  std::vector<std::optional<MadeCase>> made_;  ///< what the folder has
  std::chrono::steady_clock::time_point written_;
};

}  // namespace

void make_all(const std::vector<GoldenCase>& cases, std::span<const size_t> numbers, const MakeOptions& options,
              const GoldenWork& work, const fs::path& scratch,
              const std::function<void(size_t, const fs::path&, MadeCase&&)>& take) {
  if (work.begin) work.begin(numbers.size());
  std::mutex guard;
  for_each_job(numbers.size(), work.jobs, [&](size_t k) {
    if (InterruptDelay::requested() != 0) return;
    const size_t i = numbers[k];
    const fs::path folder = scratch / std::to_string(i);
    remove_path(folder);
    make_folder(folder);
    take(i, folder, work.make ? work.make(cases[i], folder) : make_case(cases[i], options, folder));
    remove_path(folder);
    const std::lock_guard lock(guard);
    if (work.advance) work.advance();
  });
}

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
