// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/json.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "exact/decimal.h"
#include "io/base64.h"
#include "io/json/fields.h"
#include "io/onnx/wire.h"

namespace opref::io {
namespace {

std::string_view without_plus(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return text;
}

template <class Integer>
std::optional<Integer> integer_in_digits(std::string_view text) {
  text = without_plus(text);
  Integer integer{};
  const auto [end, error] = std::from_chars(text.begin(), text.end(), integer);
  return end == text.end() && error == std::errc{} ? std::optional(integer) : std::nullopt;
}

/// Of a JSON number as 5.0 or 5e2.
template <class Integer>
std::optional<Integer> integer_in_decimal(std::string_view text) {
  double real = 0;
  const std::errc error = std::from_chars(text.begin(), text.end(), real).ec;
  constexpr auto kLeast = static_cast<double>(std::numeric_limits<Integer>::min());
  const double above = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
  const bool fits = error == std::errc{} && std::trunc(real) == real && real >= kLeast && real < above;
  return fits ? std::optional(static_cast<Integer>(real)) : std::nullopt;
}

template <class Integer>
std::optional<Integer> integer_in(const JsonValue& value) {
  const bool is_number = value.kind() == JsonKind::number;
  if (!is_number && value.kind() != JsonKind::string) return std::nullopt;
  const auto integer = integer_in_digits<Integer>(value.text());
  const bool is_decimal = value.text().find_first_of(".eE") != std::string_view::npos;
  return integer || !is_number || !is_decimal ? integer : integer_in_decimal<Integer>(value.text());
}

/// The finite number that the text is, rounded once to `dtype`, as bits.
std::optional<std::uint64_t> decimal(std::string_view text, DType dtype) {
  text = without_plus(text);
  double form = 0;  // whether it is a number is all that is asked here
  const auto [end, error] = std::from_chars(text.begin(), text.end(), form);
  if (end != text.end() || error == std::errc::invalid_argument || !std::isfinite(form)) return std::nullopt;
  const bool negative = text.starts_with('-');
  const auto bits = decimal_bits(dtype, negative, std::string(text.substr(negative ? 1 : 0)));
  return bits && bits != decimal_bits(dtype, negative, "1e9999") ? bits : std::nullopt;
}

std::uint64_t bits_of(DType dtype, double special) {
  if (dtype == DType::float64) return std::bit_cast<std::uint64_t>(special);
  return std::bit_cast<std::uint32_t>(static_cast<float>(special));
}

/// The bits of a float32 or float64.
std::uint64_t real_bits(const JsonValue& value, DType dtype) {
  const bool is_text = value.kind() == JsonKind::string;
  const std::string_view text = value.text();
  if (is_text && text == "NaN") return bits_of(dtype, std::numeric_limits<double>::quiet_NaN());
  if (is_text && text == "Infinity") return bits_of(dtype, std::numeric_limits<double>::infinity());
  if (is_text && text == "-Infinity") return bits_of(dtype, -std::numeric_limits<double>::infinity());
  const auto bits = is_text || value.kind() == JsonKind::number ? decimal(text, dtype) : std::nullopt;
  if (!bits) must_be(value, format("a number in the range of {}, \"NaN\", \"Infinity\" or \"-Infinity\"", dtype));
  return *bits;
}

template <class Integer>
std::uint64_t integer_bits(const JsonValue& value) {
  const auto integer = integer_in<Integer>(value);
  if (!integer)
    must_be(value, format("an integer from {} to {}", std::numeric_limits<Integer>::min(),
                          std::numeric_limits<Integer>::max()));
  return static_cast<std::uint64_t>(*integer);
}

/// base64 as protobuf takes it, with the alphabet and the padding of RFC 4648.
std::string plain_base64(std::string_view text) {
  std::string plain(text);
  std::ranges::replace(plain, '-', '+');
  std::ranges::replace(plain, '_', '/');
  if (!text.ends_with('=')) plain.resize((plain.size() + 3) / 4 * 4, '=');
  return plain;
}

std::string decoded_bytes(const JsonValue& value) {
  require_kind(value, JsonKind::string);
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  if (value.text().find_first_of(kSpace) != std::string_view::npos) must_be(value, "base64 without white space");
  const std::vector<std::uint8_t> bytes = malformed_at(value, [&] { return from_base64(plain_base64(value.text())); });
  return {bytes.begin(), bytes.end()};
}

/// Writes what a document says in protobuf, which is then read like any other.
class JsonReader {
 public:
  WireWriter message(const JsonValue& object, const MessageType& type) {
    require_kind(object, JsonKind::object);
    WireWriter message(type);
    std::string_view one_of;  // the field of the oneof that is set
    for (const JsonValue member : object) {
      const MessageField* field = type.find(member.key());
      if (field == nullptr) {
        ignore(member);
      } else if (member.kind() != JsonKind::null) {
        if (field->label == Label::one_of && !std::exchange(one_of, field->name).empty())
          fail(Fault::malformed, "{} cannot be set beside another field of {}", place(member), type.name);
        add(message, *field, member);
      }
    }
    return message;
  }

  /// What was passed over, by its path; of many the first ones.
  std::string ignored() const {
    constexpr size_t kMost = 200;
    return printable(join_text(ignored_, ", "), kMost);
  }

 private:
  void ignore(const JsonValue& value) {
    constexpr size_t kMost = 8;
    if (ignored_.size() < kMost) ignored_.push_back(place(value));
  }

  void add(WireWriter& message, const MessageField& field, const JsonValue& value) {
    if (!field.is_repeated() || value.kind() != JsonKind::list) return add_one(message, field, value);
    for (const JsonValue item : value)
      if (item.kind() != JsonKind::null) add_one(message, field, item);
  }

  void add_one(WireWriter& message, const MessageField& field, const JsonValue& value) {
    switch (field.type) {
      case FieldType::int32:
        return message.add_bits(field, integer_bits<std::int32_t>(value));
      case FieldType::int64:
        return message.add_bits(field, integer_bits<std::int64_t>(value));
      case FieldType::uint64:
        return message.add_bits(field, integer_bits<std::uint64_t>(value));
      case FieldType::float32:
        return message.add_bits(field, real_bits(value, DType::float32));
      case FieldType::float64:
        return message.add_bits(field, real_bits(value, DType::float64));
      case FieldType::enumeration:
        return add_enumeration(message, field, value);
      case FieldType::string:
        return message.add_bytes(field, string_of(value));
      case FieldType::bytes:
        return message.add_bytes(field, decoded_bytes(value));
      case FieldType::message:
        return message.add_bytes(field, this->message(value, *field.message).bytes());
    }
  }

  /// A name that the enumeration does not have is a number, or ignored.
  void add_enumeration(WireWriter& message, const MessageField& field, const JsonValue& value) {
    const auto named = std::ranges::find(field.values, value.text(), &EnumValue::name);
    if (value.kind() == JsonKind::string && named != field.values.end())
      return message.add_bits(field, static_cast<std::uint64_t>(named->number));
    if (value.kind() == JsonKind::string && !integer_in<std::int32_t>(value)) return ignore(value);
    message.add_bits(field, integer_bits<std::int32_t>(value));
  }

  std::vector<std::string> ignored_;
};

}  // namespace

OnnxJson read_message(const JsonValue& object, const MessageType& type) {
  JsonReader reader;
  try {
    std::string bytes = reader.message(object, type).bytes();
    return {OnnxMessage::parse(type, in_memory(std::move(bytes))), "", reader.ignored()};
  } catch (const Error& error) {
    if (error.fault() != Fault::malformed) throw;
    return {{}, error.message(), ""};
  }
}

}  // namespace opref::io
