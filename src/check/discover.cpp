#include "check/discover.h"

#include <algorithm>

#include "core/error.h"
#include "io/file.h"

namespace opref {
namespace {

namespace fs = std::filesystem;

bool is_case_folder(const fs::path& folder) {
  const bool has_data = is_folder(folder / "test_data_set_0") || is_file(folder / "expect_error.json");
  return (is_file(folder / "model.onnx") && has_data) || is_file(folder / "layer.xml");
}

void add_data_sets(const fs::path& folder, const std::string& name, std::vector<FoundCase>& found) {
  found.push_back({name, folder});
  for (int k = 1; is_folder(folder / format("test_data_set_{}", k)); ++k)
    found.push_back({format("{}#{}", name, k), folder / format("test_data_set_{}", k)});
}

/// Cheap: a JSON file that never says "op_type" is some other JSON, and so are the recipes and manifests of golden
/// cases. One that cannot be read is reported when it is judged.
bool may_be_json_case(const fs::path& file) {
  try {
    const FileBytes bytes = read_file(file);
    const auto says = [&](std::string_view words) { return bytes.text().find(words) != std::string_view::npos; };
    return says("\"op_type\"") && !says("\"each\": [") && !says("\"command\": \"golden\"");
  } catch (const Error&) {
    return true;
  }
}

void search(const fs::path& root, const fs::path& folder, std::vector<FoundCase>& found) {
  if (is_case_folder(folder)) return add_data_sets(folder, folder.lexically_relative(root).generic_string(), found);
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const fs::path& path = entry->path();
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      // A link to a folder may lead back up: such folders are searched where they are. Half a case is none.
      const std::string name = path.filename().string();
      const bool is_unfinished = name.starts_with('.') && name.ends_with(".part");
      if (!entry->is_symlink(ignored) && !is_unfinished) search(root, path, found);
    } else if (path.extension() == ".json" && !fs::is_other(entry->status(ignored)) && may_be_json_case(path)) {
      found.push_back({path.lexically_relative(root).replace_extension().generic_string(), path});
    }
  }
  if (error) found.push_back({folder.lexically_relative(root).generic_string(), folder});  // an error of its own
}

}  // namespace

std::vector<FoundCase> discover(std::span<const std::string> paths) {
  std::vector<FoundCase> found;
  for (const std::string& argument : paths) {
    fs::path path = fs::path(argument).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    std::error_code ignored;
    if (!fs::exists(path, ignored)) fail(Fault::system, "no such file or folder: {}", printable(argument));
    if (!is_folder(path)) {
      found.push_back({path.extension() == ".json" ? path.stem().string() : path.filename().string(), path});
    } else if (is_case_folder(path)) {
      add_data_sets(path, path.filename().string(), found);
    } else if (path.filename().string().starts_with("test_data_set_") && is_file(path.parent_path() / "model.onnx")) {
      found.push_back({path.parent_path().filename().string() + "#" + path.filename().string().substr(14), path});
    } else {
      search(path, path, found);
    }
  }
  std::ranges::sort(found, {}, &FoundCase::name);
  const auto twice = std::ranges::adjacent_find(found, {}, &FoundCase::name);
  if (twice != found.end()) {
    fail(Fault::usage, "two cases have the name '{}': {} and {}", twice->name, twice->path.string(),
         std::next(twice)->path.string());
  }
  return found;
}

}  // namespace opref
