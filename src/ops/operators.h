// SPDX-License-Identifier: Apache-2.0
// The operators that opref knows.
#pragma once
#include "core/error.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/operator.h"

namespace opref::ops {

/// Which operators there are.
inline constexpr Remedy kListOperators{"list_operators"};

struct OperatorRow {
  std::string_view domain;  ///< of a Domain
  std::string_view op_type;
  Operator (*build)();
};

/// The rows of operators.def.
std::span<const OperatorRow> operator_rows();

/// By domain ("" is ai.onnx) and name; null if unknown. Built at the first call, then kept.
const Operator* find_operator(std::string_view domain, std::string_view op_type);
/// How many calls of it there have been: a case takes one for each of its operators.
std::int64_t operators_looked_up();

/// As find_operator; an unknown one is an `unsupported` error that offers other names, but none for
/// an operator that ONNX has: that one is not yet known.
const Operator& get_operator(std::string_view domain, std::string_view op_type);

/// An operator as a user names it, "LpPool", "LpPool-11" or "LpPool@11": its name, and the opset.
struct NamedVersion {
  std::string_view name;
  std::optional<std::int64_t> opset;
  std::optional<std::int64_t> page = {};  ///< the number that was given, which is that of OpenVINO's page instead

  /// "openvino.Acosh came with opset 4: only its page has the number 3".
  std::string page_text() const;
};
/// "-11" or "@11" is an opset only after the name of an operator that opref knows, or that ONNX has.
NamedVersion split_version(std::string_view name);

/// The name in lower case that its file and readings have: "q_linear_conv", "rms_normalization"; a few as they are
/// spoken.
std::string snake_case(std::string_view op_type);

/// As a user names it: "LpPool" of ai.onnx, "openvino:MaxPool" or "openvino.MaxPool".
const Operator& get_operator_named(std::string_view name);

/// The tensor's elements as another type has them, by the newest version of Cast.
Value cast(const Tensor& tensor, DType to);

}  // namespace opref::ops
