// Finds the cases below a path.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace opref {

struct FoundCase {
  /// The path below the PATH it was found under, with '/', without ".json"; "#K" for test_data_set_K with K > 0.
  std::string name;
  /// What `opref run` takes to repeat it: the JSON file, the case folder, or CASE/test_data_set_K.
  std::filesystem::path path;
};

/// ONNX backend-test folders (model.onnx with test_data_set_K), OpenVINO's (layer.xml) and JSON cases, sorted by name.
/// A path that is itself a case is found under its file name. Below a folder, a .json file without "op_type" is no
/// case. Faults: `system` (no such path), `usage` (one name from two paths).
std::vector<FoundCase> discover(std::span<const std::string> paths);

}  // namespace opref
