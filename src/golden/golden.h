// SPDX-License-Identifier: Apache-2.0
// Folders of golden cases: made, resumed, verified.
#pragma once

#include <functional>

#include "golden/manifest.h"

namespace opref::golden {

/// How the work is done; none of it changes a byte.
struct GoldenWork {
  std::string version;  ///< of opref, for the manifest
  int jobs = 1;         ///< cases at a time
  std::int64_t max_bytes = INT64_MAX;
  /// Makes a case in an empty folder, as make_case, which it is where nothing else is given.
  std::function<MadeCase(const GoldenCase&, const std::filesystem::path&)> make = {};
  std::function<void(size_t total)> begin = {};  ///< before the first case that is to be made
  std::function<void()> advance = {};            ///< after each case; one call at a time
};

/// Whether cases of another request may be removed.
enum class Replace : std::uint8_t { no, yes };
/// Whether it is no error that the specification rejects all combinations.
enum class Empty : std::uint8_t { refused, allowed };

struct GoldenResult {
  size_t cases = 0;  ///< in the folder, must-fail cases among them
  size_t must_fail = 0;
  std::vector<std::string> rejected;  ///< the reasons of those that are not kept
  size_t resumed = 0;                 ///< cases that an interrupted run had made
  int signal = 0;                     ///< that ended it; the folder is valid, but not complete
};

/// Makes cases in folders below `scratch`, until all are made or the program is to end: those with these numbers. Each
/// is handed to `take(number, its folder, what it is)`, on the thread that made it.
void make_all(const std::vector<GoldenCase>& cases, std::span<const size_t> numbers, const MakeOptions& options,
              const GoldenWork& work, const std::filesystem::path& scratch,
              const std::function<void(size_t, const std::filesystem::path&, MadeCase&&)>& take);

/// Makes the cases in DIR/NAME each, and DIR/manifest.json. Every case appears at once, under its name or not at all;
/// the manifest is there from the beginning and kept up to date. What an interrupted run of the same request made and
/// its manifest lists is not made again. SIGINT, SIGTERM and SIGHUP let cases that are being made come to their end.
/// Faults: those of the cases; `invalid` where all are rejected and `empty` does not allow it; `usage` where the folder
/// holds something else, or cases of another request and `replace` does not allow to remove them; `system` (somebody
/// else is writing there, …). After a fault that the next run would meet again nothing is left of what was made.
GoldenResult make_golden(const GoldenRequest& request, const GoldenWork& work, const std::filesystem::path& folder,
                         Replace replace = Replace::no, Empty empty = Empty::refused);

/// Fills a folder with the cases of all shards, as make_golden would without shards: the same bytes, resumed where it
/// was interrupted. Files are shared with the shards' folders where the file system can, else copied; each is compared
/// with its SHA-256. Each shard 1..N must be there once and complete, all must be of one request and one version of
/// opref. Faults: `usage` (they are not; those of make_golden), `malformed` (a case is not as its manifest says).
GoldenResult merge_golden(std::span<const std::filesystem::path> shards, const GoldenWork& work,
                          const std::filesystem::path& folder, Replace replace, Empty empty);

/// "120 attribute 'p' is 0, but must be finite and > 0", …: the reasons, the most frequent ones first.
std::vector<std::string> reasons_by_count(std::span<const std::string> rejected);

/// What verifying does beside comparing every file with its SHA-256.
enum class Verify : std::uint8_t {
  hashes,    ///< nothing
  recompute  ///< makes all cases again and compares them with the manifest
};

struct VerifyResult {
  std::string opref;  ///< the version that made the folder
  size_t cases = 0, files = 0;
  std::vector<std::string> problems;  ///< "corrupted: NAME/model.onnx", one line each, sorted
};

/// Compares a folder with its manifest: every file that is corrupted, missing or not listed, the manifest among them;
/// and, recomputing in the empty folder `scratch`, everything in which the manifest is not what this opref makes. Of a
/// run that was not complete it names the cases that are missing, and computes nothing. What a run that was killed left
/// beside the cases is no difference. Faults: those of the manifest and of its recipes.
VerifyResult verify_golden(const std::filesystem::path& folder, Verify verify, const GoldenWork& work,
                           const std::filesystem::path& scratch);

}  // namespace opref::golden
