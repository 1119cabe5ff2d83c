// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdint>

#include "io/folder_testing.h"
#include "io/numpy/npy.h"
#include "io/onnx/testing.h"

namespace npz_test {

using namespace opref::io;

namespace {

// numpy 2.4.6 on Python 3.11.7: numpy.savez(f, a=numpy.arange(3, dtype='f4'), b=numpy.float64(1))
const std::string kStored = from_hex(
    "504b03042d000000000000002100b68c8653ffffffffffffffff05001400612e6e7079010010008c000000000000008c0000000000000093"
    "4e554d5059010076007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a2046616c73652c20277368617065"
    "273a2028332c292c207d20202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020"
    "20202020202020202020202020200a000000000000803f00000040504b03042d00000000000000210021fc5023ffffffffffffffff050014"
    "00622e6e70790100100088000000000000008800000000000000934e554d5059010076007b276465736372273a20273c6638272c2027666f"
    "727472616e5f6f72646572273a2046616c73652c20277368617065273a2028292c207d202020202020202020202020202020202020202020"
    "20202020202020202020202020202020202020202020202020202020202020202020202020202020200a000000000000f03f504b01022d03"
    "2d000000000000002100b68c86538c0000008c000000050000000000000000000000800100000000612e6e7079504b01022d032d00000000"
    "000000210021fc502388000000880000000500000000000000000000008001c3000000622e6e7079504b0506000000000200020066000000"
    "820100000000");

// numpy.savez(f, **{'é': numpy.arange(3, dtype='f4')})
const std::string kNotAscii = from_hex(
    "504b03042d000008000000002100b68c8653ffffffffffffffff06001400c3a92e6e7079010010008c000000000000008c00000000000000"
    "934e554d5059010076007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a2046616c73652c202773686170"
    "65273a2028332c292c207d202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020"
    "2020202020202020202020202020200a000000000000803f00000040504b01022d032d000008000000002100b68c86538c0000008c000000"
    "060000000000000000000000800100000000c3a92e6e7079504b0506000000000100010034000000c40000000000");

// numpy.savez_compressed(f, x=numpy.zeros((4, 16), 'f4'), y=numpy.array([1, 2, 3], 'i8'))
const std::string kDeflated = from_hex(
    "504b03042d0000000800000021007eac7c8bffffffffffffffff05001400782e6e70790100100080010000000000004a000000000000009b"
    "ec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91a"
    "263a0a86669a3a0ab50ae4022e86110e00504b03042d000000080000002100bc91558effffffffffffffff05001400792e6e707901001000"
    "98000000000000004d000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a1aea3a09e965f54529498179f5f9492"
    "0a12774bcc294e058a17672416a402f91ac63a9a3a0ab50a14002e4606086082d2cc501a00504b01022d032d0000000800000021007eac7c"
    "8b4a00000080010000050000000000000000000000800100000000782e6e7079504b01022d032d000000080000002100bc91558e4d000000"
    "98000000050000000000000000000000800181000000792e6e7079504b0506000000000200020066000000050100000000");

const float kRange[] = {0, 1, 2};
const double kOne[] = {1};

Tensor range() { return Tensor::of<float>(DType::float32, {3}, kRange); }

std::vector<std::string> npz_members(const FileBytes& file) { return NpzArchive(file).arrays(); }

LoadedTensor read_npz(const FileBytes& file, std::string_view member) { return NpzArchive(file).read(member); }

std::string text_of(const std::string& archive, std::string_view member) {
  const LoadedTensor loaded = read_npz(file_of(archive), member);
  return to_text(loaded.value.tensor()->type()) + " " + to_hex(loaded.value.tensor()->bytes());
}

std::string error_of_member(const std::string& archive, std::string_view member) {
  return error_of([&] { read_npz(file_of(archive), member); });
}

/// The archive with bytes changed, counted from the `entry`-th entry of its directory.
std::string patched(std::string archive, size_t entry, size_t offset, std::string_view bytes) {
  size_t at = 0;
  for (size_t i = 0; i <= entry; ++i) at = archive.find("PK\x01\x02", at + 1);
  return archive.replace(at + offset, bytes.size(), bytes);
}

constexpr size_t kFlags = 8, kMethod = 10, kChecksum = 16, kPackedSize = 20, kSize = 24, kName = 46;

}  // namespace

TEST_CASE("archives are numpy.savez's to the byte", "[numpy]") {
  const TemporaryFolder folder;
  save_npz(folder / "two.npz", {{"a", range()}, {"b", Tensor::of<double>(DType::float64, {}, kOne)}});
  CHECK((content_of(folder / "two.npz") == kStored));
  save_npz(folder / "e.npz", {{"é", range()}});
  CHECK((content_of(folder / "e.npz") == kNotAscii));
  CHECK(folder.entries() == 2);
}

TEST_CASE("an archive that cannot be written leaves nothing", "[numpy]") {
  const TemporaryFolder folder;
  const Tensor text{Dims{1}, std::vector<std::string>{"\xff"}};
  CHECK(error_of([&] {
          save_npz(folder / "x.npz", {{"a", range()}, {"b", text}});
        }) ==
        "unsupported: .npy cannot store element 0 of string[1], '\\xff', which is no UTF-8; a TensorProto (.pb) can");
  CHECK(error_of([&] {
          save_npz(folder / "x.npz", {{std::string(65532, 'n'), range()}});
        }) == "unsupported: the array's name has 65536 bytes, more than a zip can store");
  const auto error_of_name = [&](const std::string& name) {
    return error_of([&] { save_npz(folder / "x.npz", {{"a", range()}, {name, range()}}); });
  };
  CHECK(error_of_name("b\xff") == "unsupported: the array's name 'b\\xff' is no UTF-8: an .npz cannot have it");
  CHECK(error_of_name(std::string("a\0b", 3)) ==
        "unsupported: the array's name 'a\\x00b' has a null byte, where readers of .npz cut it");
  CHECK(folder.entries() == 0);
}

TEST_CASE("an open archive reads one array after another, also after one that is damaged", "[numpy]") {
  std::string damaged = kStored;
  damaged[190] ^= 1;  // of a's elements
  const std::string size{static_cast<char>(kStored.size() & 0xff), static_cast<char>(kStored.size() >> 8), '\0', '\0'};
  damaged = patched(damaged, 1, kPackedSize, size + size);  // b would end after the file
  NpzArchive archive(file_of(damaged));
  for (int i = 0; i < 2; ++i) {
    CHECK(error_of([&] { archive.read("a"); }) == "malformed: the member cannot be read: its checksum is another one");
    CHECK(error_of([&] { archive.read("b"); }) ==
          "malformed: the member cannot be read: its data or their header are damaged");
  }
}

TEST_CASE("more arrays than 16 bits can count", "[numpy]") {
  const TemporaryFolder folder;
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (int i = 0; i < 65'537; ++i) tensors.emplace_back(std::to_string(i), Tensor());
  save_npz(folder / "many.npz", tensors);
  const FileBytes file = read_file(folder / "many.npz");
  CHECK(npz_members(file).size() == 65'537);
  CHECK(read_npz(file, "65536").value.tensor()->shape() == Dims{0});
}

TEST_CASE("stored and deflated arrays are read", "[numpy]") {
  CHECK(text_of(kStored, "a") == "float32[3] 000000000000803f00000040");
  CHECK(text_of(kStored, "b") == "float64[] 000000000000f03f");
  CHECK(text_of(kStored, "b.npy") == "float64[] 000000000000f03f");
  CHECK(text_of(kDeflated, "x") == "float32[4,16] " + std::string(512, '0'));
  CHECK(text_of(kDeflated, "y") == "int64[3] 010000000000000002000000000000000300000000000000");
  CHECK(text_of(kNotAscii, "é") == "float32[3] 000000000000803f00000040");
}

TEST_CASE("members in the archive's order", "[numpy]") {
  CHECK(npz_members(file_of(kStored)) == std::vector<std::string>{"a", "b"});
  CHECK(npz_members(file_of(kDeflated)) == std::vector<std::string>{"x", "y"});
  CHECK(NpzArchive(file_of(kStored)).has_array("b"));
  CHECK_FALSE(NpzArchive(file_of(kStored)).has_array("b.npy"));
}

TEST_CASE("a name that the archive does not have", "[numpy]") {
  CHECK(error_of_member(kStored, "c") == "usage: there is no array 'c'");
  CHECK(error_of_member(kStored, "weights") == "usage: there is no array 'weights'");
}

TEST_CASE("members that are no arrays", "[numpy]") {
  std::string text = kStored;
  for (size_t at = text.find("a.npy"); at != std::string::npos; at = text.find("a.npy")) text.replace(at, 5, "a.txt");
  CHECK(npz_members(file_of(text)) == std::vector<std::string>{"b"});
  CHECK(error_of_member(text, "a.txt") == "unsupported: member 'a.txt' is no array: its name does not end with .npy");
}

TEST_CASE("what minizip cannot or opref does not unpack", "[numpy]") {
  const auto u16 = [](int value) { return std::string{static_cast<char>(value), static_cast<char>(value >> 8)}; };
  CHECK(error_of_member(patched(kStored, 0, kFlags, u16(1)), "a") == "unsupported: the member is encrypted");
  CHECK(error_of_member(patched(kStored, 0, kMethod, u16(14)), "a") ==
        "unsupported: the member is compressed by method 14; stored and deflated ones are read");
  CHECK(error_of_member(patched(kStored, 0, kChecksum, "xxxx"), "a") ==
        "malformed: the member cannot be read: its data or their header are damaged");  // which says another one
  std::string changed = kStored;
  changed[changed.find("\x80\x3f")] ^= 1;  // in the second of a's elements
  CHECK(error_of_member(changed, "a") == "malformed: the member cannot be read: its checksum is another one");
}

TEST_CASE("sizes beyond 32 bits stand in an extra field", "[numpy]") {
  std::string archive = kDeflated;
  const std::string expected = text_of(archive, "x");
  const size_t entry = archive.find("PK\x01\x02"), end = archive.find("PK\x05\x06");
  const std::string packed = archive.substr(entry + kPackedSize, 4), size = archive.substr(entry + kSize, 4);
  const std::string zeros(4, '\0');
  const std::string extra = std::string("\x01\0\x10\0", 4) + size + zeros + packed + zeros;
  constexpr size_t kExtraSize = 30, kDirectorySize = 12;
  archive[end + kDirectorySize] = static_cast<char>(archive[end + kDirectorySize] + static_cast<char>(extra.size()));
  archive.insert(entry + kName + std::string_view("x.npy").size(), extra);
  archive[entry + kExtraSize] = static_cast<char>(extra.size());
  archive.replace(entry + kPackedSize, 8, 8, '\xff');
  CHECK(text_of(archive, "x") == expected);
}

// The comment's length is in the last two bytes of the record that ends an archive.
TEST_CASE("an archive's comment may hold what ends an archive", "[numpy]") {
  const std::string comment = "PK\5\6" + std::string(18, '\0') + "PK\5\6 and more";
  const auto commented = [&](std::string archive) {
    archive[archive.size() - 2] = static_cast<char>(comment.size());
    return archive + comment;
  };
  CHECK(npz_members(file_of(commented(kStored))) == std::vector<std::string>{"a", "b"});
  CHECK(text_of(commented(kStored), "a") == text_of(kStored, "a"));
  CHECK(npz_members(file_of(commented("PK\5\6" + std::string(18, '\0')))).empty());
}

TEST_CASE("stated sizes are doubted before memory is taken", "[numpy]") {
  const auto u32 = [](std::uint32_t value) {
    std::string text;
    for (int i = 0; i < 4; ++i, value >>= 8) text += static_cast<char>(value & 0xff);
    return text;
  };
  const std::string size = std::to_string(kDeflated.size());
  // The 74 bytes of x are deflated: at most 74 * 1032 come out.
  CHECK(error_of_member(patched(kDeflated, 0, kSize, u32(0xfffffffe)), "x") ==
        "malformed: the member states 4294967294 bytes, packed into 74, but the file has " + size);
  CHECK(error_of_member(patched(kDeflated, 0, kSize, u32(75 * 1032)), "x") ==
        "malformed: the member states 77400 bytes, packed into 74, but the file has " + size);
  CHECK(error_of_member(patched(kDeflated, 0, kSize, u32(74 * 1032)), "x") ==
        "malformed: the header says float32[4,16] (256 bytes), but 76240 bytes follow the header");
  CHECK(error_of_member(patched(kStored, 0, kSize, u32(141)), "a") ==
        "malformed: the member states 141 bytes, packed into 140, but the file has 510");
  CHECK(error_of_member(patched(patched(kStored, 0, kSize, u32(600)), 0, kPackedSize, u32(600)), "a") ==
        "malformed: the member states 600 bytes, packed into 600, but the file has 510");
}

TEST_CASE("an .npz cut anywhere is malformed, and with any byte changed an array or an error", "[numpy]") {
  for (const std::string& archive : {kStored, kDeflated}) {
    for (size_t size = 0; size < archive.size(); ++size)
      CHECK(error_of([&] { npz_members(file_of(archive.substr(0, size))); }).starts_with("malformed: "));
    for (size_t i = 0; i < archive.size(); ++i) {
      for (const int change : {0x01, 0x20, 0x80, 0xff}) {
        std::string changed = archive;
        changed[i] = static_cast<char>(changed[i] ^ change);
        const FileBytes file = file_of(changed);
        try {
          for (const std::string& member : npz_members(file)) {
            const Tensor tensor = *read_npz(file, member).value.tensor();
            CHECK(static_cast<std::int64_t>(tensor.bytes().size()) == byte_size(tensor.type()));
          }
        } catch (const Error& error) {
          const bool expected = error.fault() == Fault::malformed || error.fault() == Fault::unsupported;
          if (!expected) FAIL("byte " << i << " ^ " << change << ": " << error.text());
        }
      }
    }
  }
}

TEST_CASE(".npz: a name stands for one array", "[numpy]") {
  std::string twice = kStored;
  for (size_t at = twice.find("b.npy"); at != std::string::npos; at = twice.find("b.npy")) twice[at] = 'a';
  CHECK(error_of_member(twice, "a") == "malformed: the .npz has two members 'a.npy'");
  CHECK(error_of([&] { npz_members(file_of(twice)); }) == "malformed: the .npz has two members 'a.npy'");
}

}  // namespace npz_test
