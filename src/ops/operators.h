// The operators that opref knows.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "schema/operator.h"

namespace opref::ops {

/// The newest opset of ai.onnx that the operators were written for (ONNX 1.23).
inline constexpr std::int64_t kNewestOpset = 28;

struct OperatorRow {
  std::string_view domain;  ///< "ai.onnx", "openvino"
  std::string_view op_type;
  Operator (*build)();
};

/// The rows of operators.def.
std::span<const OperatorRow> operator_rows();

/// By domain ("" is ai.onnx) and name; null if unknown. Built at the first call, then kept.
const Operator* find_operator(std::string_view domain, std::string_view op_type);

/// As find_operator; an unknown one is an `unsupported` error that offers the nearest name of any domain.
const Operator& get_operator(std::string_view domain, std::string_view op_type);

/// As a user names it: "LpPool" (ai.onnx first) or "openvino:MaxPool".
const Operator& get_operator_named(std::string_view name);

}  // namespace opref::ops
