// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/error.h"
#include "exact/element_text.h"
#include "io/json/json.h"
#include "io/json/tree.h"

namespace opref::io {
namespace {

constexpr size_t kColumns = 100, kIndent = 2;

std::string number_or_name(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Inf\"" : "\"-Inf\"";
  return TextArgument(value).text();
}

std::string element(const Tensor& tensor, std::int64_t index) {
  if (tensor.dtype() == DType::string) return json_string(tensor.strings()[static_cast<size_t>(index)]);
  std::string text = element_text(tensor, index);
  return is_json(text) ? text : json_string(text);
}

}  // namespace

struct JsonWriter::Content {
  /// An item of a list or a member of an object: a scalar as JSON writes it, or a list or object.
  struct Item {
    std::string key;  ///< as JSON writes it
    std::string scalar;
    std::unique_ptr<Content> nested;
    bool is_written = false;  ///< the scalar is a list or object

    bool is_scalar() const { return !nested && !is_written; }
  };

  bool is_list = false;
  std::vector<Item> items;
  std::unordered_map<std::string, size_t> places;  ///< of the first items of an object with many, by their keys

  static std::unique_ptr<Content> list() {
    auto content = std::make_unique<Content>();
    content->is_list = true;
    return content;
  }

  template <class Range, class Written>
  static std::unique_ptr<Content> list_of(const Range& values, const Written& written) {
    auto content = list();
    for (const auto& value : values) content->items.push_back({"", written(value), nullptr});
    return content;
  }

  static std::unique_ptr<Content> of(const Tensor& tensor, size_t axis, std::int64_t& next) {
    auto content = list();
    if (tensor.count() == 0) return content;
    const Dims& shape = tensor.shape();
    for (std::int64_t i = 0; i < shape[axis]; ++i) {
      if (axis + 1 < shape.size())
        content->items.push_back({"", "", of(tensor, axis + 1, next)});
      else
        content->items.push_back({"", element(tensor, next++), nullptr});
    }
    return content;
  }

  /// null where it is a scalar.
  static std::unique_ptr<Content> of(const JsonValue& value) {
    const bool object = value.kind() == JsonKind::object;
    if (!object && value.kind() != JsonKind::list) return nullptr;
    auto content = object ? std::make_unique<Content>() : list();
    for (const JsonValue item : value)
      content->items.push_back({object ? json_string(item.key()) : "", scalar_of(item), of(item)});
    return content;
  }

  /// As JSON writes it; of lists and objects nothing.
  static std::string scalar_of(const JsonValue& value) {
    if (value.kind() == JsonKind::string) return json_string(value.text());
    return value.kind() == JsonKind::null ? "null" : std::string(value.text());
  }

  void set(std::string_view key, std::string scalar, std::unique_ptr<Content> nested = nullptr) {
    if (is_list) fail(Fault::internal, "a list of JSON has no member '{}'", printable(key));
    Item item{json_string(key), std::move(scalar), std::move(nested)};
    if (Item* former = member(item.key); former != nullptr)
      *former = std::move(item);
    else
      items.push_back(std::move(item));
  }

  /// Keys are looked for one by one only where they are few.
  Item* member(const std::string& key) {
    constexpr size_t kFew = 16;
    if (items.size() <= kFew) {
      const auto found = std::ranges::find(items, key, &Item::key);
      return found == items.end() ? nullptr : &*found;
    }
    for (size_t i = places.size(); i < items.size(); ++i) places.emplace(items[i].key, i);
    const auto found = places.find(key);
    return found == places.end() ? nullptr : &items[found->second];
  }

  void append(std::string scalar, std::unique_ptr<Content> nested = nullptr) {
    if (!is_list) fail(Fault::internal, "an object of JSON has no items");
    items.push_back({"", std::move(scalar), std::move(nested)});
  }

  /// The list on one line; nothing if it has lists or objects in it, or more than `most` characters.
  std::optional<std::string> one_line(size_t most) const {
    if (!is_list) return std::nullopt;
    std::string line = "[";
    for (const Item& item : items) {
      if (!item.is_scalar() || line.size() > most) return std::nullopt;
      if (line.size() > 1) line += ", ";
      line += item.scalar;
    }
    line += "]";
    return line.size() <= most ? std::optional(line) : std::nullopt;
  }

  void write(std::string& out, size_t indent) const {
    const std::string_view brackets = is_list ? "[]" : "{}";
    if (items.empty()) {
      out += brackets;
      return;
    }
    const size_t column = out.size() - (out.rfind('\n') + 1);
    if (const auto line = one_line(kColumns - std::min(kColumns, column + 1))) {  // 1: a comma may follow
      out += *line;
      return;
    }
    out += brackets[0];
    for (const Item& item : items) {
      out += &item == &items.front() ? "\n" : ",\n";
      out.append(indent + kIndent, ' ');
      if (!is_list) out += item.key + ": ";
      if (item.nested)
        item.nested->write(out, indent + kIndent);
      else
        out += item.scalar;
    }
    out += '\n';
    out.append(indent, ' ');
    out += brackets[1];
  }

  void write_line(std::string& out) const {
    const bool is_plain = is_list && std::ranges::all_of(items, &Item::is_scalar);
    out += is_list ? '[' : '{';
    for (const Item& item : items) {
      if (&item != &items.front()) out += is_plain ? ", " : ",";
      if (!is_list) (out += item.key) += ": ";
      if (item.nested)
        item.nested->write_line(out);
      else
        out += item.scalar;
    }
    out += is_list ? ']' : '}';
  }
};

JsonWriter::JsonWriter() : content_(std::make_unique<Content>()) {}
JsonWriter::~JsonWriter() = default;
JsonWriter::JsonWriter(JsonWriter&&) noexcept = default;
JsonWriter& JsonWriter::operator=(JsonWriter&&) noexcept = default;

JsonWriter JsonWriter::list() {
  JsonWriter writer;
  writer.content_->is_list = true;
  return writer;
}

JsonWriter& JsonWriter::set(std::string_view key, std::string_view value) {
  content_->set(key, json_string(value));
  return *this;
}

JsonWriter& JsonWriter::set(std::string_view key, std::int64_t value) {
  content_->set(key, std::to_string(value));
  return *this;
}

JsonWriter& JsonWriter::set(std::string_view key, bool value) {
  content_->set(key, value ? "true" : "false");
  return *this;
}

JsonWriter& JsonWriter::set(std::string_view key, double value) {
  content_->set(key, number_or_name(value));
  return *this;
}

JsonWriter& JsonWriter::set(std::string_view key, std::uint64_t value) {
  content_->set(key, std::to_string(value));
  return *this;
}

JsonWriter& JsonWriter::set(std::string_view key, std::span<const std::int64_t> values) {
  content_->set(key, "", Content::list_of(values, [](std::int64_t value) { return std::to_string(value); }));
  return *this;
}

JsonWriter& JsonWriter::set(std::string_view key, std::span<const std::uint64_t> values) {
  content_->set(key, "", Content::list_of(values, [](std::uint64_t value) { return std::to_string(value); }));
  return *this;
}

JsonWriter& JsonWriter::set(std::string_view key, std::span<const std::string> values) {
  content_->set(key, "", Content::list_of(values, json_string));
  return *this;
}

JsonWriter& JsonWriter::set(std::string_view key, JsonWriter value) {
  content_->set(key, "", std::move(value.content_));
  return *this;
}

JsonWriter& JsonWriter::set_null(std::string_view key) {
  content_->set(key, "null");
  return *this;
}

JsonWriter& JsonWriter::set(std::string_view key, const AttributeValue& value) {
  struct Setter {
    JsonWriter& writer;
    std::string_view key;
    const AttributeValue& attribute;

    void operator()(std::int64_t v) const { writer.set(key, v); }
    void operator()(float v) const { writer.set(key, static_cast<double>(v)); }
    void operator()(const std::string& v) const { writer.set(key, v); }
    void operator()(const std::vector<std::int64_t>& v) const { writer.set(key, std::span<const std::int64_t>(v)); }
    void operator()(const std::vector<float>& v) const {
      writer.content_->set(key, "", Content::list_of(v, [](float f) { return number_or_name(f); }));
    }
    void operator()(const std::vector<std::string>& v) const { writer.set(key, std::span<const std::string>(v)); }
    void operator()(const Tensor& v) const {
      JsonWriter tensor;
      tensor.set("dtype", name(v.dtype())).set("shape", v.shape()).set("data", v);
      writer.set(key, std::move(tensor));
    }
    void operator()(const SparseTensor&) const { writer.set(key, to_text(attribute)); }
    void operator()(const ValueType&) const { writer.set(key, to_text(attribute)); }
    void operator()(const std::shared_ptr<const Graph>&) const { writer.set(key, to_text(attribute)); }
    void operator()(const Opaque&) const { writer.set(key, to_text(attribute)); }
  };
  std::visit(Setter{*this, key, value}, value.value);
  return *this;
}

JsonWriter type_json(const ValueType& type) {
  constexpr std::array<std::string_view, kForms.size()> kNames = {"tensor", "sequence", "optional",
                                                                  "optional sequence"};
  JsonWriter json;
  if (type.form != Form::tensor) json.set("form", kNames[static_cast<size_t>(type.form)]);
  json.set("dtype", name(type.dtype()));
  if (type.has_shape) json.set("shape", type.tensor.shape);
  return json;
}

JsonWriter& JsonWriter::set(std::string_view key, const Tensor& values) {
  std::int64_t next = 0;
  if (values.shape().empty())
    content_->set(key, element(values, 0));
  else
    content_->set(key, "", Content::of(values, 0, next));
  return *this;
}

JsonWriter& JsonWriter::set(std::string_view key, const JsonValue& value) {
  content_->set(key, Content::scalar_of(value), Content::of(value));
  return *this;
}

JsonWriter& JsonWriter::append(const JsonValue& value) {
  content_->append(Content::scalar_of(value), Content::of(value));
  return *this;
}

JsonWriter& JsonWriter::append(std::string_view value) {
  content_->append(json_string(value));
  return *this;
}

JsonWriter& JsonWriter::append(const Dims& value) {
  content_->append("", Content::list_of(value, [](std::int64_t size) { return std::to_string(size); }));
  return *this;
}

JsonWriter& JsonWriter::append(JsonWriter value) {
  content_->append("", std::move(value.content_));
  return *this;
}

JsonWriter& JsonWriter::append_nested(std::string_view written) {
  content_->append(std::string(written));
  content_->items.back().is_written = true;
  return *this;
}

std::string JsonWriter::text() const {
  std::string out = nested(0);
  out += '\n';
  return out;
}

std::string JsonWriter::nested(size_t depth) const {
  std::string out(kIndent * depth, ' ');  // in which column it begins decides what stands on one line
  content_->write(out, out.size());
  out.erase(0, kIndent * depth);
  return out;
}

std::string JsonWriter::line() const {
  std::string out;
  content_->write_line(out);
  return out + "\n";
}

}  // namespace opref::io
