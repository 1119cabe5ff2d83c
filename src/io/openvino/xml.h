// SPDX-License-Identifier: Apache-2.0
// The XML of OpenVINO's files, and what it can be read as. Between the files of the OpenVINO reader; nothing else
// includes this.
#pragma once

#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "core/error.h"

namespace opref::io {

constexpr std::string_view kXmlBlanks = " \t\r\n";

/// Without blanks at both ends.
std::string_view trimmed(std::string_view text);

/// A whole number of at least 0; nothing if the text is none that fits into 64 bits.
std::optional<std::int64_t> parse_count(std::string_view text);

/// One parsed file, which knows where each of its elements stands. Faults: `malformed`, with line and column.
class XmlDocument {
 public:
  /// `text` must outlive the document.
  explicit XmlDocument(std::string_view text);

  /// The one element at the top.
  pugi::xml_node root() const;

  /// "line 3, column 7", counted in bytes from 1.
  std::string line_and_column(pugi::xml_node node) const;

  template <class... A>
  [[noreturn]] void fail_at(pugi::xml_node node, std::string_view pattern, const A&... arguments) const {
    fail(Fault::malformed, "{}: {}", line_and_column(node), format(pattern, arguments...));
  }

  /// The attribute's value; a missing one is a fault.
  std::string_view required(pugi::xml_node node, const char* attribute) const;
  /// The same of a number of at least 0.
  std::int64_t required_count(pugi::xml_node node, const char* attribute) const;

  /// The element's name, printable.
  static std::string name_of(pugi::xml_node node) { return printable(node.name()); }

  /// The text in the element, of CDATA too; nothing where it has elements.
  static std::optional<std::string> text_in(pugi::xml_node node);

 private:
  void require_known_references() const;
  void require_single_attributes() const;
  std::string line_and_column(size_t offset) const;

  std::string_view text_;
  pugi::xml_document document_;
};

}  // namespace opref::io
