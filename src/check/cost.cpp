// SPDX-License-Identifier: Apache-2.0
#include "check/cost.h"

#include <algorithm>

#include "core/error.h"
#include "io/json/cases.h"
#include "run/cost.h"
#include "system/caught_error.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::check {
namespace {

namespace fs = std::filesystem;

/// Where shapes are worth looking at.
constexpr std::uint64_t kManyElements = 4096, kManyBytes = 65536;

std::uint64_t size_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

/// Of the tensors' files that a JSON text names.
std::uint64_t bytes_of_named(std::string_view text, const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (size_t end = text.find(".np"); end != std::string_view::npos; end = text.find(".np", end + 1)) {
    const size_t begin = text.rfind('"', end), close = text.find('"', end);
    if (begin != std::string_view::npos && close != std::string_view::npos)
      bytes += size_of(folder / text.substr(begin + 1, close - begin - 1));
  }
  return bytes;
}

}  // namespace

std::uint64_t Costs::of_json(const std::string& path, const fs::path& file) {
  if (file != file_) {
    const FileBytes text = read_file(file);
    bytes_ = text.text().size() + bytes_of_named(text.text(), file.parent_path());
    states_many_ = stated_elements(text.text()) >= kManyElements;
    file_ = file;
  }
  return kCostOfByte * bytes_ + (states_many_ ? kCostOfTerm * terms_of(reader_.read(path)) : 0);
}

std::uint64_t Costs::of_folder(const fs::path& folder) {
  const std::uint64_t bytes = bytes_below(folder);
  return kCostOfByte * bytes + (bytes >= kManyBytes ? kCostOfTerm * terms_of(reader_.read(folder.string())) : 0);
}

std::uint64_t Costs::of(const FoundCase& found) {
  try {
    const std::string& path = found.path;
    return kCostOfCase + (is_folder(path) ? of_folder(path) : of_json(path, split_case_name(path).file));
  } catch (const std::exception&) {  // said where it is judged
    caught_error();
    return kCostOfCase;
  }
}

}  // namespace opref::check
