// SPDX-License-Identifier: Apache-2.0
// Bytes that are too many for memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "core/rooms.h"

namespace opref::system {

/// A file in the system's temporary folder that has no name and is gone with the program, however that ends; the last
/// bytes are in memory, so that few need no file at all. Threads may share it. Faults are MachineErrors that name the
/// folder.
class ScratchFile {
 public:
  ScratchFile() = default;
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();
  /// Returns where they are.
  std::uint64_t append(std::string_view bytes);
  std::string read(std::uint64_t at, std::size_t size) const;

 private:
  void write_tail();

  mutable std::mutex guard_;
  int descriptor_ = -1;
  std::uint64_t written_ = 0;  ///< bytes in the file; `tail_` follows them
  std::string tail_;
};

}  // namespace opref::system
