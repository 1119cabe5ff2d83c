// SPDX-License-Identifier: Apache-2.0
// Files mapped into memory, and what is done where one of them gets shorter meanwhile.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "system/file.h"

namespace opref::system {

/// The bytes of an open regular file where they lie; `size` is above 0. Without an owner where the system does not map
/// it: errno says why. `path` is its name in messages.
FileBytes map_file(int descriptor, size_t size, const std::filesystem::path& path);

/// The name, as in messages, of the mapped file whose byte is at `address`; empty: it is none's.
std::string mapped_file_at(const void* address);

/// Takes the whole pages of these bytes out of memory, where they are a mapped file's: for what has been copied. Who
/// reads them again has the file's bytes again.
void release_pages(std::span<const std::byte> bytes);

/// Says "FILE changed while it was read" on standard error, once, where `address` lies in a mapped file; whether it
/// does. For the handler of SIGBUS, which comes where a mapped file has a byte no more.
bool tell_changed_file(const void* address);

}  // namespace opref::system
