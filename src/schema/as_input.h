// SPDX-License-Identifier: Apache-2.0
// An input that was given as an attribute.
#pragma once

#include <string>
#include <string_view>

#include "schema/node.h"

namespace opref::schema {

/// "axes=[2,3]": how the attribute is written as the input `name`; "axes=FILE" where its value is not as a user wrote
/// it.
std::string as_input(const Attribute& stated, std::string_view name);

}  // namespace opref::schema
