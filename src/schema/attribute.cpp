// SPDX-License-Identifier: Apache-2.0
#include "schema/attribute.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "core/error.h"
#include "exact/decimal.h"

namespace opref::schema {
namespace {

constexpr std::array<std::string_view, 15> kNames = {
    "UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
    "STRINGS",   "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};

/// What in quotes is a text, but looks like a number or several.
void require_no_text(std::string_view attribute, const UntypedItem& item, std::string_view noun) {
  const bool is_meant = !item.text.empty() && item.text.find_first_not_of("0123456789+-.eE, ") == std::string::npos;
  require(!item.quoted || !is_meant, "attribute '{}': '{}' is not {}, but a text: write it without quotes{}", attribute,
          printable(item.text), noun, item.text.find(',') == std::string::npos ? "" : ", in brackets");
}

std::int64_t parse_int(std::string_view attribute, const UntypedItem& item) {
  require_no_text(attribute, item, "an integer");
  std::string_view digits = item.text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
  if (error == std::errc{} && end == digits.end() && !item.quoted) return value;
  if (error == std::errc::result_out_of_range)
    fail(Fault::invalid, "attribute '{}': {} does not fit into 64 bits", attribute, printable(item.text));
  // 2.0 and 1e3 are integers written another way.
  double real = 0;
  const auto [real_end, real_error] = std::from_chars(digits.begin(), digits.end(), real);
  constexpr double kExact = 9007199254740992.0;
  const bool whole = real_error == std::errc{} && real_end == digits.end() && std::trunc(real) == real &&
                     std::abs(real) <= kExact && !item.quoted;
  const std::string_view word = item.text;
  const bool is_true = word == "true" || word == "True", is_bool = is_true || word == "false" || word == "False";
  require(whole, "attribute '{}': '{}' is not an integer{}", attribute, printable(item.text),
          is_bool ? format(": write {}", is_true ? 1 : 0) : "");
  return static_cast<std::int64_t>(real);
}

float parse_float(std::string_view attribute, const UntypedItem& item) {
  std::string_view digits = item.text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  // Only for the form of it: NaN and infinities, quoted in JSON, are read too.
  double value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
  const bool whole = end == digits.end() && !digits.empty() && !digits.starts_with('-');
  const bool is_number = whole && error != std::errc::invalid_argument;
  if (!is_number || std::isfinite(value)) require_no_text(attribute, item, "a number");
  require(is_number, "attribute '{}': '{}' is not a number", attribute, printable(item.text));
  if (!std::isfinite(value)) return negative ? -static_cast<float>(value) : static_cast<float>(value);
  const auto bits = decimal_bits(DType::float32, negative, std::string(digits));
  const auto nearest = std::bit_cast<float>(static_cast<std::uint32_t>(bits.value_or(0)));
  require(std::isfinite(nearest), "attribute '{}': {} is outside the range of float32", attribute,
          printable(item.text));
  return nearest;
}

/// As to_text writes it: the form before the elements' type.
ValueType parse_type(std::string_view attribute, const UntypedItem& item) {
  if (const auto type = parse_kind(item.text)) return *type;
  fail(Fault::invalid, "attribute '{}': '{}' is no type: one is written as float32, sequence of float32", attribute,
       printable(item.text));
}

template <class T, class Parse>
std::vector<T> parse_items(std::string_view attribute, const Untyped& untyped, const Parse& parse) {
  std::vector<T> values;
  for (const UntypedItem& item : untyped.items) values.push_back(parse(attribute, item));
  return values;
}

}  // namespace

std::string_view name(AttributeType type) { return kNames[static_cast<size_t>(type)]; }

std::string to_text(AttributeType type) { return std::string(name(type)); }

std::string to_text(const AttributeValue& value) {
  constexpr size_t kMost = 100;
  struct Writer {
    AttributeType type;
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(float v) const { return TextArgument(static_cast<double>(v)).text(); }
    std::string operator()(const std::string& v) const { return printable(v); }
    std::string operator()(const std::vector<std::int64_t>& v) const { return "[" + join_some(v, ",", kMost) + "]"; }
    std::string operator()(const std::vector<float>& v) const {
      return "[" + join_some(std::vector<double>(v.begin(), v.end()), ",", kMost) + "]";
    }
    std::string operator()(const std::vector<std::string>& v) const {
      std::vector<std::string> items;
      for (const std::string& item : std::span(v).first(std::min(v.size(), kMost + 1)))
        items.push_back(printable(item));
      return "[" + join_some(items, ",", kMost) + "]";
    }
    std::string operator()(const Tensor& v) const {
      return type == AttributeType::FLOAT ? TextArgument(v.values<double>()[0]).text() : to_text(v.type());
    }
    std::string operator()(const SparseTensor& v) const {
      return format("sparse {}", TensorType{v.values.dtype(), v.shape});
    }
    std::string operator()(const ValueType& v) const { return kind_text(v); }
    std::string operator()(const std::shared_ptr<const Graph>&) const { return "(" + to_text(type) + ")"; }
    std::string operator()(const Opaque&) const { return "(" + to_text(type) + ")"; }
  };
  return std::visit(Writer{value.type}, value.value);
}

namespace {

/// How a value is written that is neither a number nor a string; empty where there is no way.
std::string_view form_of(AttributeType type) {
  if (type == AttributeType::TENSOR)
    return R"(an object as {"dtype": "float32", "data": [1, 2]} in a JSON case, float[2] {1, 2} in ONNX text)";
  if (type == AttributeType::SPARSE_TENSOR) return R"(an object with "values", "indices" and "shape" in a JSON case)";
  return type == AttributeType::GRAPH ? "a string, the graph in ONNX text" : "";
}

[[noreturn]] void fail_structured(std::string_view attribute, const Untyped& untyped, AttributeType type) {
  const std::string_view form = form_of(type);
  if (form.empty())
    fail(Fault::unsupported, "attribute '{}' takes a value of type {}, which only a model can hold", attribute, type);
  const std::string given = untyped.is_list || untyped.items.size() != 1
                                ? "a list of " + counted(static_cast<long long>(untyped.items.size()), "value")
                                : "'" + printable(untyped.items.front().text) + "'";
  fail(Fault::invalid, "attribute '{}' takes a {}, but has {}: it is {}", attribute, type, given, form);
}

}  // namespace

AttributeValue coerce(std::string_view attribute, const Untyped& untyped, AttributeType type) {
  const auto single = [&]() -> const UntypedItem& {
    require(!untyped.is_list && untyped.items.size() == 1, "attribute '{}' takes one {}, but has a list of {}",
            attribute, type, counted(static_cast<long long>(untyped.items.size()), "value"));
    return untyped.items.front();
  };
  const auto text = [](std::string_view, const UntypedItem& item) { return item.text; };
  switch (type) {
    case AttributeType::TYPE_PROTO:
      return {type, parse_type(attribute, single())};
    case AttributeType::INT:
      return AttributeValue::of(parse_int(attribute, single()));
    case AttributeType::FLOAT:
      return AttributeValue::of(parse_float(attribute, single()));
    case AttributeType::STRING:
      return AttributeValue::of(single().text);
    case AttributeType::INTS:
      return AttributeValue::of(parse_items<std::int64_t>(attribute, untyped, parse_int));
    case AttributeType::FLOATS:
      return AttributeValue::of(parse_items<float>(attribute, untyped, parse_float));
    case AttributeType::STRINGS:
      return AttributeValue::of(parse_items<std::string>(attribute, untyped, text));
    default:
      fail_structured(attribute, untyped, type);
  }
}

Untyped split_items(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  if (text.find_first_not_of(kBlanks) == std::string_view::npos) return {{}, true};
  Untyped list;
  for (bool more = true; more;) {
    const size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    item.remove_prefix(std::min(item.find_first_not_of(kBlanks), item.size()));
    list.items.push_back({std::string(item.substr(0, item.find_last_not_of(kBlanks) + 1))});
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  list.is_list = list.items.size() > 1;
  return list;
}

Untyped split_text(const Untyped& untyped, AttributeType type) {
  const bool is_text = !untyped.is_list && untyped.items.size() == 1 && untyped.items.front().quoted;
  if (!is_text || type == AttributeType::STRING) return untyped;
  Untyped list = split_items(untyped.items.front().text);
  if (type == AttributeType::STRINGS)
    for (UntypedItem& item : list.items) item.quoted = true;
  return list;
}

}  // namespace opref::schema

template struct opref::core::Alternatives<std::int64_t, float, std::string, std::vector<std::int64_t>,
                                          std::vector<float>, std::vector<std::string>, opref::core::Tensor,
                                          opref::schema::SparseTensor, opref::core::ValueType,
                                          std::shared_ptr<const opref::schema::Graph>, opref::schema::Opaque>;
template struct opref::core::Alternatives<opref::schema::AttributeValue, opref::schema::Untyped>;
