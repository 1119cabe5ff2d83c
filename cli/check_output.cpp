#include "cli/check_output.h"

#include "check/comparison_json.h"

#include <algorithm>
#include <sstream>

#include "cli/arguments.h"
#include "cli/output.h"

namespace opref::cli {
namespace {

constexpr size_t kMostReasons = 12;

void print_indented(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) print(format("  | {}\n", line));
}

}  // namespace

void Totals::add(const CaseRecord& record) {
  ++verdicts[record.verdict];
  if (record.verdict == Verdict::unsupported) ++unsupported[record.reason];
  for (const OutputRecord& output : record.outputs) {
    ++outputs;
    if (!output.comparison.reason.empty()) continue;  // nothing was compared
    bit_equal += output.comparison.bit_equal == output.comparison.count;
    one_ulp += output.comparison.within_one_ulp == output.comparison.count;
  }
}

int Totals::number(Verdict verdict) const {
  const auto found = verdicts.find(verdict);
  return found == verdicts.end() ? 0 : found->second;
}

void print_case(const CaseRecord& record, Good good) {
  print(format("{} {}{}\n", toned(good == Good::no ? Tone::bad : Tone::good, name(record.verdict)), record.name,
               record.reason.empty() ? "" : ": " + record.reason));
  if (good == Good::yes) return;
  for (const OutputRecord& output : record.outputs)
    if (!output.description.empty()) print(output.description + "\n");
  if (!record.explained_by.empty()) print(format("  reproduced by: {}\n", record.explained_by));
  if (!record.stderr_tail.empty()) {
    print("  the runner's last lines:\n");
    print_indented(record.stderr_tail);
  }
  print(format("  repeat: {}\n", record.repeat));
}

void print_totals(const Totals& totals, std::size_t cases) {
  std::vector<std::pair<int, std::string>> reasons;
  for (const auto& [reason, count] : totals.unsupported) reasons.emplace_back(count, reason);
  std::ranges::sort(reasons, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i)
    print(format("unsupported {}: {}\n", reasons[i].first, reasons[i].second));
  if (reasons.size() > kMostReasons) {
    int rest = 0;
    for (size_t i = kMostReasons; i < reasons.size(); ++i) rest += reasons[i].first;
    print(format("unsupported {}: {} more reasons (--verbose names each case)\n", rest, reasons.size() - kMostReasons));
  }
  if (totals.outputs > 0)
    print(format("{}: {} equal bit for bit, {} within 1 ULP\n", counted(totals.outputs, "output"), totals.bit_equal,
                 totals.one_ulp));
  std::vector<std::string> parts;
  for (const Verdict verdict : {Verdict::pass, Verdict::fail, Verdict::error, Verdict::unsupported, Verdict::skip})
    parts.push_back(format("{} {}", totals.number(verdict), name(verdict)));
  print(format("{}: {}\n", counted(static_cast<long long>(cases), "case"), join_text(parts, ", ")));
}

JsonWriter case_json(const CaseRecord& record) {
  JsonWriter json, outputs;
  json.set("name", record.name).set("verdict", name(record.verdict));
  if (!record.reason.empty()) json.set("reason", record.reason);
  if (record.since_version != 0) json.set("operator", format("{}-{}", record.op_type, record.since_version));
  for (const OutputRecord& output : record.outputs) {
    JsonWriter comparison = comparison_json(output.comparison, {});
    comparison.set("rule", output.rule);
    outputs.set(output.name, std::move(comparison));
  }
  if (!record.outputs.empty()) json.set("outputs", std::move(outputs));
  if (!record.explained_by.empty()) json.set("explained_by", record.explained_by);
  if (!record.stderr_tail.empty()) json.set("stderr", record.stderr_tail);
  if (!record.repeat.empty()) json.set("repeat", record.repeat);
  return json;
}

}  // namespace opref::cli
