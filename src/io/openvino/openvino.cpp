// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/openvino.h"

#include "io/openvino/ir.h"
#include "io/openvino/layer.h"
#include "io/openvino/xml.h"

namespace opref::io {

bool is_xml(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text = trimmed(text);
  for (const std::string_view start : {"<?", "<!", "<layer", "<net"}) {
    if (!text.starts_with(start)) continue;
    const char next = text.size() > start.size() ? text[start.size()] : '\0';
    return start.size() == 2 || kXmlBlanks.find(next) != std::string_view::npos || next == '>' || next == '/';
  }
  return false;
}

Case read_openvino(const FileBytes& file, const std::filesystem::path& weights) {
  const XmlDocument document(file.text());
  const pugi::xml_node root = document.root();
  const std::string_view name = root.name();
  if (name == "layer") return read_openvino_layer(document, root, weights);
  if (name == "net") return read_openvino_ir(document, root, weights);
  document.fail_at(root, "the XML is a <{}>, not a <layer> or a <net> of OpenVINO", XmlDocument::name_of(root));
}

}  // namespace opref::io
