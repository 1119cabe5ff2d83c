// SPDX-License-Identifier: Apache-2.0
// Finds the cases below a path.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/rooms.h"

namespace opref::check {

/// What the name of a data set of an ONNX case folder begins with.
inline constexpr std::string_view kDataSet = "test_data_set_";

struct FoundCase {
  /// The path below the PATH it was found under, with '/', without ".json"; "#K" for test_data_set_K with K > 0, "#2",
  /// "#opset=11" for one of several cases in a JSON file (see JsonCase).
  std::string name;
  /// What `opref run` takes to repeat it: the JSON file with the "#2" of its case, the case folder, or
  /// CASE/test_data_set_K.
  std::string path;
};

/// ONNX backend-test folders (model.onnx with test_data_set_K), OpenVINO's (layer.xml or model.xml) and JSON cases,
/// sorted by name. What has a part of these, a model or a data set, is a case too, and an error when it is judged; of
/// data sets with a gap between their numbers also the first that is missing. A path that is itself a case, or a file
/// of cases with or without the name of one, is found under its file name. Where cases of two of the paths have one
/// name, all names begin with the folders that tell the paths apart. Below a folder, a .json file without "op_type" is
/// no case, unless it is empty or no JSON. Faults: `system` (no such path), `usage` (one name from two paths).
std::vector<FoundCase> discover(std::span<const std::string> paths);

/// Cases, and what lies beside them and was perhaps meant as one: "a (a link to a folder)", "b.JSON".
struct Discovery {
  std::vector<FoundCase> cases;
  std::vector<std::string> passed_over = {};
};
Discovery discover_all(std::span<const std::string> paths);

}  // namespace opref::check
