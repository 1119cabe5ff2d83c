// SPDX-License-Identifier: Apache-2.0
#include "run/files_read.h"

#include "core/error.h"
#include "run/remedies.h"
#include "system/file.h"

namespace opref::run {
namespace {

namespace fs = std::filesystem;

/// Both are there, and are one file or folder.
bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

[[noreturn]] void fail_overwriting(const fs::path& output, const fs::path& read) {
  fail(Fault::usage, kOverwriteRead, "an output never overwrites what is read, but {} would overwrite {}",
       shown(output), shown(read));
}

}  // namespace

std::vector<fs::path> files_read(const Bound& bound) {
  std::vector<fs::path> files;
  if (!bound.read->file.empty()) files.push_back(bound.read->file);
  for (const NamedSource& input : bound.inputs)
    for (fs::path& file : files_of(input.source)) files.push_back(std::move(file));
  return files;
}

void require_not_read(const fs::path& output, std::span<const fs::path> read) {
  if (output == "-") return;
  for (const fs::path& file : read)
    if (is_same(output, file) || (is_folder(file) && is_same(folder_of(output), file))) fail_overwriting(output, file);
}

void require_not_read(const Bound& bound, std::span<const Destination> destinations, std::span<const fs::path> read) {
  for (const Destination& destination : destinations)
    for (const OutputPlace& place : places_of(bound, destination)) {
      require_not_read(place.file, read);
      if (place.elements.empty()) continue;
      for (const fs::path& file : read)
        if (is_same(place.elements, file) || is_same(place.elements, folder_of(file)))
          fail_overwriting(place.elements / "", file);
    }
}

}  // namespace opref::run
