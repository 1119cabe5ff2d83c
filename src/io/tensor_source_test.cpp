// SPDX-License-Identifier: Apache-2.0
#include "io/tensor_source.h"

#include <catch2/catch.hpp>
#include <cstdint>

#include "io/folder_testing.h"
#include "io/literal.h"
#include "io/numpy/npy.h"
#include "io/onnx/onnx.h"
#include "io/onnx/testing.h"

namespace tensor_source_test {

using namespace opref::io;
namespace fs = std::filesystem;

namespace {

TensorSource source_of(const fs::path& file, std::optional<DType> dtype = {}, std::optional<Dims> shape = {}) {
  return {.from = TensorSource::File{file}, .dtype = dtype, .shape = shape};
}

/// A file of one axis, as numpy writes it with this descr, of elements in hexadecimal.
std::string npy(std::string_view descr, int size, std::string_view elements) {
  const std::string dictionary = format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}\n", descr, size);
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(dictionary.size()) + '\0' + dictionary +
         from_hex(elements);
}

std::string text_of(const Value& value) {
  return to_text(value.tensor()->type()) + " " + to_hex(value.tensor()->bytes());
}

std::string text_of(const TensorSource& source) { return text_of(load(source).value); }

/// Fault, message and places.
template <class Body>
std::string full_error(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return std::string(name(error.fault())) + ": " + error.text();
  }
  return "no error";
}

std::string error_of_source(const TensorSource& source) {
  return full_error([&] { load(source); });
}

std::string place_of(const fs::path& path) { return "\n  in " + path.string(); }

}  // namespace

TEST_CASE("the content decides what a file is, and else its name", "[io]") {
  const TemporaryFolder folder;
  const std::string array = npy("<i2", 2, "01000200");
  CHECK(text_of(source_of(folder.write("x.npy", array))) == "int16[2] 01000200");
  CHECK(text_of(source_of(folder.write("x.bin", array))) == "int16[2] 01000200");
  CHECK(text_of(source_of(folder.write("array.pb", array))) == "int16[2] 01000200");
  save_npz(folder / "x.npz", {{"only", *load(source_of(folder / "x.npy")).value.tensor()}});
  fs::copy_file(folder / "x.npz", folder / "zipped");
  CHECK(text_of(source_of(folder / "zipped")) == "int16[2] 01000200");
  // onnx 1.23.2: numpy_helper.from_array(numpy.array([1.5, -0.], 'f4')).SerializeToString(), with typed data
  const fs::path tensor = folder.write("x.pb", from_hex("0802100122080000c03f00000080"));
  CHECK(text_of(source_of(tensor)) == "float32[2] 0000c03f00000080");
}

TEST_CASE("files that are none of these", "[io]") {
  const TemporaryFolder folder;
  const fs::path raw = folder.write("x.bin", "1234");
  CHECK(error_of_source(source_of(raw)) ==
        "usage: the file is neither .npy, .npz, .pb, .pt nor .safetensors; raw bytes need a type and a shape: "
        "NAME:float32[1,3]=FILE" +
            place_of(raw));
  for (const auto& [name, content] : {std::pair("x.csv", "a,b\n1,2\n"), {"x", "1 2.5\n-3e4 4\n"}}) {
    const fs::path table = folder.write(name, content);
    CHECK(error_of_source(source_of(table)) ==
          "usage: the file is text, which is not read: save the tensor with numpy.save" + place_of(table));
  }
  const fs::path gzip = folder.write("x.gz", "\x1f\x8b\x08");
  CHECK(error_of_source(source_of(gzip)) == "malformed: the file is gzip: decompress it" + place_of(gzip));
  const fs::path text = folder.write("x.npy", "1234");
  CHECK(error_of_source(source_of(text)) ==
        "malformed: the file is no .npy: it does not begin with '\\x93NUMPY'" + place_of(text));
  const fs::path zip = folder.write("x.npz", "");
  CHECK(error_of_source(source_of(zip)) == "malformed: the file is empty" + place_of(zip));
  CHECK(error_of_source(source_of(folder / "none.npy")) == "system: no such file: " + (folder / "none.npy").string());
}

TEST_CASE("raw bytes take exactly the stated type", "[io]") {
  const TemporaryFolder folder;
  const fs::path raw = folder.write("x.bin", from_hex("003c00c0003e"));
  CHECK(text_of(source_of(raw, DType::float16, Dims{1, 3})) == "float16[1,3] 003c00c0003e");
  CHECK(error_of_source(source_of(raw, DType::float16, Dims{2, 2})) ==
        "malformed: float16[2,2] takes 8 bytes, but the file has 6" + place_of(raw));
  CHECK(error_of_source(source_of(raw, DType::float16, Dims{2})) ==
        "malformed: float16[2] takes 4 bytes, but the file has 6" + place_of(raw));
  CHECK(error_of_source(source_of(raw, {}, Dims{2})) ==
        "usage: raw bytes need a type beside the shape [2]" + place_of(raw));
  CHECK(error_of_source(source_of(raw, DType::string, Dims{2})) ==
        "unsupported: strings are not read from raw bytes" + place_of(raw));
  CHECK(text_of(source_of(folder.write("empty", ""), DType::float32, Dims{0, 2})) == "float32[0,2] ");
  CHECK(text_of(source_of(folder.write("bools", from_hex("00017f")), DType::boolean, Dims{3})) == "bool[3] 000101");
  // Three 4-bit elements: what the last byte has above them is nobody's.
  CHECK(text_of(source_of(folder.write("packed", from_hex("21f3")), DType::int4, Dims{3})) == "int4[3] 2103");
  // Its content looks like an .npy, but the type says otherwise.
  CHECK(text_of(source_of(folder.write("magic", "\x93NUMPY"), DType::uint8, Dims{6})) == "uint8[6] 934e554d5059");
}

TEST_CASE("a stated type or shape that the file contradicts", "[io]") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("x.npy", npy("<f4", 1, "0000803f"));
  CHECK(text_of(source_of(file, DType::float32, Dims{1})) == "float32[1] 0000803f");
  CHECK(error_of_source(source_of(file, DType::int32)) ==
        "usage: the file has elements of type float32, but int32 is stated" + place_of(file));
  CHECK(error_of_source(source_of(file, DType::float32, Dims{1, 1})) ==
        "usage: the file has shape [1], but [1,1] is stated" + place_of(file));
  const fs::path open = folder.write("v2.npy", npy("<V2", 1, "803f"));
  CHECK(error_of_source(source_of(open, DType::float16)) ==
        "usage: the file's descr '<V2' cannot be float16, which is stated" + place_of(open));
  TensorSource initializer{TensorSource::Loaded{[](std::int64_t) { return Value(Tensor()); }}};
  CHECK(text_of(initializer) == "float32[0] ");
  initializer.dtype = DType::int8;
  CHECK(error_of_source(initializer) == "usage: the file has elements of type float32, but int8 is stated");
}

TEST_CASE("a stated type settles an open one", "[io]") {
  const TemporaryFolder folder;
  const auto stated = [&](std::string_view descr, std::string_view elements, DType dtype) {
    const int size = static_cast<int>(elements.size()) / (descr.ends_with('2') ? 4 : 2);
    const LoadedTensor loaded = load(source_of(folder.write("x.npy", npy(descr, size, elements)), dtype));
    CHECK(loaded.open_descr.empty());
    return text_of(loaded.value);
  };
  CHECK(stated("<V2", "803f", DType::bfloat16) == "bfloat16[1] 803f");
  CHECK(stated("<u2", "803f", DType::bfloat16) == "bfloat16[1] 803f");
  CHECK(stated("<u2", "803f", DType::uint16) == "uint16[1] 803f");
  CHECK(stated("|V1", "3cfe", DType::float8_e4m3fn) == "float8_e4m3fn[2] 3cfe");
  for (const DType dtype : {DType::int8, DType::uint8, DType::boolean}) {
    const fs::path file = folder.write("x.npy", npy("<V1", 2, "0280"));
    CHECK(error_of_source(source_of(file, dtype)) ==
          format("usage: the file's descr '<V1' cannot be {}, which is stated", dtype) + place_of(file));
  }
}

TEST_CASE("one byte for each 4- or 2-bit element, as ml_dtypes 0.6.0 saves them", "[io]") {
  const TemporaryFolder folder;
  const auto packed = [&](std::string_view elements, DType dtype) {
    const int size = static_cast<int>(elements.size()) / 2;
    return text_of(source_of(folder.write("x.npy", npy("<V1", size, elements)), dtype));
  };
  CHECK(packed("010f070803", DType::int4) == "int4[5] f18703");                      // 1, -1, 7, -8, 3
  CHECK(packed("01ff07f803", DType::int4) == "int4[5] f18703");                      // the same, sign-extended
  CHECK(packed("010f07", DType::uint4) == "uint4[3] f107");                          // 1, 15, 7
  CHECK(packed("020f01", DType::float4_e2m1fn) == "float4_e2m1fn[3] f201");          // 1, -6, 0.5
  CHECK(packed("010302", DType::int2) == "int2[3] 2d");                              // 1, -1, -2
  CHECK(packed("0c3f011820", DType::float6_e3m2fn) == "float6_e3m2fn[5] cc1f6020");  // 1, -28, 0.0625, 8, -0
  const fs::path file = folder.write("bad.npy", npy("<V1", 2, "01ff"));
  CHECK(error_of_source(source_of(file, DType::uint4)) ==
        "malformed: element 1 is the byte 255, which is no uint4" + place_of(file));
  const fs::path positive = folder.write("bad2.npy", npy("<V1", 2, "f701"));
  CHECK(error_of_source(source_of(positive, DType::int4)) ==
        "malformed: element 0 is the byte 247, which is no int4" + place_of(positive));
}

TEST_CASE("the node settles an open type, and nothing else", "[io]") {
  const TemporaryFolder folder;
  const auto settled = [&](std::string_view descr, std::string_view elements, DType dtype) {
    const int size = static_cast<int>(elements.size()) / (descr.ends_with('2') ? 4 : 2);
    return text_of(settle(load(source_of(folder.write("x.npy", npy(descr, size, elements)))), dtype));
  };
  CHECK(settled("<V2", "803f", DType::bfloat16) == "bfloat16[1] 803f");
  CHECK(settled("<u2", "803f", DType::bfloat16) == "bfloat16[1] 803f");
  CHECK(settled("<u2", "803f", DType::uint16) == "uint16[1] 803f");
  CHECK(settled("|V1", "3c", DType::float8_e5m2) == "float8_e5m2[1] 3c");
  CHECK(settled("<V1", "010f", DType::int4) == "int4[2] f1");
  CHECK(settled("<i2", "803f", DType::bfloat16) == "int16[1] 803f");
  CHECK(settled("<u2", "803f", DType::float16) == "uint16[1] 803f");
  CHECK(settled("<V2", "803f", DType::float16) == "bfloat16[1] 803f");
  CHECK(full_error([&] { settled("|V1", "3c", DType::float32); }) ==
        "usage: the file's descr '|V1' cannot be float32, which the node asks for" + place_of(folder / "x.npy"));
}

TEST_CASE("open types without a node", "[io]") {
  const TemporaryFolder folder;
  std::vector<std::string> warnings;
  const auto alone = [&](std::string_view descr, std::string_view elements) {
    return text_of(settle_alone(load(source_of(folder.write("x.npy", npy(descr, 1, elements)))), warnings));
  };
  const std::string file = (folder / "x.npy").string();
  CHECK(alone("<f2", "803f") == "float16[1] 803f");
  CHECK(alone("<u2", "803f") == "uint16[1] 803f");
  CHECK(alone("<g2", "803f") == "bfloat16[1] 803f");
  CHECK(warnings.empty());
  CHECK(alone("|V2", "803f") == "bfloat16[1] 803f");
  CHECK(warnings ==
        std::vector<std::string>{file + ": descr '|V2' does not say the element type; it is read as bfloat16"});
  CHECK(full_error([&] { alone("<V1", "3c"); }) ==
        "usage: the file's descr '<V1' can be any type of at most 8 bits (float8_e4m3fn, int4, …): state it as in "
        "NAME:float8_e4m3fn=FILE" +
            place_of(folder / "x.npy"));
}

TEST_CASE("a .pb without elements is of the node's type, or one that is warned of", "[io]") {
  const TemporaryFolder folder;
  // SequenceProto { elem_type: TENSOR }
  const std::filesystem::path file = folder.write("e.pb", std::string_view("\x10\x01"));
  std::vector<std::string> warnings;
  CHECK(to_text(type_of(settle(load(source_of(file)), DType::int64))) == "sequence of int64");
  TensorSource stated = source_of(file);
  stated.dtype = DType::int64;
  CHECK(to_text(type_of(settle_alone(load(stated), warnings))) == "sequence of int64");
  CHECK(warnings.empty());
  CHECK(to_text(type_of(settle_alone(load(source_of(file)), warnings))) == "sequence of float32");
  CHECK(
      warnings ==
      std::vector<std::string>{
          file.string() +
          ": no element says of which type it is; it is read as sequence of float32: NAME:int64=FILE states another"});
}

TEST_CASE("arrays of an .npz", "[io]") {
  const TemporaryFolder folder;
  const Tensor tensor = *load(source_of(folder.write("x.npy", npy("<i2", 2, "01000200")))).value.tensor();
  save_npz(folder / "two.npz", {{"a", tensor}, {"b", tensor.reshaped({1, 2})}});
  TensorSource source = source_of(folder / "two.npz");
  CHECK(error_of_source(source) ==
        "usage: the .npz has 2 arrays: name one of a, b, as in FILE.npz:a" + place_of(folder / "two.npz"));
  std::get<TensorSource::File>(source.from).member = "b";
  CHECK(text_of(source) == "int16[1,2] 01000200");
  std::get<TensorSource::File>(source.from).member = "c";
  CHECK(error_of_source(source) == "usage: there is no array 'c'" + place_of(folder / "two.npz") + ":c");
  save_npz(folder / "none.npz", {});
  CHECK(error_of_source(source_of(folder / "none.npz")) ==
        "usage: the .npz has no arrays, so nothing says of what type they would be: state it as in NAME:float32=FILE" +
            place_of(folder / "none.npz"));
  source = source_of(folder / "x.npy");
  std::get<TensorSource::File>(source.from).member = "a";
  CHECK(error_of_source(source) ==
        "usage: the file is no .npz, so it has no member 'a'" + place_of(folder / "x.npy") + ":a");
}

TEST_CASE("literals get their type from what is stated, or from the node", "[io]") {
  TensorSource source;
  source.from = parse_literal("[[1,2],[3,-4]]");
  const LoadedTensor open = load(source);
  REQUIRE(open.literal.has_value());
  CHECK(text_of(settle(open, DType::int8)) == "int8[2,2] 010203fc");
  CHECK(text_of(settle(open, DType::bfloat16)) == "bfloat16[2,2] 803f0040404080c0");
  std::vector<std::string> warnings;
  CHECK(full_error([&] { settle_alone(open, warnings); }) ==
        "usage: values without a type: state it as in NAME=[[1,2],[3,4]]:float32");
  for (const auto& [text, example] : {std::pair{"0.5", "0.5:float32"},
                                      {"[1,-2]", "[1,-2]:float32"},
                                      {"[1,2,3,4,5]", "NAME=[[1,2],[3,4]]:float32"},
                                      {"[]", "NAME=[[1,2],[3,4]]:float32"},
                                      {"[true,false]", "[true,false]:bool"},
                                      {R"(["a"])", R"(NAME=["a","b"]:string)"},
                                      {R"("\b")", R"(NAME=["a","b"]:string)"}}) {
    TensorSource short_one;
    short_one.from = parse_literal(text);
    CHECK(full_error([&] { settle_alone(load(short_one), warnings); }) ==
          format("usage: values without a type: state it as in {}", example));
  }
  const TemporaryFolder folder;
  const fs::path list = folder.write("list.json", "[[1, 2],\n [3, -4]]\n");
  CHECK(text_of(source_of(list, DType::int8)) == "int8[2,2] 010203fc");
  CHECK(text_of(settle(load(source_of(list)), DType::bfloat16)) == "bfloat16[2,2] 803f0040404080c0");
  CHECK(full_error([&] {
          settle_alone(load(source_of(list)), warnings);
        }).starts_with("usage: the file has values without a type: state it as in NAME:float32=FILE"));
  CHECK(full_error([&] {
          load(source_of(folder.write("object.json", "[{\"a\": 1}]")));
        }).starts_with("malformed: the JSON is no value: a tensor is a list"));
  source.shape = Dims{4};
  CHECK(error_of_source(source) == "usage: the values have shape [2,2], but [4] is stated");
  source.shape.reset();
  source.dtype = DType::uint8;
  CHECK(error_of_source(source).starts_with("usage: "));
  source.dtype = DType::int8;
  CHECK_FALSE(load(source).literal.has_value());
  CHECK(text_of(source) == "int8[2,2] 010203fc");
}

TEST_CASE("more bytes than the limit are refused, whatever keeps them", "[io]") {
  TemporaryFolder folder;
  const Tensor tensor = Tensor::copy_of({DType::float32, {2, 3}}, std::vector<std::byte>(24));
  save_npz(folder / "a.npz", {{"a", tensor}});
  FileWriter npy(folder / "a.npy");
  write_npy(npy, tensor);
  npy.commit();
  // The same in Fortran order, which is copied.
  std::string fortran = content_of(folder / "a.npy");
  fortran.replace(fortran.find("False, "), 7, "True,  ");
  folder.write("f.npy", fortran);
  folder.write("a.pb", onnx_value_bytes("a", tensor));
  folder.write("a.bin", std::string(24, '\0'));
  std::vector<TensorSource> sources;
  for (const char* name : {"a.npz", "a.npy", "f.npy", "a.pb", "a.bin"})
    sources.push_back({TensorSource::File{folder / name}});
  sources.back().dtype = DType::float32;
  sources.back().shape = Dims{2, 3};
  sources.emplace_back().from = parse_literal("[[1,2,3],[4,5,6]]");
  sources.back().dtype = DType::float32;
  for (const TensorSource& source : sources) {
    INFO((source.file() == nullptr ? "" : source.file()->path.string()));
    CHECK(load(source, 24).value.tensor()->type() == tensor.type());
    CHECK(error_of([&] { load(source, 23); }) == "system: float32[2,3] takes 24 bytes, but the limit leaves 23");
  }
  // An .npz, before its elements are read: a wrong checksum is not met.
  std::string broken = content_of(folder / "a.npz");
  broken[broken.find("PK\x01\x02") - 1] = 1;
  folder.write("broken.npz", broken);
  sources.front().from = TensorSource::File{folder / "broken.npz"};
  CHECK(error_of([&] { load(sources.front(), 24); }).starts_with("malformed: the member cannot be read"));
  CHECK(error_of([&] { load(sources.front(), 23); }).starts_with("system: float32[2,3] takes 24 bytes"));
}

}  // namespace tensor_source_test
