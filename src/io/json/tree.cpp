// SPDX-License-Identifier: Apache-2.0
#include "io/json/tree.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace opref::io {
namespace {

constexpr size_t kMostNesting = 64;

/// "line 3, column 14" of the byte at `offset`.
std::string line_and_column(std::string_view text, size_t offset, const JsonOrigin& origin) {
  const std::string_view before = text.substr(0, offset);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto lines = static_cast<size_t>(std::ranges::count(before, '\n'));
  return format("line {}, column {}", origin.lines + lines + 1,
                before.size() - line_start + 1 + (lines == 0 ? origin.columns : 0));
}

/// The library's document type. Its number type is never looked at but for its range, outside which text is an error:
/// float64 would refuse 1e400, which is a decimal like any other.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, long double>;

}  // namespace

/// Takes the events of the library's parser, which does not recurse.
class JsonTreeBuilder {
 public:
  JsonTreeBuilder(std::string_view text, size_t most_bytes, const JsonOrigin& origin)
      : text_(text), most_bytes_(most_bytes), origin_(origin) {
    document_.path_ = origin.path;
  }

  bool null() { return add(JsonKind::null, ""); }
  bool boolean(bool value) { return add(JsonKind::boolean, value ? "true" : "false"); }
  /// Only text with a minus comes here; "-0" is the one whose value has lost it.
  bool number_integer(std::int64_t value) { return add(JsonKind::number, value == 0 ? "-0" : std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return add(JsonKind::number, std::to_string(value)); }
  bool number_float(long double, const std::string& text) { return add(JsonKind::number, text); }
  bool string(const std::string& value) { return add(JsonKind::string, value); }
  bool binary(const Json::binary_t&) { return false; }
  bool key(const std::string& name) {
    push(JsonKind::string, name);
    return true;
  }
  bool start_object(size_t) { return open(JsonKind::object); }
  bool start_array(size_t) { return open(JsonKind::list); }
  bool end_array() {
    nodes()[open_.back()].end = nodes().size();
    open_.pop_back();
    return true;
  }
  bool end_object() {
    refuse_double_keys({&document_, open_.back()});
    return end_array();
  }
  bool parse_error(size_t bytes_read, const std::string&, const nlohmann::detail::exception& error) const {
    std::string_view reason = error.what();  // "[json.exception.…] parse error at line 1, column 2: syntax error …"
    reason.remove_prefix(reason.find("] ") + 2);
    if (reason.starts_with("parse error at ")) reason.remove_prefix(reason.find(": ") + 2);
    fail(Fault::malformed, "{}: {}{}", line_and_column(text_, std::max<size_t>(bytes_read, 1) - 1, origin_),
         printable(reason, 300), hint(bytes_read, reason));
  }

  JsonDocument finish() && { return std::move(document_); }

 private:
  /// What JSON writes otherwise than Python does.
  std::string_view hint(size_t bytes_read, std::string_view reason) const {
    if (reason.find("invalid literal") != std::string_view::npos) {
      const char last = bytes_read > 0 && bytes_read <= text_.size() ? text_[bytes_read - 1] : ' ';
      if (last == 'N' || last == 'I') return "; NaN and infinities are texts: \"NaN\", \"Inf\", \"-Inf\"";
      if (last == '\'') return "; keys and texts stand in double quotes";
      if (last == '/' || last == '#') return "; JSON has no comments";
    }
    const bool closes = reason.find("unexpected '}'") != std::string_view::npos ||
                        reason.find("unexpected ']'") != std::string_view::npos;
    const size_t before =
        closes && bytes_read > 1 ? text_.find_last_not_of(" \t\r\n", bytes_read - 2) : std::string_view::npos;
    return before != std::string_view::npos && text_[before] == ',' ? "; the comma before it has to go" : "";
  }

  std::vector<JsonDocument::Node>& nodes() { return document_.nodes_; }

  void push(JsonKind kind, std::string_view text) {
    constexpr size_t kValue = sizeof(JsonDocument::Node) + sizeof(std::string);  // what readers make of it too
    if (nodes().size() * kValue + document_.text_.size() > most_bytes_)
      fail(Fault::unsupported, "the text has {} bytes, but its values take more than the {} in memory that opref reads",
           text_.size(), most_bytes_);
    nodes().push_back({kind, document_.text_.size(), text.size(), nodes().size() + 1});
    document_.text_ += text;
  }

  bool add(JsonKind kind, std::string_view text) {
    if (!open_.empty()) ++nodes()[open_.back()].size;
    push(kind, text);
    return true;
  }

  bool open(JsonKind kind) {
    if (open_.size() == kMostNesting)
      fail(Fault::malformed, "lists and objects are nested more than {} deep", kMostNesting);
    add(kind, "");
    nodes().back().end = SIZE_MAX;  // until it is closed, everything is below it
    open_.push_back(nodes().size() - 1);
    return true;
  }

  void refuse_double_keys(const JsonValue& object) {
    nodes()[object.position_].end = nodes().size();
    std::vector<JsonValue> members;
    for (const JsonValue member : object) members.push_back(member);
    std::ranges::stable_sort(members, {}, &JsonValue::key);
    const auto twice = std::ranges::adjacent_find(members, {}, &JsonValue::key);
    if (twice != members.end()) fail(Fault::malformed, "the key '{}' is there twice", twice->path());
  }

  std::string_view text_;
  const size_t most_bytes_;
  const JsonOrigin& origin_;
  JsonDocument document_;
  std::vector<size_t> open_;  // positions of the containers that are not closed yet, outermost first
};

JsonDocument parse_json(std::string_view text, size_t most_bytes, const JsonOrigin& origin) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  // The library takes a null byte for the end and would pass whatever follows.
  if (const size_t null = text.find('\0'); null != std::string_view::npos)
    fail(Fault::malformed, "{}: there is a null byte", line_and_column(text, null, origin));
  JsonTreeBuilder builder(text, most_bytes, origin);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).finish();
}

JsonKind JsonValue::kind() const { return document_->nodes_[position_].kind; }

std::string_view JsonValue::text() const {
  const JsonDocument::Node& node = document_->nodes_[position_];
  if (node.kind == JsonKind::list || node.kind == JsonKind::object) return "";
  return std::string_view(document_->text_).substr(node.text, node.size);
}

size_t JsonValue::size() const {
  return kind() == JsonKind::list || kind() == JsonKind::object ? document_->nodes_[position_].size : 0;
}

JsonValue::Iterator JsonValue::begin() const {
  const size_t step = kind() == JsonKind::object ? 1 : 0;
  return {document_, position_ + 1 + step, step};
}

JsonValue::Iterator JsonValue::end() const {
  const size_t step = kind() == JsonKind::object ? 1 : 0;
  return {document_, document_->nodes_[position_].end + step, step};
}

JsonValue::Iterator& JsonValue::Iterator::operator++() {
  position_ = document_->nodes_[position_].end + step_;
  return *this;
}

std::string_view JsonValue::key() const { return JsonValue(document_, position_ - 1).text(); }

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  if (kind() != JsonKind::object) return std::nullopt;
  for (const JsonValue member : *this)
    if (member.key() == key) return member;
  return std::nullopt;
}

std::string JsonValue::path() const {
  std::string path = document_->path_;
  for (JsonValue at = document_->root(); at.position_ != position_;) {
    size_t ordinal = 0;
    auto below = at.begin();
    for (; document_->nodes_[(*below).position_].end <= position_; ++below) ++ordinal;
    if (at.kind() == JsonKind::list)
      path += format("[{}]", ordinal);
    else
      path += (path.empty() ? "" : ".") + printable((*below).key());
    at = *below;
  }
  return path;
}

std::string json_string(std::string_view text) {
  const bool is_plain =
      std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; });
  if (is_plain) return '"' + std::string(text) + '"';
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_json(std::string_view text) { return Json::accept(text); }

}  // namespace opref::io
