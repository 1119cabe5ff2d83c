// SPDX-License-Identifier: Apache-2.0
// Optionals around tensors and sequences.
#pragma once

#include "schema/operator.h"

namespace opref::ops {

bool is_optional(Form form);

/// What has a tensor or a sequence of this type, or this value.
ValueType optional_of(const ValueType& element);
Value optional_of(const Value& element);

/// What an optional has, and its type; nothing where it has no element. What is no optional is its own.
ValueType element_of(const ValueType& type);
std::optional<Value> element_of(const Value& value);

}  // namespace opref::ops
