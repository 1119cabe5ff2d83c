// SPDX-License-Identifier: Apache-2.0
#include "run/copy_case.h"

#include <algorithm>

#include "core/error.h"
#include "io/onnx/external.h"
#include "run/write_outputs.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::run {
namespace {

namespace fs = std::filesystem;

/// The files of `from` that are wanted by their names; none where it is no folder.
void copy_files(const fs::path& from, const fs::path& to, const auto& is_wanted) {
  if (!is_folder(from)) return;
  for (const fs::path& file : entries_of(from))
    if (is_file(file) && is_wanted(file.filename().string())) clone_file(file, to / file.filename());
}

}  // namespace

fs::path copy_model(const fs::path& model, const fs::path& folder) {
  clone_file(model, folder / "model.onnx");
  for (const fs::path& location : external_data(model)) {
    make_folder((folder / location).parent_path());
    clone_file(model.parent_path() / location, folder / location);
  }
  return folder / "model.onnx";
}

std::optional<CaseFiles> copy_case(const Case& loaded, const fs::path& path, const fs::path& folder) {
  if (loaded.format == CaseFormat::onnx_folder) {
    const bool is_data_set = path.filename().string().starts_with("test_data_set_");
    CaseFiles files{copy_model((is_data_set ? path.parent_path() : path) / "model.onnx", folder),
                    folder / "test_data_set_0"};
    make_subfolder(files.inputs);
    copy_files(is_data_set ? path : path / "test_data_set_0", files.inputs,
               [](const std::string& name) { return name.starts_with("input_"); });
    return files;
  }
  if (!is_of_openvino(loaded.format) || !is_folder(path)) return std::nullopt;
  const fs::path model = loaded.file.empty() ? fs::path("layer.xml") : loaded.file.filename();
  copy_files(path, folder, [&](const std::string& name) {
    const auto is_called = [&](const ValueInfo& output) { return name == file_name_of(output.name) + ".npy"; };
    return name == model || name == fs::path(model).replace_extension(".bin") ||
           (name.ends_with(".npy") && std::ranges::none_of(loaded.graph.outputs, is_called));
  });
  return CaseFiles{folder / model, folder};
}

}  // namespace opref::run
