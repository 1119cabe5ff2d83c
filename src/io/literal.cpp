// SPDX-License-Identifier: Apache-2.0
#include "io/literal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "core/error.h"
#include "exact/decimal.h"
#include "exact/rounding.h"
#include "io/elements.h"
#include "io/quoted_text.h"

namespace opref::io {
namespace {

/// Reads nested lists and checks while it reads that all lists of one depth agree.
class LiteralParser {
 public:
  explicit LiteralParser(std::string_view text) : text_(text) {}

  Literal parse() {
    item(0);
    if (peek() != 0) fail_here("expected the end");
    Literal literal;
    for (size_t depth = 0; depth < levels_.size() && levels_[depth].is_list; ++depth)
      literal.shape.push_back(levels_[depth].length);
    literal.elements = std::move(elements_);
    return literal;
  }

 private:
  /// What the first item at a depth was; all others must be like it.
  struct Level {
    bool is_list = false;
    std::int64_t length = -1;  ///< of a list; -1 while the first one is still open
    std::vector<std::int64_t> place;
  };

  [[noreturn]] void fail_here(std::string_view problem) const {
    fail(Fault::usage, "{} at character {} of '{}'", problem, position_ + 1, printable(text_));
  }

  /// The next character that is no white space; 0 at the end.
  char peek() {
    position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  std::string place_text(const std::vector<std::int64_t>& place) const { return "[" + join_some(place, ",") + "]"; }

  void item(size_t depth) {
    const bool is_list = peek() == '[';
    if (is_list && depth == Dims::kCapacity) fail_here(format("lists nest deeper than {}", Dims::kCapacity));
    if (depth == levels_.size()) levels_.push_back({is_list, -1, place_});
    if (levels_[depth].is_list != is_list) {
      const auto kind = [](bool list) { return list ? "a list" : "an element"; };
      fail(Fault::usage, "{} is {}, but {} is {}", place_text(place_), kind(is_list), place_text(levels_[depth].place),
           kind(!is_list));
    }
    is_list ? list(depth) : element();
  }

  void list(size_t depth) {
    ++position_;
    place_.push_back(0);
    if (peek() != ']') {
      for (;; ++position_) {
        item(depth + 1);
        ++place_.back();
        const char next = peek();
        if (next == ']') break;
        if (next != ',') fail_here("expected ',' or ']'");
      }
    }
    ++position_;
    const std::int64_t length = place_.back();
    place_.pop_back();
    Level& level = levels_[depth];
    if (level.length < 0) level.length = length;
    if (level.length != length)
      fail(Fault::usage, "the list at {} has {}, the one at {} has {}", place_text(place_), counted(length, "element"),
           place_text(level.place), level.length);
  }

  void element() {
    if (text_.substr(position_, 1) == "\"") return elements_.push_back(parse_quoted(text_, position_));
    const size_t end = std::min(text_.find_first_of(" \t\r\n,[]\"", position_), text_.size());
    if (end == position_) fail_here("expected an element");
    if (end > position_ + 1 && text_[position_] == '\'' && text_[end - 1] == '\'')
      fail_here(R"(a string is written in double quotes, as in ["a","b"]:string, but a single one stands)");
    if (text_.substr(position_, end - position_).find(';') != std::string_view::npos)
      fail_here("rows have brackets of their own, as in [[1,2],[3,4]], but ';' stands");
    elements_.emplace_back(text_.substr(position_, end - position_));
    position_ = end;
  }

  std::string_view text_;
  size_t position_ = 0;
  std::vector<std::int64_t> place_;
  std::vector<Level> levels_;
  std::vector<std::string> elements_;
};

/// A decimal number taken apart: ±0.digits · 10^exponent.
struct Number {
  bool negative = false;
  std::string_view magnitude;  ///< the text without its sign
  std::string digits;          ///< without leading and trailing zeros
  long exponent = 0;
};

constexpr long kExponentLimit = 1'000'000;  // far beyond every type, and far from overflow

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// [+-] digits [. digits] [e [+-] digits]; nothing if `text` is something else.
std::optional<Number> parse_number(std::string_view text) {
  Number number;
  size_t i = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  number.negative = i == 1 && text[0] == '-';
  number.magnitude = text.substr(i);
  bool point = false;
  bool digit = false;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    digit = true;
    const bool leading_zero = text[i] == '0' && number.digits.empty();
    if (!leading_zero) number.digits += text[i];
    // A digit before the point raises the power of the first digit; a zero that follows the point lowers it.
    if (!leading_zero && !point) ++number.exponent;
    if (leading_zero && point) --number.exponent;
  }
  if (!digit) return std::nullopt;
  while (!number.digits.empty() && number.digits.back() == '0') number.digits.pop_back();
  if (i == text.size()) return number;
  if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
  ++i;
  const bool negative_exponent = i < text.size() && text[i] == '-';
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  if (i == text.size()) return std::nullopt;
  long exponent = 0;
  for (; i < text.size(); ++i) {
    if (!is_digit(text[i])) return std::nullopt;
    exponent = std::min(exponent * 10 + (text[i] - '0'), kExponentLimit);
  }
  number.exponent += negative_exponent ? -exponent : exponent;
  return number;
}

std::optional<Unit128> parse_bits(std::string_view text, DType dtype) {
  if (!text.starts_with("0x")) return std::nullopt;
  const int width = info(dtype).bits;
  const std::string_view digits = text.substr(2);
  Unit128 bits{0, 0};
  for (const char c : digits) {
    std::uint64_t digit = 0;
    if (std::from_chars(&c, &c + 1, digit, 16).ec != std::errc{})
      fail(Fault::usage, "'{}' has a character that is no hexadecimal digit", printable(text));
    bits = {bits.low << 4 | digit, bits.high << 4 | bits.low >> 60};
  }
  if (digits.size() != static_cast<size_t>(width + 3) / 4 || (width < 4 && bits.low >> width != 0))
    fail(Fault::usage, "'{}' has not the {} bits of {}", printable(text), width, dtype);
  if (dtype == DType::boolean && bits.low > 1) fail(Fault::usage, "'{}' is not a bool (0x00 or 0x01)", printable(text));
  return bits;
}

[[noreturn]] void fail_not_finite(std::string_view text, DType dtype) {
  if (dtype == DType::float8_e8m0fnu)
    fail(Fault::usage, "{} does not fit into {}, which has only powers of two from 2^-127 to 2^127", printable(text),
         dtype);
  const double largest = floating_value(dtype, encode_bits(dtype, false, 1, Format<double>::max_exponent));
  fail(Fault::usage, "{} does not fit into {} ({} to {})", printable(text), dtype, -largest, largest);
}

std::uint64_t parse_floating(std::string_view text, DType dtype) {
  const bool negative = text.starts_with('-');
  const std::string_view unsigned_text = text.substr(negative || text.starts_with('+') ? 1 : 0);
  if (!negative && (unsigned_text == "NaN" || unsigned_text == "nan")) {
    if (const auto bits = nan_of(dtype)) return *bits;
    fail(Fault::usage, "{} has no NaN", dtype);
  }
  if (unsigned_text == "Inf" || unsigned_text == "inf" || unsigned_text == "Infinity") {
    if (const auto bits = infinity_of(dtype, negative)) return *bits;
    fail(Fault::usage, "{} has no infinity", dtype);
  }
  const auto number = parse_number(text);
  constexpr std::array<std::string_view, 4> kNames{"NaN", "Inf", "-Inf", "Infinity"};
  if (text.find_first_not_of('.') == std::string_view::npos || text == "…")
    fail(Fault::usage, "'{}' stands for no numbers: write them all, or have them made as in float32[2,3]:normal", text);
  if (!number) fail(Fault::usage, "'{}' is not a number{}", printable(text), did_you_mean(text, kNames));
  const auto bits = decimal_bits(dtype, number->negative, std::string(number->magnitude));
  if (!bits) fail_not_finite(text, dtype);
  return *bits;
}

/// The part of "1+2j" before the sign of the imaginary part; empty if there is none.
std::string_view real_part(std::string_view text) {
  for (size_t i = text.size() - 1; i > 0; --i)
    if ((text[i] == '+' || text[i] == '-') && text[i - 1] != 'e' && text[i - 1] != 'E') return text.substr(0, i);
  return {};
}

Unit128 parse_complex(std::string_view text, DType dtype) {
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
  const DType part = dtype == DType::complex64 ? DType::float32 : DType::float64;
  std::uint64_t real = 0;
  std::uint64_t imaginary = 0;
  if (text.ends_with('j')) {
    const std::string_view before = real_part(text);
    if (!before.empty()) real = parse_floating(before, part);
    imaginary = parse_floating(text.substr(before.size(), text.size() - before.size() - 1), part);
  } else {
    if (text.ends_with('i') && text.size() > 1 && is_digit(text[text.size() - 2]))
      fail(Fault::usage, "'{}' is not a number: the imaginary unit is written j, as in 1+2j", printable(text));
    real = parse_floating(text, part);
  }
  return dtype == DType::complex64 ? Unit128{real | imaginary << 32, 0} : Unit128{real, imaginary};
}

std::uint64_t parse_integer(std::string_view text, DType dtype) {
  const auto number = parse_number(text);
  if (!number) fail(Fault::usage, "'{}' is not an integer", printable(text));
  if (number->digits.empty()) return 0;
  if (static_cast<long>(number->digits.size()) > number->exponent)
    fail(Fault::usage, "{} is not an integer", printable(text));
  const int bits = info(dtype).bits;
  const bool has_sign = info(dtype).kind == Kind::signed_integer;
  const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - bits + has_sign);
  const std::uint64_t limit = !number->negative ? greatest : has_sign ? greatest + 1 : 0;
  constexpr long kMostDigits = 20;  // of 2^64
  std::uint64_t magnitude = 0;
  bool fits = number->exponent <= kMostDigits;
  if (fits) {
    const auto length = static_cast<size_t>(number->exponent);
    const std::string digits = number->digits + std::string(length - number->digits.size(), '0');
    fits = std::from_chars(digits.data(), digits.data() + length, magnitude).ec == std::errc{} && magnitude <= limit;
  }
  if (!fits)
    fail(Fault::usage, "{} does not fit into {} ({}{} to {})", printable(text), dtype, has_sign ? "-" : "",
         has_sign ? greatest + 1 : 0, greatest);
  const std::uint64_t value = number->negative ? 0 - magnitude : magnitude;
  return value & ~std::uint64_t{0} >> (64 - bits);
}

std::uint64_t parse_boolean(std::string_view text) {
  if (text == "true" || text == "True" || text == "1") return 1;
  if (text == "false" || text == "False" || text == "0") return 0;
  fail(Fault::usage, "'{}' is not a bool (true, false, 0 or 1)", printable(text));
}

Unit128 parse_element(std::string_view text, DType dtype) {
  constexpr size_t kLongest = 4096;  // every binary64 midpoint has less than 800 digits
  if (text.size() > kLongest)
    fail(Fault::usage, "'{}' has {} characters, the most are {}", printable(text), text.size(), kLongest);
  if (const auto bits = parse_bits(text, dtype)) return *bits;
  switch (info(dtype).kind) {
    case Kind::floating:
      return {parse_floating(text, dtype), 0};
    case Kind::complex:
      return parse_complex(text, dtype);
    case Kind::boolean:
      return {parse_boolean(text), 0};
    default:
      return {parse_integer(text, dtype), 0};
  }
}

void store(std::span<std::byte> bytes, int width, size_t index, Unit128 bits) {
  if (width < 8) {
    const size_t first = index * static_cast<size_t>(width);
    bytes[first / 8] |= static_cast<std::byte>(bits.low << (first % 8));
    if (first % 8 + static_cast<size_t>(width) > 8)
      bytes[first / 8 + 1] |= static_cast<std::byte>(bits.low >> (8 - first % 8));
  } else {
    const size_t size = static_cast<size_t>(width) / 8;
    std::memcpy(bytes.data() + index * size, &bits, size);
  }
}

}  // namespace

Literal parse_literal(std::string_view text) { return LiteralParser(text).parse(); }

Tensor make_tensor(const Literal& literal, DType dtype) {
  const std::vector<std::string>& elements = literal.elements;
  if (element_count(literal.shape) != static_cast<std::int64_t>(elements.size()))
    fail(Fault::usage, "shape {} does not hold {}", literal.shape,
         counted(static_cast<long long>(elements.size()), "element"));
  if (dtype == DType::string) return tensor_of_strings(literal.shape, elements, literal.fault);
  TensorBuilder builder({dtype, literal.shape});
  const std::span<std::byte> bytes = builder.bytes();
  for (size_t i = 0; i < elements.size(); ++i) {
    const auto parse = [&] {
      try {
        return parse_element(elements[i], dtype);
      } catch (const Error& error) {
        throw Error(literal.fault, error.message());
      }
    };
    const auto place = [&] {
      return format("in element {}", coordinates(static_cast<std::int64_t>(i), literal.shape));
    };
    store(bytes, info(dtype).bits, i, literal.shape.empty() ? parse() : at_place(place, parse));
  }
  return std::move(builder).finish();
}

}  // namespace opref::io
