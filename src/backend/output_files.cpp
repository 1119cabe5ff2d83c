// SPDX-License-Identifier: Apache-2.0
#include "backend/output_files.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "run/write_outputs.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::backend {

namespace fs = std::filesystem;

namespace {

/// What output number k may be called, a folder with a slash.
std::vector<std::string> names_of_output(size_t k, const std::string& tensor) {
  const std::string number = format("output_{}", k), name = file_name_of(tensor);
  return {number + ".pb",  number + ".npy", name + ".npy", name + ".json",
          number + ".npz", name + ".npz",   number + "/",  name + "/"};
}

bool is_there(const fs::path& folder, const std::string& name) {
  return name.ends_with('/') ? is_folder(folder / name) : is_file(folder / name);
}

/// A sequence's folder may be empty.
bool may_be_sequence(const fs::path& folder) {
  return is_file(folder / "0.npy") || is_file(folder / "0.pb") || entries_of(folder).empty();
}

std::string name_of(const fs::path& entry) { return entry.filename().string() + (is_folder(entry) ? "/" : ""); }

}  // namespace

OutputFiles::OutputFiles(const fs::path& folder, const Graph& graph) {
  std::set<std::string, std::less<>> beside, known, taken;
  for (const ValueInfo& input : graph.inputs)
    for (const char* end : {".npy", ".npz", ".json", "/"}) beside.insert(file_name_of(input.name) + end);
  for (size_t k = 0; k < graph.outputs.size(); ++k) {
    files_.emplace_back();
    for (const std::string& name : names_of_output(k, graph.outputs[k].name)) {
      known.insert(name);
      if (files_.back() || !is_there(folder, name)) continue;
      files_.back() = folder / name.substr(0, name.find('/'));
      taken.insert(name);
    }
  }
  if (!is_folder(folder)) return;
  for (const fs::path& entry : entries_of(folder)) {
    const std::string name = name_of(entry);
    const bool is_output =
        name.ends_with(".pb") || name.ends_with(".npy") || name.starts_with("output_") || known.contains(name);
    if (is_output && !name.starts_with("input_") && !taken.contains(name) && !beside.contains(name))
      surplus_.push_back(name);
  }
  std::ranges::sort(surplus_);
}

bool may_hold_outputs(const fs::path& folder) {
  for (const fs::path& entry : entries_of(folder)) {
    const std::string name = name_of(entry);
    for (const char* end : {".pb", ".npy", ".npz", ".json"})
      if (name.ends_with(end)) return true;
    if (name.ends_with('/') && may_be_sequence(entry)) return true;
  }
  return false;
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
