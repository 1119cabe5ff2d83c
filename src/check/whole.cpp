// SPDX-License-Identifier: Apache-2.0
#include "check/whole.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "run/write_outputs.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::check {
namespace {

namespace fs = std::filesystem;

std::set<std::string> arrays_of(const std::vector<ValueInfo>& values) {
  std::set<std::string> names;
  for (const ValueInfo& value : values) names.insert(file_name_of(value.name) + ".npy");
  return names;
}

}  // namespace

void require_whole(const Case& read, const fs::path& path) {
  const bool is_layer = is_of_openvino(read.format);
  if (read.expect_error || !is_folder(path) || (!is_layer && read.format != CaseFormat::onnx_folder)) return;
  const bool is_data_set = path.filename().string().starts_with("test_data_set_");
  const fs::path folder = is_layer || is_data_set ? path : path / "test_data_set_0";
  if (!is_folder(folder)) fail(Fault::malformed, "there is no folder test_data_set_0 beside model.onnx");
  std::set<std::string> inputs, outputs;
  if (is_layer) inputs = arrays_of(read.graph.inputs), outputs = arrays_of(read.graph.outputs);
  for (size_t k = 0; !is_layer && k < read.graph.outputs.size(); ++k) outputs.insert(format("output_{}.pb", k));
  std::set<std::string> there;
  for (const fs::path& file : entries_of(folder)) {
    const std::string name = file.filename().string();
    const bool is_expected = is_layer ? name.ends_with(".npy") && !inputs.contains(name) : name.starts_with("output_");
    if (is_expected) there.insert(name);
  }
  for (const std::string& name : there)
    if (!outputs.contains(name))
      fail(Fault::malformed, "{} is no file of an output: these are {}", printable(name), printable_names(outputs));
  for (const std::string& name : outputs)
    if (!there.empty() && !there.contains(name))
      fail(Fault::malformed, "{} is missing beside {}: a case expects all outputs of its model, or none",
           printable(name), printable(*there.begin()));
}

}  // namespace opref::check
