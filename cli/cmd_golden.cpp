// SPDX-License-Identifier: Apache-2.0
// opref golden
#include <memory>
#include <mutex>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "golden/golden.h"
#include "golden/shipped_recipes.h"
#include "ops/operators.h"
#include "system/parallel.h"
#include "system/process.h"

namespace opref::cli {
namespace {

/// Bytes of a line with names and values from files.
constexpr size_t kLongest = 10000;

struct Arguments {
  std::vector<std::string> recipes, merge;
  std::string folder, verify, layout, filter, shard;
  std::optional<std::int64_t> jobs, max_bytes;
  std::optional<std::uint64_t> seed;
  bool negative = false, allow_empty = false, list = false, replace = false, hash_only = false, json = false;
};

/// LpPool of LpPool-18, whose cases are then told by their names; another argument as it is.
std::string without_version(const std::string& recipe, const Arguments& arguments, std::string& filter) {
  std::error_code ignored;
  const NamedVersion named = split_version(recipe);
  if (!named.opset || std::filesystem::exists(recipe, ignored)) return recipe;
  const Operator& op = get_operator_named(named.name);
  const std::string cases = format("^{}_{}_", snake_case(op.op_type()), op.at(*named.opset).schema.since_version());
  if (arguments.recipes.size() > 1 || !arguments.filter.empty())
    fail(Fault::usage, "{} is the only recipe, and stands without --filter: give {} and --filter '{}…'", recipe,
         named.name, cases);
  filter = cases;
  return std::string(named.name);
}

GoldenRequest request_of(const Arguments& arguments) {
  GoldenRequest request;
  std::string filter = arguments.filter;
  for (const std::string& recipe : arguments.recipes)
    for (RecipeFile& file : recipes_named(without_version(recipe, arguments, filter)))
      request.recipes.push_back(std::move(file));
  if (!arguments.layout.empty()) request.layout = parse_layout(arguments.layout);
  request.seed = arguments.seed;
  require_filter(filter);
  request.filter = filter;
  request.shard = chosen_shard(arguments.shard);
  if (arguments.negative) request.refused = Refused::kept;
  return request;
}

int jobs_of(const Arguments& arguments) {
  return static_cast<int>(std::min<std::int64_t>(arguments.jobs.value_or(available_cores()), 1024));
}

GoldenWork work_of(const Arguments& arguments, std::unique_ptr<Progress>& progress) {
  GoldenWork work;
  work.version = version_number();
  work.jobs = jobs_of(arguments);
  work.max_bytes = arguments.max_bytes.value_or(default_max_bytes());
  work.begin = [&progress](size_t total) { progress = std::make_unique<Progress>(total); };
  work.advance = [&progress] { progress->advance(); };
  return work;
}

int list_cases(const Arguments& arguments) {
  const GoldenRequest request = request_of(arguments);
  Json json = document("golden"), names = Json::list(), refused;
  for (const GoldenCase& golden : cases_of(request, jobs_of(arguments))) {
    const auto refusal = refusal_of(golden, {request.layout, request.refused, INT64_MAX});
    const bool kept = !refusal || refusal->kind == MadeCase::Kind::must_fail;
    if (kept) names.append(golden.name);
    if (refusal) refused.set(golden.name, refusal->message);
    const std::string why = refusal ? (kept ? "  must fail: " : "  rejected: ") + refusal->message : "";
    if (!arguments.json) print(wrapped(printable(golden.name + why, kLongest), 4) + "\n");
  }
  if (arguments.json) print(json.set("names", names).set("refused", refused).text());
  return 0;
}

std::string summary_text(const GoldenResult& result, const std::string& folder) {
  const auto number = [](size_t count, std::string_view noun) { return counted(static_cast<long long>(count), noun); };
  std::string text = format("{} in {}", number(result.cases, "case"), printable(folder));
  if (result.must_fail > 0) text += format(", {} of them must fail", result.must_fail);
  if (result.resumed > 0) text += format("; {} were there already", result.resumed);
  if (result.rejected.empty()) return wrapped(text, 2) + "\n";
  text = wrapped(format("{}; the specification rejects {}, which --negative makes cases that must fail:", text,
                        number(result.rejected.size(), "combination")),
                 2) +
         "\n";
  constexpr size_t kMost = 10;
  const std::vector<std::string> reasons = reasons_by_count(result.rejected);
  for (size_t i = 0; i < std::min(reasons.size(), kMost); ++i)
    text += wrapped("  " + printable(reasons[i], kLongest), 4) + "\n";
  if (reasons.size() > kMost)
    text += format("  … and {}: --list names each combination, manifest.json too\n",
                   number(reasons.size() - kMost, "other reason"));
  return text;
}

GoldenResult made(const Arguments& arguments, const GoldenWork& work) {
  const Replace replace = arguments.replace ? Replace::yes : Replace::no;
  const Empty empty = arguments.allow_empty ? Empty::allowed : Empty::refused;
  if (arguments.merge.empty()) return make_golden(request_of(arguments), work, arguments.folder, replace, empty);
  const std::vector<std::filesystem::path> shards(arguments.merge.begin(), arguments.merge.end());
  return merge_golden(shards, work, arguments.folder, replace, empty);
}

int make(const Arguments& arguments) {
  std::unique_ptr<Progress> progress;
  const GoldenResult result = made(arguments, work_of(arguments, progress));
  progress.reset();
  if (arguments.json) {
    Json json = document("golden");
    json.set("folder", arguments.folder).set("cases", result.cases).set("must_fail", result.must_fail);
    json.set("rejected", result.rejected.size()).set("resumed", result.resumed);
    print(json.set("complete", result.signal == 0).set("reasons", reasons_by_count(result.rejected)).text());
  } else if (result.signal == 0) {
    print(summary_text(result, arguments.folder));
  }
  if (result.signal == 0) return 0;
  note(format("interrupted after {}; the same command goes on", counted(static_cast<long long>(result.cases), "case")));
  return 128 + result.signal;
}

int verify(const Arguments& arguments) {
  std::unique_ptr<Progress> progress;
  const ScratchFolder scratch;
  const VerifyResult result = verify_golden(arguments.verify, arguments.hash_only ? Verify::hashes : Verify::recompute,
                                            work_of(arguments, progress), scratch.path());
  progress.reset();
  if (arguments.json) {
    Json json = document("golden");
    json.set("folder", arguments.verify).set("made_by", result.opref).set("cases", result.cases);
    json.set("files", result.files);
    print(json.set("problems", result.problems).text());
  } else {
    for (const std::string& problem : result.problems) print(printable(problem, kLongest) + "\n");
    if (result.problems.empty())
      print(format("{}, {}: all as the manifest says{}\n", counted(static_cast<long long>(result.cases), "case"),
                   counted(static_cast<long long>(result.files), "file"),
                   arguments.hash_only ? "" : ", and as this opref computes them"));
    if (result.opref != version_number())
      note(format("opref {} made them, this is {}", printable(result.opref), version_number()));
  }
  return result.problems.empty() ? 0 : 1;
}

int golden(const Arguments& arguments) {
  const bool chooses = !arguments.recipes.empty() || !arguments.layout.empty() || !arguments.filter.empty() ||
                       !arguments.shard.empty() || arguments.seed || arguments.negative || arguments.list;
  if (!arguments.verify.empty()) {
    if (chooses || !arguments.folder.empty() || !arguments.merge.empty() || arguments.replace || arguments.allow_empty)
      fail(Fault::usage, "--verify takes the folder alone: its manifest has the recipes and all that was chosen");
    return verify(arguments);
  }
  if (chooses && !arguments.merge.empty())
    fail(Fault::usage, "--merge takes the shards' folders alone: their manifests have all that was chosen");
  if (arguments.hash_only) fail(Fault::usage, "--hash-only belongs to --verify DIR");
  if (arguments.recipes.empty() && arguments.merge.empty())
    fail(Fault::usage, "RECIPE is missing{}",
         arguments.list
             ? ": 'opref golden all --list' lists the cases of the shipped recipes, one for each operator of "
               "'opref ops'"
             : " (see 'opref golden -h')");
  if (arguments.list) return list_cases(arguments);
  if (arguments.folder.empty()) fail(Fault::usage, "-o DIR is missing: where the cases go (see 'opref golden -h')");
  return make(arguments);
}

}  // namespace

Action add_golden(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_argument(command, "RECIPE", arguments->recipes, "a file of recipes, an operator, or all").offers({"all"});
  add_option(command, "-o", arguments->folder, "DIR", "the folder that the cases go into");
  add_option(command, "--layout", arguments->layout, "NAME", "onnx, npy or openvino; default by the operator's domain")
      .offers({"onnx", "npy", "openvino"});
  add_flag(command, "--negative", arguments->negative, "keep what the specification rejects, as must-fail cases");
  add_number(command, "--seed", arguments->seed, "instead of the recipes' seeds");
  add_option(command, "--filter", arguments->filter, "REGEX", "only cases whose name matches");
  const char* shares = "only the I-th of N shares; auto: see Shards in --help";
  add_option(command, "--shard", arguments->shard, "I/N", shares).offers({"auto"});
  add_option(command, "--merge", arguments->merge, "DIR...", "join the folders of all shards in the folder of -o")
      .several();
  add_flag(command, "--list", arguments->list, "only print the names, and why a case is refused");
  add_flag(command, "--allow-empty", arguments->allow_empty, "exit 0 also if all combinations are rejected");
  add_flag(command, "--replace", arguments->replace, "remove cases of another request from DIR");
  add_number(command, "-j", arguments->jobs, {1, kMostThreads}, "cases at a time; default the cores; same bytes");
  add_bytes(command, "--max-bytes", arguments->max_bytes, "limit of a case; default half the memory");
  add_option(command, "--verify", arguments->verify, "DIR",
             "compare DIR with its manifest, and compute all cases again");
  add_flag(command, "--hash-only", arguments->hash_only, "with --verify: compare the hashes only");
  add_flag(command, "--json", arguments->json, "print one JSON document");
  return [arguments] { return golden(*arguments); };
}

}  // namespace opref::cli
