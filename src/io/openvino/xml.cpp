// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/xml.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace opref::io {
namespace {

/// "lt", "#65", "#x41": what can stand between & and ;.
bool is_known_reference(std::string_view name) {
  constexpr std::string_view kEntities[] = {"lt", "gt", "amp", "apos", "quot"};
  if (!name.starts_with('#')) return std::ranges::find(kEntities, name) != std::end(kEntities);
  const bool hexadecimal = name.starts_with("#x");
  const std::string_view digits = name.substr(hexadecimal ? 2 : 1);
  std::uint32_t character = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), character, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != digits.end()) return false;
  const bool blank = character == '\t' || character == '\n' || character == '\r';
  const bool surrogate = character >= 0xd800 && character < 0xe000;
  return blank || (character >= 0x20 && !surrogate && character < 0xfffe) ||
         (character >= 0x10000 && character <= 0x10ffff);
}

std::string lower_case_start(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kXmlBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kXmlBlanks) + 1);
}

std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  if (error != std::errc{} || end != text.end() || value < 0) return std::nullopt;
  return value;
}

XmlDocument::XmlDocument(std::string_view text) : text_(text) {
  // Top-level text is kept, so that text around the root element is seen.
  constexpr unsigned kOptions = pugi::parse_default | pugi::parse_fragment;
  const size_t zero = text.find('\0');
  if (zero != std::string_view::npos) fail(Fault::malformed, "{}: a byte 0 in XML", line_and_column(zero));
  const pugi::xml_parse_result result = document_.load_buffer(text.data(), text.size(), kOptions, pugi::encoding_utf8);
  if (result.status == pugi::status_out_of_memory) fail(Fault::system, "{}", result.description());
  if (!result)
    fail(Fault::malformed, "{}: this is no XML: {}", line_and_column(static_cast<size_t>(result.offset)),
         lower_case_start(result.description()));
  require_known_references();
  require_single_attributes();
}

/// pugixml leaves references that it does not know as they are, XML does not; no entities but XML's own are known.
void XmlDocument::require_known_references() const {
  constexpr std::pair<std::string_view, std::string_view> kVerbatim[] = {
      {"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
  for (size_t at = text_.find_first_of("&<"); at != std::string_view::npos; at = text_.find_first_of("&<", at + 1)) {
    const std::string_view rest = text_.substr(at);
    for (const auto& [begin, end] : kVerbatim)
      if (rest.starts_with(begin)) at = std::min(text_.find(end, at + begin.size()), text_.size());
    if (rest[0] != '&') continue;
    const std::string_view name = rest.substr(1, rest.find_first_of("; \t\r\n<&\"'", 1) - 1);
    if (!rest.substr(1 + name.size()).starts_with(';'))
      fail(Fault::malformed, "{}: '&' that begins no reference; it is written &amp;", line_and_column(at));
    if (!is_known_reference(name))
      fail(Fault::malformed, "{}: the reference '&{};' is not known", line_and_column(at), printable(name));
  }
}

/// pugixml lets an attribute stand twice in an element, XML does not. Elements that are nested without end would
/// exhaust the stack where they are removed, and the memory where they are indented.
void XmlDocument::require_single_attributes() const {
  struct Walker : pugi::xml_tree_walker {
    explicit Walker(const XmlDocument& owner) : document(owner) {}
    bool for_each(pugi::xml_node& node) override {
      constexpr int kDeepest = 1000;
      if (depth() >= kDeepest) document.fail_at(node, "elements are nested more than {} deep", kDeepest);
      std::set<std::string_view> names;
      for (const pugi::xml_attribute attribute : node.attributes())
        if (!names.insert(attribute.name()).second)
          document.fail_at(node, "<{}> has the attribute '{}' twice", name_of(node), printable(attribute.name()));
      return true;
    }
    const XmlDocument& document;
  };
  Walker walker(*this);
  pugi::xml_node(document_).traverse(walker);
}

pugi::xml_node XmlDocument::root() const {
  pugi::xml_node root;
  for (const pugi::xml_node node : document_) {
    if (node.type() != pugi::node_element) fail_at(node, "text outside the root element");
    if (root) fail_at(node, "a second element at the top, <{}>: each layer is a file of its own", name_of(node));
    root = node;
  }
  if (!root) fail(Fault::malformed, "the XML has no element");
  return root;
}

std::string XmlDocument::line_and_column(pugi::xml_node node) const {
  return line_and_column(static_cast<size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)));
}

std::string XmlDocument::line_and_column(size_t offset) const {
  const std::string_view before = text_.substr(0, offset);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return format("line {}, column {}", std::ranges::count(before, '\n') + 1, before.size() - line_start + 1);
}

std::optional<std::string> XmlDocument::text_in(pugi::xml_node node) {
  std::string text;
  for (const pugi::xml_node part : node) {  // comments and CDATA split the text
    if (part.type() != pugi::node_pcdata && part.type() != pugi::node_cdata) return std::nullopt;
    text += part.value();
  }
  return text;
}

std::string_view XmlDocument::required(pugi::xml_node node, const char* attribute) const {
  const pugi::xml_attribute found = node.attribute(attribute);
  if (!found) fail_at(node, "<{}> has no attribute '{}'", name_of(node), attribute);
  return found.value();
}

std::int64_t XmlDocument::required_count(pugi::xml_node node, const char* attribute) const {
  const std::string_view text = required(node, attribute);
  const auto value = parse_count(trimmed(text));
  if (!value) fail_at(node, "attribute '{}' is '{}', but must be a number of at least 0", attribute, printable(text));
  return *value;
}

}  // namespace opref::io
