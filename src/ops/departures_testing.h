// Where opref's schemas depart on purpose from those of onnx: what tests compare with them leave out.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace opref {

struct Departure {
  std::string_view version, field;  ///< "Concat-1", "attribute axis"
  std::string_view why;             ///< the reading or the page's sentence
};

inline const std::vector<Departure> kDepartures = {
    {"Concat-1", "attribute axis", "the page: \"Which axis to concat on. Default value is 1.\""},
};

inline bool is_departure(std::string_view version, std::string_view field) {
  return std::ranges::any_of(kDepartures,
                             [&](const Departure& known) { return known.version == version && known.field == field; });
}

}  // namespace opref
