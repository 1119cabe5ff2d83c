// SPDX-License-Identifier: Apache-2.0
#include "io/generate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "core/error.h"
#include "exact/rounding.h"
#include "exact/uniform.h"
#include "io/sha256.h"
#include "system/deadline.h"

namespace opref::io {
namespace {

constexpr std::uint32_t kSpecialStream = 1;
constexpr std::uint32_t kOneSpecialOf = 16;

/// The first `digits` hexadecimal digits of a SHA-256, as a number.
std::uint64_t hash_of(std::uint64_t seed, std::string_view text, size_t digits) {
  const std::string message = format("{} {}", seed, text);
  const std::string hash = sha256(std::as_bytes(std::span(message)));
  std::uint64_t number = 0;
  std::from_chars(hash.data(), hash.data() + digits, number, 16);
  return number;
}

std::uint64_t mask(DType dtype) { return ~std::uint64_t{0} >> (64 - info(dtype).bits); }

/// ±magnitude·2^exponent of a magnitude with more than 64 bits: those that are cut off stay as a sticky bit.
std::uint64_t bits_of_wide(DType dtype, bool negative, unsigned __int128 magnitude, int exponent) {
  bool sticky = false;
  for (; magnitude >> 64 != 0; magnitude >>= 1, ++exponent) sticky |= (magnitude & 1) != 0;
  return bits_of_number(dtype, negative, static_cast<std::uint64_t>(magnitude) | (sticky ? 1 : 0), exponent);
}

/// The sum of 12 uniforms of 32 bits, less its mean, in units of 2^-33.
std::int64_t normal_number(const Random& random, std::int64_t index) {
  std::int64_t sum = 0;
  for (std::uint32_t number = 0; number < 3; ++number)
    for (const std::uint32_t word : random.draw(index, number)) sum += word;
  return 2 * sum - std::int64_t{12} * UINT32_MAX;
}

/// Of types of more than 32 significant bits the uniforms have 64.
std::uint64_t normal_bits(const Random& random, DType dtype, std::int64_t index) {
  if (precision_of(dtype) <= 32) {
    const std::int64_t number = normal_number(random, index);
    return bits_of_number(dtype, number < 0, static_cast<std::uint64_t>(std::abs(number)), -33);
  }
  unsigned __int128 sum = 0;
  for (std::uint32_t number = 0; number < 6; ++number) {
    const auto words = random.draw(index, number);
    sum += static_cast<unsigned __int128>(word64(words, 0)) + word64(words, 1);
  }
  const unsigned __int128 doubled = 2 * sum, mean = static_cast<unsigned __int128>(12) * UINT64_MAX;
  const bool negative = doubled < mean;
  return bits_of_wide(dtype, negative, negative ? mean - doubled : doubled - mean, -65);
}

/// A normal number with 3 on the greatest one of the type, rounded and held between that and its negative: what
/// symmetric quantisation makes of weights. Of an unsigned type 0 is in the middle.
std::uint64_t quantized_bits(const Random& random, DType dtype, std::int64_t index) {
  const DTypeInfo& type = info(dtype);
  const std::int64_t most = (std::int64_t{1} << (type.bits - 1)) - 1, three = std::int64_t{3} << 33;
  const std::int64_t number = normal_number(random, index);
  const std::int64_t size = std::min((2 * std::abs(number) * most + three) / (2 * three), most);
  const std::int64_t value = (number < 0 ? -size : size) + (type.kind == Kind::unsigned_integer ? most + 1 : 0);
  return bits_of_number(dtype, value < 0, static_cast<std::uint64_t>(std::abs(value)), 0);
}

std::uint64_t integers_bits(const Random& random, DType dtype, std::int64_t index) {
  const DTypeInfo& type = info(dtype);
  if (type.kind == Kind::boolean) return random.below(2, index);
  std::int64_t least = type.kind == Kind::unsigned_integer ? 0 : -8, most = least + 16;
  if (is_integer(dtype) && type.bits <= 4) {
    const bool is_signed = type.kind == Kind::signed_integer;
    least = is_signed ? -(1 << (type.bits - 1)) : 0;
    most = least + (1 << type.bits) - 1;
  }
  const std::int64_t value = least + random.below(static_cast<std::uint32_t>(most - least + 1), index);
  return bits_of_number(dtype, value < 0, static_cast<std::uint64_t>(value < 0 ? -value : value), 0);
}

/// The special values of a type, in a fixed order.
std::vector<std::uint64_t> special_values(DType dtype) {
  const int bits = info(dtype).bits;
  if (is_integer(dtype)) {
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1), all = mask(dtype);
    if (info(dtype).kind == Kind::unsigned_integer) return {0, 1, all};
    return {0, 1, all, sign, all ^ sign};  // all: -1; sign: the least
  }
  std::vector<std::uint64_t> values;
  if (const auto nan = nan_of(dtype)) values.push_back(*nan);
  for (const bool negative : {false, true}) {
    const auto infinity = infinity_of(dtype, negative);
    if (infinity) values.push_back(*infinity);
    values.push_back(encode_bits(dtype, negative, 0, 0));
    values.push_back(encode_bits(dtype, negative, 0, 0) | 1);  // the least subnormal number
    // Without infinity what is too large becomes the largest finite number.
    values.push_back(infinity ? *infinity - 1 : encode_bits(dtype, negative, 1, 4096));
  }
  return values;
}

bool is_number(DType dtype) { return (is_floating(dtype) && dtype != DType::float8_e8m0fnu) || is_integer(dtype); }
bool is_number_or_bool(DType dtype) { return is_number(dtype) || info(dtype).kind == Kind::boolean; }
bool is_real(DType dtype) { return is_floating(dtype) && is_number(dtype); }

constexpr int kWidestQuantized = 16;
bool is_quantized(DType dtype) {
  return is_integer(dtype) && info(dtype).bits > 1 && info(dtype).bits <= kWidestQuantized;
}

/// As tensor_of_bits; large ones take their time.
template <class Bits>
Tensor tensor_drawn(const TensorType& type, const Bits& bits) {
  return tensor_of_bits(type, [&](std::int64_t i) {
    require_time();
    return bits(i);
  });
}

Tensor uniform(const Random& random, const TensorType& type) {
  return tensor_drawn(type, [&](std::int64_t i) { return uniform_bits(random, type.dtype, i); });
}

Tensor normal(const Random& random, const TensorType& type) {
  return tensor_drawn(type, [&](std::int64_t i) { return normal_bits(random, type.dtype, i); });
}

Tensor integers(const Random& random, const TensorType& type) {
  return tensor_drawn(type, [&](std::int64_t i) { return integers_bits(random, type.dtype, i); });
}

Tensor quantized(const Random& random, const TensorType& type) {
  return tensor_drawn(type, [&](std::int64_t i) { return quantized_bits(random, type.dtype, i); });
}

Tensor iota(const Random&, const TensorType& type) {
  return tensor_drawn(
      type, [&](std::int64_t i) { return bits_of_number(type.dtype, false, static_cast<std::uint64_t>(i), 0); });
}

Tensor special(const Random& random, const TensorType& type) {
  const std::vector<std::uint64_t> values = special_values(type.dtype);
  return tensor_drawn(type, [&](std::int64_t i) {
    const auto words = random.draw(i, 0, kSpecialStream);
    if (words[0] % kOneSpecialOf == 0) return values[words[1] % values.size()];
    return is_floating(type.dtype) ? normal_bits(random, type.dtype, i) : uniform_bits(random, type.dtype, i);
  });
}

/// Words of 0 to 3 letters, each length and each letter as likely as the others.
Tensor words(const Random& random, const Dims& shape) {
  constexpr std::array<std::string_view, 8> kLetters = {"a", "b", "c", "z", "A", "Z", "0", "é"};
  std::vector<std::string> elements(static_cast<size_t>(element_count(shape)));
  for (size_t i = 0; i < elements.size(); ++i) {
    require_time();
    const auto drawn = random.draw(static_cast<std::int64_t>(i));
    for (size_t letter = 1; letter <= drawn[0] % 4; ++letter) elements[i] += kLetters[drawn[letter] % kLetters.size()];
  }
  return {shape, std::move(elements)};
}

/// A complex number has the two halves of one draw as its parts.
Tensor complex_bits(const Random& random, const TensorType& type) {
  const DType part = type.dtype == DType::complex64 ? DType::float32 : DType::float64;
  const Dims count{checked_multiply(element_count(type.shape), 2)};
  const Tensor parts =
      tensor_drawn({part, count}, [&](std::int64_t i) { return word64(random.draw(i / 2), static_cast<int>(i % 2)); });
  return Tensor::copy_of(type, parts.bytes());
}

Tensor bits(const Random& random, const TensorType& type) {
  const DTypeInfo& element = info(type.dtype);
  if (element.kind == Kind::string) return words(random, type.shape);
  if (element.kind == Kind::complex) return complex_bits(random, type);
  const std::uint64_t all = element.kind == Kind::boolean ? 1 : mask(type.dtype);
  return tensor_drawn(type, [&](std::int64_t i) { return word64(random.draw(i), 0) & all; });
}

/// The same number everywhere; true for 1.
template <std::uint64_t value>
Tensor equal(const Random&, const TensorType& type) {
  const bool is_boolean = info(type.dtype).kind == Kind::boolean;
  const std::uint64_t bits = is_boolean ? value : bits_of_number(type.dtype, false, value, 0);
  return tensor_drawn(type, [bits](std::int64_t) { return bits; });
}

struct Generator {
  std::string_view name;
  bool (*takes)(DType);
  Tensor (*values)(const Random&, const TensorType&);
};

constexpr auto kGenerators = std::to_array<Generator>({{"uniform", is_number_or_bool, uniform},
                                                       {"normal", is_real, normal},
                                                       {"integers", is_number_or_bool, integers},
                                                       {"quantized", is_quantized, quantized},
                                                       {"iota", is_number_or_bool, iota},
                                                       {"zeros", is_number_or_bool, equal<0>},
                                                       {"ones", is_number_or_bool, equal<1>},
                                                       {"special", is_number, special},
                                                       {"bits", [](DType) { return true; }, bits}});

/// Null where there is none.
const Generator* find_generator(std::string_view name) {
  const auto* const found = std::ranges::find(kGenerators, name, &Generator::name);
  return found == kGenerators.end() ? nullptr : found;
}

}  // namespace

std::vector<std::string_view> generator_names() {
  std::vector<std::string_view> names;
  for (const Generator& generator : kGenerators) names.push_back(generator.name);
  return names;
}

bool is_generator(std::string_view name) { return find_generator(name) != nullptr; }

void unknown_generator(std::string_view name, const std::vector<std::string_view>& known) {
  fail(Fault::usage, "'{}' is not a generator here ({}){}", printable(name), join_text(known, ", "),
       did_you_mean(name, known));
}

void require_generates(std::string_view name, DType dtype) {
  const Generator* generator = find_generator(name);
  if (generator == nullptr || generator->takes(dtype)) return;
  std::vector<std::string_view> others;
  for (const Generator& other : kGenerators)
    if (other.takes(dtype)) others.push_back(other.name);
  fail(Fault::usage, {kKnownNames, join_text(others, ", ")}, "the generator '{}' has no values of type {}", name,
       dtype);
}

std::string_view generators_text() {
  return "To generate an input's values, write NAME=TYPE:GENERATOR:SEED on the command\n"
         "line, or in a JSON case the same as an object:\n"
         "  NAME=float32[1,3,32,32]:normal:7\n"
         "  {\"dtype\": \"float32\", \"shape\": [1, 3, 32, 32], \"fill\": \"normal\", \"seed\": 7}\n"
         "The default seed is 1. In JSON you may leave out dtype: the input then takes the\n"
         "dtype of the other inputs of the same type variable. Element i depends only on\n"
         "the seed, the input's name and i: it is the same on every machine, with every\n"
         "number of threads. The random numbers are Philox4x32-10. The key is the first 64\n"
         "bits of the SHA-256 of \"SEED NAME\", and the counter is the index.\n"
         "\n"
         "  uniform   multiples of 2^-p in [-1, 1), p the type's significant bits;\n"
         "            integers: every value\n"
         "  normal    variance 1: the sum of 12 uniforms, rounded once\n"
         "  integers  -8 … 8, unsigned 0 … 16\n"
         "  quantized of 2 to 16 bits, as weights of QDQ models: normal, 3 on the greatest\n"
         "            number m, held to -m … m; unsigned: 0 in the middle\n"
         "  iota      0, 1, 2, …\n"
         "  zeros     0 everywhere\n"
         "  ones      1 everywhere\n"
         "  special   as normal (integers: uniform), but one element of 16 is NaN, an\n"
         "            infinity, a zero, the least or the largest finite number, of either\n"
         "            sign\n"
         "  bits      every pattern of an element's bits, NaN payloads too; bool: 0 or 1;\n"
         "            string: words of 0 to 3 of the letters a b c z A Z 0 é\n"
         "\n"
         "Some operators have further generators, which use the node's attributes:\n";
}

Random stream_of(std::uint64_t seed, std::string_view input) { return Random(hash_of(seed, input, 16)); }

std::uint64_t case_seed(std::uint64_t seed, std::string_view case_name) { return hash_of(seed, case_name, 8); }

Tensor generate(const Fill& fill, std::string_view name, const TensorType& type) {
  const Generator* generator = find_generator(fill.generator);
  if (generator == nullptr) unknown_generator(fill.generator, generator_names());
  require_generates(fill.generator, type.dtype);
  return generator->values(stream_of(fill.seed, name), type);
}

}  // namespace opref::io
