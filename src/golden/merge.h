// SPDX-License-Identifier: Apache-2.0
// Joining the shards of a golden set.
#pragma once

#include <filesystem>
#include <span>

#include "golden/golden.h"

namespace opref::golden {

/// Fills a folder with the cases of all shards, as make_golden would without shards: the same bytes, resumed where it
/// was interrupted. Files are shared with the shards' folders where the file system can, else copied; each is compared
/// with its SHA-256. Each shard 1..N must be there once and complete, all must be of one request and one version of
/// opref. Faults: `usage` (they are not; those of make_golden), `malformed` (a case is not as its manifest says).
GoldenResult merge_golden(std::span<const std::filesystem::path> shards, const GoldenWork& work,
                          const std::filesystem::path& folder, Replace replace, Empty empty);

}  // namespace opref::golden
