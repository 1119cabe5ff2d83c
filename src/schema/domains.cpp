// SPDX-License-Identifier: Apache-2.0
#include "schema/domains.h"

#include <algorithm>

namespace opref::schema {

std::string_view domain_name(std::string_view domain) { return domain.empty() ? "ai.onnx" : domain; }

const Domain* find_domain(std::string_view name) {
  const auto found = std::ranges::find(kDomains, domain_name(name), &Domain::name);
  return found == kDomains.end() ? nullptr : &*found;
}

bool is_of_layers(std::string_view domain) {
  const Domain* known = find_domain(domain);
  return known != nullptr && known->written_in == WrittenIn::openvino_layers;
}

}  // namespace opref::schema
