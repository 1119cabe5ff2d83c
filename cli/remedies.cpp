// SPDX-License-Identifier: Apache-2.0
#include "cli/remedies.h"

#include <algorithm>

#include "backend/runner.h"
#include "compare/tolerance.h"
#include "explain/evaluated.h"
#include "golden/remedies.h"
#include "io/tensor_source.h"
#include "ops/operators.h"
#include "report/merge.h"
#include "report/report_json.h"
#include "report/shard.h"
#include "run/attributes.h"
#include "run/remedies.h"
#include "schema/remedies.h"

namespace opref::cli {
namespace {

struct RemedyText {
  Remedy remedy;
  std::string_view text;  ///< {} is the remedy's argument
};

constexpr RemedyText kTexts[] = {
    {kNoRemedy, ""},
    {kMoreMemory, " (--max-bytes)"},
    {kMoreTime, " (--timeout)"},
    {kMoreWritten, " (--max-written)"},
    {kOtherOpset, "; --opset {} evaluates it as {}"},
    {kPickNode, "; NAME=FILE gives what it returns, or --node picks nodes that are known: {}"},
    {kListNodes, " (there are {}); 'opref show MODEL --nodes' lists them all"},
    {kEvaluateAll, "; without --node, -o {}=FILE evaluates all that it needs"},
    {kNameOutput, ": give -o NAME=FILE, a folder or an .npz"},
    {kCompareInRun, ": opref run NODE --expect NAME=FILE --bound"},
    {kStateDtype, ": state it with --dtype"},
    {kWriteRunner, "; 'opref help backends' says what it reads and writes"},
    {kStateShard, ": give --shard {} (see 'opref check --help')"},
    {kWriteRecipe, ": see 'opref help golden-files'"},
    {kConvertFile, "; opref show FILE --to {} -o OUT converts a file"},
    {kVerifyGolden, ": see opref golden --verify"},
    {kCompareReports, "; opref report diff compares two runs"},
    {kWholeShards, " (Ctrl-C or --fail-fast?)"},
    {kNpyLayout, ": choose --layout npy"},
    {kKeepRefused, "; --negative keeps such as must-fail cases, --allow-empty leaves the folder without any"},
    {kReplaceGolden, ": choose another folder, or --replace"},
    {kMakeGolden, ": opref golden RECIPE -o FOLDER makes its cases"},
    {kTestMistakes, ": ctest --test-dir build/release -R known_mistakes tests it"},
    {kOtherAttribute, ": give -a {}"},
    {kReadReport, ": opref report merge {} reads it"},
    {kGiveReport, "; 'opref check CASES --report FILE' writes one"},
    {kCheckCase, ": opref check CASE judges it"},
    {kCheckFolder, ": opref check {}"},
    {kStateValues, ": give inputs.{} its \"data\" or \"fill\""},
    {kFixNames, "; --fix-names of run, infer, check and bisect mends that"},
    {kOverwriteRead, "; --force writes it all the same"},
    {kGiveAttribute, ": give -a {}"},
    {kGiveAttributes, ": give -a {}"},
    {kGiveValues, ": give {}=FILE"},
    {kMakeValues, ": give {}=FILE, or {} for random values"},
    {kGiveOpenInput, ": give {}"},
    {kGiveTypes, ": give {}=FILE, or in place of FILE a type: float32[1,3]"},
    {kGiveList, ": a list of one is written {}=[1]"},
    {kGiveSequence, "; a sequence is a folder or an .npz of numbered tensors"},
    {kGiveInput, "; it is an input: give {}"},
    {kNameInput, ": give {}"},
    {kSwapInputs, "; with {} swapped it would fit"},
    {kOtherShape, "; with {} it would fit"},
    {kMissingInputs, ": {} is missing"},
    {kKnownNames, " (there are {})"},
    {kWriteList, ": a list is written -a {}"},
    {kListOperators, "; 'opref ops' lists those that are"},
};

}  // namespace

std::string way_out_text(const WayOut& way_out) {
  if (way_out.remedy == kPickNode && way_out.argument.empty()) return ": pick one with --node";
  if (way_out.remedy == kKnownNames && way_out.argument.find(", ") == std::string::npos)
    return format(" (there is {})", way_out.argument);
  if (way_out.remedy == kListNodes && way_out.argument.find(", ") == std::string::npos)
    return format(" (there is {})", way_out.argument);
  const auto* const known = std::ranges::find(kTexts, way_out.remedy, &RemedyText::remedy);
  if (known == std::end(kTexts)) return "";
  std::string text, argument = way_out.argument;
  if (way_out.remedy == kGiveValues || way_out.remedy == kGiveTypes) {  // "a, b" as "a=FILE b"
    for (size_t at = argument.find(", "); at != std::string::npos; at = argument.find(", ", at))
      argument.replace(at, 2, "=FILE ");
  }
  if (way_out.remedy == kGiveAttributes) {
    constexpr std::string_view kNext = " -a ";
    for (size_t at = argument.find('\n'); at != std::string::npos; at = argument.find('\n', at + kNext.size()))
      argument.replace(at, 1, kNext);
  }
  std::string_view rest = known->text;
  if (way_out.argument.empty() && rest.find("{}") != std::string_view::npos) return "";
  for (size_t at = rest.find("{}"); at != std::string_view::npos; at = rest.find("{}")) {
    const bool is_name = way_out.remedy == kMakeValues && text.empty();
    text.append(rest.substr(0, at)).append(argument, 0, is_name ? argument.find('=') : std::string::npos);
    rest.remove_prefix(at + 2);
  }
  return text.append(rest);
}

}  // namespace opref::cli
