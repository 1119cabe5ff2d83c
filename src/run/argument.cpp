// SPDX-License-Identifier: Apache-2.0
#include "run/argument.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/error.h"
#include "io/literal.h"

namespace opref::run {
namespace {

namespace fs = std::filesystem;

/// "[1,3,32,32]" as a shape; nothing if it is none.
std::optional<Dims> parse_shape(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  Dims dims;
  while (!text.empty()) {
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), size);
    if (error != std::errc{} || size < 0 || (end != text.end() && *end != ',') || end + 1 == text.end())
      return std::nullopt;
    dims.push_back(size);
    text.remove_prefix(static_cast<size_t>(end - text.begin()) + (end != text.end()));
  }
  return dims;
}

}  // namespace

std::optional<StatedType> parse_type(std::string_view text) {
  const size_t bracket = text.find('[');
  const auto dtype = dtype_meant(text.substr(0, bracket));
  if (!dtype) return std::nullopt;
  if (bracket == std::string_view::npos) return StatedType{*dtype, std::nullopt};
  const auto shape = parse_shape(text.substr(bracket));
  if (!shape) return std::nullopt;
  return StatedType{*dtype, shape};
}

namespace {

bool is_scalar_literal(std::string_view text) {
  constexpr std::string_view kNames[] = {"NaN", "nan", "Inf", "inf", "true", "false"};
  return !text.empty() && (std::ranges::find(kNames, text) != std::end(kNames) || (text[0] >= '0' && text[0] <= '9') ||
                           std::string_view("-+.\"").find(text[0]) != std::string_view::npos);
}

/// Whether all of the text is a scalar, where "1.npy" is a file.
bool is_whole_scalar(std::string_view text) {
  if (text == "true" || text == "false") return true;
  if (text.size() > 1 && text.starts_with('"') && text.ends_with('"')) return true;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  return error != std::errc::invalid_argument && end == text.end();
}

/// What is no file, and no file's name either.
void require_file_name(std::string_view text) {
  if (text.empty()) fail(Fault::usage, "the file's name is missing");
  if (dtype_meant(text)) fail(Fault::usage, "'{}' has no shape: a type without values is written {}[1,3]", text, text);
  if (text.find(',') != std::string_view::npos && text.find_first_not_of("0123456789,") == std::string_view::npos)
    fail(Fault::usage, "'{}' has no type: a shape without values is written float32[{}]", text, text);
  const size_t open = text.find('(');
  if (open != std::string_view::npos && open > 0 && dtype_meant(text.substr(0, open)) && text.ends_with(')'))
    fail(Fault::usage, "no such file: {}; a type without values is written {}[{}]", printable(text),
         text.substr(0, open), printable(text.substr(open + 1, text.size() - open - 2)));
  const bool is_product = text.find('x') != std::string_view::npos && !text.starts_with('x') && !text.ends_with('x');
  if (is_product && text.find_first_not_of("0123456789x") == std::string_view::npos)
    fail(Fault::usage, "no such file: {}; a shape without values is written with its type, as in float32[1,3]", text);
  if (text.starts_with('('))
    fail(Fault::usage, "no such file: {}; an array is written in brackets, as in [1,2]:float32", printable(text));
}

/// ":normal" or ":normal:7"
Fill parse_fill(std::string_view text) {
  if (!text.starts_with(':'))
    fail(Fault::usage, "'{}' stands after the type: a generator is written as in float32[1,3]:normal:7",
         printable(text));
  text.remove_prefix(1);
  const size_t colon = text.find(':');
  Fill fill{std::string(text.substr(0, colon))};
  if (colon == std::string_view::npos) return fill;
  const std::string_view seed = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), fill.seed);
  if (error != std::errc{} || end != seed.data() + seed.size())
    fail(Fault::usage, "the seed '{}' is no whole number from 0 to {}", printable(seed), UINT64_MAX);
  return fill;
}

}  // namespace

TensorSource parse_value(std::string_view text) {
  TensorSource source;
  std::error_code ignored;
  const bool exists = text == "-" || fs::exists(fs::path(text), ignored);
  if (!exists && text.starts_with('[')) {
    const size_t end = text.rfind(']');
    const std::string_view suffix = end == std::string_view::npos ? "" : text.substr(end + 1);
    if (suffix.starts_with(':')) source.dtype = parse_dtype(suffix.substr(1));
    source.from = parse_literal(source.dtype ? text.substr(0, end + 1) : text);
    return source;
  }
  const size_t colon = text.rfind(':');
  if (!exists && colon != std::string_view::npos && is_scalar_literal(text.substr(0, colon)) &&
      dtype_meant(text.substr(colon + 1))) {
    source.dtype = dtype_meant(text.substr(colon + 1));
    source.from = parse_literal(text.substr(0, colon));
    return source;
  }
  if (!exists && is_whole_scalar(text)) {
    source.from = parse_literal(text);
    return source;
  }
  if (!exists) {
    const size_t bracket = text.find(']');
    const std::string_view type_text = bracket == std::string_view::npos ? text : text.substr(0, bracket + 1);
    if (const auto type = parse_type(type_text); type && type->shape) {
      source.dtype = type->dtype;
      source.shape = type->shape;
      if (type_text.size() == text.size()) return source;
      const Fill fill = parse_fill(text.substr(type_text.size()));
      require_generates(fill.generator, type->dtype);
      source.from = fill;
      return source;
    }
    // "float33[1,3]" is a mistyped type rather than a missing file.
    const size_t open = text.find('[');
    if (open != std::string_view::npos && open > 0 && text.find_first_of("./") == std::string_view::npos) {
      parse_dtype(text.substr(0, open));
      fail(Fault::usage, "'{}' is not a shape such as [1,3]", printable(text.substr(open)));
    }
  }
  if (!exists) require_file_name(text);
  if (!exists) return TensorSource::of_file(text);
  return {TensorSource::File{text}};
}

}  // namespace opref::run
