// SPDX-License-Identifier: Apache-2.0
// The names of all operators of the ONNX standard, whether opref knows them or not.
#pragma once

#include <string_view>

#include "core/rooms.h"

namespace opref::ops {

/// The operator that ONNX calls so (up to kNewestOpset), upper and lower case being equal, in the domain "" or
/// "ai.onnx", "ai.onnx.ml" or one of its previews; empty where there is none. The names are those of
/// testdata/onnx-schemas.jsonl.
std::string_view standard_name(std::string_view domain, std::string_view op_type);

}  // namespace opref::ops
