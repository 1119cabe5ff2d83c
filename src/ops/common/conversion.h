// SPDX-License-Identifier: Apache-2.0
// Operators that take numbers from one type to another: the types that attributes name, and how a type takes what it
// cannot hold.
#pragma once

#include <optional>

#include "exact/convert.h"
#include "schema/operator.h"

namespace opref::ops {

/// The element type whose number in ONNX the attribute is; another number is `invalid`.
DType named_type(const Call& call, std::string_view attribute);
/// The same; nothing where the attribute is 0, or the version has none of this name.
std::optional<DType> stated_type(const Call& call, std::string_view attribute);

/// saturate, round_mode, the readings of Cast that the operator has, and what the version says of infinities.
Conversion conversion_of(const Call& call);

/// Versions 19 to 28 of Cast and CastLike: attributes and types of T1 and T2.
Operator with_conversion_versions(Operator op);
/// Their readings, from the operator's first version on.
Operator with_conversion_readings(Operator op, std::int64_t first);

}  // namespace opref::ops
