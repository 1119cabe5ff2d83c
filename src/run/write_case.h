// SPDX-License-Identifier: Apache-2.0
// A case as a folder that a backend can read, and `opref run` too.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "run/bind.h"

namespace opref::run {

struct CaseFiles {
  std::filesystem::path model;   ///< model.onnx or layer.xml
  std::filesystem::path inputs;  ///< the folder of its inputs
};

/// Writes a case into an existing empty folder: model.onnx and test_data_set_0/input_K.pb, a node of OpenVINO
/// as layer.xml and NAME.npy. Attributes are those that the case states, typed by the operator's schema; outputs are
/// declared as `infer` finds them. Of a case that must fail all is written as far as that is possible: the backend is
/// to refuse it. Faults: `usage` (an input without values), `unsupported` (what a file cannot state), those of reading
/// inputs.
CaseFiles write_case(const Bound& bound, const EvaluationOptions& options, const std::filesystem::path& folder);

/// Types by the tensors' names.
using TypesOfTensors = std::map<std::string, ValueInfo, std::less<>>;

/// Writes the model of a part of `whole`'s graph, with the weights that it reads, and types of its inputs and outputs
/// as they are declared, else as `types` has them: a NAME.onnx, of a net of OpenVINO NAME.xml with its NAME.bin.
/// Faults: `usage` where neither has a type; `unsupported` where the file holds no such model.
void write_part_model(const Bound& whole, Graph part, const TypesOfTensors& types, const std::filesystem::path& file);

/// Writes what is expected of a case that write_case has written: output_K.pb, of a node of OpenVINO NAME.npy.
void write_expected(const CaseFiles& files, const Graph& graph, const Environment& values);

}  // namespace opref::run
