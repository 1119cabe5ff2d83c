// SPDX-License-Identifier: Apache-2.0
#include "run/argument.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/error.h"
#include "io/generate.h"
#include "io/json/maps.h"
#include "io/literal.h"
#include "run/symbol_names.h"

namespace opref::run {
namespace {

namespace fs = std::filesystem;

/// "[1,3,32,32]" as a shape, also with spaces; nothing if it is none.
std::optional<Dims> parse_shape(std::string_view spaced) {
  std::string close(spaced);
  std::erase(close, ' ');
  std::string_view text = close;
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

/// A number, a symbol, or nothing for "?".
DeclaredDim parse_size(std::string_view text) {
  DeclaredDim dim;
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), size);
  if (error == std::errc{} && end == text.end() && size >= 0)
    dim.size = size;
  else if (is_reserved(text))
    fail(Fault::usage, "the size '{}' is a word of expressions: a symbol has another name", printable(text));
  else if (is_identifier(text))
    dim.symbol = text;
  else if (text != "?")
    fail(Fault::usage,
         "the size '{}' is neither a number from 0 to {} nor a symbol, a name of letters, digits and '_'{}",
         printable(text), INT64_MAX,
         text.find_first_of("*/+(") == std::string_view::npos
             ? ""
             : ": give a symbol or a number, or for an inner tensor its own name");
  return dim;
}

/// "[N,3,?]", of which at least one is no number; nothing where it is no list of sizes at all.
std::optional<std::vector<DeclaredDim>> parse_open_shape(std::string_view spaced) {
  std::string close(spaced);
  std::erase(close, ' ');
  const bool has_letter = std::ranges::any_of(close, [](char c) { return c == '?' || is_identifier({&c, 1}); });
  if (!has_letter || close.size() < 3 || close.front() != '[' || close.back() != ']') return std::nullopt;
  std::vector<DeclaredDim> dims;
  for (size_t at = 1; at < close.size();) {
    const size_t end = std::min(close.find(',', at), close.size() - 1);
    dims.push_back(parse_size(std::string_view(close).substr(at, end - at)));
    at = end + 1;
  }
  return dims;
}

}  // namespace

std::optional<StatedType> parse_type(std::string_view text) {
  if (const auto kind = parse_kind(text); kind && is_of_maps(kind->form))
    return StatedType{kind->dtype(), std::nullopt, kind->form, kind->key};
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

/// "1,3" and "1,3:float32": values or a shape that lack their brackets.
void require_brackets(std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string_view list = text.substr(0, colon);
  if (list.find(',') == std::string_view::npos || list.find_first_not_of("0123456789+-.e, ") != std::string_view::npos)
    return;
  const auto stated = colon == text.size() ? std::nullopt : dtype_meant(text.substr(colon + 1));
  if (colon != text.size() && !stated) return;
  const DType type = stated.value_or(DType::float32);
  const bool is_shape = list.find_first_not_of("0123456789, ") == std::string_view::npos;
  fail(Fault::usage, "'{}' has no brackets: values are written {}{}", printable(text),
       stated ? format("[{}]:{}", list, type) : format("[{}], or [{}]:{} where the type is open", list, list, type),
       is_shape ? format("; a type without values {}[{}]", type, list) : "");
}

/// "x.npy:float32" and "float32[2,2]=x.bin": the type of a file stands beside the input's name.
void require_type_beside_name(std::string_view text) {
  const auto beside_name = [&](std::string_view file, std::string_view type) {
    fail(Fault::usage, "'{}': the type of a file stands before '=', as in NAME:{}={}", printable(text), printable(type),
         printable(file));
  };
  if (const size_t equals = text.find('='); equals != std::string_view::npos && parse_type(text.substr(0, equals)))
    beside_name(text.substr(equals + 1), text.substr(0, equals));
  std::error_code ignored;
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return;
  const std::string_view file = text.substr(0, colon);
  const bool is_file = file.find('.') != std::string_view::npos || fs::exists(fs::path(file), ignored);
  if (is_file && parse_type(text.substr(colon + 1))) beside_name(file, text.substr(colon + 1));
}

/// "rand(3,4)", "np.random.randn(2, 3)", "zeros(3)": what makes values elsewhere, of a shape.
void require_no_function(std::string_view text) {
  const size_t open = text.find('(');
  if (open == std::string_view::npos || open == 0 || !text.ends_with(')')) return;
  std::string shape(text.substr(open + 1, text.size() - open - 2));
  std::erase_if(shape, [](char c) { return c == '(' || c == ')' || c == '[' || c == ']'; });
  if (shape.ends_with(',')) shape.pop_back();
  const auto dims = parse_shape(format("[{}]", shape));
  if (!dims || dims->empty()) return;
  const std::string_view function = text.substr(0, open), name = function.substr(function.find_last_of('.') + 1);
  std::string_view generator;
  if (name == "rand" || name == "random" || name == "uniform") generator = "uniform";
  if (name == "randn" || name == "normal") generator = "normal";
  if (name == "arange" && dims->size() == 1) generator = "iota";
  if (name == "zeros" || name == "ones") generator = name;
  if (!generator.empty())
    fail(Fault::usage, "no such file: {}; generated values are written float32{}:{}", printable(text), *dims,
         generator);
}

/// "1.0f": a number as C writes it.
void require_no_suffix(std::string_view text) {
  if (text.size() < 2 || (text.back() != 'f' && text.back() != 'F')) return;
  const std::string_view number = text.substr(0, text.size() - 1);
  if (number.find_first_not_of("0123456789+-.eE") == std::string_view::npos && is_whole_scalar(number))
    fail(Fault::usage, "no such file: {}; a number has its type after it: {}:float32", text, number);
}

/// "x.npy,W=w.npy": arguments that a comma joins.
void require_one_argument(std::string_view text) {
  std::error_code ignored;
  for (size_t comma = text.find(','); comma != std::string_view::npos; comma = text.find(',', comma + 1)) {
    const size_t equals = text.find('=', comma);
    const std::string_view first = text.substr(0, comma);
    if (equals == std::string_view::npos || !fs::exists(fs::path(first), ignored)) continue;
    fail(Fault::usage, "no such file: {}; inputs are separate words: …={} {}", printable(text), printable(first),
         printable(text.substr(comma + 1)));
  }
}

/// What is no file, and no file's name either.
void require_file_name(std::string_view text) {
  if (text.empty()) fail(Fault::usage, "nothing stands after '=': a file, values or a type, without a space before it");
  if (dtype_meant(text)) fail(Fault::usage, "'{}' has no shape: a type without values is written {}[1,3]", text, text);
  if (is_generator(text))
    fail(Fault::usage, "no such file: {}; generated values have a type and a shape: float32[1,3]:{}", text, text);
  if (text.find("://") != std::string_view::npos)
    fail(Fault::usage, "no such file: {}; files are not fetched: save it first", printable(text));
  if (text.starts_with("~/"))
    fail(Fault::usage, "no such file: {}; ~ is only replaced where a word begins: $HOME/{}", printable(text),
         printable(text.substr(2)));
  if (const size_t npz = text.find(".npz["); npz != std::string_view::npos && text.ends_with(']'))
    fail(Fault::usage, "no such file: {}; an array of an .npz is written {}:{}", printable(text),
         printable(text.substr(0, npz + 4)), printable(text.substr(npz + 5, text.size() - npz - 6)));
  require_no_suffix(text);
  require_one_argument(text);
  require_type_beside_name(text);
  require_no_function(text);
  const size_t open = text.find('(');
  if (open != std::string_view::npos && open > 0 && dtype_meant(text.substr(0, open)) && text.ends_with(')'))
    fail(Fault::usage, "no such file: {}; a type without values is written {}[{}]", printable(text),
         text.substr(0, open), printable(text.substr(open + 1, text.size() - open - 2)));
  if (const size_t end = text.find_first_of(" :"); end != std::string_view::npos && dtype_meant(text.substr(0, end))) {
    std::string sizes(text.substr(end + 1));
    std::ranges::replace(sizes, 'x', ',');
    if (sizes.find(',') == std::string::npos) std::ranges::replace(sizes, ' ', ',');
    if (const auto shape = parse_shape("[" + sizes + "]"))
      fail(Fault::usage, "no such file: {}; a type without values is written {}{}", text, text.substr(0, end), *shape);
  }
  const bool is_product = text.find('x') != std::string_view::npos && !text.starts_with('x') && !text.ends_with('x');
  if (is_product && text.find_first_not_of("0123456789x") == std::string_view::npos)
    fail(Fault::usage, "no such file: {}; a shape without values is written with its type, as in float32[1,3]", text);
  if (text.starts_with('(') || (text.ends_with(')') && text.find("([") != std::string_view::npos))
    fail(Fault::usage, "no such file: {}; an array is written in brackets, as in [1,2]:float32", printable(text));
}

/// Where the list that `text` begins with ends; quotes hide brackets. Nothing where it does not end.
std::optional<size_t> end_of_list(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (quoted && text[at] == '\\') ++at;
    if (quoted) continue;
    depth += (text[at] == '[') - (text[at] == ']');
    if (depth == 0) return at + 1;
  }
  return std::nullopt;
}

/// "[1,2]:float32"
TensorSource parse_list(std::string_view text) {
  TensorSource source;
  const std::optional<size_t> closed = end_of_list(text);
  if (!closed && text.ends_with(','))  // A=[1, 2] without quotes
    fail(Fault::usage, "the list '{}' does not end: a list with spaces stands in quotes, or has none: [1,2]:float32",
         printable(text));
  const size_t end = closed.value_or(text.size());
  const std::string_view list = text.substr(0, end), after = text.substr(end);
  const std::string_view type = after.substr(std::min(after.find_first_not_of(" :"), after.size()));
  if (const auto stated = parse_type(type); stated && (stated->shape || !after.starts_with(':')))
    fail(Fault::usage, "'{}': values are written {}:{}{}", printable(text), printable(list), stated->dtype,
         stated->shape ? ", without their shape"
                       : format(", a type without values {}{}", stated->dtype, printable(list)));
  if (after.starts_with(':')) source.dtype = parse_dtype(after.substr(1));
  source.from = parse_literal(list);
  if (!after.empty() && !source.dtype)
    fail(Fault::usage, "'{}' stands after the values, where only their type may stand, as in [1,2]:float32",
         printable(after));
  return source;
}

/// Where other programs' words mean one of opref's generators.
std::string_view generator_meant(std::string_view written) {
  if (written == "random" || written == "rand") return "uniform";
  return written == "randn" ? "normal" : written;
}

/// ":normal" or ":normal:7"
Fill parse_fill(std::string_view text) {
  if (!text.starts_with(':'))
    fail(Fault::usage, "'{}' stands after the type: a generator is written as in float32[1,3]:normal:7",
         printable(text));
  text.remove_prefix(1);
  const size_t colon = text.find(':');
  Fill fill{std::string(generator_meant(text.substr(0, colon)))};
  if (colon == std::string_view::npos) return fill;
  const std::string_view seed = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), fill.seed);
  if (error != std::errc{} || end != seed.data() + seed.size())
    fail(Fault::usage, "the seed '{}' is no whole number from 0 to {}", printable(seed), UINT64_MAX);
  return fill;
}

/// {"a": 1}:map(string,float), [{"3": 1}]:seq(map(int64,float)), or such a type alone; nothing where it is none of
/// them.
std::optional<TensorSource> parse_map_value(std::string_view text) {
  TensorSource source;
  const auto take_type = [&](const ValueType& type) {
    source.dtype = type.dtype();
    source.form = type.form;
    source.key = type.key;
  };
  if (const auto alone = parse_kind(text); alone && is_of_maps(alone->form)) {
    take_type(*alone);
    return source;
  }
  const size_t second = text.find_first_not_of(" \t\r\n", 1);
  const bool is_list = text.starts_with('['), is_object = text.starts_with('{');
  const bool has_object = is_object || (is_list && second != std::string_view::npos && text[second] == '{');
  const size_t word = std::max(text.rfind("seq(") + 1, text.rfind("map(") + 1);  // 0: there is none
  const bool has_type = word > 0 && text.ends_with(')') && (is_list || is_object);
  if (!has_object && !has_type) return std::nullopt;
  const size_t end = text.find_last_of("]}"), colon = end == std::string_view::npos ? end : text.find(':', end);
  if (colon == std::string_view::npos && (text.find("dtype") != text.npos || text.find("shape") != text.npos))
    fail(Fault::usage,
         "'{}' is JSON of a case: a type is written float32[1,3], with generated values float32[1,3]:normal",
         printable(text));
  if (colon == std::string_view::npos)
    fail(Fault::usage, R"('{}' has no type: maps are written as {{"a": 1}}:map(string,float), with their type)",
         printable(text));
  const auto type = parse_kind(text.substr(colon + 1));
  if (!type || !is_of_maps(type->form))
    fail(Fault::usage, "'{}' is no type of maps: one is written as map(string,float) or seq(map(int64,float))",
         printable(text.substr(colon + 1)));
  take_type(*type);
  const Value maps = parse_maps(text.substr(0, colon), *type);
  source.from = TensorSource::Loaded{[maps](std::int64_t) { return maps; }};
  return source;
}

/// "float32[N,3,?]"; nothing where it is no type with symbols.
std::optional<TensorSource> parse_open_type(std::string_view text) {
  const size_t bracket = text.find('[');
  const auto dtype = bracket == std::string_view::npos ? std::nullopt : dtype_meant(text.substr(0, bracket));
  if (!dtype) return std::nullopt;
  TensorSource source;
  source.dtype = dtype;
  source.from = TensorSource::Type{parse_open_shape(text.substr(bracket))};
  return source.open_shape() != nullptr ? std::optional(std::move(source)) : std::nullopt;
}

}  // namespace

TensorSource parse_value(std::string_view text) {
  TensorSource source;
  std::error_code ignored;
  const bool exists = text == "-" || fs::exists(fs::path(text), ignored);
  if (!exists)
    if (auto maps = parse_map_value(text)) return *std::move(maps);
  if (!exists && text.starts_with('[')) return parse_list(text);
  if (!exists) require_brackets(text);
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
      require_type_beside_name(text);
      const Fill fill = parse_fill(text.substr(type_text.size()));
      require_generates(fill.generator, type->dtype);
      source.from = fill;
      return source;
    }
    if (auto open = parse_open_type(type_text)) {
      if (type_text.size() != text.size())
        fail(Fault::usage, "'{}': sizes that are symbols have types alone, no values", printable(text));
      return *std::move(open);
    }
    // "float33[1,3]" is a mistyped type rather than a missing file.
    require_type_beside_name(text);
    const size_t open = text.find('[');
    if (open != std::string_view::npos && open > 0 && text.find_first_of("./") == std::string_view::npos) {
      if (const size_t before = text.find_last_not_of(' ', open - 1);
          before != std::string_view::npos && text[before] == ':' && dtype_meant(text.substr(0, before)))
        fail(Fault::usage, "'{}': the type follows the values: {}:{}", printable(text), printable(text.substr(open)),
             text.substr(0, before));
      parse_dtype(text.substr(0, open));
      fail(Fault::usage,
           "'{}' is not a shape such as [1,3]: sizes are numbers from 0 to {}; infer also takes symbols, as [N,3]",
           printable(type_text.substr(open)), INT64_MAX);
    }
  }
  if (!exists) require_file_name(text);
  if (!exists) return TensorSource::of_file(text);
  return {TensorSource::File{text}};
}

}  // namespace opref::run
