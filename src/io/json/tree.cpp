// SPDX-License-Identifier: Apache-2.0
#include "io/json/tree.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/utf8.h"
#include "exact/element_text.h"
#include "io/json/json.h"
#include "io/literal.h"

namespace opref::io {

JsonKind JsonValue::kind() const { return document_->nodes_[position_].kind; }

std::string_view JsonValue::text() const {
  const Json::Node& node = document_->nodes_[position_];
  return is_container() ? std::string_view() : std::string_view(document_->text_).substr(node.at, node.size);
}

size_t JsonValue::size() const { return is_container() ? document_->nodes_[position_].size : 0; }

JsonValue::Iterator JsonValue::begin() const {
  const size_t step = kind() == JsonKind::object ? 1 : 0;
  return {document_, position_ + 1 + step, step};
}

JsonValue::Iterator JsonValue::end() const {
  const size_t step = kind() == JsonKind::object ? 1 : 0;
  return {document_, document_->end_of(position_) + step, step};
}

JsonValue::Iterator& JsonValue::Iterator::operator++() {
  position_ = document_->end_of(position_) + step_;
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
  std::string path;
  for (JsonValue at = document_->root(); at.position_ != position_;) {
    size_t ordinal = 0, present = 0;
    auto below = at.end();
    for (auto item = at.begin(); item != at.end(); ++item, ++present)
      if ((*item).position_ <= position_) below = item, ordinal = present;
    ordinal += at.size() - present;  // those of a long list that are forgotten
    if (at.kind() == JsonKind::list)
      path += format("[{}]", ordinal);
    else
      path += (path.empty() ? "" : ".") + printable((*below).key());
    at = *below;
  }
  return path;
}

bool Json::is_container(size_t position) const { return JsonValue(this, position).is_container(); }

size_t Json::end_of(size_t position) const { return position + 1 + (is_container(position) ? nodes_[position].at : 0); }

// --- Building

void Json::push(JsonKind kind, std::string_view text) {
  nodes_.push_back({kind, text_.size(), text.size()});
  text_ += text;
}

size_t Json::open(JsonKind kind) {
  nodes_.push_back({kind, 0, 0});
  return nodes_.size() - 1;
}

void Json::close(size_t position, size_t size) {
  nodes_[position].at = nodes_.size() - position - 1;
  nodes_[position].size = size;
}

void Json::add(std::string_view text) {
  is_utf8(text) ? push(JsonKind::string, text) : push(JsonKind::string, valid_utf8(text));
}

void Json::add(double value) {
  if (std::isnan(value))
    add("NaN");
  else if (std::isinf(value))
    add(value > 0 ? "Inf" : "-Inf");
  else
    push(JsonKind::number, TextArgument(value).text());
}

void Json::add(const JsonValue& value) {
  const Json& from = *value.document_;
  for (size_t i = value.position_, end = from.end_of(i); i < end; ++i)
    if (from.is_container(i))
      nodes_.push_back(Node(from.nodes_[i]));
    else
      push(from.nodes_[i].kind, JsonValue(&from, i).text());
}

void Json::add(const AttributeValue& value) {
  const auto add_plain = [&](const auto& plain) {
    if constexpr (std::is_same_v<decltype(plain), const Tensor&>) {
      if (value.type == AttributeType::FLOAT) return add(plain.template values<double>()[0]);  // with all digits
      add(Json().set("dtype", name(plain.dtype())).set("shape", plain.shape()).set("data", plain));
    } else if constexpr (requires { add(plain); })
      add(plain);
    else
      add(to_text(value));
  };
  std::visit(add_plain, value.value);
}

void Json::add(const Tensor& values) {
  std::int64_t next = 0;
  if (values.count() == 0)
    close(open(JsonKind::list), 0);
  else
    add_elements(values, 0, next);
}

void Json::add_elements(const Tensor& tensor, size_t axis, std::int64_t& next) {
  const Dims& shape = tensor.shape();
  if (axis < shape.size()) {
    const size_t list = open(JsonKind::list);
    for (std::int64_t i = 0; i < shape[axis]; ++i) add_elements(tensor, axis + 1, next);
    return close(list, static_cast<size_t>(shape[axis]));
  }
  const std::string text = element_text(tensor, next++);
  const Kind kind = info(tensor.dtype()).kind;
  const bool is_number =
      kind != Kind::string && kind != Kind::complex && text.find_first_not_of("0123456789+-.e") == std::string::npos;
  if (kind == Kind::boolean)
    push(JsonKind::boolean, text);
  else
    is_number ? push(JsonKind::number, text) : add(text);
}

/// Keys are looked for one by one only where they are few.
size_t Json::former_member(size_t member) {
  constexpr size_t kFew = 16;
  const std::string key(JsonValue(this, member).text());
  if (nodes_[0].size <= kFew) {
    for (size_t i = 1; i < member; i = end_of(i + 1))
      if (JsonValue(this, i).text() == key) return i;
    return member;
  }
  for (; searched_ <= member; searched_ = end_of(searched_ + 1))
    members_.emplace(JsonValue(this, searched_).text(), searched_);
  return members_.find(key)->second;
}

void Json::end_member(size_t member) {
  if (nodes_[0].kind != JsonKind::object)
    fail(Fault::internal, "a list of JSON has no member '{}'", printable(JsonValue(this, member).text()));
  const size_t former = former_member(member);
  if (former != member) {  // the new one takes its place
    const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(former);
    const auto end = nodes_.begin() + static_cast<std::ptrdiff_t>(end_of(former + 1));
    const auto moved = std::rotate(begin, nodes_.begin() + static_cast<std::ptrdiff_t>(member), nodes_.end());
    nodes_.erase(moved, moved + (end - begin));
    members_.clear();
    searched_ = 1;
  }
  close(0, nodes_[0].size + (former == member ? 1 : 0));
}

void Json::end_item() {
  if (nodes_[0].kind != JsonKind::list) fail(Fault::internal, "an object of JSON has no items");
  close(0, nodes_[0].size + 1);
}

// --- Writing

namespace {

constexpr size_t kColumns = 100, kIndent = 2;

/// As JSON, of what is no container.
std::string scalar(const JsonValue& value) {
  if (value.kind() == JsonKind::string) return json_string(value.text());
  return value.kind() == JsonKind::null ? "null" : std::string(value.text());
}

bool is_flat_list(const JsonValue& value) {
  if (value.kind() != JsonKind::list) return false;
  for (const JsonValue item : value)
    if (item.is_container()) return false;
  return true;
}

/// `indent` is how far the lines of a container stand; nothing: all is on one line.
void write(std::string& out, const JsonValue& value, std::optional<size_t> indent) {
  if (!value.is_container()) {
    out += scalar(value);
    return;
  }
  const bool is_list = value.kind() == JsonKind::list, is_flat = is_flat_list(value);
  if (indent && is_flat && value.size() <= kColumns) {
    const std::string line = value.line();
    const size_t column = out.size() - (out.rfind('\n') + 1);
    if (column + line.size() < kColumns || value.size() == 0) {  // a comma may follow
      out += line;
      return;
    }
  }
  const std::string inside = indent ? "\n" + std::string(*indent + kIndent, ' ') : "";
  out += is_list ? '[' : '{';
  bool is_first = true;
  for (const JsonValue item : value) {
    if (!std::exchange(is_first, false)) out += is_flat && !indent ? ", " : ",";
    out += inside;
    if (!is_list) out += json_string(item.key()) + ": ";
    write(out, item, indent ? std::optional(*indent + kIndent) : std::nullopt);
  }
  if (!is_first) out += inside.substr(0, inside.size() - std::min(inside.size(), kIndent));
  out += is_list ? ']' : '}';
}

}  // namespace

std::string JsonValue::line() const {
  std::string out;
  write(out, *this, std::nullopt);
  return out;
}

std::string Json::text() const {
  std::string out;
  write(out, root(), 0);
  return out + "\n";
}

std::string json_string(std::string_view text) {
  const bool is_plain =
      std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; });
  if (is_plain) return '"' + std::string(text) + '"';
  using Library = nlohmann::json;
  return Library(std::string(text)).dump(-1, ' ', false, Library::error_handler_t::replace);
}

}  // namespace opref::io
