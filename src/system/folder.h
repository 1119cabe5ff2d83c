// SPDX-License-Identifier: Apache-2.0
// Folders, and changes to what is in them. What the system refuses is a MachineError that says what and why.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/rooms.h"

namespace opref::system {

/// With those above it that are not there.
void make_folder(const std::filesystem::path& folder);
/// In a folder that is there: one that was removed is not made again.
void make_subfolder(const std::filesystem::path& folder);
/// A file, or a folder with all that is in it, however deep; links in it and not what they lead to. Nothing may be
/// there.
void remove_path(const std::filesystem::path& path);
/// The same; `error` says what was in the way, if anything was. At this time it stops with `timed_out`.
void remove_path(const std::filesystem::path& path, std::error_code& error,
                 std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max());
/// A second name `to` for a file where the file system can, else a copy of it; nothing may be there.
void share_file(const std::filesystem::path& file, const std::filesystem::path& to);
/// Gives `to` the bytes of `file`, which both use till one is changed where the file system can. A `system`
/// error where `file` cannot be read.
void clone_file(const std::filesystem::path& file, const std::filesystem::path& to);
void rename_path(const std::filesystem::path& from, const std::filesystem::path& to);

/// All that is below a folder, at any depth, and no folder itself; sorted. A folder that cannot be read is a `system`
/// error, and one of the machine where no more files can be opened.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

/// The bytes of all files below a folder; of what cannot be read none.
std::uint64_t bytes_below(const std::filesystem::path& folder);

/// The files and folders in a folder, not what is in these; sorted. A folder that cannot be read is a `system` error.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// Brings to disk all that was written into the file system that the folder is in: for many files at once, where
/// FileWriter's Sync would wait for each.
void sync_file_system(const std::filesystem::path& folder);

}  // namespace opref::system
