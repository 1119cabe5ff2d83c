// SPDX-License-Identifier: Apache-2.0
#include "io/json/parse.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace opref::io {
namespace {

constexpr size_t kMostNesting = 64;

/// What the library reads a decimal into, which nobody looks at. The library refuses decimals that are infinite in the
/// type of its numbers, so that 1e400 would depend on the processor's long double; this one is always 0.
class UnreadNumber {
 public:
  UnreadNumber() = default;
  constexpr UnreadNumber(double) {}                // NOLINT(google-explicit-constructor): the library assigns 0
  operator double&() { return ignored_; }          // NOLINT(google-explicit-constructor): where strtod writes
  constexpr operator double() const { return 0; }  // NOLINT(google-explicit-constructor): what isfinite sees

 private:
  double ignored_ = 0;
};

using Library =
    nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, UnreadNumber>;

/// The bytes that are still to be read, for the library's parser; null is their end.
struct Bytes {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  JsonText* text;

  char operator*() const { return text->next(); }
  Bytes& operator++() {
    text->advance();
    return *this;
  }
  bool has_any() const { return text != nullptr && text->has_next(); }
  bool operator==(const Bytes& other) const { return has_any() == other.has_any(); }
};

}  // namespace

ByteSource bytes_of(std::string_view text) {
  return [text](std::span<char> to) mutable {
    const size_t count = std::min(to.size(), text.size());
    std::ranges::copy(text.substr(0, count), to.begin());
    text.remove_prefix(count);
    return count;
  };
}

JsonText::JsonText(std::string_view text) : window_(text) {
  if (window_.starts_with("\xef\xbb\xbf")) window_.remove_prefix(3);
  require_no_null(0);
}

JsonText::JsonText(ByteSource source) : source_(std::move(source)), buffer_(size_t{64} << 10) {
  while (window_.size() < 3 && read_on()) {
  }
  if (window_.starts_with("\xef\xbb\xbf")) window_.remove_prefix(3);
}

bool JsonText::is_object() const {
  const size_t first = window_.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && window_[first] == '{';
}

bool JsonText::read_on() {
  constexpr size_t kKept = 256;  // of what was read
  if (!source_) return false;
  const size_t gone = at_ - std::min(at_, kKept);
  const std::string_view left = window_.substr(0, gone);
  if (const size_t end = left.rfind('\n'); end != std::string_view::npos) line_begin_ = begin_ + end + 1;
  lines_ += static_cast<size_t>(std::ranges::count(left, '\n'));
  begin_ += gone;
  const size_t kept = window_.size() - gone;
  std::copy_n(window_.begin() + static_cast<std::ptrdiff_t>(gone), kept, buffer_.begin());
  const size_t more = source_(std::span(buffer_).subspan(kept));
  window_ = {buffer_.data(), kept + more};
  at_ -= gone;
  require_no_null(kept);
  return more > 0;
}

/// The library takes a null byte for the end and would pass whatever follows.
void JsonText::require_no_null(size_t from) const {
  if (const size_t null = window_.find('\0', from); null != std::string_view::npos)
    fail(Fault::malformed, "{}: there is a null byte", place(begin_ + null));
}

std::string JsonText::place(size_t offset) const {
  const std::string_view text = before(offset);
  const size_t end = text.rfind('\n');
  const auto lines = static_cast<size_t>(std::ranges::count(text, '\n'));
  const size_t line_begin = end == std::string_view::npos ? line_begin_ : begin_ + end + 1;
  return format("line {}, column {}", lines_ + lines + 1, begin_ + text.size() - line_begin + 1);
}

/// Takes the events of the library's parser, which does not recurse.
class JsonParser {
 public:
  JsonParser(JsonText& text, size_t most_bytes, std::string_view list, TakeItem take)
      : text_(text), most_bytes_(most_bytes), list_(list), take_(std::move(take)) {
    document_.nodes_.clear();
  }

  Json parse() {
    Library::sax_parse(Bytes{&text_}, Bytes{nullptr}, this);
    return std::move(document_);
  }

  bool null() { return add(JsonKind::null, ""); }
  bool boolean(bool value) { return add(JsonKind::boolean, value ? "true" : "false"); }
  /// Only text with a minus comes here; "-0" is the one whose value has lost it.
  bool number_integer(std::int64_t value) { return add(JsonKind::number, value == 0 ? "-0" : std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return add(JsonKind::number, std::to_string(value)); }
  bool number_float(UnreadNumber, const std::string& text) { return add(JsonKind::number, text); }
  bool string(const std::string& value) { return add(JsonKind::string, value); }
  bool binary(const Library::binary_t&) { return false; }
  bool key(const std::string& name) {
    require_room();
    document_.push(JsonKind::string, name);
    return true;
  }
  bool start_object(size_t) { return open(JsonKind::object); }
  bool start_array(size_t) { return open(JsonKind::list); }
  bool end_array() {
    document_.close(open_.back(), document_.nodes_[open_.back()].size);
    open_.pop_back();
    return end_value();
  }
  bool end_object() {
    document_.close(open_.back(), document_.nodes_[open_.back()].size);
    refuse_double_keys({&document_, open_.back()});
    open_.pop_back();
    return end_value();
  }
  bool parse_error(size_t bytes_read, const std::string&, const nlohmann::detail::exception& error) const {
    std::string_view reason = error.what();  // "[json.exception.…] parse error at line 1, column 2: syntax error …"
    reason.remove_prefix(reason.find("] ") + 2);
    if (reason.starts_with("parse error at ")) reason.remove_prefix(reason.find(": ") + 2);
    fail(Fault::malformed, "{}: {}{}", text_.place(std::max<size_t>(bytes_read, 1) - 1), printable(reason, 300),
         hint(text_.before(bytes_read), reason));
  }

 private:
  /// What JSON writes otherwise than Python does.
  static std::string_view hint(std::string_view read, std::string_view reason) {
    const char last = read.empty() ? ' ' : read.back();
    if (reason.find("invalid literal") != std::string_view::npos) {
      if (last == 'N' || last == 'I') return "; NaN and infinities are texts: \"NaN\", \"Inf\", \"-Inf\"";
      if (last == '\'') return "; keys and texts stand in double quotes";
      if (last == '/' || last == '#') return "; JSON has no comments";
    }
    const bool closes = reason.find("unexpected '}'") != std::string_view::npos ||
                        reason.find("unexpected ']'") != std::string_view::npos;
    if (!closes || read.empty()) return "";
    const size_t before = read.substr(0, read.size() - 1).find_last_not_of(" \t\r\n");
    return before != std::string_view::npos && read[before] == ',' ? "; the comma before it has to go" : "";
  }

  void require_room() const {
    constexpr size_t kValue = 64;  // what a node takes, and what readers make of it
    if (document_.nodes_.size() * kValue + document_.text_.size() > most_bytes_)
      fail(Fault::unsupported, "the text has {} bytes, but its values take more than the {} in memory that opref reads",
           text_.known_bytes(), most_bytes_);
  }

  /// Whether what begins or ends is an item of the long list.
  bool is_item() const {
    if (!take_ || open_.size() != 2 || document_.root().kind() != JsonKind::object) return false;
    const JsonValue holder(&document_, open_.back());
    return holder.kind() == JsonKind::list && holder.key() == list_;
  }

  void begin_value() {
    require_room();
    if (!open_.empty()) ++document_.nodes_[open_.back()].size;
    if (is_item()) item_ = document_.nodes_.size(), text_of_item_ = document_.text_.size();
  }

  bool end_value() {
    if (!is_item()) return true;
    settle();
    take_(document_.root(), {&document_, item_});
    document_.nodes_.resize(item_);
    document_.text_.resize(text_of_item_);
    return true;
  }

  bool add(JsonKind kind, std::string_view text) {
    begin_value();
    document_.push(kind, text);
    return end_value();
  }

  bool open(JsonKind kind) {
    if (open_.size() == kMostNesting)
      fail(Fault::malformed, "lists and objects are nested more than {} deep", kMostNesting);
    begin_value();
    open_.push_back(document_.open(kind));
    return true;
  }

  /// What is not closed yet ends here, until there is more of it.
  void settle() {
    for (const size_t position : open_) document_.close(position, document_.nodes_[position].size);
  }

  void refuse_double_keys(const JsonValue& object) {
    std::vector<JsonValue> members;
    for (const JsonValue member : object) members.push_back(member);
    std::ranges::stable_sort(members, {}, &JsonValue::key);
    const auto twice = std::ranges::adjacent_find(members, {}, &JsonValue::key);
    if (twice == members.end()) return;
    settle();
    fail(Fault::malformed, "the key '{}' is there twice", twice->path());
  }

  JsonText& text_;
  const size_t most_bytes_;
  const std::string_view list_;
  const TakeItem take_;
  Json document_;
  std::vector<size_t> open_;            // positions of the containers that are not closed yet, outermost first
  size_t item_ = 0, text_of_item_ = 0;  // where the last item and its texts begin
};

Json parse_json(std::string_view text, size_t most_bytes) {
  JsonText bytes(text);
  return JsonParser(bytes, most_bytes, "", nullptr).parse();
}

Json parse_json(JsonText& text, std::string_view list, const TakeItem& take) {
  return JsonParser(text, kMostDocumentBytes, list, take).parse();
}

}  // namespace opref::io
