#include "io/generate.h"

#include <Random123/philox.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "exact/rounding.h"
#include "io/sha256.h"

namespace opref {
namespace {

constexpr std::array<std::string_view, 9> kNames = {
    "uniform", "normal", "integers", "iota", "special", "ties", "cancel", "max_pool_indices", "max_pool_duplicates"};

constexpr std::uint32_t kSpecialStream = 1;
constexpr std::uint32_t kOneSpecialOf = 16;

bool is_float(DType dtype) { return info(dtype).kind == Kind::floating; }
bool is_integer(DType dtype) {
  return info(dtype).kind == Kind::signed_integer || info(dtype).kind == Kind::unsigned_integer;
}

/// The first `digits` hexadecimal digits of a SHA-256, as a number.
std::uint64_t hash_of(std::uint64_t seed, std::string_view text, size_t digits) {
  const std::string message = format("{} {}", seed, text);
  const std::string hash = sha256(std::as_bytes(std::span(message)));
  std::uint64_t number = 0;
  std::from_chars(hash.data(), hash.data() + digits, number, 16);
  return number;
}

std::uint64_t mask(DType dtype) { return ~std::uint64_t{0} >> (64 - info(dtype).bits); }

std::uint64_t word64(const std::array<std::uint32_t, 4>& words, int half) {
  return std::uint64_t{words[static_cast<size_t>(2 * half + 1)]} << 32 | words[static_cast<size_t>(2 * half)];
}

/// ±magnitude·2^exponent of a magnitude with more than 64 bits: those that are cut off stay as a sticky bit.
std::uint64_t bits_of_wide(DType dtype, bool negative, unsigned __int128 magnitude, int exponent) {
  bool sticky = false;
  for (; magnitude >> 64 != 0; magnitude >>= 1, ++exponent) sticky |= (magnitude & 1) != 0;
  return bits_of_number(dtype, negative, static_cast<std::uint64_t>(magnitude) | (sticky ? 1 : 0), exponent);
}

/// The sum of 12 uniforms of 32 bits, for types of more than 32 significant bits of 64, less its mean.
std::uint64_t normal_bits(const Random& random, DType dtype, std::int64_t index) {
  const bool wide = precision_of(dtype) > 32;
  unsigned __int128 sum = 0;
  for (std::uint32_t number = 0; number < (wide ? 6U : 3U); ++number) {
    const auto words = random.draw(index, number);
    if (wide)
      sum += static_cast<unsigned __int128>(word64(words, 0)) + word64(words, 1);
    else
      for (const std::uint32_t word : words) sum += word;
  }
  const unsigned __int128 doubled = 2 * sum,
                          mean = static_cast<unsigned __int128>(12) * (wide ? UINT64_MAX : UINT32_MAX);
  const bool negative = doubled < mean;
  return bits_of_wide(dtype, negative, negative ? mean - doubled : doubled - mean, wide ? -65 : -33);
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

}  // namespace

std::string_view name(Generator generator) { return kNames[static_cast<size_t>(generator)]; }

Generator parse_generator(std::string_view text) {
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end())
    fail(Fault::usage, "'{}' is not a generator ({}){}", printable(text), join_text(kNames, ", "),
         did_you_mean(text, kNames));
  return static_cast<Generator>(found - kNames.begin());
}

bool looks_at_node(Generator generator) { return generator >= Generator::ties; }

void require_generates(Generator generator, DType dtype) {
  const bool is_bool = info(dtype).kind == Kind::boolean, narrow = dtype == DType::float8_e8m0fnu;
  const auto takes = [&] {
    switch (generator) {
      case Generator::uniform:
      case Generator::integers:
      case Generator::iota:
        return (is_float(dtype) && !narrow) || is_integer(dtype) || is_bool;
      case Generator::special:
        return (is_float(dtype) && !narrow) || is_integer(dtype);
      case Generator::normal:
      case Generator::ties:
      case Generator::cancel:
        return is_float(dtype) && !narrow;
      case Generator::max_pool_indices:
      case Generator::max_pool_duplicates:
        break;
    }
    return dtype == DType::int64;
  };
  if (!takes()) fail(Fault::usage, "the generator '{}' has no values of type {}", name(generator), dtype);
}

std::string_view generators_text() {
  return "NAME=float32[1,3,32,32]:normal:7 on the command line, or\n"
         "{\"dtype\": \"float32\", \"shape\": [1, 3, 32, 32], \"fill\": \"normal\", \"seed\": 7}\n"
         "in a JSON case, gives an input generated values. The seed is 1 where none is\n"
         "stated, the dtype in JSON that of other inputs of the same type variable.\n"
         "Element i depends on the seed, the input's name and i, on no machine, thread\n"
         "count or library: Philox4x32-10, whose key is the first 64 bits of the SHA-256\n"
         "of \"SEED NAME\", whose counter is the index.\n"
         "\n"
         "  uniform   multiples of 2^-p in [-1, 1), p the type's significant bits;\n"
         "            integers: every value\n"
         "  normal    variance 1: the sum of 12 uniforms, rounded once\n"
         "  integers  -8 … 8, unsigned 0 … 16\n"
         "  iota      0, 1, 2, …\n"
         "  special   normal (integers: uniform), one of 16 being NaN, an infinity, a\n"
         "            zero, the least or the largest finite number, of either sign\n"
         "\n"
         "These look at the node that takes the tensor:\n"
         "  ties      sums that fall on a midpoint between two numbers of the output's\n"
         "            type, or beside it\n"
         "  cancel    terms that cancel to less than 2^-p of the largest\n"
         "  max_pool_indices      of MaxUnpool, as a pooling whose windows do not\n"
         "                        overlap gives them: none comes twice\n"
         "  max_pool_duplicates   the same, of windows that may overlap\n";
}

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  const r123::Philox4x32::ctr_type words{{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x32::key_type two{{key[0], key[1]}};
  const r123::Philox4x32::ctr_type random = r123::Philox4x32{}(words, two);
  return {random[0], random[1], random[2], random[3]};
}

Random::Random(std::uint64_t seed, std::string_view input) {
  const std::uint64_t key = hash_of(seed, input, 16);
  key_ = {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
}

std::array<std::uint32_t, 4> Random::draw(std::int64_t index, std::uint32_t number, std::uint32_t stream) const {
  const auto at = static_cast<std::uint64_t>(index);
  return philox({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32), number, stream}, key_);
}

std::uint32_t Random::below(std::uint32_t count, std::int64_t index, std::uint32_t stream) const {
  return static_cast<std::uint32_t>(std::uint64_t{draw(index, 0, stream)[0]} * count >> 32);
}

std::uint64_t case_seed(std::uint64_t seed, std::string_view case_name) { return hash_of(seed, case_name, 8); }

int precision_of(DType dtype) {
  // 1 + 2^(1-p) is the number after 1.
  const std::uint64_t one = encode_bits(dtype, false, 1, 0);
  const Scaled next = scaled(floating_value(dtype, one + 1) - 1);
  return 1 - (next.exponent + 63 - std::countl_zero(next.significand));
}

std::uint64_t bits_of_number(DType dtype, bool negative, std::uint64_t magnitude, int exponent) {
  if (is_float(dtype)) return encode_bits(dtype, negative && magnitude != 0, magnitude, exponent);
  const std::uint64_t value = exponent > 0 ? magnitude << exponent : magnitude >> -exponent;
  return (negative ? 0 - value : value) & mask(dtype);
}

std::uint64_t uniform_bits(const Random& random, DType dtype, std::int64_t index, int scale) {
  const std::uint64_t word = word64(random.draw(index), 0);
  if (info(dtype).kind == Kind::boolean) return word >> 63;
  if (is_integer(dtype)) return word & mask(dtype);
  const int p = precision_of(dtype);
  const std::uint64_t drawn = word >> (63 - p), half = std::uint64_t{1} << p;
  const bool negative = drawn < half;
  return bits_of_number(dtype, negative, negative ? half - drawn : drawn - half, scale - p);
}

Tensor generate(const Fill& fill, std::string_view name_of_input, const TensorType& type) {
  require_generates(fill.generator, type.dtype);
  const Random random(fill.seed, name_of_input);
  const DType dtype = type.dtype;
  switch (fill.generator) {
    case Generator::uniform:
      return tensor_of_bits(type, [&](std::int64_t i) { return uniform_bits(random, dtype, i); });
    case Generator::normal:
      return tensor_of_bits(type, [&](std::int64_t i) { return normal_bits(random, dtype, i); });
    case Generator::integers:
      return tensor_of_bits(type, [&](std::int64_t i) { return integers_bits(random, dtype, i); });
    case Generator::iota:
      return tensor_of_bits(
          type, [&](std::int64_t i) { return bits_of_number(dtype, false, static_cast<std::uint64_t>(i), 0); });
    case Generator::special:
      break;
    default:
      fail(Fault::usage, "the generator '{}' looks at the node that takes '{}': there is none here",
           name(fill.generator), printable(name_of_input));
  }
  const std::vector<std::uint64_t> values = special_values(dtype);
  return tensor_of_bits(type, [&](std::int64_t i) {
    const auto words = random.draw(i, 0, kSpecialStream);
    if (words[0] % kOneSpecialOf == 0) return values[words[1] % values.size()];
    return is_float(dtype) ? normal_bits(random, dtype, i) : uniform_bits(random, dtype, i);
  });
}

}  // namespace opref
