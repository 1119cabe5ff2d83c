// SPDX-License-Identifier: Apache-2.0
#include "io/literal.h"
#include "exact/element_text.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "core/error.h"
#include "exact/rounding.h"

namespace opref::io::literal_test {
namespace {

Tensor tensor_of(std::string_view text, DType dtype) { return make_tensor(parse_literal(text), dtype); }

std::uint64_t bits_of(std::string_view text, DType dtype) { return element_bits(tensor_of(text, dtype), 0); }

std::string text_of(DType dtype, std::uint64_t bits) {
  const int size = info(dtype).bits / 8;
  return element_text(Tensor::copy_of({dtype, {}}, std::as_bytes(std::span(&bits, 1)).first(static_cast<size_t>(size))),
                      0);
}

/// The message with its places of the error that reading `text` raises; it must be a `usage` error.
std::string problem(std::string_view text, DType dtype) {
  try {
    tensor_of(text, dtype);
  } catch (const Error& error) {
    CHECK(error.fault() == Fault::usage);
    return error.text();
  }
  return "no error";
}

std::string syntax_problem(std::string_view text) { return problem(text, DType::float32); }

}  // namespace

TEST_CASE("literals are nested lists", "[io]") {
  const Literal literal = parse_literal(" [ [1, 2.5 ,-3],\n\t[NaN,0x7fc1 , true] ] ");
  CHECK(literal.shape == Dims{2, 3});
  CHECK(literal.elements == std::vector<std::string>{"1", "2.5", "-3", "NaN", "0x7fc1", "true"});
  CHECK(parse_literal("5").shape == Dims{});
  CHECK(parse_literal("5").elements == std::vector<std::string>{"5"});
  CHECK(parse_literal("[]").shape == Dims{0});
  CHECK(parse_literal("[[],[]]").shape == Dims{2, 0});
  CHECK(parse_literal("[[[]]]").shape == Dims{1, 1, 0});
  CHECK(parse_literal("[[[7]]]").shape == Dims{1, 1, 1});
  CHECK(parse_literal(R"(["a, b", "say \"hi\" \\", c, ""])").elements ==
        std::vector<std::string>{"a, b", "say \"hi\" \\", "c", ""});
  CHECK(parse_literal(R"(["C:\\new", "\n\u00e9"])").elements == std::vector<std::string>{"C:\\new", "\n\xc3\xa9"});
  CHECK(parse_literal(std::string(16, '[') + "1" + std::string(16, ']')).shape == Dims::filled(16, 1));
}

TEST_CASE("ragged and broken literals are refused with the place", "[io]") {
  CHECK(syntax_problem("[[1,2],[3,4,5]]") == "the list at [1] has 3 elements, the one at [0] has 2");
  CHECK(syntax_problem("[[[1],[2]],[[3],[]]]") == "the list at [1,1] has 0 elements, the one at [0,0] has 1");
  CHECK(syntax_problem("[[],[1]]") == "the list at [1] has 1 element, the one at [0] has 0");
  CHECK(syntax_problem("[1,[2]]") == "[1] is a list, but [0] is an element");
  CHECK(syntax_problem("[[1],2]") == "[1] is an element, but [0] is a list");
  CHECK(syntax_problem("[[[]],[1]]") == "[1,0] is an element, but [0,0] is a list");
  CHECK(syntax_problem("[1,2") == "expected ',' or ']' at character 5 of '[1,2'");
  CHECK(syntax_problem("[1 2]") == "expected ',' or ']' at character 4 of '[1 2]'");
  CHECK(syntax_problem("[1,]") == "expected an element at character 4 of '[1,]'");
  CHECK(syntax_problem("") == "expected an element at character 1 of ''");
  CHECK(syntax_problem("[") == "expected an element at character 2 of '['");
  CHECK(syntax_problem("]") == "expected an element at character 1 of ']'");
  CHECK(syntax_problem("1 2") == "expected the end at character 3 of '1 2'");
  CHECK(syntax_problem("[1]]") == "expected the end at character 4 of '[1]]'");
  CHECK(syntax_problem("[\"a") == "expected '\"' at character 4 of '[\"a'");
  CHECK(syntax_problem(std::string("1\0", 2)).starts_with("'1\\x00' is not a number"));
  CHECK(syntax_problem(std::string(17, '[')).starts_with("lists nest deeper than 16 at character 17"));
  CHECK(syntax_problem(std::string(1000000, '[')).starts_with("lists nest deeper than 16 at character 17"));
}

TEST_CASE("a shape that the elements do not fill is refused", "[io]") {
  CHECK_THROWS_WITH(make_tensor({{2, 2}, {"1", "2", "3"}}, DType::int8), "shape [2,2] does not hold 3 elements");
}

TEST_CASE("floating elements: decimals, names and bits", "[io]") {
  CHECK(bits_of("1", DType::float32) == 0x3f800000);
  CHECK(bits_of("+1.5", DType::float32) == 0x3fc00000);
  CHECK(bits_of("-.5e1", DType::float32) == 0xc0a00000);
  CHECK(bits_of("2.", DType::float16) == 0x4000);
  CHECK(bits_of("1E+2", DType::float16) == 0x5640);
  CHECK(bits_of("-0", DType::bfloat16) == 0x8000);
  CHECK(bits_of("0.1", DType::float64) == to_bits(0.1));
  for (const char* text : {"NaN", "nan"}) CHECK(bits_of(text, DType::bfloat16) == 0x7fc0);
  for (const char* text : {"Inf", "inf", "+Inf", "Infinity"}) CHECK(bits_of(text, DType::float16) == 0x7c00);
  for (const char* text : {"-Inf", "-inf", "-Infinity"}) CHECK(bits_of(text, DType::float64) == 0xfff0000000000000);
  CHECK(bits_of("0x7fc1", DType::bfloat16) == 0x7fc1);
  CHECK(bits_of("0xFFFFffff", DType::float32) == 0xffffffff);
  CHECK(bits_of("0x8", DType::float4_e2m1fn) == 8);
  CHECK(bits_of("65520", DType::float16) == 0x7c00);
  CHECK(bits_of("65519.99999999999999999999999999999999999999", DType::float16) == 0x7bff);
}

TEST_CASE("floating elements that are refused", "[io]") {
  CHECK(problem("[1,Nan]", DType::float32) == "'Nan' is not a number, did you mean 'NaN'?\n  in element [1]");
  CHECK(problem("true", DType::float32) == "'true' is not a number");
  CHECK(problem("[[1],[1x]]", DType::float32) == "'1x' is not a number\n  in element [1,0]");
  for (const char* text :
       {"1e", "e1", ".", "-", "+", "1e+", "--1", "1.2.3", "0x", "0b1", "1_000", "1,5", "-NaN", "infx"})
    CHECK(problem(text, DType::float32) != "no error");
  CHECK(problem("0x7fc", DType::bfloat16) == "'0x7fc' has not the 16 bits of bfloat16");
  CHECK(problem("0x07fc1", DType::bfloat16) == "'0x07fc1' has not the 16 bits of bfloat16");
  CHECK(problem("0x7fg1", DType::bfloat16) == "'0x7fg1' has a character that is no hexadecimal digit");
  CHECK(problem("465", DType::float8_e4m3fn) == "465 does not fit into float8_e4m3fn (-448 to 448)");
  CHECK(problem("-7", DType::float4_e2m1fn) == "-7 does not fit into float4_e2m1fn (-6 to 6)");
  CHECK(problem("0", DType::float8_e8m0fnu) ==
        "0 does not fit into float8_e8m0fnu, which has only powers of two from 2^-127 to 2^127");
  CHECK(problem("Inf", DType::float8_e4m3fnuz) == "float8_e4m3fnuz has no infinity");
  CHECK(problem("NaN", DType::float4_e2m1fn) == "float4_e2m1fn has no NaN");
  CHECK(problem("1" + std::string(5000, '0'), DType::float32).find("' has 5001 characters, the most are 4096") !=
        std::string::npos);
}

TEST_CASE("integer elements", "[io]") {
  CHECK(bits_of("255", DType::uint8) == 255);
  CHECK(bits_of("-128", DType::int8) == 0x80);
  CHECK(bits_of("2.0", DType::int32) == 2);
  CHECK(bits_of("1e3", DType::int32) == 1000);
  CHECK(bits_of("0.0012e5", DType::int32) == 120);
  CHECK(bits_of("12300e-2", DType::int32) == 123);
  CHECK(bits_of("-0.0", DType::uint8) == 0);
  CHECK(bits_of("0e999999999999999999999", DType::uint8) == 0);
  CHECK(bits_of("0x80", DType::int8) == 0x80);
  CHECK(bits_of("18446744073709551615", DType::uint64) == ~std::uint64_t{0});
  CHECK(bits_of("9223372036854775807", DType::int64) == 0x7fffffffffffffff);
  CHECK(bits_of("-9223372036854775808", DType::int64) == 0x8000000000000000);
  CHECK(bits_of("9007199254740993", DType::int64) == 9007199254740993);
  CHECK(problem("[0,300]", DType::uint8) == "300 does not fit into uint8 (0 to 255)\n  in element [1]");
  CHECK(problem("-1", DType::uint8) == "-1 does not fit into uint8 (0 to 255)");
  CHECK(problem("-129", DType::int8) == "-129 does not fit into int8 (-128 to 127)");
  CHECK(problem("8", DType::int4) == "8 does not fit into int4 (-8 to 7)");
  CHECK(problem("2", DType::int2) == "2 does not fit into int2 (-2 to 1)");
  CHECK(problem("18446744073709551616", DType::uint64) ==
        "18446744073709551616 does not fit into uint64 (0 to 18446744073709551615)");
  CHECK(problem("9223372036854775808", DType::int64) ==
        "9223372036854775808 does not fit into int64 (-9223372036854775808 to 9223372036854775807)");
  CHECK(problem("1e999999999999999999999", DType::int8) ==
        "1e999999999999999999999 does not fit into int8 (-128 to 127)");
  CHECK(problem("1.5", DType::int8) == "1.5 is not an integer");
  CHECK(problem("1e-999999999999999999999", DType::int8) == "1e-999999999999999999999 is not an integer");
  CHECK(problem("NaN", DType::int8) == "'NaN' is not an integer");
  CHECK(problem("0x4", DType::uint2) == "'0x4' has not the 2 bits of uint2");
}

TEST_CASE("bool and string elements", "[io]") {
  const Tensor tensor = tensor_of("[true,false,True,False,1,0,0x01]", DType::boolean);
  const auto bytes = tensor.values<std::uint8_t>();
  CHECK(std::vector<int>(bytes.begin(), bytes.end()) == std::vector<int>{1, 0, 1, 0, 1, 0, 1});
  CHECK(problem("2", DType::boolean) == "'2' is not a bool (true, false, 0 or 1)");
  CHECK(problem("0x02", DType::boolean) == "'0x02' is not a bool (0x00 or 0x01)");
  CHECK(element_text(tensor, 0) == "true");
  CHECK(element_text(tensor, 1) == "false");
  CHECK(problem("[\"a\",\"\xff\"]", DType::string) == "element [1] is '\\xff', but strings are UTF-8");
  const Tensor strings = tensor_of(R"([["a"],[0x1]])", DType::string);
  CHECK(strings.shape() == Dims{2, 1});
  CHECK(element_text(strings, 1) == "0x1");
}

TEST_CASE("complex elements", "[io]") {
  const auto parts = [](std::string_view text) {
    const Tensor tensor = tensor_of(text, DType::complex64);
    return std::pair(tensor.values<float>()[0], tensor.values<float>()[1]);
  };
  CHECK(parts("1+2j") == std::pair(1.0F, 2.0F));
  CHECK(parts("-1.5e-3-2e+4j") == std::pair(-1.5e-3F, -2e4F));
  CHECK(parts("(1-Infj)") == std::pair(1.0F, -std::numeric_limits<float>::infinity()));
  CHECK(parts("3") == std::pair(3.0F, 0.0F));
  CHECK(parts("-2e-1j") == std::pair(0.0F, -0.2F));
  CHECK(parts("0x400000003f800000") == std::pair(1.0F, 2.0F));
  for (const char* text : {"j", "+j", "1+j", "1+2", "1+2i", "()", "1+2j3", "++1j", "1e5+"})
    CHECK(problem(text, DType::complex128) != "no error");
  for (const char* text :
       {"1+2j", "-0-0j", "0.1-1e-05j", "NaN+Infj", "-Inf+NaNj", "0x000000007fc0000000000000ffc00001"}) {
    CAPTURE(text);
    const Tensor wide = tensor_of(text, DType::complex128);
    CHECK(wide.shape() == Dims{});
    if (text[1] != 'x') CHECK(element_text(wide, 0) == text);
  }
  CHECK(element_text(tensor_of("0x7fc000013f800000", DType::complex64), 0) == "0x7fc000013f800000");
  CHECK(element_text(tensor_of("0x7ff80000000000010000000000000000", DType::complex128), 0) ==
        "0x7ff80000000000010000000000000000");
  CHECK(element_text(tensor_of("[1,0.1+0.2j]", DType::complex64), 1) == "0.1+0.2j");
}

TEST_CASE("packed types are packed as ONNX does: the first element in the lowest bits", "[io]") {
  const auto bytes = [](std::string_view text, DType dtype) {
    const Tensor tensor = tensor_of(text, dtype);
    const auto values = tensor.values<std::uint8_t>();
    return std::vector<int>(values.begin(), values.end());
  };
  CHECK(bytes("[1,-2,7]", DType::int4) == std::vector<int>{0xe1, 0x07});
  CHECK(bytes("[15,1]", DType::uint4) == std::vector<int>{0x1f});
  CHECK(bytes("[3,2,1,0,1]", DType::uint2) == std::vector<int>{0x1b, 0x01});
  CHECK(bytes("[-1,-2,1,0]", DType::int2) == std::vector<int>{0x1b});
  CHECK(bytes("[0.5,-6]", DType::float4_e2m1fn) == std::vector<int>{0xf1});
  CHECK(bytes("[1,-7.5,0.125,2.75,-0]", DType::float6_e2m3fn) == std::vector<int>{0xc8, 0x1f, 0x4c, 0x20});
  const Tensor tensor = tensor_of("[1,-2,7]", DType::int4);
  CHECK(element_text(tensor, 1) == "-2");
  CHECK(element_text(tensor, 2) == "7");
}

TEST_CASE("elements as text", "[io]") {
  CHECK(text_of(DType::float32, 0x3dcccccd) == "0.1");
  CHECK(text_of(DType::float32, 0x3f800000) == "1");
  CHECK(text_of(DType::float32, 0x80000000) == "-0");
  CHECK(text_of(DType::float32, 0) == "0");
  CHECK(text_of(DType::float32, 0x7fc00000) == "NaN");
  CHECK(text_of(DType::float32, 0xffc00000) == "0xffc00000");
  CHECK(text_of(DType::float32, 0x7f800001) == "0x7f800001");
  CHECK(text_of(DType::float32, 0xff800000) == "-Inf");
  CHECK(text_of(DType::float16, 0x7c00) == "Inf");
  CHECK(text_of(DType::bfloat16, 0x7fc1) == "0x7fc1");
  CHECK(text_of(DType::bfloat16, 0x4049) == "3.14");
  CHECK(text_of(DType::bfloat16, 0x47c3) == "99840");
  CHECK(text_of(DType::float8_e4m3fn, 0xfe) == "-448");
  CHECK(text_of(DType::float8_e4m3fn, 0xff) == "0xff");
  CHECK(text_of(DType::float8_e4m3fnuz, 0x80) == "NaN");
  CHECK(text_of(DType::float8_e5m2, 0x7d) == "0x7d");
  CHECK(text_of(DType::float8_e8m0fnu, 0x83) == "16");
  CHECK(text_of(DType::float64, to_bits(1e-5)) == "1e-05");
  CHECK(text_of(DType::float64, to_bits(0.0001)) == "0.0001");
  CHECK(text_of(DType::float64, to_bits(1e16)) == "1e+16");
  CHECK(text_of(DType::float64, to_bits(1234567890123456.0)) == "1234567890123456");
  CHECK(text_of(DType::float64, to_bits(-1.7976931348623157e308)) == "-1.7976931348623157e+308");
  CHECK(text_of(DType::float64, 1) == "5e-324");
  CHECK(text_of(DType::int8, 0x80) == "-128");
  CHECK(text_of(DType::uint8, 0x80) == "128");
  CHECK(text_of(DType::uint64, ~std::uint64_t{0}) == "18446744073709551615");
  CHECK(text_of(DType::int64, ~std::uint64_t{0}) == "-1");
}

TEST_CASE("every pattern of the narrow floats is read back from its text", "[io]") {
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float8_e4m3fn, DType::float8_e4m3fnuz,
                            DType::float8_e5m2, DType::float8_e5m2fnuz, DType::float8_e8m0fnu}) {
    CAPTURE(to_text(dtype));
    const int bits = info(dtype).bits;
    std::vector<std::uint16_t> patterns(size_t{1} << bits);
    std::iota(patterns.begin(), patterns.end(), std::uint16_t{0});
    const std::vector<std::uint8_t> bytes(patterns.begin(), patterns.end());
    const Dims shape{static_cast<std::int64_t>(patterns.size())};
    const Tensor all =
        bits == 16 ? Tensor::of<std::uint16_t>(dtype, shape, patterns) : Tensor::of<std::uint8_t>(dtype, shape, bytes);
    Literal literal{shape, {}};
    for (std::int64_t i = 0; i < all.count(); ++i) literal.elements.push_back(element_text(all, i));
    const Tensor back = make_tensor(literal, dtype);
    CHECK(std::ranges::equal(all.bytes(), back.bytes()));
  }
  const std::array<std::uint8_t, 8> fours{0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe};
  const Tensor all = Tensor::of<std::uint8_t>(DType::float4_e2m1fn, {16}, fours);
  for (std::int64_t i = 0; i < 16; ++i)
    CHECK(bits_of(element_text(all, i), DType::float4_e2m1fn) == static_cast<std::uint64_t>(i));
}

TEST_CASE("patterns of the wide types are read back from their text", "[io]") {
  std::uint64_t pattern = 1;
  for (int i = 0; i < 5000; ++i) {
    pattern = pattern * 6364136223846793005 + 1442695040888963407;  // Knuth's generator
    CHECK(bits_of(text_of(DType::float64, pattern), DType::float64) == pattern);
    CHECK(bits_of(text_of(DType::float32, pattern >> 32), DType::float32) == pattern >> 32);
    CHECK(bits_of(text_of(DType::int64, pattern), DType::int64) == pattern);
    CHECK(bits_of(text_of(DType::uint16, pattern >> 48), DType::uint16) == pattern >> 48);
  }
}

}  // namespace opref::io::literal_test
