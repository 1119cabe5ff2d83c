// SPDX-License-Identifier: Apache-2.0
// Bytes of files: mapped for reading, written beside and renamed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/rooms.h"

namespace opref::system {

/// A file's bytes; they live as long as a copy of `owner`.
struct FileBytes {
  std::shared_ptr<const std::byte> owner;
  std::span<const std::byte> bytes;

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

/// Bytes that are no file's.
FileBytes in_memory(std::string bytes);

/// Maps a regular file, or reads it if it is small; "-" is standard input, read to its end. Faults are `system` and say
/// what the operating system says: "no such file: x.npy", "x is a folder". What is neither a file nor a folder (a pipe,
/// a device) may never end: it is refused before it is opened for long. Standard input with more than `most_of_stream`
/// bytes (and some for a header) is refused as soon as they are read.
FileBytes read_file(const std::filesystem::path& path, std::int64_t most_of_stream = INT64_MAX);

/// Reads a regular file, whatever its size, so that it does not matter what becomes of it: for what another program may
/// still write to. A `system` error for one with more than `most` bytes (and some for a header), said before it is
/// read.
FileBytes read_into_memory(const std::filesystem::path& path, std::int64_t most = INT64_MAX);

/// Reads a file from begin to end, of which little is in memory at a time. What it refuses is what read_file refuses.
class FileReader {
 public:
  explicit FileReader(std::filesystem::path path);
  /// Fills some of the buffer or all; 0 at the end.
  std::size_t read(std::span<char> buffer);

 private:
  std::filesystem::path path_;
  std::shared_ptr<const void> file_;
  int descriptor_ = 0;  ///< standard input's, or that of `file_`
};

/// Whether a regular file, a folder is there; links are followed.
bool is_file(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

/// One name for all paths to a file, whether it is there or not (a link to no file is one); "-", standard streams,
/// stays.
std::string canonical_name(const std::filesystem::path& path);

/// A file's name in messages: printable, "standard input" for "-".
std::string shown(const std::filesystem::path& path);

/// Bytes of memory that the machine has: what claims more than that is refused before it is allocated.
std::int64_t physical_memory();

/// Whether a file is on disk before it gets its name, so that not even a power failure leaves it empty; it takes a
/// disk's time.
enum class Sync : std::uint8_t { no, yes };

/// What a writer does with what its path names already: it follows a link and writes into a device, or it replaces the
/// link or device itself, so that nothing outside the folder changes.
enum class Link : std::uint8_t { followed, replaced };

struct UnfinishedFile;

/// Writes a file under another name beside `path` and renames it, so that `path` never holds half a file; an interrupt
/// removes the unfinished one. Unless Link says otherwise, it follows a link, which stays, and writes directly into
/// what is no regular file (/dev/null, a pipe); an existing file keeps its permissions. "-" is standard output, written
/// as it comes: if nobody reads it any more, the program ends as by SIGPIPE. Faults are MachineErrors.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path, Link link = Link::followed);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  /// Removes what was not committed.
  ~FileWriter();
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void commit(Sync sync = Sync::no);

 private:
  bool is_standard_output() const { return path_ == "-"; }

  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
  UnfinishedFile* unfinished_ = nullptr;
};

}  // namespace opref::system
