// SPDX-License-Identifier: Apache-2.0
#include "golden/manifest.h"

#include <algorithm>

#include "core/error.h"
#include "golden/json_difference.h"
#include "io/json/cases.h"
#include "io/json/fields.h"
#include "io/json/json.h"
#include "io/json/parse.h"
#include "io/sha256.h"
#include "report/name_filter.h"
#include "run/cost.h"
#include "run/load_case.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::golden {
namespace {

namespace fs = std::filesystem;

Json recipes_json(std::span<const RecipeFile> recipes) {
  Json list = Json::list();
  for (const RecipeFile& file : recipes) list.append(Json().set("name", file.name).set("content", *file.document));
  return list;
}

/// What is asked for beside the recipes.
Json options_json(const GoldenRequest& request) {
  Json json;
  if (request.layout) json.set("layout", name(*request.layout));
  if (request.seed) json.set("seed", *request.seed);
  if (!request.filter.empty()) json.set("filter", request.filter);
  if (request.shard.count > 1) json.set("shard", to_text(request.shard));
  return json.set("negative", request.refused == Refused::kept);
}

bool boolean_of(const JsonValue& value) {
  require_kind(value, JsonKind::boolean);
  return value.text() == "true";
}

/// A path that does not lead out of its folder.
void require_path_below(const JsonValue& place_of_name, std::string_view text) {
  bool below = !text.empty();
  for (const fs::path& part : fs::path(text))
    below &= !part.empty() && part != "." && part != ".." && !part.is_absolute();
  if (!below)
    fail(Fault::malformed, "{} has the name '{}', which is no path below it", place(place_of_name), printable(text));
}

/// The name of a case: a folder beside the manifest.
std::string case_name_of(const JsonValue& stated) {
  std::string name = string_of(stated);
  if (name.empty() || name.starts_with('.') || name.find('/') != std::string::npos || name == kManifestFile)
    fail(Fault::malformed, "{} is '{}', which is no name of a case", place(stated), printable(name));
  return name;
}

/// What a case states by shapes is generated, written and read.
std::uint64_t cost_of(const GoldenCase& golden) {
  constexpr std::uint64_t kBytesOfElement = 8;
  const std::string text = golden.stated.text();
  const std::uint64_t elements = stated_elements(text);
  return run::cost_of(text.size() + kBytesOfElement * elements, elements >= kManyElements,
                      [&] { return read_json_case(golden.stated.root(), {}, golden.folder); });
}

void keep_share(std::vector<GoldenCase>& cases, const Shard& shard) {
  std::vector<ShardItem> items;
  for (const GoldenCase& golden : cases) items.push_back({golden.name, cost_of(golden)});
  const std::vector<int> shards = shards_of(items, shard.count);
  std::vector<GoldenCase> kept;
  for (size_t i = 0; i < cases.size(); ++i)
    if (shards[i] == shard.index) kept.push_back(std::move(cases[i]));
  cases = std::move(kept);
}

}  // namespace

bool is_leftover(std::string_view name) {
  return name == kScratchFolder || (name.starts_with(format(".{}.", kManifestFile)) && name.ends_with(".part"));
}

std::vector<GoldenCase> cases_of(const GoldenRequest& request, int jobs) {
  std::vector<GoldenCase> cases = expand(request.recipes, request.seed, jobs);
  const NameFilter filter(request.filter);
  std::erase_if(cases, [&](const GoldenCase& one) { return !filter.matches(one.name); });
  if (cases.empty())
    fail(Fault::usage, "there is no case{}",
         request.filter.empty() ? "" : format(" whose name matches {}", printable(request.filter)));
  if (request.shard.count > 1) keep_share(cases, request.shard);
  return cases;
}

size_t Manifest::count(MadeCase::Kind kind) const {
  return static_cast<size_t>(std::ranges::count(made, kind, [](const auto& one) { return one.second.kind; }));
}

Json manifest_json(const Manifest& manifest) {
  Json json, rejected, summary;
  std::vector<std::reference_wrapper<const Json>> cases;
  for (const auto& [name, made] : manifest.made)
    if (made.is_case())
      cases.push_back(*made.entry);
    else
      rejected.set(name, made.reason);
  summary.set("cases", cases.size())
      .set("must_fail", manifest.count(MadeCase::Kind::must_fail))
      .set("rejected", rejected.root().size());
  json.set("opref", manifest.opref).set("command", "golden").set("complete", manifest.complete);
  const Json options = options_json(manifest.request);
  for (const JsonValue option : options.root()) json.set(option.key(), option);
  json.set("recipes", recipes_json(manifest.request.recipes)).set("summary", summary);
  return std::move(json.set("cases", cases).set("rejected", rejected));
}

std::string manifest_text(const Manifest& manifest) {
  std::string text = manifest_json(manifest).set("sha256", "").text();
  text.resize(text.rfind("  \"sha256\": "));
  return text += format("  \"sha256\": \"{}\"\n}}\n", sha256(std::as_bytes(std::span(text))));
}

Manifest read_manifest(const fs::path& folder) {
  const fs::path path = folder / kManifestFile;
  return at_place(
      [&] { return "in " + shown(path); },
      [&] {
        const Json document = parse_json(read_file(path).text());
        const JsonValue root = document.root();
        if (root.kind() != JsonKind::object || !root.find("command") || root.find("command")->text() != "golden")
          fail(Fault::malformed, "this is no manifest of golden cases");
        Manifest manifest;
        manifest.opref = string_of(required(root, "opref"));
        manifest.complete = boolean_of(required(root, "complete"));
        GoldenRequest& request = manifest.request;
        if (const auto layout = root.find("layout"))
          request.layout = malformed_at(*layout, [&] { return parse_layout(layout->text()); });
        if (const auto seed = root.find("seed")) request.seed = unsigned_of(*seed);
        request.filter = string_or_empty(root, "filter");
        if (const auto filter = root.find("filter")) malformed_at(*filter, [&] { NameFilter{request.filter}; });
        if (const auto shard = root.find("shard"))
          request.shard = malformed_at(*shard, [&] { return parse_shard(shard->text(), {}); });
        if (boolean_of(required(root, "negative"))) request.refused = Refused::kept;
        const JsonValue recipes = required(root, "recipes"), cases = required(root, "cases"),
                        rejected = required(root, "rejected");
        require_kind(recipes, JsonKind::list);
        require_kind(cases, JsonKind::list);
        require_kind(rejected, JsonKind::object);
        for (const JsonValue recipe : recipes)
          request.recipes.push_back(
              {string_of(required(recipe, "name")), "", std::make_shared<const Json>(required(recipe, "content"))});
        for (const JsonValue reason : rejected)
          manifest.made.emplace_back(reason.key(), MadeCase{.reason = string_of(reason)});
        for (const JsonValue one : cases) {
          const JsonValue stated = required(one, "name"), files = required(one, "files");
          require_kind(files, JsonKind::object);
          for (const JsonValue file : files) {
            require_path_below(files, file.key());
            string_of(file);
          }
          const bool must_fail = one.find("expect_error").has_value();
          manifest.made.emplace_back(case_name_of(stated),
                                     MadeCase{must_fail ? MadeCase::Kind::must_fail : MadeCase::Kind::values,
                                              std::make_shared<const Json>(one)});
        }
        return manifest;
      });
}

std::string difference(const GoldenRequest& a, const GoldenRequest& b) {
  const auto content = [](const GoldenRequest& request) {
    Json list = Json::list();
    for (const RecipeFile& file : request.recipes) {
      const JsonValue root = file.document->root();
      if (root.kind() != JsonKind::list) list.append(root);
      if (root.kind() == JsonKind::list)
        for (const JsonValue one : root) list.append(one);
    }
    return list.line();
  };
  if (content(a) != content(b)) return "other recipes";
  const Json one = options_json(a), other = options_json(b);
  const std::vector<JsonDifference> found = differences(one.root(), other.root(), 1);
  return found.empty() ? "" : format("{} is {}, not {}", found[0].path, found[0].first, found[0].second);
}

FileHashes files_of(const MadeCase& made) {
  FileHashes files;
  const JsonValue listed = made.entry->root().find("files").value();
  for (const JsonValue file : listed) files.emplace(file.key(), file.text());
  return files;
}

bool holds(const fs::path& case_folder, const MadeCase& made) {
  return is_folder(case_folder) && hashes_below(case_folder) == files_of(made);
}

}  // namespace opref::golden
