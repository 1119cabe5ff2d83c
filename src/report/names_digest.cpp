// SPDX-License-Identifier: Apache-2.0
#include "report/names_digest.h"

#include "core/utf8.h"
#include "io/json/tree.h"

namespace opref::report {

void NamesDigest::add(const std::string& name) {
  ++count_;
  if (code_points(name))
    hash_.add(name);
  else
    hash_.add(parse_json(json_string(name)).root().text());
  hash_.add(std::string_view("\0", 1));
}

}  // namespace opref::report
