// SPDX-License-Identifier: Apache-2.0
#include "io/numpy/npy.h"

#include <catch2/catch.hpp>
#include <cstdint>

#include "io/elements.h"
#include "io/folder_testing.h"
#include "io/numpy/npy_header.h"
#include "io/onnx/testing.h"

namespace npy_test {

using namespace opref::io;

namespace {

std::string little_endian(size_t value, size_t bytes) {
  std::string text;
  for (; bytes > 0; --bytes, value >>= 8) text += static_cast<char>(value & 0xff);
  return text;
}

/// A file with this dictionary, not padded, and these elements in hexadecimal.
std::string npy(std::string_view dictionary, std::string_view elements, char version = 1) {
  return std::string("\x93NUMPY") + version + std::string(1, '\0') +
         little_endian(dictionary.size(), version == 1 ? 2 : 4) + std::string(dictionary) + from_hex(elements);
}

std::string dictionary(std::string_view descr, std::string_view shape, std::string_view order = "False") {
  return format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}\n", descr, order, shape);
}

LoadedTensor load_text(const std::string& file) { return read_npy(file_of(file)); }

/// "float32[2,3] 0000803f…", with the open descr before it
std::string text_of(const LoadedTensor& loaded) {
  const Tensor& tensor = *loaded.value.tensor();
  return loaded.open_descr + (loaded.open_descr.empty() ? "" : " ") + to_text(tensor.type()) + " " +
         to_hex(tensor.bytes());
}

std::string text_of(const std::string& file) { return text_of(load_text(file)); }

std::string error_of_file(const std::string& file) {
  return error_of([&] { load_text(file); });
}

std::string error_of_dictionary(std::string_view text) { return error_of_file(npy(text, "")); }

struct Header {
  DType dtype;
  Dims shape;
  size_t size;
  std::string_view dictionary;
};

// numpy 2.4.6 and ml_dtypes 0.6.0: numpy.save(file, numpy.zeros(shape, dtype)); of sizes that no memory holds:
// numpy.lib.format.write_array_header_1_0. Spaces and a newline follow up to the size.
const Header kHeaders[] = {
    // clang-format off
    {DType::float32, {2, 3}, 128, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"},
    {DType::float32, {}, 128, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }"},
    {DType::float64, {0}, 128, "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }"},
    {DType::int64, {5}, 128, "{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }"},
    {DType::boolean, {1, 2, 3, 4}, 128, "{'descr': '|b1', 'fortran_order': False, 'shape': (1, 2, 3, 4), }"},
    {DType::uint8, {3}, 128, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }"},
    {DType::int8, {3}, 128, "{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }"},
    {DType::uint16, {3}, 128, "{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }"},
    {DType::int16, {3}, 128, "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }"},
    {DType::int32, {3}, 128, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }"},
    {DType::uint32, {3}, 128, "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }"},
    {DType::uint64, {3}, 128, "{'descr': '<u8', 'fortran_order': False, 'shape': (3,), }"},
    {DType::float16, {1, 3, 224, 224}, 128, "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 3, 224, 224), }"},
    {DType::complex64, {7}, 128, "{'descr': '<c8', 'fortran_order': False, 'shape': (7,), }"},
    {DType::complex128, {7}, 128, "{'descr': '<c16', 'fortran_order': False, 'shape': (7,), }"},
    {DType::float32, {9223372036854775807}, 128, "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,), }"},
    {DType::float32, {1000000000000, 3, 5, 7}, 128, "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 3, 5, 7), }"},
    {DType::int64, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 192, "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), }"},
    {DType::uint8, {9223372036854775807, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 192, "{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), }"},
    {DType::bfloat16, {1, 64, 32, 32}, 128, "{'descr': '<V2', 'fortran_order': False, 'shape': (1, 64, 32, 32), }"},
    {DType::float8_e4m3fn, {4}, 128, "{'descr': '<V1', 'fortran_order': False, 'shape': (4,), }"},
    {DType::float8_e5m2, {4}, 128, "{'descr': '<V1', 'fortran_order': False, 'shape': (4,), }"},
    {DType::float8_e5m2fnuz, {4}, 128, "{'descr': '<V1', 'fortran_order': False, 'shape': (4,), }"},
    {DType::float8_e4m3fnuz, {4}, 128, "{'descr': '<V1', 'fortran_order': False, 'shape': (4,), }"},
    {DType::float8_e8m0fnu, {4}, 128, "{'descr': '<V1', 'fortran_order': False, 'shape': (4,), }"},
    // clang-format on
};

}  // namespace

TEST_CASE("headers are numpy's to the byte", "[numpy]") {
  for (const Header& header : kHeaders) {
    std::string expected = "\x93NUMPY\x01" + std::string(1, '\0') + little_endian(header.size - 10, 2);
    expected += header.dictionary;
    expected.append(header.size - 1 - expected.size(), ' ');
    CHECK(npy_header({header.dtype, header.shape}) == expected + '\n');
  }
}

TEST_CASE("the room for growth can cost a line of 64 bytes", "[numpy]") {
  // numpy 2.4.6: with a first axis of one digit the dictionary gets 20 spaces before it is padded to 64.
  CHECK(npy_header({DType::float16, {1, 100000000, 1000000000, 1000000000, 100}}).size() == 128);
  CHECK(npy_header({DType::float16, {1, 100000000, 1000000000, 1000000000, 1000}}).size() == 192);
}

namespace {

/// "descr: elements" of what is written.
std::string written(const Tensor& tensor) {
  const NpyContent content = npy_content(tensor);
  const size_t descr = content.header.find(": '") + 3;
  return content.header.substr(descr, content.header.find("', 'f") - descr) + ": " + to_hex(content.elements.bytes());
}

Tensor read_back(const Tensor& tensor) {
  const NpyContent content = npy_content(tensor);
  const std::string_view elements(reinterpret_cast<const char*>(content.elements.bytes().data()),
                                  content.elements.bytes().size());
  return *load_text(content.header + std::string(elements)).value.tensor();
}

}  // namespace

TEST_CASE("strings are numpy's to the byte, and are read back", "[numpy]") {
  using Strings = std::vector<std::string>;
  // numpy 2.4.6: numpy.save of numpy.array(["a", "bcd", ""]), of "x", of no strings, of [["é", "😀"]], of two empty
  // ones.
  CHECK(written({Dims{3}, Strings{"a", "bcd", ""}}) ==
        "<U3: 610000000000000000000000620000006300000064000000000000000000000000000000");
  CHECK(written({Dims{}, Strings{"x"}}) == "<U1: 78000000");
  CHECK(written({Dims{0}, Strings{}}) == "<U1: ");
  CHECK(written({Dims{1, 2}, Strings{"\xc3\xa9", "\xf0\x9f\x98\x80"}}) == "<U1: e900000000f60100");
  CHECK(written({Dims{2}, Strings{"", ""}}) == "<U1: 0000000000000000");
  const Tensor strings{Dims{2, 2}, Strings{"\xf0\x9f\x98\x80z", "", std::string("a\0b", 3), "plain"}};
  CHECK(std::ranges::equal(read_back(strings).strings(), strings.strings()));
  CHECK(read_back(strings).shape() == Dims{2, 2});
}

TEST_CASE("strings as other programs write them", "[numpy]") {
  const auto strings = [](const std::string& file) {
    return join_text(load_text(file).value.tensor()->strings(), "|");
  };
  CHECK(strings(npy(dictionary("'|S2'", "(2,)"), "61626300")) == "ab|c");
  CHECK(strings(npy(dictionary("'|S0'", "(2,)"), "")) == "|");
  CHECK(strings(npy(dictionary("'>U2'", "(1,)"), "0000006100000062")) == "ab");
  CHECK(strings(npy(dictionary("'|S1'", "(2, 3)", "True"), "616263646566")) == "a|c|e|b|d|f");
  CHECK(error_of_file(npy(dictionary("'<U1'", "(1,)"), "00d80000")) ==
        "malformed: element 0 has the character 55296, which is no code point of Unicode");
  CHECK(error_of_file(npy(dictionary("'<U2'", "(2,)"), "61000000")) ==
        "malformed: the header says '<U2'[2] (16 bytes), but only 4 bytes follow the header");
  CHECK(error_of_file(npy(dictionary("'|S0'", "(1000000000000000,)"), "")).starts_with("system: "));
}

TEST_CASE("strings that .npy cannot store", "[numpy]") {
  const auto problem = [](const std::string& text) {
    return error_of([&] { npy_content({Dims{2}, std::vector<std::string>{"a", text}}); });
  };
  CHECK(
      problem(std::string("x\0", 2)) ==
      "unsupported: .npy cannot store element 1 of string[2], 'x\\x00', which ends with NUL; a TensorProto (.pb) can");
  CHECK(problem("\xff") ==
        "unsupported: .npy cannot store element 1 of string[2], '\\xff', which is no UTF-8; a TensorProto (.pb) can");
}

TEST_CASE("bytes that are no UTF-8 are no strings", "[numpy]") {
  CHECK(error_of_file(npy(dictionary("'|S2'", "(2,)"), "6100c328")) ==
        "malformed: element [1] is '\\xc3(', but strings are UTF-8");
}

TEST_CASE("packed types: an element is a byte, in its low bits", "[numpy]") {
  const auto packed = [](DType dtype, std::int64_t count, std::string_view hex) {
    const std::string bytes = from_hex(hex);
    return Tensor::copy_of({dtype, Dims{count}}, std::as_bytes(std::span(bytes)));
  };
  // numpy 2.4.6 with ml_dtypes 0.6.0: numpy.save of numpy.array([1, -1, -8], ml_dtypes.int4)
  CHECK(written(packed(DType::int4, 3, "f108")) == "<V1: 010f08");
  CHECK(written(packed(DType::uint2, 5, "e403")) == "<V1: 0001020303");
  CHECK(written(packed(DType::float6_e2m3fn, 4, "4120fc")) == "<V1: 0101023f");
  for (const DType dtype : {DType::int4, DType::uint4, DType::float4_e2m1fn}) {
    const Tensor tensor = packed(dtype, 3, "f108");
    CHECK(to_hex(retyped_bytes(read_back(tensor), dtype).bytes()) == "f108");
  }
}

TEST_CASE("what is written is read back", "[numpy]") {
  const TemporaryFolder folder;
  const float elements[] = {1.5F, -0.0F, 3e38F, 1e-45F, 0, 7};
  const Tensor tensor = Tensor::of<float>(DType::float32, {3, 2}, elements);
  FileWriter writer(folder / "x.npy");
  write_npy(writer, tensor);
  writer.commit();
  const FileBytes file = read_file(folder / "x.npy");
  CHECK(file.bytes.size() == 128 + sizeof(elements));
  CHECK(text_of(read_npy(file)) == "float32[3,2] " + to_hex(std::as_bytes(std::span(elements))));
}

TEST_CASE("native elements stay in the file; only an odd header makes a copy", "[numpy]") {
  const FileBytes file = file_of(npy_header({DType::float32, {2}}) + from_hex("0000803f00000040"));
  const Tensor mapped = *read_npy(file).value.tensor();
  CHECK(static_cast<const void*>(mapped.bytes().data()) == file.bytes.data() + 128);
  CHECK(file.owner.use_count() == 2);
  const FileBytes odd = file_of(npy(dictionary("'<f4'", "(2,)") + " ", "0000803f00000040"));
  REQUIRE(reinterpret_cast<std::uintptr_t>(odd.bytes.last(8).data()) % 4 != 0);
  const Tensor copied = *read_npy(odd).value.tensor();
  CHECK(reinterpret_cast<std::uintptr_t>(copied.bytes().data()) % 4 == 0);
  CHECK(to_hex(copied.bytes()) == "0000803f00000040");
}

TEST_CASE("files of numpy 2.4.6", "[numpy]") {
  const std::string values = "0000803f0000004000004040000080400000a0400000c040";  // 1 to 6
  const std::string c_order = dictionary("'<f4'", "(2, 3)");
  // numpy.save(f, numpy.asfortranarray(numpy.array([[1, 2, 3], [4, 5, 6]], '<f4')))
  CHECK(
      text_of(from_hex("934e554d5059010076007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a205472"
                       "75652c20277368617065273a2028322c2033292c207d20202020202020202020202020202020202020202020202020"
                       "202020202020202020202020202020202020202020202020202020202020202020200a0000803f0000804000000040"
                       "0000a040000040400000c040")) == "float32[2,3] " + values);
  // The same as '>f4'.
  CHECK(
      text_of(from_hex("934e554d5059010076007b276465736372273a20273e6634272c2027666f727472616e5f6f72646572273a204661"
                       "6c73652c20277368617065273a2028322c2033292c207d202020202020202020202020202020202020202020202020"
                       "202020202020202020202020202020202020202020202020202020202020202020200a3f8000004000000040400000"
                       "4080000040a0000040c00000")) == "float32[2,3] " + values);
  // numpy.lib.format.write_array(f, the same, version=(2, 0)), and (3, 0)
  for (const std::string version : {"02", "03"}) {
    CHECK(text_of(from_hex("934e554d5059" + version +
                           "00740000007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a2046616c73652c"
                           "20277368617065273a2028322c2033292c207d2020202020202020202020202020202020202020202020202020"
                           "2020202020202020202020202020202020202020202020202020202020200a" +
                           values)) == "float32[2,3] " + values);
  }
  // asfortranarray(arange(24, dtype='<i2').reshape(2, 3, 4))
  CHECK(text_of(
            npy(dictionary("'<i2'", "(2, 3, 4)", "True"),
                "00000c00040010000800140001000d00050011000900150002000e00060012000a00160003000f00070013000b001700")) ==
        "int16[2,3,4] 000001000200030004000500060007000800090"
        "00a000b000c000d000e000f001000110012001300140015001600"
        "1700");
  // array([1+2j], '>c8'): the two halves are swapped, not exchanged
  CHECK(text_of(npy(dictionary("'>c8'", "(1,)"), "3f80000040000000")) == "complex64[1] 0000803f00000040");
  // array([1, -2, 0.5], ml_dtypes.bfloat16)
  CHECK(text_of(npy(dictionary("'<V2'", "(3,)"), "803f00c0003f")) == "<V2 bfloat16[3] 803f00c0003f");
}

TEST_CASE("Fortran order and byte order, also together and of every size of element", "[numpy]") {
  // [[1, 2], [3, 4], [5, 6]]: column by column in the file
  CHECK(text_of(npy(dictionary("'|u1'", "(3, 2)", "True"), "010305020406")) == "uint8[3,2] 010203040506");
  CHECK(text_of(npy(dictionary("'>u2'", "(3, 2)", "True"), "000100030005000200040006")) ==
        ">u2 uint16[3,2] 010002000300040005000600");
  CHECK(text_of(npy(dictionary("'>i8'", "(1, 2)", "True"), "00000000000000010000000000000002")) ==
        "int64[1,2] 01000000000000000200000000000000");
  CHECK(text_of(npy(dictionary("'<c16'", "(2, 1)", "True"),
                    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")) ==
        "complex128[2,1] 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  CHECK(text_of(npy(dictionary("'>c16'", "(1,)"), "000102030405060708090a0b0c0d0e0f")) ==
        "complex128[1] 07060504030201000f0e0d0c0b0a0908");
  CHECK(text_of(npy(dictionary("'|b1'", "(2, 2)", "True"), "01000200")) == "bool[2,2] 01010000");
}

TEST_CASE("scalars and empty arrays", "[numpy]") {
  CHECK(text_of(npy(dictionary("'<i4'", "()"), "07000000")) == "int32[] 07000000");
  CHECK(text_of(npy(dictionary("'<i4'", "()", "True"), "07000000")) == "int32[] 07000000");
  CHECK(text_of(npy(dictionary("'<f4'", "(0,)"), "")) == "float32[0] ");
  CHECK(text_of(npy(dictionary("'>f4'", "(3, 0, 2)", "True"), "")) == "float32[3,0,2] ");
  CHECK(text_of(npy(dictionary("'<f4'", "(4611686018427387904, 8, 0)"), "")) == "float32[4611686018427387904,8,0] ");
}

TEST_CASE("any byte but zero is true", "[numpy]") {
  CHECK(text_of(npy(dictionary("'|b1'", "(4,)"), "00010280")) == "bool[4] 00010101");
}

TEST_CASE("how an element type can be called", "[numpy]") {
  const auto read = [](std::string_view descr) { return text_of(npy(dictionary(descr, "(1,)"), "803f")); };
  for (const char* descr : {"'<f2'", "'=f2'", "'|f2'", "'f2'", "\"<f2\"", "'float16'"})
    CHECK(read(descr) == "float16[1] 803f");
  for (const char* descr : {"'<g2'", "'g2'", "'bfloat16'", "[('bfloat16','<u2')]", "[ ( \"bfloat16\" , '<u2', ), ]"})
    CHECK(read(descr) == "bfloat16[1] 803f");
  for (const char* descr : {"'>g2'", "[('bfloat16', '>u2')]"}) CHECK(read(descr) == "bfloat16[1] 3f80");
  CHECK(read("'<V2'") == "<V2 bfloat16[1] 803f");
  CHECK(read("'|V2'") == "|V2 bfloat16[1] 803f");
  CHECK(read("'>V2'") == ">V2 bfloat16[1] 3f80");
  CHECK(read("'<u2'") == "<u2 uint16[1] 803f");
  CHECK(text_of(npy(dictionary("'|V1'", "(1,)"), "81")) == "|V1 uint8[1] 81");
  CHECK(text_of(npy(dictionary("'<V1'", "(1,)"), "81")) == "<V1 uint8[1] 81");
  CHECK(text_of(npy(dictionary("'<f1'", "(1,)"), "81")) == "float8_e5m2[1] 81");
  CHECK(text_of(npy(dictionary("'<i1'", "(1,)"), "81")) == "int8[1] 81");
}

TEST_CASE("what an open type can be", "[numpy]") {
  std::string allowed;
  for (const std::string_view descr : {"<V2", "|V2", "<u2", "|V1"}) {
    allowed += descr;
    for (const DTypeInfo& type : all_dtypes())
      if (descr_can_be(descr, type.dtype)) allowed += " " + std::string(type.name);
    allowed += "\n";
  }
  CHECK(allowed ==
        "<V2 bfloat16\n|V2 bfloat16\n<u2 uint16 bfloat16\n"
        "|V1 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz uint4 int4 float4_e2m1fn "
        "float8_e8m0fnu uint2 int2 float6_e2m3fn float6_e3m2fn uint1\n");
}

TEST_CASE("types that are not read are named", "[numpy]") {
  CHECK(error_of_dictionary(dictionary("'|O'", "(1,)")) ==
        "unsupported: elements of descr '|O' are not read: they are Python objects, which astype makes numbers or "
        "strings");
  const std::string others =
      " are not read; those of bool, int8 to int64, uint8 to uint64, float16 to float64, "
      "complex64, complex128, str and bytes are";
  for (const auto& [descr, bytes] : {std::pair("'<U'", ""),
                                     {"'<U-1'", ""},
                                     {"'<U99999999999999'", ""},
                                     {"'<M8[ns]'", ""},
                                     {"'<m8'", " (8 bytes)"},
                                     {"'<q4'", " (4 bytes)"},
                                     {"'<f16'", " (16 bytes)"},
                                     {"'|V3'", " (3 bytes)"},
                                     {"''", ""}})
    CHECK(error_of_dictionary(dictionary(descr, "(1,)")) ==
          format("unsupported: elements of descr {}{}", descr, bytes) + others);
  CHECK(error_of_dictionary(dictionary("[('a', '<f4'), ('b', '<i4', (2,))]", "(1,)")) ==
        "unsupported: elements of descr [('a','<f4'),('b','<i4',(2))] are not read");
}

TEST_CASE("dictionaries as other programs write them", "[numpy]") {
  for (const std::string_view text : {
           "{'shape':(1,2),'fortran_order':False,'descr':'<i2'}",
           "{\"descr\": \"<i2\", \"fortran_order\": False, \"shape\": (1, 2)}",
           " {'descr': '<i2',\n 'fortran_order': False,\t'shape': (1L, 2L,), } \n",
           "{ 'descr' : '<i2' , 'fortran_order' : False , 'shape' : ( 1 , 2 ) , }",
       })
    CHECK(text_of(npy(text, "01000200")) == "int16[1,2] 01000200");
}

TEST_CASE("a header of more than a megabyte is not read", "[numpy]") {
  const auto error = [](std::string_view length) {
    return error_of([&] { load_text("\x93NUMPY\x02" + std::string(1, '\0') + from_hex(length)); });
  };
  CHECK(error("01001000") == "unsupported: the header has 1048577 bytes; more than 1048576 are not read");
  CHECK(error("00001000") == "malformed: the file ends inside the header: it has 12 bytes, the header 1048588");
}

TEST_CASE("headers that are wrong", "[numpy]") {
  const auto error = [](std::string_view text) {
    const std::string message = error_of_dictionary(text);
    CHECK(message.starts_with("malformed: "));
    return message.substr(std::string("malformed: ").size());
  };
  CHECK(error("{'descr': '<f4', 'fortran_order': False, }") == "the header has no 'shape'");
  CHECK(error("{'descr': '<f4', 'shape': (1,), }") == "the header has no 'fortran_order'");
  CHECK(error("{}") == "the header has no 'descr'");
  CHECK(error("{'descr': '<f4', 'descr': '<f4', }") == "the header has 'descr' twice");
  CHECK(error("{'desc': '<f4'}") == "'desc' is not a key of the header, did you mean 'descr'?");
  CHECK(error("{'descr': '<f4', 'fortran_order': 0}") ==
        "the header's dictionary goes wrong at byte 34: expected True or False, found '0}'");
  CHECK(error("{'descr': '<f4' 'shape': (1,)}") ==
        "the header's dictionary goes wrong at byte 16: expected '}', found ''shape': ('");
  CHECK(error(dictionary("'<f4'", "(1,)") + "x") ==
        "the header's dictionary goes wrong at byte 58: expected nothing more, found 'x'");
  CHECK(error("") == "the header's dictionary goes wrong at byte 0: expected '{', found ''");
  CHECK(error("{'descr") == "a string in the header does not end");
  CHECK(error("{'descr\\'") == "a string in the header does not end");
  CHECK(error("{'shape': (-1,)}") == "the header's shape has the negative size -1");
  CHECK(error("{'shape': (9223372036854775808,)}") ==
        "the header's shape has the size 9223372036854775808, which does not fit into 64 bits");
  CHECK(error("{'shape': (3)}").starts_with("the header's dictionary goes wrong at byte 12: expected ','"));
  CHECK(error("{'shape': 3}").starts_with("the header's dictionary goes wrong at byte 10: expected '('"));
  CHECK(error("{'shape': (,)}").starts_with("the header's dictionary goes wrong at byte 11: expected a size"));
  CHECK(error("{'shape': (1 2)}").starts_with("the header's dictionary goes wrong at byte 13: expected ','"));
  CHECK(error("{'shape': (1, 2 3)}").starts_with("the header's dictionary goes wrong at byte 16: expected ')'"));
  CHECK(error("{'shape': (1.5,)}").starts_with("the header's dictionary goes wrong at byte 12"));
  CHECK(error("{'descr': " + std::string(60'000, '[')) == "the header's descr is nested more than 16 deep");
  CHECK(error("{'descr': [('a' '<f4')]}").starts_with("the header's dictionary goes wrong at byte 16: expected ')'"));
}

TEST_CASE("more axes than opref knows", "[numpy]") {
  std::string shape = "(";
  for (int i = 0; i < 17; ++i) shape += "1, ";
  CHECK(error_of_dictionary(dictionary("'<f4'", shape + ")")) == "unsupported: rank 17 is more than 16");
}

TEST_CASE("files that are too short, too long or no .npy", "[numpy]") {
  CHECK(error_of_file("") == "malformed: the file is no .npy: it does not begin with '\\x93NUMPY'");
  CHECK(error_of_file("PK\x03\x04").starts_with("malformed: the file is no .npy"));
  CHECK(error_of_file(npy("", "", 4)) ==
        "unsupported: .npy version 4.0 is not known; the known ones are 1.0, 2.0 and 3.0");
  CHECK(error_of_file("\x93NUMPY\x01\x01") ==
        "unsupported: .npy version 1.1 is not known; the known ones are 1.0, 2.0 and 3.0");
  const std::string text = dictionary("'<f4'", "(1, 3)");
  CHECK(error_of_file(npy(text, "0000000000000000")) ==
        "malformed: the header says float32[1,3] (12 bytes), but only 8 bytes follow the header");
  CHECK(error_of_file(npy(text, "00")) ==
        "malformed: the header says float32[1,3] (12 bytes), but only 1 byte follows the header");
  CHECK(error_of_file(npy(text, "0000000000000000000000000000000000000000")) ==
        "malformed: the header says float32[1,3] (12 bytes), but 20 bytes follow the header");
  CHECK(error_of_file(npy(dictionary("'|V1'", "(3,)"), "0000")) ==
        "malformed: the header says '|V1'[3] (3 bytes), but only 2 bytes follow the header");
  CHECK(error_of_file(npy(dictionary("'<f4'", "(4611686018427387904, 2)"), "00")) ==
        "malformed: the header says float32[4611686018427387904,2], which takes more bytes than a file can have");
  CHECK(error_of_file(npy(dictionary("'<f4'", "(1099511627776,)"), "00")) ==
        "malformed: the header says float32[1099511627776] (4398046511104 bytes), but only 1 byte follows the header");
  std::string cut = npy(text, "");
  cut.resize(50);
  CHECK(error_of_file(cut) == "malformed: the file ends inside the header: it has 50 bytes, the header 70");
  CHECK(error_of_file("\x93NUMPY\x02" + std::string("\0\xff\xff\x0f\0{", 6)) ==
        "malformed: the file ends inside the header: it has 13 bytes, the header 1048587");
}

TEST_CASE("a .npy cut anywhere is malformed, and with any byte changed an array or an error", "[numpy]") {
  const std::string file = npy(dictionary("'<f4'", "(2, 3)", "True"), std::string(48, '7'));
  REQUIRE(error_of_file(file) == "no error");
  for (size_t size = 0; size < file.size(); ++size)
    CHECK(error_of_file(file.substr(0, size)).starts_with("malformed: "));
  int readable = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    for (int change = 1; change < 256; ++change) {
      std::string changed = file;
      changed[i] = static_cast<char>(changed[i] ^ change);
      try {
        const Tensor tensor = *load_text(changed).value.tensor();
        readable += tensor.dtype() == DType::string
                        ? std::ssize(tensor.strings()) == tensor.count()
                        : static_cast<std::int64_t>(tensor.bytes().size()) == byte_size(tensor.type());
      } catch (const Error& error) {
        const bool expected = error.fault() == Fault::malformed || error.fault() == Fault::unsupported;
        if (!expected) FAIL("byte " << i << " ^ " << change << ": " << error.text());
      }
    }
  }
  CHECK(readable >= 24 * 255);  // at least where elements are changed
}

TEST_CASE("a .npy larger than memory is mapped, but not converted", "[numpy]") {
  const TemporaryFolder folder;
  const auto save = [&folder](std::string_view name, std::string_view descr, std::string_view shape,
                              std::string_view order) {
    const std::string header = npy(dictionary(descr, shape, order), "");
    const auto file = folder.write(name, header);
    std::filesystem::resize_file(file, header.size() + (std::uintmax_t{1} << 41));  // 2 TiB without a block on the disk
    return file;
  };
  CHECK(read_npy(read_file(save("mapped.npy", "'|i1'", "(2097152, 1048576)", "False"))).value.tensor()->shape() ==
        Dims{2097152, 1048576});
  for (const auto& [descr, order] : {std::pair("'>i2'", "False"), std::pair("'<i2'", "True")}) {
    try {
      read_npy(read_file(save("converted.npy", descr, "(1048576, 1048576)", order)));
      FAIL_CHECK("read");
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::system);
      CHECK(error.message().find(" are converted in memory: 2199023255552 bytes are more than ") != std::string::npos);
    }
  }
}

}  // namespace npy_test
