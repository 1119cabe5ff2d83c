// SPDX-License-Identifier: Apache-2.0
// openvino RandomUniform, version 8 (opset8)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_random_uniform {
namespace {
using Words = std::array<std::uint32_t, 4>;

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

/// The n-th four words of Philox 4x32-10.
Words philox(std::uint64_t key, std::uint64_t counter, std::uint64_t n) {
  constexpr std::uint64_t kOfN = 0xD2511F53, kOfCounter = 0xCD9E8D57;
  constexpr std::uint32_t kRaiseR = 0x9E3779B9, kRaiseL = 0xBB67AE85;
  Words words{low(n), high(n), low(counter), high(counter)};
  std::uint32_t R = low(key), L = high(key);
  for (int round = 0; round < 10; ++round, R += kRaiseR, L += kRaiseL) {
    const std::uint64_t of_n = kOfN * words[0], of_counter = kOfCounter * words[2];
    words = {high(of_counter) ^ words[1] ^ R, low(of_counter), high(of_n) ^ words[3] ^ L, low(of_n)};
  }
  return words;
}

DType drawn_type(const Call& call) { return element_type_of(call, "output_type"); }

std::vector<ValueType> output_types(const Call& call) {
  const DType dtype = drawn_type(call);
  for (const std::string_view bound : {"minval", "maxval"}) {
    require_scalar_or_one(call, bound);
    require(call.type(bound).dtype == dtype, "{} has type {}, but output_type is {}", bound, call.type(bound).dtype,
            dtype);
  }
  return {TensorType{dtype, sizes_of(call, "shape")}};
}

// x from [0, 1), the lowest bits of one word, of float64 of two, as the fraction of a number from [1, 2), less 1; then
// output0 = x·(maxval - minval) + minval;  of integers a word modulo maxval - minval, plus minval
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const DType dtype = outs[0].type().dtype;
  const auto key = static_cast<std::uint64_t>(call.integer("global_seed")),
             counter = static_cast<std::uint64_t>(call.integer("op_seed"));
  const auto word = [&](std::int64_t i) {
    return std::uint64_t{philox(key, counter, static_cast<std::uint64_t>(i / 4))[static_cast<size_t>(i % 4)]};
  };
  if (key == 0 && counter == 0)
    fail(Fault::unsupported, "global_seed and op_seed are 0: the page says that the numbers are then not determined");
  if (call.string("alignment") == "pytorch")
    fail(Fault::unsupported, "alignment is pytorch: the page's formulas and examples contradict each other there");
  const Elements minval(call.input("minval")), maxval(call.input("maxval"));
  if (!is_floating(dtype)) {
    const Elements::Wide from = minval.wide(0), range = maxval.wide(0) - from;
    require(range > 0, "minval is {}, but maxval {}: it must be greater", minval.integer(0), maxval.integer(0));
    return {wholes(outs[0], [&](std::int64_t i, const WholeReader&) {
      return static_cast<std::uint64_t>(Elements::Wide{word(i)} % range + from);
    })};
  }
  require(minval.number(0) < maxval.number(0), "minval is {}, but maxval {}: it must be greater", minval.number(0),
          maxval.number(0));
  const int bits = dtype == DType::float16 ? 10 : dtype == DType::bfloat16 ? 7 : dtype == DType::float32 ? 23 : 52;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& read) {
    const std::uint64_t drawn = dtype == DType::float64 ? word(2 * i) << 32 | word(2 * i + 1) : word(i);
    const R x = read.named("x", R(std::ldexp(nearly(static_cast<std::int64_t>(drawn & mask)), -bits)));
    return read.sum(x * (read(maxval, 0) - read(minval, 0)), read(minval, 0));
  })};
}
}  // namespace
Operator random_uniform() {
  return Operator("openvino", "RandomUniform")
      .summary("numbers drawn evenly between two, which seeds determine")
      .page("generation/random-uniform-8")
      .version(8,
               [](OpSchema& s) {
                 s.attribute(required(STRING, "output_type", one_of({"i32", "i64", "f16", "bf16", "f32", "f64"})))
                     .attribute(required(INT, "global_seed", at_least(0)))
                     .attribute(required(INT, "op_seed", at_least(0)))
                     .attribute(with_default("alignment", "tensorflow", one_of({"tensorflow", "pytorch"})));
                 s.input("shape", "T_SHAPE")
                     .input("minval", "T")
                     .input("maxval", "T")
                     .output("output0", "T")
                     .types("T_SHAPE", types::signed_wide)
                     .types("T", computed_floats | types::signed_wide);
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_random_uniform
