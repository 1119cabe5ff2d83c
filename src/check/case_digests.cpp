// SPDX-License-Identifier: Apache-2.0
#include "check/case_digests.h"

#include <set>

#include "check/discover.h"
#include "core/error.h"
#include "io/json/cases.h"
#include "io/sha256.h"
#include "system/file.h"
#include "system/folder.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

namespace fs = std::filesystem;

std::string digest_of(const fs::path& file) { return sha256(read_file(file).bytes); }

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

std::string CaseDigests::shared_digest(const fs::path& file) {
  const std::lock_guard lock(guard_);
  if (file != shared_) shared_digest_ = digest_of(file), shared_ = file;
  return shared_digest_;
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
      hash.add(file == root && !one.name.empty() ? shared_digest(file) : digest_of(file));
    }
    return hash.finish();
  } catch (const Error& error) {  // said where the case is judged
    pass_on(error);
    return "";
  }
}

}  // namespace opref::check
