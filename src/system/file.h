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
enum class Standing : std::uint8_t { followed, replaced };

struct UnfinishedFile;

/// Writes a file under another name beside `path` and renames it, so that `path` never holds half a file; an interrupt
/// removes the unfinished one. Unless Standing says otherwise, it follows a link, which stays, and writes directly into
/// what is no regular file (/dev/null, a pipe); an existing file keeps its permissions. "-" is standard output, written
/// as it comes: if nobody reads it any more, the program ends as by SIGPIPE. Faults are MachineErrors.
class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path, Standing standing = Standing::followed);
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

/// While one lives, SIGINT, SIGTERM and SIGHUP only set `requested`: what is being written can be brought to an end. A
/// second signal ends the program at once, unless it follows within 200 ms.
class InterruptDelay {
 public:
  InterruptDelay();
  InterruptDelay(const InterruptDelay&) = delete;
  InterruptDelay& operator=(const InterruptDelay&) = delete;
  ~InterruptDelay();
  /// The signal's number, or 0.
  static int requested();
  /// Whether one is on its way: what ends from now on may do so because of it.
  static bool is_coming();
  static void announce();
};

/// Makes SIGINT, SIGTERM, SIGHUP and SIGPIPE remove unfinished files and end the program at once with 128 + the
/// signal's number. A signal that the program was started to ignore stays ignored.
/// A mapped file that gets shorter while it is read does the same, with exit code 6 and a sentence.
void remove_unfinished_files_on_interrupt();

/// A thread waits for this signal, to do more than a handler may before it takes its course: a mapped file that changed
/// sends it, and leaves it to that.
void clean_up_by(int signal);

}  // namespace opref::system
