// SPDX-License-Identifier: Apache-2.0
#include "check/diff.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/folder_testing.h"
#include "io/onnx/onnx.h"

namespace opref::check::diff_test {
namespace {

namespace fs = std::filesystem;

Tensor floats(const std::vector<float>& elements) {
  return Tensor::of<float>(DType::float32, Dims{static_cast<std::int64_t>(elements.size())}, elements);
}

void save(const fs::path& path, const Tensor& tensor) {
  fs::create_directories(path.parent_path());
  FileWriter file(path);
  if (path.extension() == ".pb")
    file.write(onnx_value_bytes("t", tensor));
  else
    write_npy(file, tensor);
  file.commit();
}

/// "name equal", "name (what is said)" of every pair.
std::vector<std::string> told(const fs::path& actual, const fs::path& expected, std::optional<DType> dtype = {}) {
  std::vector<std::string> lines, warnings;
  for (const TensorPair& pair : pair_tensors(actual.string(), expected.string())) {
    const Comparison c = compare_pair(pair, {}, dtype, INT64_MAX, warnings).comparison;
    lines.push_back(fs::path(pair.name).filename().string() + " " +
                    (c.equal()          ? "equal"
                     : c.reason.empty() ? format("{} of {}", c.mismatches, c.count)
                                        : c.reason));
  }
  for (const std::string& warning : warnings) lines.push_back("warning" + warning.substr(warning.find(": descr")));
  return lines;
}

std::string refused(Fault fault, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.fault() == fault);
    return error.message();
  }
  FAIL("accepted");
  return "";
}

using Lines = std::vector<std::string>;

TEST_CASE("An .npz that cannot be read is one trouble among the others of its folder", "[compare][diff]") {
  const TemporaryFolder folder;
  for (const char* side : {"a", "b"}) {
    save(folder / side / "y.npy", floats({1, 2}));
    save_npz(folder / side / "z.npz", {{"x", floats({1})}});
  }
  folder.write("a/z.npz", "no archive");
  const std::vector<TensorPair> pairs = pair_tensors((folder / "a").string(), (folder / "b").string());
  REQUIRE(pairs.size() == 3);
  CHECK((pairs[0].name == "y" && !pairs[0].trouble));
  CHECK((pairs[1].name == "z.npz" && pairs[1].trouble));
  std::vector<std::string> warnings;
  CHECK(compare_pair(pairs[0], {}, {}, INT64_MAX, warnings).comparison.equal());
  refused(Fault::malformed, [&] { compare_pair(pairs[1], {}, {}, INT64_MAX, warnings); });
}

TEST_CASE("An archive is opened once for all that is compared of it", "[compare][diff]") {
  const TemporaryFolder folder;
  for (const char* name : {"a.npz", "b.npz"}) save_npz(folder / name, {{"x", floats({1})}, {"y", floats({2})}});
  const std::vector<TensorPair> pairs = pair_tensors((folder / "a.npz").string(), (folder / "b.npz").string());
  for (const char* name : {"a.npz", "b.npz"}) fs::remove(folder / name);  // opened again, it would be missing
  std::vector<std::string> warnings;
  REQUIRE(pairs.size() == 2);
  for (const TensorPair& pair : pairs) CHECK(compare_pair(pair, {}, {}, INT64_MAX, warnings).comparison.equal());
}

TEST_CASE("Two tensors keep to the limit together", "[compare][diff]") {
  const TemporaryFolder folder;
  save(folder / "a.npy", floats({1, 2}));
  save(folder / "b.npy", floats({1, 2, 3}));
  const TensorPair pair = pair_tensors((folder / "a.npy").string(), (folder / "b.npy").string()).front();
  std::vector<std::string> warnings;
  CHECK_FALSE(compare_pair(pair, {}, {}, 20, warnings).comparison.equal());
  CHECK_THROWS_WITH(compare_pair(pair, {}, {}, 19, warnings), "float32[3] takes 12 bytes, but the limit leaves 11");
}

TEST_CASE("Two tensors, whatever their files are", "[compare][diff]") {
  const TemporaryFolder folder;
  save(folder / "a.npy", floats({1, 2}));
  save(folder / "a.pb", floats({1, 2}));
  save(folder / "b.npy", floats({1, 3}));
  save_npz(folder / "one.npz", {{"x", floats({1, 2})}});
  save_npz(folder / "two.npz", {{"x", floats({1, 2})}, {"y", floats({1, 3})}});
  CHECK(told(folder / "a.npy", folder / "a.pb") == Lines{"a.npy equal"});
  CHECK(told(folder / "a.npy", folder / "b.npy") == Lines{"a.npy 1 of 2"});
  CHECK(told(folder / "two.npz:y", folder / "b.npy") == Lines{"two.npz:y equal"});
  CHECK(told(folder / "a.pb", folder / "two.npz:y") == Lines{"a.pb 1 of 2"});
  CHECK(told(folder / "a.npy", folder / "one.npz") == Lines{"a.npy equal"});
  CHECK(refused(Fault::usage, [&] { told(folder / "a.npy", folder / "two.npz"); }) ==
        "the .npz has 2 arrays: name one of x, y, as in FILE.npz:x");
  CHECK(refused(Fault::system, [&] { told(folder / "a.npy", folder / "c.npy"); }).starts_with("no such file"));
  CHECK(refused(Fault::usage, [&] { told(folder / "two.npz:z", folder / "a.npy"); }).starts_with("there is no array"));
  CHECK(refused(Fault::usage, [&] { told("-", "-"); }) == "only one of the two can be standard input");
}

TEST_CASE("Archives are compared member by member", "[compare][diff]") {
  const TemporaryFolder folder;
  save_npz(folder / "a.npz", {{"x", floats({1})}, {"y", floats({2})}, {"only", floats({2})}});
  save_npz(folder / "b.npz", {{"y", floats({3})}, {"x", floats({1})}, {"other", floats({2})}});
  CHECK(told(folder / "a.npz", folder / "b.npz") ==
        Lines{"only missing in expected", "other missing in actual", "x equal", "y 1 of 1"});
  CHECK(told(folder / "a.npz", folder / "a.npz") == Lines{"only equal", "x equal", "y equal"});
  save_npz(folder / "none.npz", {});
  CHECK(told(folder / "none.npz", folder / "a.npz").size() == 3);
  CHECK(refused(Fault::usage, [&] {
          told(folder / "none.npz", folder / "none.npz");
        }).starts_with("there are no tensors"));
  folder.write("bad.npz", "PK\x03\x04 no archive");
  CHECK_FALSE(refused(Fault::malformed, [&] { told(folder / "bad.npz", folder / "a.npz"); }).empty());
}

TEST_CASE("Folders are compared by the paths of their tensors", "[compare][diff]") {
  const TemporaryFolder folder;
  for (const char* side : {"a", "b"}) {
    save(folder / side / "x.npy", floats({1}));
    save(folder / side / (std::string("deep/er/y") + (*side == 'a' ? ".npy" : ".pb")), floats({2}));
    save_npz(folder / side / "deep/z.npz", {{"m", floats({*side == 'a' ? 5.0F : 6.0F})}});
    folder.write(std::string(side) + "/notes.txt", side);
  }
  CHECK(told(folder / "a", folder / "b") == Lines{"y equal", "z.npz:m 1 of 1", "x equal"});
  CHECK(pair_tensors((folder / "a").string(), (folder / "b").string())[0].name == "deep/er/y");
  save(folder / "a/only.npy", floats({1}));
  save(folder / "b/deep/only.npy", floats({1}));
  CHECK(told(folder / "a", folder / "b") ==
        Lines{"y equal", "only missing in actual", "z.npz:m 1 of 1", "only missing in expected", "x equal"});
  fs::create_directory(folder / "empty");
  CHECK(told(folder / "empty", folder / "b").size() == 4);
  CHECK(refused(Fault::usage, [&] { told(folder / "empty", folder / "empty"); }).starts_with("there are no tensors"));
  CHECK(refused(Fault::usage, [&] { told(folder / "a", folder / "b/x.npy"); }).find(" is a folder, but ") !=
        std::string::npos);
  save(folder / "b/x.pb", floats({1}));
  CHECK(refused(Fault::usage, [&] { told(folder / "a", folder / "b"); }) == "there are two tensors 'x'");
  fs::remove(folder / "b/x.pb");
  fs::create_directory_symlink(folder / "b", folder / "b/back");
  CHECK(refused(Fault::system, [&] { told(folder / "a", folder / "b"); }).starts_with("the link "));
}

TEST_CASE("Linked folders are compared too", "[compare][diff]") {
  const TemporaryFolder folder;
  save(folder / "real/x.npy", floats({1}));
  save(folder / "wrong/x.npy", floats({2}));
  for (const char* side : {"a", "b"}) {
    fs::create_directory(folder / side);
    fs::create_directory_symlink(folder / (*side == 'a' ? "wrong" : "real"), folder / (std::string(side) + "/linked"));
  }
  CHECK(told(folder / "a", folder / "b") == Lines{"x 1 of 1"});
}

// One and two bytes as numpy writes types that it does not know.
std::string npy(const std::string& descr, const std::string& elements, int count) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  header.append(117 - header.size(), ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + elements;
}

TEST_CASE("A file that leaves its type open gets the other one's", "[compare][diff]") {
  const TemporaryFolder folder;
  const std::string one("\x80\x3f", 2);
  const auto bfloat16 = [](std::uint16_t bits) {
    return Tensor::of<std::uint16_t>(DType::bfloat16, Dims{1}, std::span(&bits, 1));
  };
  save(folder / "b.pb", bfloat16(0x3f80));
  save(folder / "f.npy", floats({1}));
  folder.write("v2.npy", npy("<V2", one, 1));
  folder.write("u2.npy", npy("<u2", one, 1));
  folder.write("v1.npy", npy("|V1", "\x38", 1));
  folder.write("also-v1.npy", npy("|V1", "\x38", 1));
  const std::uint8_t e4m3 = 0x38;
  save(folder / "e.pb", Tensor::of<std::uint8_t>(DType::float8_e4m3fn, Dims{1}, std::span(&e4m3, 1)));
  CHECK(told(folder / "v2.npy", folder / "b.pb") == Lines{"v2.npy equal"});
  CHECK(told(folder / "b.pb", folder / "v2.npy") == Lines{"b.pb equal"});
  CHECK(told(folder / "u2.npy", folder / "b.pb") == Lines{"u2.npy equal"});
  CHECK(told(folder / "u2.npy", folder / "v2.npy") == Lines{"u2.npy equal"});
  CHECK(told(folder / "u2.npy", folder / "u2.npy") == Lines{"u2.npy equal"});
  const std::string said = "warning: descr '<V2' does not say the element type; it is read as bfloat16";
  CHECK(told(folder / "v2.npy", folder / "v2.npy") == Lines{"v2.npy equal", said, said});
  CHECK(told(folder / "v2.npy", folder / "v2.npy", DType::bfloat16) == Lines{"v2.npy equal"});
  CHECK(told(folder / "v1.npy", folder / "e.pb") == Lines{"v1.npy equal"});
  CHECK(told(folder / "v1.npy", folder / "f.npy") == Lines{"v1.npy dtype |V1, but float32 is expected"});
  CHECK(told(folder / "f.npy", folder / "v1.npy") == Lines{"f.npy dtype float32, but |V1 is expected"});
  CHECK(told(folder / "v2.npy", folder / "f.npy") ==
        Lines{"v2.npy dtype bfloat16, but float32 is expected, and the values are equal"});
  CHECK(told(folder / "v1.npy", folder / "also-v1.npy", DType::float8_e5m2) == Lines{"v1.npy equal"});
  CHECK(refused(Fault::usage, [&] { told(folder / "v1.npy", folder / "also-v1.npy"); }) ==
        "neither file says which type of up to 8 bits it has");
}

TEST_CASE("A stated type that the bytes cannot have is no verdict", "[compare][diff]") {
  const TemporaryFolder folder;
  const auto file = [&](std::string_view name, std::string_view descr) {
    return folder.write(name, npy(std::string(descr), descr == "|V1" ? "\x38" : "\x38\x3f", 1));
  };
  const fs::path one = file("one.npy", "|V1"), two = file("two.npy", "<V2");
  const auto message = [&](const fs::path& path, DType dtype) {
    return refused(Fault::usage, [&] { told(path, path, dtype); });
  };
  CHECK(message(one, DType::float32) ==
        format("the elements of {} cannot be float32, by their descr '|V1'", one.string()));
  CHECK(message(two, DType::float32).ends_with(" cannot be float32, by their descr '<V2'"));
  CHECK(message(two, DType::int8).ends_with(" cannot be int8, by their descr '<V2'"));
  CHECK(told(one, one, DType::float8_e4m3fn) == Lines{"one.npy equal"});
  CHECK(told(two, two, DType::bfloat16) == Lines{"two.npy equal"});
}

}  // namespace
}  // namespace opref::check::diff_test
