// SPDX-License-Identifier: Apache-2.0
#include "check/discover.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/error.h"
#include "io/json/cases.h"
#include "run/load_case.h"
#include "system/caught_error.h"
#include "system/file.h"
#include "system/folder.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

namespace fs = std::filesystem;

/// The numbers of the folder's data sets, sorted. A folder that cannot be read has none: that is said elsewhere.
std::vector<int> data_sets(const fs::path& folder) {
  std::vector<int> numbers;
  try {
    for (const fs::path& entry : entries_of(folder)) {
      const std::string name = entry.filename().string();
      int number = 0;
      if (!name.starts_with(kDataSet) || !is_folder(entry)) continue;
      std::from_chars(name.data() + kDataSet.size(), name.data() + name.size(), number);
      if (name == format("{}{}", kDataSet, number)) numbers.push_back(number);
    }
  } catch (const Error& error) {
    pass_on(error);
  }
  std::ranges::sort(numbers);
  return numbers;
}

bool is_case_folder(const fs::path& folder) {
  constexpr std::string_view kFiles[] = {"model.onnx", "layer.xml", "model.xml"};
  return std::ranges::any_of(kFiles, [&](std::string_view file) { return is_file(folder / file); }) ||
         !data_sets(folder).empty();
}

void add_data_sets(const fs::path& folder, const std::string& name, std::vector<FoundCase>& found) {
  const auto add = [&](int k) {
    found.push_back({format("{}#{}", name, k), (folder / format("{}{}", kDataSet, k)).string()});
  };
  found.push_back({name, folder.string()});
  int next = 1;
  for (const int k : data_sets(folder)) {
    if (k > next && next > 0) add(std::exchange(next, 0));  // the first that is missing
    if (k > 0) add(k);
    if (next > 0) next = k + 1;
  }
}

/// Whether a file was given by its path, or found below a folder, where other JSON is passed over.
enum class Given : std::uint8_t { no, yes };

/// A file that cannot be read is one case, and reported when that is judged; a name that is none in it is told at once.
void add_json_cases(const fs::path& file, const std::string& name, std::string_view only, Given given,
                    std::vector<FoundCase>& found) {
  std::optional<JsonCaseFile> parsed;
  std::optional<OtherJson> other;
  try {
    const FileBytes bytes = read_file(file);
    const JsonGlance glance(bytes.text());
    other = glance.other;
    if (given == Given::no && !glance.may_be_case()) return;
    if (!only.empty() || glance.may_be_several) parsed.emplace(bytes.text());
  } catch (const std::exception&) {  // said by the case
    caught_error();
  }
  if (other) refuse_other(*other, shown(file), file);
  if (!parsed || parsed->cases.empty()) {
    found.push_back({name + std::string(only), file.string() + std::string(only)});
    return;
  }
  const std::vector<JsonCase> named =
      at_place([&] { return "in " + shown(file); }, [&] { return named_cases(parsed->cases, only); });
  for (const JsonCase& one : named) found.push_back({name + one.name, file.string() + one.name});
}

/// Why a file or link below a folder, which is no case, may have been meant as one; empty if it was not.
std::string like_case(const fs::path& path) {
  std::error_code ignored;
  // A link to a folder may lead back up: such folders are searched where they are.
  if (is_folder(path)) return fs::is_symlink(path, ignored) ? " (a link to a folder)" : "";
  std::string end = path.extension().string();
  std::ranges::transform(end, end.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (path.filename().string().starts_with("output_") && end == ".pb") return " (no folder test_data_set_0)";
  if (end == ".onnx") return " (not model.onnx)";
  return end == ".json" && path.extension() != ".json" ? " (not .json)" : "";
}

/// A folder that cannot be read is a case, which says so when it is judged.
std::vector<fs::path> entries_or_case(const fs::path& root, const fs::path& folder, std::vector<FoundCase>& found) {
  try {
    return entries_of(folder);
  } catch (const std::exception&) {
    caught_error();
    found.push_back({folder.lexically_relative(root).generic_string(), folder.string()});
    return {};
  }
}

void search(const fs::path& root, const fs::path& folder, Discovery& all) {
  std::vector<FoundCase>& found = all.cases;
  if (is_case_folder(folder)) return add_data_sets(folder, folder.lexically_relative(root).generic_string(), found);
  for (const fs::path& path : entries_or_case(root, folder, found)) {
    std::error_code ignored;
    if (const std::string why = like_case(path); !why.empty()) {
      all.passed_over.push_back(path.lexically_relative(root).generic_string() + why);
    } else if (is_folder(path)) {
      const std::string name = path.filename().string();
      const bool is_unfinished = name.starts_with('.') && name.ends_with(".part");
      if (!is_unfinished) search(root, path, all);
    } else if (path.extension() == ".json" && !fs::is_other(path, ignored)) {
      add_json_cases(path, path.lexically_relative(root).replace_extension().generic_string(), "", Given::no, found);
    }
  }
}

/// What was found below one of the paths.
struct Below {
  fs::path path;
  size_t begin, end;
};

/// Its last `count` parts, with '/'.
std::string last_parts(const fs::path& path, size_t count) {
  const std::vector<fs::path> parts(path.begin(), path.end());
  fs::path last;
  for (size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i) last /= parts[i];
  return last.relative_path().generic_string();
}

/// Where cases of two paths have one name, the names of all cases begin with as many of their path's last folders as
/// tell the paths apart.
void tell_apart(const std::vector<Below>& places, std::vector<FoundCase>& found) {
  std::map<std::string, size_t> owner;
  bool meet = false;
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t k = places[i].begin; k < places[i].end; ++k)
      meet = meet || owner.try_emplace(found[k].name, i).first->second != i;
  if (!meet) return;
  constexpr size_t kMostParts = 32;
  for (size_t count = 1; count <= kMostParts; ++count) {
    std::set<std::string> starts;
    for (const Below& place : places) starts.insert(last_parts(place.path, count));
    if (starts.size() < places.size()) continue;
    for (const Below& place : places)
      for (size_t k = place.begin; k < place.end; ++k)
        found[k].name = last_parts(place.path, count) + "/" + found[k].name;
    return;
  }
}

}  // namespace

Discovery discover_all(std::span<const std::string> paths) {
  Discovery all;
  std::vector<FoundCase>& found = all.cases;
  std::vector<Below> places;
  for (const std::string& argument : paths) {
    const size_t before = found.size();
    const CaseOfFile one = split_case_name(argument);
    fs::path path = one.file.lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    std::error_code ignored;
    if (!fs::exists(path, ignored)) fail(Fault::system, "no such file or folder: {}", printable(argument));
    if (!is_folder(path)) {
      if (!one.name.empty() && path.extension() != ".json")
        fail(Fault::usage, "{} names one of several cases, which only a .json holds", printable(argument));
      if (path.extension() == ".npy" || path.extension() == ".npz")
        fail(Fault::usage, "{} is a file of tensors, no case", printable(argument));
      if (path.extension() == ".json" && is_file(path))
        add_json_cases(path, path.stem().string(), one.name, Given::yes, found);
      else
        found.push_back({path.filename().string(), path.string()});
    } else if (is_case_folder(path)) {
      add_data_sets(path, path.filename().string(), found);
    } else if (path.filename().string().starts_with(kDataSet) && is_file(path.parent_path() / "model.onnx")) {
      found.push_back({path.parent_path().filename().string() + "#" + path.filename().string().substr(kDataSet.size()),
                       path.string()});
    } else {
      search(path, path, all);
    }
    places.push_back({fs::absolute(path).lexically_normal(), before, found.size()});
  }
  tell_apart(places, found);
  std::ranges::sort(found, {}, &FoundCase::name);
  const auto twice = std::ranges::adjacent_find(found, {}, &FoundCase::name);
  if (twice != found.end()) {
    fail(Fault::usage, "two cases have the name '{}': {} and {}", twice->name, twice->path, std::next(twice)->path);
  }
  return all;
}

std::vector<FoundCase> discover(std::span<const std::string> paths) { return discover_all(paths).cases; }

}  // namespace opref::check
