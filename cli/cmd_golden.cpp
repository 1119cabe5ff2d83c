// opref golden
#include <CLI/CLI.hpp>
#include <memory>
#include <mutex>

#include "check/process.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "core/parallel.h"
#include "golden/golden.h"
#include "golden/shipped_recipes.h"

namespace opref::cli {
namespace {

constexpr HelpText kHelp{"RECIPE… -o DIR [OPTIONS] | --verify DIR",
                         "  # the shipped cases of an operator whose names match, as ONNX backend tests\n"
                         "  $ opref golden LpPool --filter _22_bf16_ -o /tmp/opref-golden\n"
                         "  # every file is what the manifest says, and what this opref computes\n"
                         "  $ opref golden --verify /tmp/opref-golden\n"
                         "  # only their names\n"
                         "  $ opref golden all --filter special --list\n"
                         "  # what must be refused too, with fault and message, as JSON and .npy\n"
                         "  $ opref golden MaxUnpool --negative --layout npy --filter pad1 -o /tmp/opref-golden-npy\n",
                         "Recipes    A file, an operator with shipped recipes (openvino:NAME for those of\n"
                         "           OpenVINO), or all. A recipe is a JSON case in which {\"each\": [1, 2]}\n"
                         "           may stand for any value; all of them multiply. null: absent. \"where\":\n"
                         "           [{\"attributes.p\": [3], \"opset\": [1, 2]}] drops what has these values.\n"
                         "           See 'opref help schema' and 'opref help generators'.\n"
                         "Layouts    onnx: NAME/model.onnx and NAME/test_data_set_0; openvino:\n"
                         "           NAME/layer.xml and .npy; npy: NAME/case.json and .npy. The default is\n"
                         "           that of the operator's domain.\n"
                         "Folder     DIR/manifest.json names every file with its SHA-256. Its cases are\n"
                         "           complete or not there. The same command goes on where one was\n"
                         "           interrupted, and writes the same bytes on every machine.\n"
                         "Exit       1: --verify found a difference. 2: DIR holds something else.\n"};

struct Arguments {
  std::vector<std::string> recipes;
  std::string folder, verify, layout, filter;
  std::optional<std::int64_t> jobs, seed, max_bytes;
  bool negative = false, list = false, replace = false, hash_only = false, json = false;
};

GoldenRequest request_of(const Arguments& arguments) {
  GoldenRequest request;
  for (const std::string& recipe : arguments.recipes)
    for (RecipeFile& file : recipes_named(recipe)) request.recipes.push_back(std::move(file));
  if (!arguments.layout.empty()) request.layout = parse_layout(arguments.layout);
  if (arguments.seed) request.seed = static_cast<std::uint64_t>(*arguments.seed);
  request.filter = arguments.filter;
  if (arguments.negative) request.refused = Refused::kept;
  return request;
}

GoldenWork work_of(const Arguments& arguments, std::unique_ptr<Progress>& progress) {
  GoldenWork work;
  work.version = version_number();
  work.jobs = static_cast<int>(std::min<std::int64_t>(arguments.jobs.value_or(available_cores()), 1024));
  work.max_bytes = arguments.max_bytes.value_or(default_max_bytes());
  work.begin = [&progress](size_t total) { progress = std::make_unique<Progress>(total); };
  work.advance = [&progress] { progress->advance(); };
  return work;
}

int list_cases(const Arguments& arguments) {
  JsonWriter json = document("golden"), names = JsonWriter::list(), refused;
  for (const GoldenCase& golden : cases_of(request_of(arguments))) {
    const auto refusal = refusal_by_types(golden);
    if (refusal) refused.set(golden.name, *refusal);
    if (!refusal || arguments.negative) {
      names.append(golden.name);
      if (!arguments.json) print(golden.name + (refusal ? "  must fail: " + *refusal : "") + "\n");
    }
  }
  if (arguments.json) print(json.set("names", std::move(names)).set("refused", std::move(refused)).text());
  return 0;
}

std::string summary_text(const GoldenResult& result, const std::string& folder) {
  std::string text = format("{} in {}", counted(static_cast<long long>(result.cases), "case"), printable(folder));
  if (result.must_fail > 0) text += format(", {} of them must fail", result.must_fail);
  if (result.rejected > 0)
    text +=
        format("; {} rejected by the specification", counted(static_cast<long long>(result.rejected), "combination"));
  if (result.resumed > 0) text += format("; {} were there already", result.resumed);
  return text + "\n";
}

int make(const Arguments& arguments) {
  std::unique_ptr<Progress> progress;
  const GoldenResult result = make_golden(request_of(arguments), work_of(arguments, progress), arguments.folder,
                                          arguments.replace ? Replace::yes : Replace::no);
  progress.reset();
  if (arguments.json) {
    JsonWriter json = document("golden");
    json.set("folder", arguments.folder).set("cases", result.cases).set("must_fail", result.must_fail);
    json.set("rejected", result.rejected).set("resumed", result.resumed).set("complete", result.signal == 0);
    print(json.text());
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
    JsonWriter json = document("golden"), problems = JsonWriter::list();
    for (const std::string& problem : result.problems) problems.append(problem);
    json.set("folder", arguments.verify).set("cases", result.cases).set("files", result.files);
    print(json.set("problems", std::move(problems)).text());
  } else {
    for (const std::string& problem : result.problems) print(problem + "\n");
    if (result.problems.empty())
      print(format("{}, {}: all as the manifest says{}\n", counted(static_cast<long long>(result.cases), "case"),
                   counted(static_cast<long long>(result.files), "file"),
                   arguments.hash_only ? "" : ", and as this opref computes them"));
  }
  return result.problems.empty() ? 0 : 1;
}

int golden(const Arguments& arguments) {
  if (!arguments.verify.empty()) {
    if (!arguments.recipes.empty() || !arguments.folder.empty() || arguments.list)
      fail(Fault::usage, "--verify takes the folder alone: its manifest has the recipes");
    return verify(arguments);
  }
  if (arguments.hash_only) fail(Fault::usage, "--hash-only belongs to --verify DIR");
  if (arguments.recipes.empty()) fail(Fault::usage, "RECIPE is missing (see 'opref golden -h')");
  if (arguments.list) return list_cases(arguments);
  if (arguments.folder.empty()) fail(Fault::usage, "-o DIR is missing: where the cases go (see 'opref golden -h')");
  return make(arguments);
}

}  // namespace

void add_golden(CLI::App& program) {
  CLI::App& command = add_command(program, "golden", "make cases with correctly rounded outputs; verify them", kHelp);
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("RECIPE", arguments->recipes, "a file of recipes, an operator, or all");
  command.add_option("-o", arguments->folder, "the folder that the cases go into")->type_name("DIR");
  command.add_option("--layout", arguments->layout, "onnx, npy or openvino; default by the operator's domain")
      ->type_name("NAME");
  command.add_flag("--negative", arguments->negative, "keep what the specification rejects, as must-fail cases");
  add_number(command, "--seed", arguments->seed, {0}, "instead of the recipes' seeds");
  command.add_option("--filter", arguments->filter, "only cases whose name matches")->type_name("REGEX");
  command.add_flag("--list", arguments->list, "only print the cases' names; compute nothing");
  command.add_flag("--replace", arguments->replace, "remove cases of another request from DIR");
  add_number(command, "-j", arguments->jobs, {1, kMostThreads}, "cases at a time; the cores; same bytes");
  add_number(command, "--max-bytes", arguments->max_bytes, {0}, "limit of a case; default half the memory");
  command.add_option("--verify", arguments->verify, "compare DIR with its manifest, and compute it again")
      ->type_name("DIR");
  command.add_flag("--hash-only", arguments->hash_only, "with --verify: compute nothing again");
  command.add_flag("--json", arguments->json, "print one JSON document");
  set_action(command, [arguments] { return golden(*arguments); });
}

}  // namespace opref::cli
