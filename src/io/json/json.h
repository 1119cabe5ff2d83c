// SPDX-License-Identifier: Apache-2.0
// JSON cases.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/value_type.h"
#include "io/case.h"
#include "io/json/tree.h"

namespace opref::io {

/// Whether a document is ONNX's protobuf-JSON rather than a case: it has `graph`, `opType`, or an array `input` or
/// `attribute`.
bool is_onnx_json(const Json& document);

/// A JSON case: its graph is one node whose attributes are `Untyped`, or tensors, and whose inputs and outputs are the
/// names of "inputs" and "expect", in the file's order. Files are relative to `folder`; none is opened. Unknown keys
/// are `malformed` errors that offer the nearest key; so are values of the wrong kind, with their path
/// ("inputs.X.dtype"). `opset` is the one of a list of opsets that the case is for; without it, the file says one.
Case read_json_case(const JsonValue& document, std::optional<std::int64_t> opset, const std::filesystem::path& folder);

/// The object of "expect_error", as in the file expect_error.json of a case folder.
ExpectedError read_expected_error(std::string_view text);

/// {"dtype": "float32", "shape": [1,3]}, without the shape where values decide it; {"form": "sequence", "dtype": …};
/// {"form": "map", "key": "string", "dtype": …}, the "dtype" being that of the values.
Json type_json(const ValueType& type);

}  // namespace opref::io
