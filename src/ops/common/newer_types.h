// SPDX-License-Identifier: Apache-2.0
// The types that operators of any tensor took up with the newest revisions of ONNX's file format.
#pragma once

#include "schema/operator.h"

namespace opref::ops {

/// Versions 21 to 25 of an operator, each of which allows what its revision brought.
Operator with_newer_types(Operator op, std::string_view variable);

}  // namespace opref::ops
