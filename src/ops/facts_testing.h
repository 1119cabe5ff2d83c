// SPDX-License-Identifier: Apache-2.0
// For tests that compare with onnx's own schemas: its names of types, and where opref departs on purpose.
#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "schema/types.h"

namespace opref::ops {

struct Departure {
  std::string_view version, field;  ///< "Concat-1", "attribute axis"
  std::string_view why;             ///< the reading or the page's sentence
};

inline const std::vector<Departure> kDepartures = {
    {"Concat-1", "attribute axis", "the page: \"Which axis to concat on. Default value is 1.\""},
    {"Resize-11", "input 1", "the reading resize.v11_roi: required by default, as onnx has it"},
};

inline bool is_departure(std::string_view version, std::string_view field) {
  return std::ranges::any_of(kDepartures,
                             [&](const Departure& known) { return known.version == version && known.field == field; });
}

/// "tensor(double)", "optional(seq(tensor(double)))": as ONNX writes types.
inline std::set<std::string> onnx_names(const Types& types) {
  constexpr std::array<std::pair<const char*, const char*>, kForms.size()> kAround = {
      {{"", ""}, {"seq(", ")"}, {"optional(", ")"}, {"optional(seq(", "))"}}};
  std::set<std::string> names;
  for (const Form form : kForms)
    for (const DType dtype : types.dtypes(form)) {
      const auto& [before, after] = kAround[static_cast<size_t>(form)];
      names.insert(format("{}tensor({}){}", before, info(dtype).onnx_type, after));
    }
  return names;
}

}  // namespace opref::ops
