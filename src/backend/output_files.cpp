#include "backend/output_files.h"

#include <algorithm>

#include "core/error.h"
#include "run/write_outputs.h"
#include "system/file.h"

namespace opref::backend {

namespace fs = std::filesystem;

OutputFiles::OutputFiles(const fs::path& folder, const Graph& graph) {
  std::vector<std::string> inputs, taken;
  for (size_t k = 0; k < graph.inputs.size(); ++k) inputs.push_back(file_name_of(graph.inputs[k].name) + ".npy");
  for (size_t k = 0; k < graph.outputs.size(); ++k) {
    files_.emplace_back();
    for (const std::string& name :
         {format("output_{}.pb", k), format("output_{}.npy", k), file_name_of(graph.outputs[k].name) + ".npy"}) {
      if (files_.back() || !is_file(folder / name)) continue;
      files_.back() = folder / name;
      taken.push_back(name);
    }
  }
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path name = entry->path().filename();
    const bool is_tensor = name.extension() == ".pb" || name.extension() == ".npy";
    if (is_tensor && !name.string().starts_with("input_") && std::ranges::count(taken, name.string()) == 0 &&
        std::ranges::count(inputs, name.string()) == 0)
      surplus_.push_back(name.string());
  }
  std::ranges::sort(surplus_);
}

std::string OutputFiles::any() const {
  for (const auto& file : files_)
    if (file) return file->filename().string();
  return surplus_.empty() ? "" : surplus_.front();
}

std::string OutputFiles::surplus() const {
  if (surplus_.empty()) return "";
  return format("there is also {}, which is no output of the model or a second file of one",
                printable(surplus_.front()));
}

}  // namespace opref::backend
