// SPDX-License-Identifier: Apache-2.0
// A golden case of the layout npy: case.json with a .npy for each tensor.
#pragma once

#include <filesystem>
#include <string_view>

#include "io/json/tree.h"
#include "run/bind.h"
#include "run/evaluate.h"

namespace opref::golden {

/// Writes the file as a whole. Faults: `system`.
void write_text(const std::filesystem::path& path, std::string_view content);
void write_array(const std::filesystem::path& path, const Tensor& tensor);

/// {"fault", "message"}
Json error_json(const ExpectedError& error);

/// Writes case.json as it is stated, and a .npy for each tensor that is known. Where an error is expected,
/// the case expects it, else the outputs that are known. Faults: `system`, `usage` for a tensor that .npy does not
/// hold.
void write_json_case(const JsonValue& stated, const Bound& bound, const Environment& environment,
                     const ExpectedError* error, const std::filesystem::path& folder);

}  // namespace opref::golden
