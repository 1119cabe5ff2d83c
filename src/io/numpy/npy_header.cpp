// SPDX-License-Identifier: Apache-2.0
#include "io/numpy/npy_header.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/error.h"

namespace opref::io {
namespace {

/// Of the header's dictionary, which takes memory before a limit is asked for; no array needs more than some thousand.
constexpr size_t kMostHeader = size_t{1} << 20;

constexpr std::string_view kMagic = "\x93NUMPY";

/// Python's literal of a dictionary, as far as numpy writes it.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      read_member();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    if (at_ != text_.size()) fail_here("nothing more");
    if (!descr_) fail(Fault::malformed, "the header has no 'descr'");
    if (!fortran_order_) fail(Fault::malformed, "the header has no 'fortran_order'");
    if (!shape_) fail(Fault::malformed, "the header has no 'shape'");
    return {*descr_, *fortran_order_, *shape_, 0};
  }

 private:
  [[noreturn]] void fail_here(std::string_view expected) const {
    fail(Fault::malformed, "the header's dictionary goes wrong at byte {}: expected {}, found '{}'", at_, expected,
         printable(text_.substr(at_, 10)));
  }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n\f", at_), text_.size()); }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail_here(format("'{}'", std::string(1, c)));
  }

  bool accept_word(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  void read_member() {
    const std::string key(read_string());
    expect(':');
    if (key == "descr") {
      set(descr_, key, read_descr());
    } else if (key == "fortran_order") {
      set(fortran_order_, key, read_bool());
    } else if (key == "shape") {
      set(shape_, key, read_shape());
    } else {
      constexpr std::string_view kKeys[] = {"descr", "fortran_order", "shape"};
      fail(Fault::malformed, "'{}' is not a key of the header{}", printable(key), did_you_mean(key, kKeys));
    }
  }

  template <class T>
  static void set(std::optional<T>& member, std::string_view key, const T& value) {
    if (member) fail(Fault::malformed, "the header has '{}' twice", key);
    member = value;
  }

  /// The characters between the quotes, escapes as they are.
  std::string_view read_string() {
    skip_space();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail_here("a string");
    const char quote = text_[at_];
    const size_t begin = ++at_;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_)
      if (text_[at_] == '\\') ++at_;
    if (at_ >= text_.size()) fail(Fault::malformed, "a string in the header does not end");
    return text_.substr(begin, at_++ - begin);
  }

  bool read_bool() {
    if (accept_word("True")) return true;
    if (accept_word("False")) return false;
    fail_here("True or False");
  }

  std::int64_t read_size() {
    skip_space();
    const bool negative = at_ < text_.size() && text_[at_] == '-';
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
    if (error == std::errc::invalid_argument) fail_here("a size");
    const std::string_view digits = text_.substr(at_, static_cast<size_t>(end - text_.data()) - at_);
    if (negative) fail(Fault::malformed, "the header's shape has the negative size {}", printable(digits));
    if (error != std::errc{})
      fail(Fault::malformed, "the header's shape has the size {}, which does not fit into 64 bits", printable(digits));
    at_ += digits.size();
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2's long integers
    return size;
  }

  Dims read_shape() {
    Dims shape;
    expect('(');
    while (!accept(')')) {
      shape.push_back(read_size());
      if (accept(',')) continue;
      if (shape.size() == 1) fail_here("',': (3) is no tuple in Python");
      expect(')');
      break;
    }
    return shape;
  }

  std::string read_descr() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[') return read_value(0);
    return std::string(read_string());
  }

  /// A value inside a structure's descr, without spaces.
  std::string read_value(int depth) {
    constexpr int kMostNested = 16;
    if (depth > kMostNested) fail(Fault::malformed, "the header's descr is nested more than {} deep", kMostNested);
    if (accept('[')) return "[" + read_items(']', depth);
    if (accept('(')) return "(" + read_items(')', depth);
    if (const auto name = accept_name()) return std::string(*name);
    return "'" + std::string(read_string()) + "'";
  }

  std::string read_items(char end, int depth) {
    std::string items;
    while (!accept(end)) {
      if (!items.empty()) items += ',';
      items += read_value(depth + 1);
      if (accept(',')) continue;
      expect(end);
      break;
    }
    return items + end;
  }

  /// A number or a word such as None.
  std::optional<std::string_view> accept_name() {
    constexpr std::string_view kCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    skip_space();
    const size_t end = std::min(text_.find_first_not_of(kCharacters, at_), text_.size());
    if (end == at_) return std::nullopt;
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    return name;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::optional<std::string> descr_;
  std::optional<bool> fortran_order_;
  std::optional<Dims> shape_;
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[noreturn]] void fail_truncated(size_t size, size_t needed) {
  fail(Fault::malformed, "the file ends inside the header: it has {}, the header {}", counted(size, "byte"), needed);
}

/// "U5", "S3"
std::optional<NpyString> string_elements(std::string_view descr) {
  constexpr size_t kWidest = size_t{1} << 40;  // far beyond every file
  if (!descr.starts_with('U') && !descr.starts_with('S')) return std::nullopt;
  size_t width = 0;
  const auto [end, error] = std::from_chars(descr.begin() + 1, descr.end(), width);
  if (error != std::errc{} || end != descr.end() || width > kWidest) return std::nullopt;
  return NpyString{descr[0] == 'U' ? NpyString::Unit::code_point : NpyString::Unit::byte, width};
}

/// Type and byte order of "<f4", "V2", "|u1", "float32".
std::optional<NpyElements> plain_elements(std::string_view descr) {
  if (const auto named = dtype_named(descr); named && info(*named).bits >= 8) return NpyElements{*named, false, false};
  const bool big_endian = descr.starts_with('>');
  if (big_endian || descr.starts_with('<') || descr.starts_with('=') || descr.starts_with('|')) descr.remove_prefix(1);
  if (const auto string = string_elements(descr)) return NpyElements{DType::string, false, big_endian, string};
  if (descr == "V2") return NpyElements{DType::bfloat16, true, big_endian};
  if (descr == "u2") return NpyElements{DType::uint16, true, big_endian};
  if (descr == "V1") return NpyElements{DType::uint8, true, false};
  if (descr == "g2") return NpyElements{DType::bfloat16, false, big_endian};
  if (descr == "f1") return NpyElements{DType::float8_e5m2, false, false};  // as ml_dtypes calls it
  for (const DTypeInfo& type : all_dtypes())
    if (!descr.starts_with('V') && !type.npy.empty() && type.npy.substr(1) == descr)
      return NpyElements{type.dtype, false, big_endian && type.bits > 8};
  return std::nullopt;
}

}  // namespace

size_t npy_header_size(std::span<const std::byte> file) {
  const std::string_view text = text_of(file);
  if (!text.starts_with(kMagic)) fail(Fault::malformed, "the file is no .npy: it does not begin with '\\x93NUMPY'");
  constexpr size_t kLengthAt = 8;
  if (text.size() < kLengthAt) fail_truncated(text.size(), kLengthAt);
  const auto byte = [&](size_t i) { return static_cast<size_t>(file[i]); };
  const size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    fail(Fault::unsupported, ".npy version {}.{} is not known; the known ones are 1.0, 2.0 and 3.0", major, minor);
  const size_t dictionary_at = kLengthAt + (major == 1 ? 2 : 4);
  if (text.size() < dictionary_at) fail_truncated(text.size(), dictionary_at);
  size_t length = 0;
  for (size_t i = dictionary_at; i-- > kLengthAt;) length = length << 8 | byte(i);
  if (length > kMostHeader)
    fail(Fault::unsupported, "the header has {} bytes; more than {} are not read", length, kMostHeader);
  return dictionary_at + length;
}

NpyHeader parse_npy_header(std::span<const std::byte> file) {
  const size_t size = npy_header_size(file);
  if (file.size() < size) fail_truncated(file.size(), size);
  const size_t dictionary_at = file[6] == std::byte{1} ? 10 : 12;
  NpyHeader header = HeaderParser(text_of(file.first(size)).substr(dictionary_at)).parse();
  header.size = size;
  return header;
}

NpyElements npy_elements(const std::string& descr) {
  if (descr == "[('bfloat16','<u2')]") return {DType::bfloat16, false, false};
  if (descr == "[('bfloat16','>u2')]") return {DType::bfloat16, false, true};
  if (const auto elements = plain_elements(descr)) return *elements;
  if (descr == "|O")
    fail(Fault::unsupported,
         "elements of descr '|O' are not read: they are Python objects, which astype makes numbers or strings");
  if (descr.starts_with('[')) fail(Fault::unsupported, "elements of descr {} are not read", printable(descr));
  const size_t number = std::min(descr.find_first_of("0123456789"), descr.size());
  const std::string digits = descr.substr(number);
  const bool is_size = number == 2 && !digits.empty() && digits.size() < 4 &&
                       digits.find_first_not_of("0123456789") == std::string::npos;
  fail(Fault::unsupported,
       "elements of descr '{}'{} are not read; those of bool, int8 to int64, uint8 to uint64, float16 to float64, "
       "complex64, complex128, str and bytes are",
       printable(descr), is_size ? format(" ({} {})", digits, digits == "1" ? "byte" : "bytes") : "");
}

void require_npy_size(const NpyHeader& header, size_t bytes_after_header) {
  const NpyElements elements = npy_elements(header.descr);
  const std::string type =
      (elements.open || elements.string ? "'" + header.descr + "'" : to_text(elements.dtype)) + to_text(header.shape);
  size_t needed = elements.bytes();
  bool fits = true;
  for (const std::int64_t size : header.shape)
    fits = fits && !__builtin_mul_overflow(needed, static_cast<size_t>(size), &needed);
  if (std::ranges::find(header.shape, 0) != header.shape.end()) needed = 0, fits = true;
  if (!fits) fail(Fault::malformed, "the header says {}, which takes more bytes than a file can have", type);
  if (needed == bytes_after_header) return;
  const std::string said = format("the header says {} ({})", type, counted(static_cast<long long>(needed), "byte"));
  const auto following = static_cast<long long>(bytes_after_header);
  if (needed > bytes_after_header)
    fail(Fault::malformed, "{}, but only {} the header", said,
         counted(following, "byte") + (following == 1 ? " follows" : " follow"));
  fail(Fault::malformed, "{}, but {} follow the header", said, counted(following, "byte"));
}

}  // namespace opref::io
