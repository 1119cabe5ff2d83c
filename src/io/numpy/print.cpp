// SPDX-License-Identifier: Apache-2.0
#include "io/numpy/print.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/map.h"
#include "core/once_per_tensor.h"
#include "core/value_type.h"
#include "exact/decimal.h"
#include "exact/element_text.h"
#include "exact/rounding.h"
#include "io/json/maps.h"

namespace opref::io {
namespace {

// numpy's print options.
constexpr int kPrecision = 8;
constexpr size_t kLineWidth = 75;
constexpr std::int64_t kThreshold = 1000;
constexpr std::int64_t kEdgeItems = 3;

// ---- Which elements are shown, and how lines are made of their words ----

bool is_cut(const Tensor& tensor, size_t axis) {
  return tensor.count() > kThreshold && tensor.shape()[axis] > 2 * kEdgeItems;
}

/// Flat positions of the shown elements that follow from the position `start` on the axes before `axis`.
void add_shown(const Tensor& tensor, size_t axis, std::int64_t start, std::vector<std::int64_t>& shown) {
  if (axis == tensor.shape().size()) {
    shown.push_back(start);
    return;
  }
  const std::int64_t size = tensor.shape()[axis];
  for (std::int64_t i = 0; i < size; ++i) {
    if (i == kEdgeItems && is_cut(tensor, axis)) i = size - kEdgeItems;
    add_shown(tensor, axis + 1, start * size + i, shown);
  }
}

/// Characters, where bytes of UTF-8 that continue one do not count.
size_t displayed_width(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// Sets words in nested brackets. Rows that are too long continue on the next line, axes are set apart by blank lines.
class Layout {
 public:
  Layout(const Tensor& tensor, const std::vector<std::string>& words) : tensor_(tensor), words_(words) {}

  std::string text() { return axis_text(0); }

 private:
  /// The items of one axis: words (or nested axes) to come, and where some are left out.
  template <class Item>
  void for_each_item(size_t axis, const Item& item) {
    const bool cut = is_cut(tensor_, axis);
    const std::int64_t count = cut ? 2 * kEdgeItems : tensor_.shape()[axis];
    for (std::int64_t i = 0; i < count; ++i) {
      if (cut && i == kEdgeItems) item(true);
      item(false);
    }
  }

  std::string axis_text(size_t axis) {
    return "[" + (axis + 1 == tensor_.shape().size() ? row(axis) : nested(axis)) + "]";
  }

  std::string nested(size_t axis) {
    const std::string indent(axis + 1, ' ');
    const std::string separator(tensor_.shape().size() - axis - 1, '\n');
    std::string text;
    for_each_item(axis, [&](bool left_out) {
      if (!text.empty()) text += separator + indent;
      text += left_out ? "..." : axis_text(axis + 1);
    });
    return text;
  }

  std::string row(size_t axis) {
    const std::string indent(axis + 1, ' ');
    // Room is kept for the closing brackets of all axes, wherever the line ends.
    const size_t most = kLineWidth - std::min(kLineWidth, axis + 1);
    std::string text;
    std::string line;
    size_t used = indent.size();
    for_each_item(axis, [&](bool left_out) {
      const std::string word = left_out ? "..." : words_[next_++];
      if (!line.empty() && used + displayed_width(word) > most) {
        line.resize(line.find_last_not_of(' ') + 1);
        text += line + "\n" + indent;
        line.clear();
        used = indent.size();
      }
      line += word + " ";
      used += displayed_width(word) + 1;
    });
    line.pop_back();
    return text + line;
  }

  const Tensor& tensor_;
  const std::vector<std::string>& words_;
  size_t next_ = 0;
};

// ---- Floating words ----

/// What numpy's float formats have of their own.
struct FloatStyle {
  DType dtype;
  double array_limit;   ///< an array with a number from here on is printed with exponents
  double scalar_limit;  ///< so is a lone number
};
constexpr std::array kFloatStyles{FloatStyle{DType::float16, 1e3, 1e3}, FloatStyle{DType::float32, 1e6, 1e6},
                                  FloatStyle{DType::float64, 1e8, 1e16}};

/// The types that numpy does not have print like its narrowest one.
const FloatStyle& style_of(DType dtype) {
  const auto* own = std::ranges::find(kFloatStyles, dtype, &FloatStyle::dtype);
  return own == kFloatStyles.end() ? kFloatStyles.front() : *own;
}

/// A double rounded to numpy's float type.
double rounded_to(DType dtype, double value) {
  if (dtype == DType::float16) return widen(nearest<Half>(value));
  return dtype == DType::float32 ? widen(nearest<float>(value)) : value;
}

/// As few digits as identify the number. A type of at most 8 bits has so few numbers that these digits would hide its
/// value (450 for 448, 20 for 16): its numbers have float32's digits.
Decimal digits_of(DType dtype, std::uint64_t bits) {
  if (info(dtype).bits > 8) return shortest_decimal(dtype, bits);
  return shortest_decimal(DType::float32,
                          std::bit_cast<std::uint32_t>(static_cast<float>(floating_value(dtype, bits))));
}

std::string without_trailing_zeros(std::string text) {
  text.resize(text.find_last_not_of('0') + 1);
  return text;
}

std::string padded_left(const std::string& text, size_t size) {
  return std::string(size - std::min(size, text.size()), ' ') + text;
}

/// A finite number taken apart for columns.
struct Parts {
  std::string whole;     ///< with its sign
  std::string fraction;  ///< the digits after the point
  std::string power;     ///< digits of the exponent; empty in fixed notation
  char power_sign = '+';
};

/// Formats a column of numbers alike: fixed or with exponents, points below each other.
class FloatColumn {
 public:
  /// `bits` are elements of numpy's float type `dtype`; with `plus`, positive numbers have a sign.
  FloatColumn(DType dtype, const std::vector<std::uint64_t>& bits, bool plus) : dtype_(dtype), plus_(plus) {
    choose_notation(bits);
    bool other = false;
    bool negative_infinity = plus;
    for (const std::uint64_t element : bits) {
      const double value = floating_value(dtype_, element);
      if (std::isfinite(value)) {
        const Parts parts = scientific_ ? scientific(element, 0) : fixed(element);
        left_ = std::max(left_, parts.whole.size());
        fraction_ = std::max(fraction_, parts.fraction.size());
        power_ = std::max(power_, parts.power.size());
      } else {
        other = true;
        negative_infinity |= value < 0;
      }
    }
    right_ = fraction_ + (scientific_ ? power_ + 2 : 0);
    constexpr size_t kName = 3;  // "nan", "inf"
    const size_t needed = kName + negative_infinity;
    if (other && left_ + 1 + right_ < needed) left_ = needed - 1 - right_;
  }

  std::string word(std::uint64_t element) const {
    const double value = floating_value(dtype_, element);
    if (std::isnan(value)) return padded_left(plus_ ? "+nan" : "nan", left_ + 1 + right_);
    if (std::isinf(value)) return padded_left(sign(value) + "inf", left_ + 1 + right_);
    const Parts parts = scientific_ ? scientific(element, fraction_) : fixed(element);
    std::string text = padded_left(parts.whole, left_) + "." + parts.fraction;
    if (scientific_) return text + "e" + parts.power_sign + std::string(power_ - parts.power.size(), '0') + parts.power;
    return text + std::string(fraction_ - parts.fraction.size(), ' ');
  }

 private:
  std::string sign(double value) const { return std::signbit(value) ? "-" : plus_ ? "+" : ""; }

  void choose_notation(const std::vector<std::uint64_t>& bits) {
    double least = std::numeric_limits<double>::infinity();
    double greatest = 0;
    for (const std::uint64_t element : bits) {
      const double magnitude = std::abs(floating_value(dtype_, element));
      if (magnitude == 0 || !std::isfinite(magnitude)) continue;
      least = std::min(least, magnitude);
      greatest = std::max(greatest, magnitude);
    }
    // numpy compares and divides in the array's own type.
    scientific_ = greatest > 0 && (greatest >= style_of(dtype_).array_limit || least < rounded_to(dtype_, 1e-4) ||
                                   rounded_to(dtype_, greatest / least) > 1000);
  }

  /// As few digits as identify the number, at most 8 after the point.
  Parts fixed(std::uint64_t element) const {
    const double value = floating_value(dtype_, element);
    const Decimal shortest = digits_of(dtype_, element);
    const bool fits = shortest.fixed_fraction() <= kPrecision;
    const std::string text = fits ? shortest.fixed() : without_trailing_zeros(fixed_text(std::abs(value), kPrecision));
    const size_t point = std::min(text.find('.'), text.size());
    return {sign(value) + text.substr(0, point), text.substr(std::min(point + 1, text.size())), ""};
  }

  /// With `least_fraction` digits after the point, or, where that is 0, as many as identify the number, at most 8.
  /// Digits after the identifying ones are those of the exact value.
  Parts scientific(std::uint64_t element, size_t least_fraction) const {
    const double value = floating_value(dtype_, element);
    const Decimal shortest = digits_of(dtype_, element);
    const int most = least_fraction == 0 ? kPrecision : static_cast<int>(least_fraction);
    const int own = shortest.scientific_fraction();
    const bool as_is = own == most || (own < most && least_fraction == 0);
    const std::string text = as_is ? shortest.scientific() : scientific_text(std::abs(value), most);
    const size_t e = text.find('e');
    std::string fraction = e > 2 ? text.substr(2, e - 2) : "";
    if (least_fraction == 0) fraction = without_trailing_zeros(fraction);
    return {sign(value) + text.substr(0, 1), fraction, text.substr(e + 2), text[e + 1]};
  }

  DType dtype_;
  bool plus_;
  bool scientific_ = false;
  size_t left_ = 0, fraction_ = 0, power_ = 0, right_ = 0;
};

/// A lone number of numpy's float types; `whole_suffix` follows whole numbers in fixed notation.
std::string scalar_text(DType dtype, std::uint64_t bits, std::string_view whole_suffix) {
  const double value = floating_value(dtype, bits);
  if (std::isnan(value)) return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  const Decimal shortest = digits_of(dtype, bits);
  const double magnitude = std::abs(value);
  if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= style_of(dtype).scalar_limit))
    return sign + shortest.scientific();
  return sign + shortest.fixed() + (shortest.fixed_fraction() == 0 ? std::string(whole_suffix) : "");
}

// ---- Words of the other types ----

/// The bits of a complex element's halves.
struct ComplexBits {
  DType part;
  std::uint64_t real, imaginary;
};

ComplexBits complex_bits(const Tensor& tensor, std::int64_t index) {
  const int width = info(tensor.dtype()).bits / 2;
  return {width == 32 ? DType::float32 : DType::float64, bits_at(tensor.bytes(), width, 2 * index),
          bits_at(tensor.bytes(), width, 2 * index + 1)};
}

std::string complex_scalar_text(const ComplexBits& value) {
  const std::string imaginary = scalar_text(value.part, value.imaginary, "");
  if (value.real == 0) return imaginary + "j";
  return "(" + scalar_text(value.part, value.real, "") + (imaginary.starts_with('-') ? "" : "+") + imaginary + "j)";
}

/// A string as Python's repr writes it.
std::string quoted(const std::string& text) {
  const bool has_single = text.find('\'') != std::string::npos;
  const char quote = has_single && text.find('"') == std::string::npos ? '"' : '\'';
  std::string escaped;
  for (const char c : text) {
    if (c == quote || c == '\\') escaped += '\\';
    if (c == '\n')
      escaped += "\\n";
    else if (c == '\t')
      escaped += "\\t";
    else if (c == '\r')
      escaped += "\\r";
    else
      escaped += c;
  }
  return quote + printable(escaped, std::string::npos) + quote;
}

/// One element alone; in arrays, the word of types whose elements are not aligned.
std::string element_word(const Tensor& tensor, std::int64_t index) {
  switch (info(tensor.dtype()).kind) {
    case Kind::boolean:
      return element_bits(tensor, index) != 0 ? "True" : "False";
    case Kind::floating:
      return scalar_text(tensor.dtype(), element_bits(tensor, index), ".0");
    case Kind::complex:
      return complex_scalar_text(complex_bits(tensor, index));
    default:
      return element_text(tensor, index);
  }
}

std::vector<std::string> float_words(DType dtype, const std::vector<std::uint64_t>& bits, bool plus) {
  const FloatColumn column(dtype, bits, plus);
  std::vector<std::string> words;
  for (const std::uint64_t element : bits) words.push_back(column.word(element));
  return words;
}

std::vector<std::string> complex_words(const Tensor& tensor, const std::vector<std::int64_t>& shown) {
  std::vector<std::uint64_t> real;
  std::vector<std::uint64_t> imaginary;
  DType part = DType::float64;
  for (const std::int64_t index : shown) {
    const ComplexBits value = complex_bits(tensor, index);
    part = value.part;
    real.push_back(value.real);
    imaginary.push_back(value.imaginary);
  }
  std::vector<std::string> words = float_words(part, real, false);
  std::vector<std::string> second = float_words(part, imaginary, true);
  for (size_t i = 0; i < words.size(); ++i) words[i] += second[i].insert(second[i].find_last_not_of(' ') + 1, "j");
  return words;
}

std::vector<std::string> array_words(const Tensor& tensor, const std::vector<std::int64_t>& shown) {
  const DTypeInfo& type = info(tensor.dtype());
  if (type.kind == Kind::complex) return complex_words(tensor, shown);
  std::vector<std::string> words;
  if (type.kind == Kind::floating) {
    std::vector<std::uint64_t> bits;
    for (const std::int64_t index : shown) bits.push_back(element_bits(tensor, index));
    return float_words(type.dtype, bits, false);
  }
  for (const std::int64_t index : shown)
    words.push_back(type.kind == Kind::string ? quoted(tensor.strings()[static_cast<size_t>(index)])
                                              : element_word(tensor, index));
  if (type.kind == Kind::string || type.bits < 8) return words;
  // " True" is padded in an array without False as well.
  size_t widest = type.kind == Kind::boolean ? 5 : 0;
  for (const std::string& word : words) widest = std::max(widest, word.size());
  for (std::string& word : words) word = padded_left(word, widest);
  return words;
}

// ---- Summaries ----

void count_special(double value, TensorSummary& summary) {
  summary.nan += std::isnan(value);
  summary.positive_infinity += value == std::numeric_limits<double>::infinity();
  summary.negative_infinity += value == -std::numeric_limits<double>::infinity();
}

/// Sets least and greatest of a tensor that is not empty; `value(bits)` gives numbers that compare as the elements do.
template <class Value>
void find_extremes(const Tensor& tensor, const Value& value, TensorSummary& summary) {
  const std::span<const std::byte> bytes = tensor.bytes();
  const int width = info(tensor.dtype()).bits;
  const std::int64_t count = tensor.count();
  using Comparable = decltype(value(std::uint64_t{}));
  std::optional<Comparable> least;
  std::optional<Comparable> greatest;
  std::int64_t least_index = 0;
  std::int64_t greatest_index = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Comparable number = value(bits_at(bytes, width, i));
    if (std::isnan(static_cast<double>(number))) continue;
    if (!least || number < *least) least = number, least_index = i;
    if (!greatest || number > *greatest) greatest = number, greatest_index = i;
  }
  if (!least) return;
  summary.least = element_text(tensor, least_index);
  summary.greatest = element_text(tensor, greatest_index);
}

}  // namespace

std::string numpy_text(const Tensor& tensor) {
  if (tensor.shape().empty())
    return tensor.dtype() == DType::string ? printable(tensor.strings()[0], std::string::npos)
                                           : element_word(tensor, 0);
  if (tensor.count() == 0) return "[]";
  std::vector<std::int64_t> shown;
  add_shown(tensor, 0, 0, shown);
  const std::vector<std::string> words = array_words(tensor, shown);
  return Layout(tensor, words).text();
}

TensorSummary summarize(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  TensorSummary summary;
  switch (info(dtype).kind) {
    case Kind::floating: {
      const auto value = [&](std::uint64_t bits) {
        const double number = floating_value(dtype, bits);
        count_special(number, summary);
        return number;
      };
      find_extremes(tensor, value, summary);
      break;
    }
    case Kind::complex:
      for (std::int64_t i = 0; i < tensor.count(); ++i) {
        const ComplexBits value = complex_bits(tensor, i);
        count_special(floating_value(value.part, value.real), summary);
        count_special(floating_value(value.part, value.imaginary), summary);
      }
      break;
    case Kind::signed_integer: {
      const int unused = 64 - info(dtype).bits;
      const auto value = [&](std::uint64_t bits) { return static_cast<std::int64_t>(bits << unused) >> unused; };
      find_extremes(tensor, value, summary);
      break;
    }
    case Kind::unsigned_integer:
    case Kind::boolean:
      find_extremes(
          tensor, [](std::uint64_t bits) { return bits; }, summary);
      break;
    case Kind::string:
      break;
  }
  return summary;
}

namespace {

/// {"a": 0.25, "b": 0.75}, on one line.
std::string map_line(const Map& map) {
  const auto count = static_cast<size_t>(map.keys.count());
  std::vector<size_t> told(std::min(count, static_cast<size_t>(kMostPrinted)));
  std::iota(told.begin(), told.end(), size_t{0});
  const size_t most = told.size();
  const Json json = map_json(most == count ? map : Map{taken(map.keys, told), taken(map.values, told)});
  std::vector<std::string> members;
  for (const JsonValue member : json.root())
    members.push_back(format("{}: {}", json_string(member.key()), member.line()));
  if (most < count) members.push_back(format("… {} more", count - most));
  return "{" + join_text(members, ", ") + "}\n";
}

std::string maps_text(const Value& value) {
  const std::string sha = "sha256 " + sha256_of_maps(value) + "\n";
  if (const auto* map = std::get_if<Map>(&value)) return format("{}\n{}{}", type_of(value), sha, map_line(*map));
  const auto& maps = std::get<MapSequence>(value);
  const size_t most = std::min(maps.size(), static_cast<size_t>(kMostPrinted));
  std::string lines = format("{}[{}]\n{}", type_of(value), maps.size(), sha);
  for (size_t i = 0; i < most; ++i) lines += format("[{}] {}", i, map_line(maps[i]));
  if (most < maps.size()) lines += format("… {} more\n", maps.size() - most);
  return lines;
}

}  // namespace

std::string value_text(const Value& value, const std::function<std::string(const Tensor&)>& text) {
  if (is_of_maps(type_of(value).form)) return maps_text(value);
  if (const Tensor* tensor = value.tensor()) return text(*tensor);
  if (const auto* sequence = std::get_if<Sequence>(&value)) {
    const std::int64_t count = std::ssize(sequence->elements), most = std::min(count, kMostPrinted);
    std::string lines = format("{}, {}\n", type_of(value), counted(count, "element"));
    OncePerTensor<> texts;
    for (std::int64_t i = 0; i < most; ++i)
      lines += format("[{}] {}", i, texts(sequence->elements[static_cast<size_t>(i)], text));
    if (most < count) lines += format("… {} more\n", count - most);
    return lines;
  }
  const auto& element = std::get<Optional>(value).element;
  if (const auto* tensor = std::get_if<Tensor>(&element)) return "optional " + text(*tensor);
  if (const auto* sequence = std::get_if<Sequence>(&element)) return "optional " + value_text(*sequence, text);
  return format("{}, empty\n", type_of(value));
}

}  // namespace opref::io
