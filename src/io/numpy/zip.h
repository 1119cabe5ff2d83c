// SPDX-License-Identifier: Apache-2.0
// Reading a zip archive that lies in memory. Between the files of .npz.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/rooms.h"

namespace opref::io {

/// An archive's members, of which one is open at a time.
class ZipArchive {
 public:
  enum class Method : std::uint8_t { stored, deflated };
  struct Sizes {
    Method method;
    std::uint64_t packed, unpacked;  ///< bytes, as the archive's directory states them
  };

  /// `file` must outlive it. Faults: `malformed` for what is no archive.
  explicit ZipArchive(std::span<const std::byte> file);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  /// Of the members, in the directory's order.
  const std::vector<std::string>& names() const { return names_; }
  /// Faults: `unsupported` for an encrypted member and for other methods.
  Sizes sizes(size_t member);
  /// Faults, here and below: `malformed`; `system` for want of memory.
  void open(size_t member);
  /// Fills `bytes` with what comes next.
  void read(std::span<std::byte> bytes);
  /// Checks that nothing more comes, and the checksum of what was read.
  void close();

 private:
  struct Reader;
  void go_to(size_t member);

  std::unique_ptr<Reader> reader_;
  std::vector<std::string> names_;
};

}  // namespace opref::io
