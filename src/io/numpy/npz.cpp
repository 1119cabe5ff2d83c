// .npz: a zip archive of .npy files.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "core/error.h"
#include "io/numpy/libzip.h"
#include "io/numpy/npy.h"
#include "io/numpy/npy_header.h"

namespace opref {
namespace {

constexpr std::string_view kExtension = ".npy";

[[noreturn]] void fail_zip(zip_error_t* error, std::string_view what) {
  fail(libzip().zip_error_code_zip(error) == ZIP_ER_MEMORY ? Fault::system : Fault::malformed, "{}: {}", what,
       libzip().zip_error_strerror(error));
}

using Archive = std::unique_ptr<zip_t, decltype(LibZip::zip_discard)>;

/// `file` must outlive the archive.
Archive open_archive(const FileBytes& file) {
  if (file.bytes.empty()) fail(Fault::malformed, "the file is no .npz: it is empty");  // libzip takes it for a new one
  zip_error_t error;
  libzip().zip_error_init(&error);
  const std::unique_ptr<zip_error_t, decltype(LibZip::zip_error_fini)> cleanup(&error, libzip().zip_error_fini);
  zip_source_t* source = libzip().zip_source_buffer_create(file.bytes.data(), file.bytes.size(), 0, &error);
  zip_t* archive = source == nullptr ? nullptr : libzip().zip_open_from_source(source, ZIP_RDONLY, &error);
  if (archive == nullptr) {
    libzip().zip_source_free(source);
    fail_zip(&error, "the file is no .npz");
  }
  return {archive, libzip().zip_discard};
}

/// The names of all members; empty where an entry has none.
std::vector<std::string> names_of(const Archive& archive) {
  std::vector<std::string> names;
  const zip_int64_t count = libzip().zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = libzip().zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_GUESS);
    names.emplace_back(name == nullptr ? "" : name);
  }
  return names;
}

/// A name stands for one member.
std::vector<std::string> sound_names(const Archive& archive) {
  std::vector<std::string> names = names_of(archive), sorted = names;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) fail(Fault::malformed, "the .npz has two members '{}'", printable(*twice));
  return names;
}

std::vector<std::string> arrays_of(const std::vector<std::string>& names) {
  std::vector<std::string> arrays;
  for (const std::string& name : names)
    if (name.ends_with(kExtension)) arrays.push_back(name.substr(0, name.size() - kExtension.size()));
  return arrays;
}

/// "a" or, as numpy allows too, "a.npy".
zip_uint64_t find_member(const std::vector<std::string>& names, std::string_view member) {
  auto found = std::ranges::find(names, std::string(member) + std::string(kExtension));
  if (found == names.end()) found = std::ranges::find(names, member);
  if (found == names.end()) {
    const std::vector<std::string> arrays = arrays_of(names);
    fail(Fault::usage, "there is no array '{}'{}", printable(member),
         did_you_mean(member, std::vector<std::string_view>(arrays.begin(), arrays.end())));
  }
  if (!found->ends_with(kExtension))
    fail(Fault::unsupported, "member '{}' is no array: its name does not end with .npy", printable(member));
  return static_cast<zip_uint64_t>(found - names.begin());
}

/// The size of a member's content, of which it is certain that the file can hold it.
size_t checked_size(const Archive& archive, zip_uint64_t index, size_t file_size) {
  zip_stat_t stat;
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if (libzip().zip_stat_index(archive.get(), index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded)
    fail_zip(libzip().zip_get_error(archive.get()), "the member's directory entry cannot be read");
  if (stat.encryption_method != ZIP_EM_NONE) fail(Fault::unsupported, "the member is encrypted");
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    fail(Fault::unsupported, "the member is compressed by method {}; stored and deflated ones are read",
         stat.comp_method);
  constexpr zip_uint64_t kMostDeflated = 1032;  // a deflated bit pair stands for at most 258 bytes
  const bool possible =
      stat.comp_size <= file_size &&
      (stat.comp_method == ZIP_CM_STORE ? stat.size == stat.comp_size : stat.size / kMostDeflated <= stat.comp_size);
  if (!possible)
    fail(Fault::malformed, "the member states {} bytes, packed into {}, but the file has {}", stat.size, stat.comp_size,
         file_size);
  if (stat.size > static_cast<zip_uint64_t>(physical_memory()))
    fail(Fault::system, "the member has {} bytes, more than this machine's memory ({})", stat.size, physical_memory());
  return static_cast<size_t>(stat.size);
}

class MemberReader {
 public:
  MemberReader(const Archive& archive, zip_uint64_t index)
      : file_(libzip().zip_fopen_index(archive.get(), index, 0), libzip().zip_fclose) {
    if (file_ == nullptr) fail_zip(libzip().zip_get_error(archive.get()), "the member cannot be read");
  }

  /// Fills `bytes`.
  void read(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const size_t count = read_some(bytes);
      if (count == 0) fail(Fault::malformed, "the member ends before its stated size");
      bytes = bytes.subspan(count);
    }
  }

  /// Checks that nothing more comes, and libzip the checksum.
  void finish() {
    std::byte more;
    if (read_some({&more, 1}) != 0) fail(Fault::malformed, "the member is longer than its stated size");
  }

 private:
  size_t read_some(std::span<std::byte> bytes) {
    const zip_int64_t count = libzip().zip_fread(file_.get(), bytes.data(), bytes.size());
    if (count < 0) fail_zip(libzip().zip_file_get_error(file_.get()), "the member cannot be read");
    return static_cast<size_t>(count);
  }

  std::unique_ptr<zip_file_t, decltype(LibZip::zip_fclose)> file_;
};

std::shared_ptr<std::byte> allocate(size_t size) {
  auto* bytes = static_cast<std::byte*>(std::calloc(size + 1, 1));
  if (bytes == nullptr) fail(Fault::system, "the member has {} bytes, which this machine's memory does not give", size);
  return {bytes, [](std::byte* p) { std::free(p); }};
}

/// Reads the header first: an archive can pack a great many bytes that are no array, or one that is too large. Until
/// then nearly all of the buffer is addresses only.
FileBytes read_member(const Archive& archive, zip_uint64_t index, size_t size, std::int64_t max_bytes) {
  MemberReader reader(archive, index);
  const std::shared_ptr<std::byte> buffer = allocate(size);
  const std::span<std::byte> bytes(buffer.get(), size);
  size_t done = 0;
  const auto read_up_to = [&](size_t end) {
    reader.read(bytes.subspan(done, end - done));
    done = end;
  };
  read_up_to(std::min(size, kNpyPrefixSize));
  read_up_to(std::max(done, std::min(size, npy_header_size(bytes.first(done)))));
  const NpyHeader header = parse_npy_header(bytes.first(done));
  require_npy_size(header, size - header.size);
  require_bytes({npy_elements(header.descr).dtype, header.shape}, max_bytes);
  read_up_to(size);
  reader.finish();
  return {buffer, bytes};
}

/// CRC-32 as in zip, eight bytes at a time.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    const auto byte = [&](size_t i) { return static_cast<std::uint32_t>(bytes[i]); };
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
      const std::uint32_t low = state_ ^ (byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24);
      state_ = kTables[7][low & 0xff] ^ kTables[6][low >> 8 & 0xff] ^ kTables[5][low >> 16 & 0xff] ^
               kTables[4][low >> 24] ^ kTables[3][byte(4)] ^ kTables[2][byte(5)] ^ kTables[1][byte(6)] ^
               kTables[0][byte(7)];
    }
    for (const std::byte b : bytes) state_ = kTables[0][(state_ ^ static_cast<std::uint32_t>(b)) & 0xff] ^ state_ >> 8;
  }
  std::uint32_t value() const { return ~state_; }

 private:
  using Tables = std::array<std::array<std::uint32_t, 256>, 8>;
  static constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xedb88320U : 0U);
      tables[0][i] = value;
    }
    for (size_t k = 1; k < 8; ++k)
      for (size_t i = 0; i < 256; ++i) tables[k][i] = tables[k - 1][i] >> 8 ^ tables[0][tables[k - 1][i] & 0xff];
    return tables;
  }
  static const Tables kTables;

  std::uint32_t state_ = ~0U;
};

constexpr Checksum::Tables Checksum::kTables = make_tables();

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
    Checksum checksum;
    checksum.add(std::as_bytes(std::span(header)));
    checksum.add(elements);
    const Member member{name, checksum.value(), header.size() + elements.size(), offset_};
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

std::vector<std::string> npz_members(const FileBytes& file) { return arrays_of(sound_names(open_archive(file))); }

std::vector<std::string> npz_members(const std::filesystem::path& path) {
  const FileBytes file = read_file(path);
  return at_place([&] { return "in " + shown(path); }, [&] { return npz_members(file); });
}

LoadedTensor read_npz(const FileBytes& file, std::string_view member, std::int64_t max_bytes) {
  const Archive archive = open_archive(file);
  const zip_uint64_t index = find_member(sound_names(archive), member);
  const size_t size = checked_size(archive, index, file.bytes.size());
  return read_npy(read_member(archive, index, size, max_bytes), max_bytes);
}

void write_npz(FileWriter& file, const std::vector<std::pair<std::string, Tensor>>& tensors) {
  ArchiveWriter archive(file);
  for (const auto& [name, tensor] : tensors)
    archive.add(name + std::string(kExtension), npy_header(tensor.type()), tensor.bytes());
  archive.finish();
}

}  // namespace opref
