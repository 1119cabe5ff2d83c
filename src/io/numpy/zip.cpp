// SPDX-License-Identifier: Apache-2.0
#include "io/numpy/zip.h"

#include <minizip/unzip.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/error.h"

namespace opref::io {
namespace {

/// Bytes of the record that ends an archive, but for the comment that may follow. An archive without members is no
/// more, and minizip knows nothing of such.
constexpr size_t kEndRecord = 22;
constexpr std::string_view kEndSignature = "PK\5\6";

/// The archive but for its comment, in which minizip would look for another end of the directory.
std::span<const std::byte> without_comment(std::span<const std::byte> file) {
  constexpr size_t kMostComment = 65535;
  for (size_t comment = 0; comment <= kMostComment && comment + kEndRecord <= file.size(); ++comment) {
    const std::byte* end = file.data() + file.size() - comment - kEndRecord;
    const size_t stated = std::to_integer<size_t>(end[20]) | std::to_integer<size_t>(end[21]) << 8;
    if (stated == comment && std::memcmp(end, kEndSignature.data(), kEndSignature.size()) == 0)
      return file.first(file.size() - comment);
  }
  return file;
}

/// The file as minizip's functions see it.
struct MemoryFile {
  std::span<const std::byte> bytes;
  std::uint64_t at = 0;
  bool ended = false;  ///< before all that was asked for; minizip takes that for zeros unless it is an error
};

MemoryFile& memory(void* file) { return *static_cast<MemoryFile*>(file); }

zlib_filefunc64_def functions_of(MemoryFile& file) {
  zlib_filefunc64_def functions{};
  functions.opaque = &file;
  functions.zopen64_file = [](void* opaque, const void*, int) { return opaque; };
  functions.zread_file = [](void*, void* stream, void* to, uLong size) -> uLong {
    MemoryFile& from = memory(stream);
    const std::uint64_t count = std::min<std::uint64_t>(size, from.bytes.size() - from.at);
    if (count > 0) std::memcpy(to, from.bytes.data() + from.at, count);
    from.at += count;
    from.ended |= count < size;
    return count;
  };
  functions.ztell64_file = [](void*, void* stream) -> ZPOS64_T { return memory(stream).at; };
  functions.zseek64_file = [](void*, void* stream, ZPOS64_T offset, int origin) -> long {
    MemoryFile& in = memory(stream);
    const std::uint64_t from = origin == ZLIB_FILEFUNC_SEEK_CUR   ? in.at
                               : origin == ZLIB_FILEFUNC_SEEK_END ? in.bytes.size()
                                                                  : 0;
    const std::uint64_t to = from + offset;  // modulo 2^64: minizip goes back by the complement
    if (to > in.bytes.size()) return -1;
    in.at = to;
    return 0;
  };
  functions.zclose_file = [](void*, void*) { return 0; };
  functions.zerror_file = [](void*, void* stream) -> int { return memory(stream).ended; };
  return functions;
}

void check(int result) {
  if (result == UNZ_OK) return;
  if (result == Z_MEM_ERROR || result == UNZ_INTERNALERROR)
    fail(Fault::system, "the member cannot be read: no memory for unpacking");
  fail(Fault::malformed, "the member cannot be read: its data or their header are damaged");
}

std::uint64_t number_at(std::string_view bytes, size_t at, size_t size) {
  std::uint64_t number = 0;
  for (size_t i = 0; i < size; ++i) number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
  return number;
}

/// The sizes that stand in the extra field of zip64 where 32 bits are not enough: minizip 1.1 looks for it by a number
/// that only a `long` of 32 bits has. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.5.3
void read_large_sizes(std::string_view extra, unz_file_info64& entry) {
  constexpr std::uint64_t kInExtra = 0xffffffff, kZip64 = 1;
  for (size_t at = 0; at + 4 <= extra.size();) {
    const std::uint64_t id = number_at(extra, at, 2), size = number_at(extra, at + 2, 2);
    std::string_view field = extra.substr(at + 4, size);
    at += 4 + size;
    if (id != kZip64) continue;
    for (ZPOS64_T* stated : {&entry.uncompressed_size, &entry.compressed_size})
      if (*stated == kInExtra && field.size() >= 8) {
        *stated = number_at(field, 0, 8);
        field.remove_prefix(8);
      }
  }
}

/// The bytes of a member as they come, unpacked.
class Unpacked {
 public:
  Unpacked(std::span<const std::byte> packed, bool is_deflated, std::uint32_t checksum)
      : packed_(packed), is_deflated_(is_deflated), stated_(checksum) {
    constexpr int kRaw = -15;  // a window of 2^15 bytes, without zlib's header
    if (is_deflated_) check(inflateInit2(&stream_, kRaw));
  }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
  ~Unpacked() {
    if (is_deflated_) inflateEnd(&stream_);
  }

  void read(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const size_t count = some(bytes);
      if (count == 0) fail(Fault::malformed, "the member ends before its stated size");
      checksum_ = crc32_z(checksum_, reinterpret_cast<const Bytef*>(bytes.data()), count);
      bytes = bytes.subspan(count);
    }
  }
  void close() {
    std::byte more;
    if (some({&more, 1}) > 0) fail(Fault::malformed, "the member is longer than its stated size");
    if (checksum_ != stated_) fail(Fault::malformed, "the member cannot be read: its checksum is another one");
  }

 private:
  /// As many as there are, at most 1 GiB; 0 at the end.
  size_t some(std::span<std::byte> bytes) {
    constexpr size_t kMost = size_t{1} << 30;
    if (!is_deflated_) {
      const size_t count = std::min(bytes.size(), packed_.size());
      std::copy_n(packed_.begin(), count, bytes.begin());
      packed_ = packed_.subspan(count);
      return count;
    }
    const size_t room = std::min(bytes.size(), kMost);
    stream_.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream_.avail_out = static_cast<uInt>(room);
    while (!ended_ && stream_.avail_out == room) {
      const size_t given = std::min(packed_.size(), kMost);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed_.data()));
      stream_.avail_in = static_cast<uInt>(given);
      const int result = inflate(&stream_, Z_NO_FLUSH);
      packed_ = packed_.subspan(given - stream_.avail_in);
      ended_ = result == Z_STREAM_END;
      if (result == Z_BUF_ERROR) break;  // nothing is left of what is packed
      if (!ended_) check(result);
    }
    return room - stream_.avail_out;
  }

  std::span<const std::byte> packed_;
  bool is_deflated_, ended_ = false;
  z_stream stream_ = {};
  uLong checksum_ = 0, stated_;
};

}  // namespace

struct ZipArchive::Reader {
  explicit Reader(std::span<const std::byte> bytes) : file{without_comment(bytes)} {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    if (archive != nullptr) unzClose(archive);
  }

  MemoryFile file;
  unzFile archive = nullptr;
  std::vector<unz64_file_pos> members = {};
  std::optional<Unpacked> open = {};
};

namespace {

std::string current_name(unzFile archive) {
  unz_file_info64 entry;
  check(unzGetCurrentFileInfo64(archive, &entry, nullptr, 0, nullptr, 0, nullptr, 0));
  std::string name(entry.size_filename, '\0');
  check(unzGetCurrentFileInfo64(archive, &entry, name.data(), name.size(), nullptr, 0, nullptr, 0));
  return name;
}

unz_file_info64 current_entry(unzFile archive) {
  unz_file_info64 entry;
  check(unzGetCurrentFileInfo64(archive, &entry, nullptr, 0, nullptr, 0, nullptr, 0));
  std::string extra(entry.size_file_extra, '\0');
  check(unzGetCurrentFileInfo64(archive, &entry, nullptr, 0, extra.data(), extra.size(), nullptr, 0));
  read_large_sizes(extra, entry);
  return entry;
}

}  // namespace

ZipArchive::ZipArchive(std::span<const std::byte> file) : reader_(std::make_unique<Reader>(file)) {
  if (file.empty()) fail(Fault::malformed, "the file is no .npz: it is empty");
  const std::span<const std::byte> archived = reader_->file.bytes;
  if (archived.size() == kEndRecord && std::memcmp(archived.data(), kEndSignature.data(), kEndSignature.size()) == 0)
    return;
  zlib_filefunc64_def functions = functions_of(reader_->file);
  unzFile archive = reader_->archive = unzOpen2_64("", &functions);
  if (archive == nullptr) fail(Fault::malformed, "the file is no .npz: it is no zip archive");
  int result = unzGoToFirstFile(archive);
  for (; result == UNZ_OK; result = unzGoToNextFile(archive)) {
    names_.push_back(current_name(archive));
    check(unzGetFilePos64(archive, &reader_->members.emplace_back()));
  }
  unz_global_info64 directory;
  const bool complete = unzGetGlobalInfo64(archive, &directory) == UNZ_OK && directory.number_entry == names_.size();
  if (result != UNZ_END_OF_LIST_OF_FILE || !complete)
    fail(Fault::malformed, "the file is no .npz: the archive's directory is damaged");
}

ZipArchive::~ZipArchive() = default;

void ZipArchive::go_to(size_t member) { check(unzGoToFilePos64(reader_->archive, &reader_->members.at(member))); }

ZipArchive::Sizes ZipArchive::sizes(size_t member) {
  go_to(member);
  const unz_file_info64 entry = current_entry(reader_->archive);
  if ((entry.flag & 1) != 0) fail(Fault::unsupported, "the member is encrypted");
  if (entry.compression_method != 0 && entry.compression_method != Z_DEFLATED)
    fail(Fault::unsupported, "the member is compressed by method {}; stored and deflated ones are read",
         entry.compression_method);
  return {entry.compression_method == 0 ? Method::stored : Method::deflated, entry.compressed_size,
          entry.uncompressed_size};
}

void ZipArchive::open(size_t member) {
  const Sizes size = sizes(member);
  reader_->open.reset();
  check(unzOpenCurrentFile(reader_->archive));  // it compares both headers
  const std::uint64_t begin = unzGetCurrentFileZStreamPos64(reader_->archive);
  check(unzCloseCurrentFile(reader_->archive));
  const std::span<const std::byte> file = reader_->file.bytes;
  if (begin > file.size() || size.packed > file.size() - begin)
    fail(Fault::malformed, "the member cannot be read: its data or their header are damaged");
  reader_->open.emplace(file.subspan(begin, size.packed), size.method == Method::deflated,
                        static_cast<std::uint32_t>(current_entry(reader_->archive).crc));
}

void ZipArchive::read(std::span<std::byte> bytes) { reader_->open.value().read(bytes); }

void ZipArchive::close() { reader_->open.value().close(); }

}  // namespace opref::io
