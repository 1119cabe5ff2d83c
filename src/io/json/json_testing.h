// SPDX-License-Identifier: Apache-2.0
// Cases in JSON, read from a text, for tests of them.
#pragma once

#include "core/error.h"
#include "io/json/json.h"
#include "io/json/parse.h"
#include "io/json/tree.h"

namespace opref::io {

/// "malformed: the message", or "no error".
template <class Body>
std::string parse_error_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return format("{}: {}", name(error.fault()), error.text());
  }
  return "no error";
}

inline Case read(std::string_view text, const std::string& folder = "folder") {
  const Json document = parse_json(text);
  return read_json_case(document.root(), {}, folder);
}
inline std::string case_error(std::string_view text) {
  return parse_error_of([&] { read(text); });
}

}  // namespace opref::io
