// SPDX-License-Identifier: Apache-2.0
// opref diff of two models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"

namespace opref::cli {

struct ModelDiffArguments {
  std::string fresh, reference;  ///< the same where two opsets are compared
  std::vector<std::string> bindings, readings;
  std::optional<std::int64_t> opset, against_opset;
  std::optional<double> min_sqnr, timeout;
  std::optional<std::int64_t> max_bytes, threads;
  ToleranceArguments tolerance;
  std::string html;
  bool json = false, verbose = false;
};

/// Whether an argument of diff is a model: an .onnx, ONNX text or an IR; or ONNX text itself.
bool is_model(const std::string& argument);

/// Whether it is a folder with a model in it, and so perhaps inputs.
bool is_case_folder(const std::string& argument);

/// Compares and prints; returns the exit code.
int diff_models(const ModelDiffArguments& arguments);

}  // namespace opref::cli
