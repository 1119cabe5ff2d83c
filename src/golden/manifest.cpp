// SPDX-License-Identifier: Apache-2.0
#include "golden/manifest.h"

#include <algorithm>

#include "core/error.h"
#include "core/name_filter.h"
#include "golden/one_line.h"
#include "io/json/cases.h"
#include "io/json/fields.h"
#include "io/json/json.h"
#include "io/sha256.h"
#include "run/cost.h"
#include "run/load_case.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::golden {
namespace {

namespace fs = std::filesystem;

JsonWriter recipes_json(std::span<const RecipeFile> recipes) {
  JsonWriter list = JsonWriter::list();
  for (const RecipeFile& file : recipes) {
    JsonWriter one;
    one.set("name", file.name).set("content", file.document->root());
    list.append(std::move(one));
  }
  return list;
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

/// In about nanoseconds. What a case states by shapes is generated, written and read; of much of it terms tell the
/// rest.
std::uint64_t cost_of(const GoldenCase& golden) {
  constexpr std::uint64_t kManyElements = 4096, kBytesOfElement = 8;
  const std::uint64_t elements = stated_elements(golden.text);
  const std::uint64_t cost = kCostOfCase + kCostOfByte * (golden.text.size() + kBytesOfElement * elements);
  if (elements < kManyElements) return cost;
  try {
    return cost + kCostOfTerm * terms_of(read_json_case(parse_json(golden.text).root(), {}, golden.folder));
  } catch (const Error&) {  // said where it is made
    return cost;
  }
}

/// By the key; quotes inside a text are escaped.
bool is_must_fail(std::string_view entry) { return entry.find("\"expect_error\": ") != std::string_view::npos; }

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

std::string manifest_text(const Manifest& manifest) {
  const GoldenRequest& request = manifest.request;
  JsonWriter json, cases = JsonWriter::list(), rejected, summary;
  size_t must_fail = 0;
  for (const auto& [name, entry] : manifest.entries) {
    must_fail += is_must_fail(entry);
    cases.append_nested(entry);
  }
  for (const auto& [name, reason] : manifest.rejected) rejected.set(name, reason);
  summary.set("cases", manifest.entries.size()).set("must_fail", must_fail).set("rejected", manifest.rejected.size());
  json.set("opref", manifest.opref).set("command", "golden").set("complete", manifest.complete);
  if (request.layout) json.set("layout", name(*request.layout));
  if (request.seed) json.set("seed", *request.seed);
  if (!request.filter.empty()) json.set("filter", request.filter);
  if (request.shard.count > 1) json.set("shard", to_text(request.shard));
  json.set("negative", request.refused == Refused::kept).set("recipes", recipes_json(request.recipes));
  json.set("summary", std::move(summary)).set("cases", std::move(cases)).set("rejected", std::move(rejected));
  std::string text = json.set("sha256", "").text();
  text.resize(text.rfind("  \"sha256\": "));
  return text += format("  \"sha256\": \"{}\"\n}}\n", sha256(std::as_bytes(std::span(text))));
}

Manifest read_manifest(const fs::path& folder) {
  const fs::path path = folder / kManifestFile;
  return at_place(
      [&] { return "in " + shown(path); },
      [&] {
        const JsonDocument document = parse_json(read_file(path).text());
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
        for (const JsonValue recipe : recipes) {
          const std::string content = one_line(required(recipe, "content"));
          request.recipes.push_back(
              {string_of(required(recipe, "name")), "", std::make_shared<const JsonDocument>(parse_json(content))});
        }
        for (const JsonValue reason : rejected) manifest.rejected.emplace_back(reason.key(), string_of(reason));
        for (const JsonValue one : cases) {
          const JsonValue stated = required(one, "name"), files = required(one, "files");
          require_kind(files, JsonKind::object);
          for (const JsonValue file : files) {
            require_path_below(files, file.key());
            string_of(file);
          }
          JsonWriter entry;
          for (const JsonValue member : one) entry.set(member.key(), member);
          manifest.entries.emplace_back(case_name_of(stated), entry_text(entry));
        }
        return manifest;
      });
}

std::string difference(const GoldenRequest& a, const GoldenRequest& b) {
  const auto layout = [](const GoldenRequest& request) {
    return request.layout ? std::string(name(*request.layout)) : "as the operator's domain";
  };
  const auto content = [](const GoldenRequest& request) {
    JsonWriter list = JsonWriter::list();
    for (const RecipeFile& file : request.recipes) {
      const JsonValue root = file.document->root();
      if (root.kind() != JsonKind::list) list.append(root);
      if (root.kind() == JsonKind::list)
        for (const JsonValue one : root) list.append(one);
    }
    return list.line();
  };
  if (content(a) != content(b)) return "other recipes";
  if (layout(a) != layout(b)) return format("the layout {}, not {}", layout(a), layout(b));
  if (a.seed != b.seed) return "another seed";
  if (a.filter != b.filter) return "another filter";
  if (to_text(a.shard) != to_text(b.shard)) return format("shard {}, not {}", to_text(a.shard), to_text(b.shard));
  return a.refused == b.refused ? "" : "another choice of must-fail cases";
}

std::map<std::string, MadeCase> made_cases(const Manifest& manifest) {
  std::map<std::string, MadeCase> made;
  for (const auto& [name, reason] : manifest.rejected) made[name] = {MadeCase::Kind::rejected, reason};
  for (const auto& [name, entry] : manifest.entries) {
    made[name] = {is_must_fail(entry) ? MadeCase::Kind::must_fail : MadeCase::Kind::values, entry};
  }
  return made;
}

std::map<std::string, std::string> files_of(std::string_view entry) {
  std::map<std::string, std::string> files;
  const JsonDocument document = parse_json(entry);
  const JsonValue listed = document.root().find("files").value();
  for (const JsonValue file : listed) files.emplace(file.key(), file.text());
  return files;
}

bool holds(const fs::path& case_folder, std::string_view entry) {
  if (!is_folder(case_folder)) return false;
  std::map<std::string, std::string> files = files_of(entry);
  for (const fs::path& found : files_below(case_folder)) {
    const auto listed = files.find(found.lexically_relative(case_folder).generic_string());
    if (listed == files.end() || sha256(read_file(found).bytes) != listed->second) return false;
    files.erase(listed);
  }
  return files.empty();
}

}  // namespace opref::golden
