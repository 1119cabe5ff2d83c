// SPDX-License-Identifier: Apache-2.0
// A backend that computes in another floating type than the model says: float16 where it says float32.
#pragma once

#include <set>
#include <string>

#include "run/bind.h"

namespace opref::check {

struct OtherType {
  DType model, backend;
};

/// Each number in that type, rounded to nearest.
Tensor in_type(const Tensor& tensor, DType dtype);

/// `actual` in the type of `right`, if both are tensors of floating types and of one shape; else as it is.
Value as_model_has_it(const Value& actual, const Value& right);

/// The values, those of the model's type in the backend's.
Environment in_backend_type(const Environment& values, const std::set<std::string, std::less<>>& names,
                            const OtherType& types);
/// A graph whose inputs are such values, and whose outputs have the types that follow.
void declare_backend_type(Graph& graph, const OtherType& types);

}  // namespace opref::check
