// SPDX-License-Identifier: Apache-2.0
// .npz: a zip archive of .npy files.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "io/numpy/npy.h"
#include "io/numpy/npy_header.h"
#include "io/numpy/zip.h"

namespace opref::io {
namespace {

constexpr std::string_view kExtension = ".npy";

std::vector<std::string> arrays_of(const std::vector<std::string>& names) {
  std::vector<std::string> arrays;
  for (const std::string& name : names)
    if (name.ends_with(kExtension)) arrays.push_back(name.substr(0, name.size() - kExtension.size()));
  return arrays;
}

/// The size of a member's content, of which it is certain that the file can hold it.
size_t checked_size(const ZipArchive::Sizes& stated, size_t file_size) {
  constexpr std::uint64_t kMostDeflated = 1032;  // a deflated bit pair stands for at most 258 bytes
  const auto [method, packed, unpacked] = stated;
  const bool fits = method == ZipArchive::Method::stored ? unpacked == packed : unpacked / kMostDeflated <= packed;
  if (packed > file_size || !fits)
    fail(Fault::malformed, "the member states {} bytes, packed into {}, but the file has {}", unpacked, packed,
         file_size);
  if (unpacked > static_cast<std::uint64_t>(physical_memory()))
    fail(Fault::system, "the member has {} bytes, more than this machine's memory ({})", unpacked, physical_memory());
  return static_cast<size_t>(unpacked);
}

std::shared_ptr<std::byte> allocate(size_t size) {
  auto* bytes = static_cast<std::byte*>(std::calloc(size + 1, 1));
  if (bytes == nullptr) fail(Fault::system, "the member has {} bytes, which this machine's memory does not give", size);
  return {bytes, [](std::byte* p) { std::free(p); }};
}

/// Reads the header first: an archive can pack a great many bytes that are no array, or one that is too large. Until
/// then nearly all of the buffer is addresses only.
FileBytes read_member(ZipArchive& archive, size_t member, size_t size, std::int64_t max_bytes) {
  archive.open(member);
  const std::shared_ptr<std::byte> buffer = allocate(size);
  const std::span<std::byte> bytes(buffer.get(), size);
  size_t done = 0;
  const auto read_up_to = [&](size_t end) {
    archive.read(bytes.subspan(done, end - done));
    done = end;
  };
  read_up_to(std::min(size, kNpyPrefixSize));
  read_up_to(std::max(done, std::min(size, npy_header_size(bytes.first(done)))));
  const NpyHeader header = parse_npy_header(bytes.first(done));
  require_npy_size(header, size - header.size);
  require_bytes({npy_elements(header.descr).dtype, header.shape}, max_bytes);
  read_up_to(size);
  archive.close();
  return {buffer, bytes};
}

/// CRC-32 of what `before` is the checksum of and `bytes` after it.
std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before = 0) {
  if (bytes.empty()) return before;  // zlib takes the address of nothing for a wish to begin
  return static_cast<std::uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// A record of numbers in little endian.
class Record {
 public:
  explicit Record(std::string_view signature) : bytes_(signature) {}
  Record() = default;
  Record& u16(std::uint64_t value) { return number(value, 2); }
  Record& u32(std::uint64_t value) { return number(value, 4); }
  Record& u64(std::uint64_t value) { return number(value, 8); }
  Record& text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i, value >>= 8) bytes_ += static_cast<char>(value & 0xff);
    return *this;
  }

  std::string bytes_;
};

/// Writes an archive of stored members, record by record as Python's zipfile for numpy.savez.
/// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
class ArchiveWriter {
 public:
  explicit ArchiveWriter(FileWriter& file) : file_(file) {}

  void add(const std::string& name, std::string_view header, std::span<const std::byte> elements) {
    if (name.size() > kMost16)
      fail(Fault::unsupported, "the array's name has {} bytes, more than a zip can store", name.size());
    const Member member{name, checksum(elements, checksum(std::as_bytes(std::span(header)))),
                        header.size() + elements.size(), offset_};
    Record record("PK\x03\x04");
    record.u16(kVersion).text(common_fields(member)).u32(kMost32).u32(kMost32);
    record.u16(name.size()).u16(20).text(name).u16(kZip64Field).u16(16).u64(member.size).u64(member.size);
    write(record.bytes());
    write(header);
    file_.write(elements);
    offset_ += elements.size();
    members_.push_back(member);
  }

  void finish() {
    const std::uint64_t directory = offset_;
    for (const Member& member : members_) write_directory_entry(member);
    write_end(directory, offset_ - directory);
  }

 private:
  struct Member {
    std::string name;
    std::uint32_t checksum;
    std::uint64_t size, offset;
  };

  static constexpr std::uint64_t kVersion = 45;  // that knows zip64
  static constexpr std::uint64_t kMost16 = 0xffff, kMost32 = 0xffffffff;
  static constexpr std::uint64_t kZip64Field = 1;
  static constexpr std::uint64_t kZip64Limit = 0x7fffffff;  // Python's; 2^32 - 2 would do

  /// From the flags to the checksum: UTF-8 where the name needs it, stored, 1980-01-01.
  static std::string common_fields(const Member& member) {
    const bool ascii = std::ranges::all_of(member.name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    constexpr std::uint64_t kUtf8 = 0x800, kFirstDay = 0x21;
    return Record().u16(ascii ? 0 : kUtf8).u16(0).u16(0).u16(kFirstDay).u32(member.checksum).bytes();
  }

  void write(std::string_view bytes) {
    file_.write(bytes);
    offset_ += bytes.size();
  }

  void write_directory_entry(const Member& member) {
    const bool large = member.size > kZip64Limit, far = member.offset > kZip64Limit;
    Record zip64;
    if (large || far) zip64.u16(kZip64Field).u16((large ? 16 : 0) + (far ? 8 : 0));
    if (large) zip64.u64(member.size).u64(member.size);
    if (far) zip64.u64(member.offset);
    const std::uint64_t size = large ? kMost32 : member.size;
    constexpr std::uint64_t kUnix = 3 << 8, kOwnerReadsAndWrites = std::uint64_t{0600} << 16;
    Record record("PK\x01\x02");
    record.u16(kUnix | kVersion).u16(kVersion).text(common_fields(member)).u32(size).u32(size);
    record.u16(member.name.size()).u16(zip64.bytes().size()).u16(0).u16(0).u16(0).u32(kOwnerReadsAndWrites);
    record.u32(far ? kMost32 : member.offset).text(member.name).text(zip64.bytes());
    write(record.bytes());
  }

  void write_end(std::uint64_t directory, std::uint64_t directory_size) {
    const std::uint64_t count = members_.size();
    if (count > kMost16 || directory > kZip64Limit || directory_size > kZip64Limit) {
      const std::uint64_t end = offset_;
      Record record("PK\x06\x06");
      record.u64(44).u16(kVersion).u16(kVersion).u32(0).u32(0);
      record.u64(count).u64(count).u64(directory_size).u64(directory);
      write(record.bytes());
      write(Record("PK\x06\x07").u32(0).u64(end).u32(1).bytes());
    }
    Record record("PK\x05\x06");
    record.u16(0).u16(0).u16(std::min(count, kMost16)).u16(std::min(count, kMost16));
    record.u32(std::min(directory_size, kMost32)).u32(std::min(directory, kMost32)).u16(0);
    write(record.bytes());
  }

  FileWriter& file_;
  std::uint64_t offset_ = 0;
  std::vector<Member> members_;
};

}  // namespace

struct NpzArchive::Content {
  explicit Content(FileBytes bytes) : file(std::move(bytes)), archive(file.bytes), arrays(arrays_of(archive.names())) {
    for (size_t i = 0; i < archive.names().size(); ++i)
      if (const std::string& name = archive.names()[i]; !places.emplace(name, i).second)
        fail(Fault::malformed, "the .npz has two members '{}'", printable(name));
  }

  const FileBytes file;
  ZipArchive archive;
  const std::vector<std::string> arrays;
  std::unordered_map<std::string, size_t> places;  ///< of the members, by their whole names
};

NpzArchive::NpzArchive(FileBytes file) : content_(std::make_unique<Content>(std::move(file))) {}

NpzArchive::~NpzArchive() = default;

const std::vector<std::string>& NpzArchive::arrays() const { return content_->arrays; }

bool NpzArchive::has_array(std::string_view name) const {
  return content_->places.contains(std::string(name) + std::string(kExtension));
}

LoadedTensor NpzArchive::read(std::string_view name, std::int64_t max_bytes) {
  auto& [file, archive, arrays, places] = *content_;
  auto found = places.find(std::string(name) + std::string(kExtension));
  if (found == places.end()) found = places.find(std::string(name));
  if (found == places.end())
    fail(Fault::usage,
         {kKnownNames, join_some(arrays, ", ", 8, [](const std::string& array) { return printable(array); })},
         "there is no array '{}'{}", printable(name),
         did_you_mean(name, std::vector<std::string_view>(arrays.begin(), arrays.end())));
  if (!found->first.ends_with(kExtension))
    fail(Fault::unsupported, "member '{}' is no array: its name does not end with .npy", printable(name));
  const size_t size = checked_size(archive.sizes(found->second), file.bytes.size());
  return read_npy(read_member(archive, found->second, size, max_bytes), max_bytes);
}

void write_npz(FileWriter& file, const std::vector<std::pair<std::string, Tensor>>& tensors) {
  ArchiveWriter archive(file);
  for (const auto& [name, tensor] : tensors) {
    if (!code_points(name))
      fail(Fault::unsupported, "the array's name '{}' is no UTF-8: an .npz cannot have it", printable(name));
    if (name.find('\0') != std::string::npos)
      fail(Fault::unsupported, "the array's name '{}' has a null byte, where readers of .npz cut it", printable(name));
    const NpyContent content = npy_content(tensor);
    archive.add(name + std::string(kExtension), content.header, content.elements.bytes());
  }
  archive.finish();
}

}  // namespace opref::io
