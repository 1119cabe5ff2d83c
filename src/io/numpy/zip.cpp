#include "io/numpy/zip.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <cstring>

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
    if (offset > in.bytes.size() - from) return -1;
    in.at = from + offset;
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
  fail(Fault::malformed, "the member cannot be read: {}",
       result == UNZ_CRCERROR ? "its checksum is another one" : "its data or their header are damaged");
}

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
};

namespace {

std::string current_name(unzFile archive) {
  unz_file_info64 entry;
  check(unzGetCurrentFileInfo64(archive, &entry, nullptr, 0, nullptr, 0, nullptr, 0));
  std::string name(entry.size_filename, '\0');
  check(unzGetCurrentFileInfo64(archive, &entry, name.data(), name.size(), nullptr, 0, nullptr, 0));
  return name;
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
  unz_file_info64 entry;
  check(unzGetCurrentFileInfo64(reader_->archive, &entry, nullptr, 0, nullptr, 0, nullptr, 0));
  if ((entry.flag & 1) != 0) fail(Fault::unsupported, "the member is encrypted");
  if (entry.compression_method != 0 && entry.compression_method != Z_DEFLATED)
    fail(Fault::unsupported, "the member is compressed by method {}; stored and deflated ones are read",
         entry.compression_method);
  return {entry.compression_method == 0 ? Method::stored : Method::deflated, entry.compressed_size,
          entry.uncompressed_size};
}

void ZipArchive::open(size_t member) {
  go_to(member);
  check(unzOpenCurrentFile(reader_->archive));
}

void ZipArchive::read(std::span<std::byte> bytes) {
  constexpr size_t kMost = size_t{1} << 30;
  while (!bytes.empty()) {
    const int count =
        unzReadCurrentFile(reader_->archive, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), kMost)));
    if (count < 0) check(count);
    if (count == 0) fail(Fault::malformed, "the member ends before its stated size");
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

void ZipArchive::close() {
  std::byte more;
  const int count = unzReadCurrentFile(reader_->archive, &more, 1);
  if (count < 0) check(count);
  if (count > 0) fail(Fault::malformed, "the member is longer than its stated size");
  check(unzCloseCurrentFile(reader_->archive));
}

}  // namespace opref::io
