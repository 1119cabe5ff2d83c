// SPDX-License-Identifier: Apache-2.0
#include "io/numpy/print.h"

#include <catch2/catch.hpp>

#include "io/literal.h"

namespace opref::io::print_test {
namespace {

struct Printed {
  const char* literal;
  DType dtype;
  const char* text;
};

// str(numpy.array(…)) of numpy 2.4.6 and ml_dtypes 0.6.
const Printed kPrinted[] = {
    {"[1,2.5,-3]", DType::float32, R"([ 1.   2.5 -3. ])"},
    {"[1,2,3]", DType::float64, R"([1. 2. 3.])"},
    {"[0.1,0.25,12.125]", DType::float64, R"([ 0.1    0.25  12.125])"},
    {"[-0,0]", DType::float32, R"([-0.  0.])"},
    {"[0,0]", DType::float64, R"([0. 0.])"},
    {"[0.123456789012,1]", DType::float64, R"([0.12345679 1.        ])"},
    {"[0.333333333333333333,100]", DType::float64, R"([  0.33333333 100.        ])"},
    {"[0.1,0.2]", DType::float32, R"([0.1 0.2])"},
    {"[0.99999999999]", DType::float64, R"([1.])"},
    {"[0.12345670499]", DType::float64, R"([0.1234567])"},
    {"[0.1,0.2]", DType::float16, R"([0.1 0.2])"},
    {"[3.14159,-2.71828]", DType::float16, R"([ 3.14  -2.719])"},
    {"[300.25,1]", DType::float16, R"([300.2   1. ])"},
    {"[2097152.25,4194304]", DType::float64, R"([2097152.25 4194304.  ])"},
    {"[0.5,0.125,0.0625]", DType::float32, R"([0.5    0.125  0.0625])"},
    {"[-1.5,22.25,333]", DType::float32, R"([ -1.5   22.25 333.  ])"},
    {"[99999999,1e6]", DType::float64, R"([99999999.  1000000.])"},
    {"[1e8,1e6]", DType::float64, R"([1.e+08 1.e+06])"},
    {"[99999999.9]", DType::float64, R"([99999999.9])"},
    {"[999999]", DType::float32, R"([999999.])"},
    {"[1e6]", DType::float32, R"([1.e+06])"},
    {"[999.5]", DType::float16, R"([999.5])"},
    {"[1000]", DType::float16, R"([1.e+03])"},
    {"[0.0001]", DType::float64, R"([0.0001])"},
    {"[0.00009999]", DType::float64, R"([9.999e-05])"},
    {"[0.0001]", DType::float32, R"([0.0001])"},
    {"[0.00009999]", DType::float32, R"([9.999e-05])"},
    {"[0.0001]", DType::float16, R"([0.0001])"},
    {"[9.99e-5]", DType::float16, R"([9.99e-05])"},
    {"[1,1000]", DType::float64, R"([   1. 1000.])"},
    {"[1,1000.1]", DType::float64, R"([1.0000e+00 1.0001e+03])"},
    {"[0.001,1]", DType::float64, R"([0.001 1.   ])"},
    {"[0.000999,1]", DType::float64, R"([9.99e-04 1.00e+00])"},
    {"[0.1,100]", DType::float32, R"([  0.1 100. ])"},
    {"[0.1,100.1]", DType::float32, R"([1.000e-01 1.001e+02])"},
    {"[0.25,250.1]", DType::float16, R"([2.500e-01 2.501e+02])"},
    {"[0,1e-5,1]", DType::float64, R"([0.e+00 1.e-05 1.e+00])"},
    {"[0.1,1.2345678e-5]", DType::float32, R"([1.0000000e-01 1.2345678e-05])"},
    {"[1e-30,1e30]", DType::float32, R"([1.e-30 1.e+30])"},
    {"[1e-300,1e300,-1]", DType::float64, R"([ 1.e-300  1.e+300 -1.e+000])"},
    {"[1,1e100]", DType::float64, R"([1.e+000 1.e+100])"},
    {"[123456789,1e-3]", DType::float64, R"([1.23456789e+08 1.00000000e-03])"},
    {"[-1e10,1]", DType::float64, R"([-1.e+10  1.e+00])"},
    {"[65504,6e-8]", DType::float16, R"([6.55e+04 5.96e-08])"},
    {"[300.25,1e-5]", DType::float16, R"([3.002e+02 1.001e-05])"},
    {"[0.015625,1000]", DType::float16, R"([1.563e-02 1.000e+03])"},
    {"[5e-324]", DType::float64, R"([5.e-324])"},
    {"[1e-45,3.4028235e38]", DType::float32, R"([1.4012985e-45 3.4028235e+38])"},
    {"[1.7976931348623157e308]", DType::float64, R"([1.79769313e+308])"},
    {"[0.1234567891234,12345.678]", DType::float64, R"([1.23456789e-01 1.23456780e+04])"},
    {"[1e9,2e9]", DType::float32, R"([1.e+09 2.e+09])"},
    {"[9.9999999999e7]", DType::float64, R"([99999999.999])"},
    {"[1.23456789012e10]", DType::float64, R"([1.23456789e+10])"},
    {"[NaN,Inf,-Inf]", DType::float32, R"([ nan  inf -inf])"},
    {"[NaN]", DType::float64, R"([nan])"},
    {"[Inf]", DType::float64, R"([inf])"},
    {"[-Inf]", DType::float16, R"([-inf])"},
    {"[NaN,Inf]", DType::float16, R"([nan inf])"},
    {"[1,NaN]", DType::float32, R"([ 1. nan])"},
    {"[1.5,-Inf]", DType::float32, R"([ 1.5 -inf])"},
    {"[1.25,NaN,-100]", DType::float64, R"([   1.25     nan -100.  ])"},
    {"[1,Inf,-2]", DType::float64, R"([ 1. inf -2.])"},
    {"[1e10,NaN,-Inf]", DType::float64, R"([1.e+10    nan   -inf])"},
    {"[0,NaN]", DType::float32, R"([ 0. nan])"},
    {"[1,-Inf]", DType::float64, R"([  1. -inf])"},
    {"[1,-20,300]", DType::int32, R"([  1 -20 300])"},
    {"[255,0,7]", DType::uint8, R"([255   0   7])"},
    {"[-128,127]", DType::int8, R"([-128  127])"},
    {"[9223372036854775807,-9223372036854775808]", DType::int64, R"([ 9223372036854775807 -9223372036854775808])"},
    {"[18446744073709551615,1]", DType::uint64, R"([18446744073709551615                    1])"},
    {"[true,false]", DType::boolean, R"([ True False])"},
    {"[true,true]", DType::boolean, R"([ True  True])"},
    {"[[false],[true]]", DType::boolean, R"([[False]
 [ True]])"},
    {"1.5", DType::float32, R"(1.5)"},
    {"1", DType::float64, R"(1.0)"},
    {"-0", DType::float16, R"(-0.0)"},
    {"0.1", DType::float16, R"(0.1)"},
    {"1e6", DType::float32, R"(1e+06)"},
    {"123456789", DType::float64, R"(123456789.0)"},
    {"1e16", DType::float64, R"(1e+16)"},
    {"0.0001", DType::float32, R"(1e-04)"},
    {"65504", DType::float16, R"(6.55e+04)"},
    {"NaN", DType::float32, R"(nan)"},
    {"-Inf", DType::float64, R"(-inf)"},
    {"7", DType::int8, R"(7)"},
    {"true", DType::boolean, R"(True)"},
    {"1+2j", DType::complex64, R"((1+2j))"},
    {"1.5j", DType::complex128, R"(1.5j)"},
    {"-0-1j", DType::complex64, R"((-0-1j))"},
    {"1e7-Infj", DType::complex64, R"((1e+07-infj))"},
    {"[[1,2],[3,4]]", DType::int64, R"([[1 2]
 [3 4]])"},
    {"[[1,2.5],[NaN,4]]", DType::float32, R"([[1.  2.5]
 [nan 4. ]])"},
    {"[[[1],[2]],[[3],[4]]]", DType::int8, R"([[[1]
  [2]]

 [[3]
  [4]]])"},
    {"[[[[1,2],[3,4]],[[5,6],[7,8]]],[[[9,10],[11,12]],[[13,14],[15,16]]]]", DType::int16, R"([[[[ 1  2]
   [ 3  4]]

  [[ 5  6]
   [ 7  8]]]


 [[[ 9 10]
   [11 12]]

  [[13 14]
   [15 16]]]])"},
    {"[[[0.5,-1]]]", DType::float16, R"([[[ 0.5 -1. ]]])"},
    {"[]", DType::float32, R"([])"},
    {"[[],[]]", DType::int64, R"([])"},
    {"[1+2j,3.5-1j]", DType::complex64, R"([1. +2.j 3.5-1.j])"},
    {"[1,2j]", DType::complex128, R"([1.+0.j 0.+2.j])"},
    {"[1e10+1j,0.5]", DType::complex128, R"([1.e+10+1.j 5.e-01+0.j])"},
    {"[NaN+1j,1-Infj]", DType::complex64, R"([nan +1.j  1.-infj])"},
    {"[[1+1j],[0.25-2.5j]]", DType::complex64, R"([[1.  +1.j ]
 [0.25-2.5j]])"},
    {"[1,0.1,-3.14159]", DType::bfloat16, R"([ 1.    0.1  -3.14])"},
    {"[1e5,1e6,3e38,1e-5]", DType::bfloat16, R"([1.e+05 1.e+06 3.e+38 1.e-05])"},
    {"[NaN,Inf,-Inf,-0]", DType::bfloat16, R"([ nan  inf -inf  -0.])"},
    {"0.1", DType::bfloat16, R"(0.1)"},
    {"[448,0.001953125,NaN]", DType::float8_e4m3fn, R"([4.480000e+02 1.953125e-03          nan])"},
    {"[57344,Inf,-1.5]", DType::float8_e5m2, R"([ 5.7344e+04         inf -1.5000e+00])"},
    {"[240,NaN]", DType::float8_e4m3fnuz, R"([240.  nan])"},
    {"[0.5,-6]", DType::float4_e2m1fn, R"([ 0.5 -6. ])"},
    {"[1,-8,7]", DType::int4, R"([1 -8 7])"},
    {"[15,1]", DType::uint4, R"([15 1])"},
    {"[[1,-2],[0,1]]", DType::int2, R"([[1 -2]
 [0 1]])"},
    {"[16,0.25,NaN]", DType::float8_e8m0fnu, R"([16.    0.25   nan])"},
};

/// 0, 1, 2, …; of bool 0, 1, 0, 1, …
Tensor iota(DType dtype, const Dims& shape) {
  Literal literal{shape, {}};
  for (std::int64_t i = 0; i < element_count(shape); ++i)
    literal.elements.push_back(std::to_string(dtype == DType::boolean ? i % 2 : i));
  return make_tensor(literal, dtype);
}

TensorSummary summary_of(const char* literal, DType dtype) {
  return summarize(make_tensor(parse_literal(literal), dtype));
}

}  // namespace

TEST_CASE("tensors are printed as numpy prints them", "[numpy]") {
  for (const Printed& printed : kPrinted) {
    CAPTURE(printed.literal, to_text(printed.dtype));
    CHECK(numpy_text(make_tensor(parse_literal(printed.literal), printed.dtype)) == printed.text);
  }
}

TEST_CASE("long rows continue and long axes are cut as numpy does", "[numpy]") {
  // str(numpy.arange(n, dtype=T).reshape(shape)) of numpy 2.4.6 and ml_dtypes 0.6.
  CHECK(numpy_text(iota(DType::float64, {30})) ==
        R"([ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.
 18. 19. 20. 21. 22. 23. 24. 25. 26. 27. 28. 29.])");
  CHECK(numpy_text(iota(DType::int32, {40})) ==
        R"([ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39])");
  CHECK(numpy_text(iota(DType::float32, {2, 25})) ==
        R"([[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.
  18. 19. 20. 21. 22. 23. 24.]
 [25. 26. 27. 28. 29. 30. 31. 32. 33. 34. 35. 36. 37. 38. 39. 40. 41. 42.
  43. 44. 45. 46. 47. 48. 49.]])");
  CHECK(numpy_text(iota(DType::int64, {3, 1, 20})) ==
        R"([[[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19]]

 [[20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39]]

 [[40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59]]])");
  CHECK(numpy_text(iota(DType::boolean, {20})) ==
        R"([False  True False  True False  True False  True False  True False  True
 False  True False  True False  True False  True])");
  CHECK(numpy_text(iota(DType::uint8, {2, 3, 4})) == R"([[[ 0  1  2  3]
  [ 4  5  6  7]
  [ 8  9 10 11]]

 [[12 13 14 15]
  [16 17 18 19]
  [20 21 22 23]]])");
  CHECK(numpy_text(iota(DType::float64, {1001})) == R"([   0.    1.    2. ...  998.  999. 1000.])");
  CHECK(numpy_text(iota(DType::float32, {40, 30})) ==
        R"([[0.000e+00 1.000e+00 2.000e+00 ... 2.700e+01 2.800e+01 2.900e+01]
 [3.000e+01 3.100e+01 3.200e+01 ... 5.700e+01 5.800e+01 5.900e+01]
 [6.000e+01 6.100e+01 6.200e+01 ... 8.700e+01 8.800e+01 8.900e+01]
 ...
 [1.110e+03 1.111e+03 1.112e+03 ... 1.137e+03 1.138e+03 1.139e+03]
 [1.140e+03 1.141e+03 1.142e+03 ... 1.167e+03 1.168e+03 1.169e+03]
 [1.170e+03 1.171e+03 1.172e+03 ... 1.197e+03 1.198e+03 1.199e+03]])");
  CHECK(numpy_text(iota(DType::int32, {2, 1, 600})) == R"([[[   0    1    2 ...  597  598  599]]

 [[ 600  601  602 ... 1197 1198 1199]]])");
  CHECK(numpy_text(iota(DType::bfloat16, {40})) ==
        R"([ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.
 18. 19. 20. 21. 22. 23. 24. 25. 26. 27. 28. 29. 30. 31. 32. 33. 34. 35.
 36. 37. 38. 39.])");
  CHECK(numpy_text(iota(DType::int64, {8, 2, 80})) == R"([[[   0    1    2 ...   77   78   79]
  [  80   81   82 ...  157  158  159]]

 [[ 160  161  162 ...  237  238  239]
  [ 240  241  242 ...  317  318  319]]

 [[ 320  321  322 ...  397  398  399]
  [ 400  401  402 ...  477  478  479]]

 ...

 [[ 800  801  802 ...  877  878  879]
  [ 880  881  882 ...  957  958  959]]

 [[ 960  961  962 ... 1037 1038 1039]
  [1040 1041 1042 ... 1117 1118 1119]]

 [[1120 1121 1122 ... 1197 1198 1199]
  [1200 1201 1202 ... 1277 1278 1279]]])");
  CHECK(numpy_text(iota(DType::complex64, {12})) ==
        R"([ 0.+0.j  1.+0.j  2.+0.j  3.+0.j  4.+0.j  5.+0.j  6.+0.j  7.+0.j  8.+0.j
  9.+0.j 10.+0.j 11.+0.j])");
  CHECK(numpy_text(iota(DType::float16, {5, 250})) ==
        R"([[0.000e+00 1.000e+00 2.000e+00 ... 2.470e+02 2.480e+02 2.490e+02]
 [2.500e+02 2.510e+02 2.520e+02 ... 4.970e+02 4.980e+02 4.990e+02]
 [5.000e+02 5.010e+02 5.020e+02 ... 7.470e+02 7.480e+02 7.490e+02]
 [7.500e+02 7.510e+02 7.520e+02 ... 9.970e+02 9.980e+02 9.990e+02]
 [1.000e+03 1.001e+03 1.002e+03 ... 1.247e+03 1.248e+03 1.249e+03]])");
  CHECK(numpy_text(iota(DType::int64, {6, 200})) == R"([[   0    1    2 ...  197  198  199]
 [ 200  201  202 ...  397  398  399]
 [ 400  401  402 ...  597  598  599]
 [ 600  601  602 ...  797  798  799]
 [ 800  801  802 ...  997  998  999]
 [1000 1001 1002 ... 1197 1198 1199]])");
  CHECK(numpy_text(iota(DType::int16, {1000})).find("...") == std::string::npos);
}

TEST_CASE("strings are printed as an array of Python's objects", "[numpy]") {
  // numpy 2.4.6: str(numpy.array([…], dtype=object))
  CHECK(numpy_text(Tensor({2}, {"a", "b"})) == "['a' 'b']");
  CHECK(numpy_text(Tensor({4}, {"it's", "a\"b", "\n\t\\", "'\""})) == R"(["it's" 'a"b' '\n\t\\' '\'"'])");
  CHECK(numpy_text(Tensor({1, 2}, {"", "\x1b"})) == R"([['' '\x1b']])");
  CHECK(numpy_text(Tensor(Dims{}, {"it's"})) == "it's");
  CHECK(numpy_text(Tensor({0}, std::vector<std::string>{})) == "[]");
  // Width counts characters, not bytes.
  CHECK(numpy_text(Tensor({8}, std::vector<std::string>(8, "äöüßäöüß"))) ==
        R"(['äöüßäöüß' 'äöüßäöüß' 'äöüßäöüß' 'äöüßäöüß' 'äöüßäöüß' 'äöüßäöüß'
 'äöüßäöüß' 'äöüßäöüß'])");
}

TEST_CASE("summaries name the extremes and count what is not finite", "[numpy]") {
  const TensorSummary floats = summary_of("[1.5,NaN,-3,Inf,0x7e01,-Inf,-Inf]", DType::float16);
  CHECK(floats.least == "-Inf");
  CHECK(floats.greatest == "Inf");
  CHECK(floats.nan == 2);
  CHECK(floats.positive_infinity == 1);
  CHECK(floats.negative_infinity == 2);
  CHECK(summary_of("[0.1,-0.25,7]", DType::float64).least == "-0.25");
  CHECK(summary_of("[0.1,-0.25,7]", DType::bfloat16).greatest == "7");
  CHECK(summary_of("[-128,5,127]", DType::int8).least == "-128");
  CHECK(summary_of("[-8,5,7]", DType::int4).least == "-8");
  CHECK(summary_of("[9223372036854775807,9223372036854775806]", DType::int64).least == "9223372036854775806");
  CHECK(summary_of("[1,18446744073709551615]", DType::uint64).greatest == "18446744073709551615");
  CHECK(summary_of("[[true],[true]]", DType::boolean).least == "true");
  CHECK(summary_of("[NaN,NaN]", DType::float32).least == std::nullopt);
  CHECK(summary_of("[NaN,NaN]", DType::float32).nan == 2);
  CHECK(summary_of("[]", DType::int32).greatest == std::nullopt);
  const TensorSummary complex = summary_of("[1+NaNj,Inf-Infj]", DType::complex64);
  CHECK(complex.least == std::nullopt);
  CHECK(complex.nan == 1);
  CHECK(complex.positive_infinity == 1);
  CHECK(complex.negative_infinity == 1);
  CHECK(summary_of("[\"a\"]", DType::string).least == std::nullopt);
}

}  // namespace opref::io::print_test
