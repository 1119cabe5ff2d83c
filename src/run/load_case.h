// From what a user names as NODE to a case.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/case.h"

namespace opref::run {

/// NODE is a case folder, a JSON case, ONNX's protobuf-JSON, a model or node in protobuf, ONNX text, an OpenVINO IR or
/// layer, the name of an operator, or "-" for any of these on standard input; decided by content. One of several cases
/// in a JSON file is FILE#NAME (see JsonCase), or the only one for `opset`; a `usage` error says which there are.
Case read_case(const std::string& argument, std::optional<std::int64_t> opset = {});

}  // namespace opref::run
