// SPDX-License-Identifier: Apache-2.0
#include "check/case_digests.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "io/json/cases.h"
#include "io/sha256.h"
#include "system/file.h"
#include "system/folder.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDataSet = "test_data_set_";

bool is_data_set(const fs::path& path) { return path.filename().string().starts_with(kDataSet); }

void add_below(const fs::path& path, std::set<fs::path>& files) {
  if (!is_folder(path)) {
    files.insert(path);
    return;
  }
  for (const fs::path& file : files_below(path)) files.insert(file);
}

/// Of a folder, or of one of its data sets.
void add_folder(const fs::path& path, std::set<fs::path>& files) {
  const bool is_one_set = is_data_set(path) && is_file(path.parent_path() / "model.onnx");
  const fs::path set = is_one_set ? path : path / format("{}0", kDataSet);
  for (const fs::path& entry : entries_of(is_one_set ? path.parent_path() : path))
    if (!is_folder(entry) || !is_data_set(entry) || entry == set) add_below(entry, files);
}

void add_outputs(const fs::path& outputs, const std::string& name, std::set<fs::path>& files) {
  const std::size_t set = name.rfind('#');
  const fs::path whole = outputs / name;
  const fs::path one =
      set == std::string::npos ? whole : outputs / name.substr(0, set) / (std::string(kDataSet) + name.substr(set + 1));
  for (const fs::path& folder : {whole, one})
    if (is_folder(folder)) add_below(folder, files);
}

}  // namespace

std::string CaseDigests::file_digest(const fs::path& file, bool is_shared) {
  constexpr std::size_t kMostKept = 64;
  if (!is_shared) return sha256(read_file(file).bytes);
  const std::lock_guard lock(guard_);
  const auto known = std::ranges::find(shared_, file, &std::pair<fs::path, std::string>::first);
  if (known != shared_.end()) return known->second;
  shared_.emplace_front(file, sha256(read_file(file).bytes));
  if (shared_.size() > kMostKept) shared_.pop_back();
  return shared_.front().second;
}

std::string CaseDigests::digest(const FoundCase& found, const Case& read) {
  try {
    const CaseOfFile one = split_case_name(found.path);
    const fs::path root = one.file;
    std::set<fs::path> files;
    if (is_folder(root))
      add_folder(root, files);
    else
      files.insert(root);
    for (const auto* sources : {&read.inputs, &read.expected})
      for (const NamedSource& source : *sources)
        for (const fs::path& file : files_of(source.source)) add_below(file, files);
    if (!outputs_.empty()) add_outputs(outputs_, found.name, files);
    Sha256 hash;
    for (const fs::path& file : files) {
      const bool is_output = !outputs_.empty() && file.string().starts_with(outputs_.string());
      hash.add(file.lexically_relative(is_output ? outputs_ : root.parent_path()).generic_string());
      hash.add(std::string_view("\0", 1));
      hash.add(file_digest(file, file == root && !one.name.empty()));
    }
    return hash.finish();
  } catch (const Error& error) {  // said where the case is judged
    pass_on(error);
    return "";
  }
}

}  // namespace opref::check
