#include "golden/golden.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <system_error>

#include "core/error.h"
#include "core/parallel.h"
#include "io/file.h"
#include "io/sha256.h"

namespace opref {
namespace {

namespace fs = std::filesystem;

/// Where cases are made before they get their names; hidden, and no case is found in it.
constexpr std::string_view kScratch = ".golden.part";
constexpr std::chrono::seconds kBetweenManifests(10);

[[noreturn]] void cannot_write(const fs::path& path, const std::error_code& error) {
  fail(Fault::system, "cannot write {}: {}", shown(path), error.message());
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) cannot_write(folder, error);
}

void remove_path(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) cannot_write(path, error);
}

void rename_path(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) cannot_write(to, error);
}

/// Nobody else writes into the folder while this lives.
class Lock {
 public:
  explicit Lock(const fs::path& folder) : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0) cannot_write(folder, {errno, std::generic_category()});
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

/// Of cases that are made on several threads.
struct Progress {
  std::mutex guard;
  std::vector<std::optional<MadeCase>> made;
  std::chrono::steady_clock::time_point written = std::chrono::steady_clock::now();
};

/// Makes cases in scratch folders, on several threads, until all are made or the program is to end.
void make_all(const std::vector<GoldenCase>& cases, const MakeOptions& options, const GoldenWork& work,
              const fs::path& scratch, Progress& progress,
              const std::function<void(size_t, const fs::path&, MadeCase&&)>& take) {
  if (work.begin) work.begin(cases.size());
  for_each_job(cases.size(), work.jobs, [&](size_t i) {
    if (InterruptDelay::requested() != 0) return;
    if (!progress.made[i]) {
      const fs::path folder = scratch / std::to_string(i);
      remove_path(folder);
      make_folder(folder);
      MadeCase made = make_case(cases[i], options, folder);
      take(i, folder, std::move(made));
      remove_path(folder);
    }
    const std::lock_guard lock(progress.guard);
    if (work.advance) work.advance();
  });
}

/// A folder that is being filled.
class GoldenFolder {
 public:
  GoldenFolder(const GoldenRequest& request, const GoldenWork& work, const fs::path& folder, Replace replace)
      : work_(work), folder_(folder), cases_(cases_of(request)) {
    progress_.made.resize(cases_.size());
    manifest_.opref = work.version;
    manifest_.request = request;
    make_folder(folder_);
    lock_.emplace(folder_);
    remove_path(folder_ / kScratch);
    take_over(replace);
  }

  GoldenResult fill() {
    const InterruptDelay delay;
    write_manifest();
    const fs::path scratch = folder_ / kScratch;
    make_folder(scratch);
    const MakeOptions options{manifest_.request.layout, manifest_.request.refused, work_.max_bytes};
    try {
      make_all(cases_, options, work_, scratch, progress_,
               [&](size_t i, const fs::path& made_in, MadeCase&& made) { take(i, made_in, std::move(made)); });
    } catch (...) {
      remove_path(scratch);
      write_manifest();
      throw;
    }
    remove_path(scratch);
    result_.signal = InterruptDelay::requested();
    manifest_.complete = result_.signal == 0;
    if (manifest_.complete) remove_stale();
    write_manifest();
    return result_;
  }

 private:
  /// What is in the folder already.
  void take_over(Replace replace) {
    std::error_code error;
    if (!fs::exists(folder_ / kManifestFile, error)) {
      if (!fs::is_empty(folder_, error))
        fail(Fault::usage, "{} is not empty, and has no manifest of golden cases: choose another folder",
             shown(folder_));
      return;
    }
    const Manifest old = read_manifest(folder_);
    for (const auto& [name, entry] : old.entries) former_.insert(name);
    if (const std::string other = difference(old.request, manifest_.request); !other.empty()) {
      if (replace == Replace::no)
        fail(Fault::usage, "{} holds golden cases of another request ({}): choose another folder, or --replace",
             shown(folder_), other);
      return;
    }
    if (!old.complete && old.opref == manifest_.opref) resume(old);
  }

  void resume(const Manifest& old) {
    std::map<std::string, size_t> by_name;
    for (size_t i = 0; i < cases_.size(); ++i) by_name.emplace(cases_[i].name, i);
    for (const auto& [name, entry] : old.entries) {
      const auto wanted = by_name.find(name);
      if (wanted == by_name.end() || !holds(folder_ / name, entry)) continue;
      const bool must_fail = entry.find("\"expect_error\"") != std::string::npos;
      progress_.made[wanted->second] = {must_fail ? MadeCase::Kind::must_fail : MadeCase::Kind::values, entry};
      ++result_.resumed;
    }
  }

  /// Gives a case that was made its name.
  void take(size_t i, const fs::path& made_in, MadeCase&& made) {
    const std::string& name = cases_[i].name;
    if (made.kind != MadeCase::Kind::rejected && !holds(folder_ / name, made.entry)) {
      std::error_code ignored;
      const fs::path old = made_in.string() + ".old";
      if (fs::exists(folder_ / name, ignored)) {
        require_own(name);
        rename_path(folder_ / name, old);
      }
      rename_path(made_in, folder_ / name);
      remove_path(old);
    }
    const std::lock_guard lock(progress_.guard);
    progress_.made[i] = std::move(made);
    const auto now = std::chrono::steady_clock::now();
    if (now - progress_.written > kBetweenManifests) write_manifest();
  }

  /// Only what a manifest lists, or an interrupted run left behind, is replaced.
  void require_own(const std::string& name) const {
    std::error_code ignored;
    if (former_.contains(name) || fs::is_directory(folder_ / name, ignored)) return;
    fail(Fault::usage, "{} is in the way of a case", shown(folder_ / name));
  }

  /// Cases of a former run that are none any more.
  void remove_stale() {
    for (size_t i = 0; i < cases_.size(); ++i)
      if (progress_.made[i] && progress_.made[i]->kind != MadeCase::Kind::rejected) former_.erase(cases_[i].name);
    for (const std::string& name : former_) remove_path(folder_ / name);
  }

  void write_manifest() {
    manifest_.entries.clear();
    manifest_.rejected = result_.must_fail = 0;
    for (size_t i = 0; i < cases_.size(); ++i) {
      const std::optional<MadeCase>& made = progress_.made[i];
      if (!made) continue;
      if (made->kind == MadeCase::Kind::rejected)
        ++manifest_.rejected;
      else
        manifest_.entries.emplace_back(cases_[i].name, made->entry);
      result_.must_fail += made->kind == MadeCase::Kind::must_fail;
    }
    result_.cases = manifest_.entries.size();
    result_.rejected = manifest_.rejected;
    FileWriter file(folder_ / kManifestFile);
    file.write(manifest_text(manifest_));
    file.commit();
    progress_.written = std::chrono::steady_clock::now();
  }

  const GoldenWork& work_;
  const fs::path folder_;
  const std::vector<GoldenCase> cases_;
  Manifest manifest_;
  GoldenResult result_;
  std::optional<Lock> lock_;
  std::set<std::string> former_;
  Progress progress_;
};

/// Of a file that cannot be read nothing.
std::string hash_of(const fs::path& file) {
  try {
    return sha256(read_file(file).bytes);
  } catch (const Error&) {
    return "";
  }
}

/// Files of the folder that are not as the manifest says.
void compare_files(const fs::path& folder, const Manifest& manifest, VerifyResult& result) {
  std::map<std::string, std::string> listed;
  for (const auto& [name, entry] : manifest.entries)
    for (const auto& [file, hash] : files_of(entry)) listed.emplace(name + "/" + file, hash);
  result.files = listed.size();
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().lexically_relative(folder).generic_string();
    std::error_code ignored;
    if (at->is_directory(ignored) || name == kManifestFile) continue;
    const auto expected = listed.find(name);
    if (expected == listed.end()) {
      result.problems.push_back("extra: " + name);
      continue;
    }
    if (hash_of(at->path()) != expected->second) result.problems.push_back("corrupted: " + name);
    listed.erase(expected);
  }
  if (error) fail(Fault::system, "cannot read {}: {}", shown(folder), error.message());
  for (const auto& [name, hash] : listed) result.problems.push_back("missing: " + name);
}

/// In what two entries of one case differ.
void compare_entries(const std::string& name, const std::string& stated, const MadeCase& made, VerifyResult& result) {
  if (made.kind == MadeCase::Kind::rejected) {
    result.problems.push_back(format("differs: {} is refused by the specification, but in the manifest", name));
    return;
  }
  const auto files = files_of(stated), own = files_of(made.entry);
  bool named = false;
  for (const auto& [file, hash] : own) {
    const auto listed = files.find(file);
    if (listed != files.end() && listed->second == hash) continue;
    result.problems.push_back(format("differs: {}/{} is not what this opref makes", name, file));
    named = true;
  }
  if (!named) result.problems.push_back(format("differs: {} is described otherwise in the manifest", name));
}

void recompute(const Manifest& manifest, const GoldenWork& work, const fs::path& scratch, VerifyResult& result) {
  std::map<std::string, const std::string*> stated;
  for (const auto& [name, entry] : manifest.entries) stated.emplace(name, &entry);
  const std::vector<GoldenCase> cases = cases_of(manifest.request);
  const MakeOptions options{manifest.request.layout, manifest.request.refused, work.max_bytes};
  Manifest again{manifest.opref, manifest.request, manifest.complete, 0, {}};
  Progress progress;
  progress.made.resize(cases.size());
  make_all(cases, options, work, scratch, progress, [&](size_t i, const fs::path&, MadeCase&& made) {
    const std::lock_guard lock(progress.guard);
    progress.made[i] = std::move(made);
  });
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string& name = cases[i].name;
    const bool rejected = progress.made[i]->kind == MadeCase::Kind::rejected;
    again.rejected += rejected;
    const auto listed = stated.find(name);
    if (listed == stated.end()) {
      if (!rejected) result.problems.push_back("missing: " + name);
      continue;
    }
    if (rejected || one_line(parse_json(progress.made[i]->entry).root()) != *listed->second)
      compare_entries(name, *listed->second, *progress.made[i], result);
    if (!rejected) again.entries.emplace_back(name, progress.made[i]->entry);
    stated.erase(listed);
  }
  for (const auto& [name, entry] : stated) result.problems.push_back(format("differs: {} is of no recipe", name));
}

}  // namespace

GoldenResult make_golden(const GoldenRequest& request, const GoldenWork& work, const fs::path& folder,
                         Replace replace) {
  return GoldenFolder(request, work, folder, replace).fill();
}

VerifyResult verify_golden(const fs::path& folder, Verify verify, const GoldenWork& work, const fs::path& scratch) {
  const Manifest manifest = read_manifest(folder);
  VerifyResult result;
  result.cases = manifest.entries.size();
  if (!manifest.complete)
    result.problems.push_back("incomplete: the run that made it was interrupted; the same command goes on with it");
  if (manifest_text(manifest) != read_file(folder / kManifestFile).text())
    result.problems.push_back(format("corrupted: {} is not written as opref writes it", kManifestFile));
  compare_files(folder, manifest, result);
  if (verify == Verify::recompute) recompute(manifest, work, scratch, result);
  std::ranges::sort(result.problems);
  return result;
}

}  // namespace opref
