// SPDX-License-Identifier: Apache-2.0
#include "check/cost.h"

#include "core/error.h"
#include "io/json/cases.h"
#include "run/cost.h"
#include "system/caught_error.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::check {
namespace {

namespace fs = std::filesystem;

/// A folder of so many is large.
constexpr std::uint64_t kManyBytes = 65536;

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

std::uint64_t Costs::of(const FoundCase& found) {
  const auto read = [&] { return reader_.read(found.path); };
  try {
    if (is_folder(found.path)) {
      const std::uint64_t bytes = bytes_below(found.path);
      return cost_of(bytes, bytes >= kManyBytes, read);
    }
    if (const fs::path file = split_case_name(found.path).file; file != file_) {
      const FileBytes text = read_file(file);
      bytes_ = text.text().size() + bytes_of_named(text.text(), file.parent_path());
      states_many_ = stated_elements(text.text()) >= kManyElements;
      file_ = file;
    }
    return cost_of(bytes_, states_many_, read);
  } catch (const std::exception&) {  // said where it is judged
    caught_error();
    return kCostOfCase;
  }
}

}  // namespace opref::check
