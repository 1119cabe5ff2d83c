// SPDX-License-Identifier: Apache-2.0
// An input that was given as an attribute.
#pragma once

#include <string>

#include "schema/node.h"

namespace opref::schema {

/// "axes=[2,3]": how the attribute is written as an input; "axes=FILE" where its value is not as a user wrote it.
std::string as_input(const Attribute& stated);

}  // namespace opref::schema
