#include "io/openvino_xml.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace opref {
namespace {

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
  for (const std::string_view reference : {"&#0;", "&#x0;"})
    if (const size_t at = text.find(reference); at != std::string_view::npos)
      fail(Fault::malformed, "{}: a character 0 in XML", line_and_column(at));
  const pugi::xml_parse_result result = document_.load_buffer(text.data(), text.size(), kOptions, pugi::encoding_utf8);
  if (result.status == pugi::status_out_of_memory) fail(Fault::system, "{}", result.description());
  if (!result)
    fail(Fault::malformed, "{}: this is no XML: {}", line_and_column(static_cast<size_t>(result.offset)),
         lower_case_start(result.description()));
  require_single_attributes();
}

/// pugixml lets an attribute stand twice in an element, XML does not.
void XmlDocument::require_single_attributes() const {
  struct Walker : pugi::xml_tree_walker {
    explicit Walker(const XmlDocument& owner) : document(owner) {}
    bool for_each(pugi::xml_node& node) override {
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

}  // namespace opref
