// SPDX-License-Identifier: Apache-2.0
// The names of all published operators of the domains, whether opref knows them or not.
#pragma once

#include <string_view>

#include "core/rooms.h"

namespace opref::ops {

/// The operator of the domain ("" is ai.onnx) that is called so in testdata/*-schemas.jsonl, upper and lower case being
/// equal; empty where there is none.
std::string_view standard_name(std::string_view domain, std::string_view op_type);

}  // namespace opref::ops
