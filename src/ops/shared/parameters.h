// SPDX-License-Identifier: Apache-2.0
// What a node states in attributes or in inputs: lists, single numbers, element types; what it may leave out.
#pragma once

#include <optional>
#include <vector>

#include "evaluators/elements.h"
#include "schema/call.h"
#include "schema/operator.h"
namespace opref::ops {
// Lists, single numbers and element types that a node states, in attributes or in inputs.

/// list.scalar, of versions from `since` on: whether an input of rank 0 is a list of one.
Reading scalar_list_reading(std::int64_t since);
/// Whether the operator has the reading at all.
bool lists_reading(const Call& call, std::string_view name);

/// The attribute, or the input, which is of rank 1; else `invalid`, without values too.
std::vector<std::int64_t> list_of(const Call& call, std::string_view name);
/// The same as sizes, which are not negative.
Dims sizes_of(const Call& call, std::string_view name);

/// The input is a list; else `invalid`, without values too.
void require_list(std::string_view input, const Dims& shape);
/// scalar.shape, of versions from `since` on: whether [1] is a scalar.
Reading scalar_shape_reading(std::int64_t since);
/// An input that the page calls a scalar, or 0-D, has no axes; else it is `invalid`, without values too. [1] is allowed
/// where the operator has the reading scalar.shape, and it says so.
void require_scalar(const Call& call, std::string_view input);
/// An input that the page lets be [1] too, or that is [1] in ONNX's own data.
void require_scalar_or_one(const Call& call, std::string_view input);

/// The range of an INT that is an element type: the names in ONNX, FLOAT, UINT8 …, stand for 1, 2 …
Range element_types();
/// The attribute as an element type, by ONNX's number; one of none of `types` is `invalid`.
DType dtype_of_number(const Call& call, std::string_view attribute, const Types& types);
/// The same for the type to compute in: a floating one of 16, 32 or 64 bits.
DType floating_type_of(const Call& call, std::string_view attribute);

/// Whether some element is such a number.
template <class F>
bool any_of(const Tensor& tensor, const F& is_such) {
  const Elements x(tensor);
  std::int64_t i = 0, n = tensor.count();
  while (i < n && !is_such(x.number(i))) ++i;
  return i < n;
}
/// The same of an input: `otherwise` where its values are not known.
template <class F>
bool any_of(const Call& call, std::string_view input, bool otherwise, const F& is_such) {
  return call.has_value(input) ? any_of(call.input(input), is_such) : otherwise;
}

/// The input's elements, where it is given.
inline std::optional<Elements> elements_if_given(const Call& call, std::string_view input) {
  return call.has(input) ? std::optional<Elements>(call.input(input)) : std::nullopt;
}

// The types that operators of any tensor took up with the newest revisions of ONNX's file format.

/// Versions 21 to 25 of an operator, each of which allows what its revision brought.
Operator with_newer_types(Operator op, std::string_view variable);
}  // namespace opref::ops
