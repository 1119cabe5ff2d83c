// SPDX-License-Identifier: Apache-2.0
#include "io/case.h"

namespace opref::io {

std::string name_in_list(std::string_view list, size_t place) { return format("{}_{}", list, place); }

}  // namespace opref::io
