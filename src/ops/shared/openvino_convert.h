// SPDX-License-Identifier: Apache-2.0
// What OpenVINO's Convert and ConvertLike share: how a type takes an element of another one.
#pragma once

#include "evaluators/convert.h"
#include "evaluators/move.h"
#include "schema/operator.h"
namespace opref::ops {
/// convert.nan_to_boolean, of an operation whose first input is converted.
inline Reading nan_to_boolean_reading() {
  return {.name = "convert.nan_to_boolean",
          .alternatives = {"true: NaN is not 0", "false: NaN is false"},
          .defaults = {{1, "true"}},
          .reason = "all but ±0 is true, so OpenVINO's reference; its CPU plugin makes NaN false",
          .link =
              "https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/type/"
              "convert-1.html",
          .may_change_values = [](const Call& call) { return is_floating(call.inputs()[0].type.tensor.dtype); }};
}

/// Each element of x as one of the output's type: fractions are truncated, integers are modulo 2^bits, float8 beyond
/// the range is Inf or NaN.
inline Tensor openvino_converted(const Output& out, const Tensor& x) {
  const bool keeps_nan = out.type().dtype != DType::boolean || out.call().reads("convert.nan_to_boolean", "true");
  if (keeps_nan || !is_floating(x.dtype())) return evaluators::convert(out, x, {.saturates = false});
  const Elements elements(x);
  return evaluators::convert(out, evaluators::move(out.inner(x.type()), x, [&](std::int64_t i) {
                               return std::isnan(elements.number(i)) ? Run::fill() : Run{i};
                             }));
}
}  // namespace opref::ops
