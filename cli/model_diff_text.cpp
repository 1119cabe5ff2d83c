// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "cli/model_diff_output.h"
#include "compare/compare.h"

namespace opref::cli {

std::string percent(double share) {
  return format("{} %", share >= 0.1 ? format("{}", std::round(share * 100)) : short_number(share * 100));
}

/// "12.3 dB"
std::string decibel_text(double sqnr) {
  if (std::isinf(sqnr)) return sqnr > 0 ? "equal" : "no signal";
  return format("{} dB", std::round(sqnr * 10) / 10);
}

std::string titles_of(const Model& model, const std::vector<size_t>& places) {
  constexpr size_t kMost = 3;
  std::string text;
  for (size_t k = 0; k < std::min(kMost, places.size()); ++k)
    text += (k == 0 ? "" : ", ") + model.nodes()[places[k]].title();
  if (places.size() > kMost) text += format(" and {} more", places.size() - kMost);
  return places.empty() ? "nothing" : text;
}

namespace {

/// Without nodes that only rename or convert.
std::string operators_of(const Model& model, std::vector<size_t> places) {
  constexpr size_t kMost = 5;
  std::erase_if(places, [&](size_t place) { return model.nodes()[place].standing.role != ops::NodeRole::computes; });
  return join_some(places, " + ", kMost, [&](size_t place) { return printable(model.nodes()[place].node->op_type); });
}

class Printer {
 public:
  Printer(const ModelDiffArguments& arguments, const Both& both, const Pairing& pairing, const ModelComparison& found)
      : arguments_(arguments), both_(both), pairing_(pairing), found_(found) {}

  std::vector<std::string> lines() {
    head();
    inputs();
    for (const JudgedOutput& output : found_.outputs) add_output(output);
    if (found_.arithmetic == Arithmetic::same)
      regions();
    else
      ranking();
    unknown();
    if (arguments_.verbose) all_pairs();
    return std::move(lines_);
  }

 private:
  void say(std::string line) { lines_.push_back(std::move(line)); }

  const Model& fresh() const { return *both_.fresh_model; }
  const Model& reference() const { return *both_.reference_model; }

  void head() {
    std::string what = found_.arithmetic == Arithmetic::same   ? "same arithmetic"
                       : found_.arithmetic == Arithmetic::half ? "half precision"
                                                               : "quantised";
    if (found_.is_reversed) what = format("the reference is {}", what);
    const std::string fresh_name = arguments_.against_opset ? format("opset {}", opset_text(both_.fresh))
                                                            : printable(file_name(arguments_.fresh), 40),
                      reference_name = arguments_.against_opset ? format("opset {}", opset_text(both_.reference))
                                                                : printable(file_name(arguments_.reference), 40);
    say(format("{} against {}: {}; {} against {}", fresh_name, reference_name, what,
               counted(std::ssize(fresh().nodes()), "node"), reference().nodes().size()));
    for (const std::string& note : both_.notes) say(note);
    if (both_.data_sets > 1)
      say(format("{} data sets: the figures of outputs are of all, the regions those of number {}", both_.data_sets,
                 both_.data_set));
  }

  static std::string opset_text(const Bound& bound) {
    const auto own = bound.graph.opset_import.find("");
    return own == bound.graph.opset_import.end() ? "newest" : std::to_string(own->second);
  }

  void inputs() {
    if (both_.generated.empty()) return;
    std::string line = "inputs:";
    for (const GeneratedInput& input : both_.generated)
      line += input.values.find(':') != std::string::npos
                  ? format(" '{}={}:{}'", printable(input.name), input.type, input.values)
                  : format(" {}={} from {}", printable(input.name), input.type, input.values);
    say(line);
  }

  void add_output(const JudgedOutput& output) {
    const std::string name = printable(output.name);
    switch (output.state) {
      case JudgedOutput::State::missing:
        return say(format("{} is missing in NEW", name));
      case JudgedOutput::State::extra:
        return say(format("{} is in NEW only", name));
      case JudgedOutput::State::other_type:
        return say(format("{} is {}, not {}", name, output.fresh_type, output.type));
      default:
        break;
    }
    const Figures& figures = output.figures;
    if (found_.least_sqnr) {
      const auto cosine = figures.cosine();
      return say(format("{} SQNR {} (at least {}): {}{}, largest error {}", name, decibel_text(figures.sqnr()),
                        short_number(*found_.least_sqnr), output.passes ? "passes" : "fails",
                        cosine ? format("; cosine {}", std::round(*cosine * 1e5) / 1e5) : "",
                        short_number(figures.max)) +
                 nonfinite_text(figures));
    }
    if (output.state == JudgedOutput::State::equal) return say(format("{} equal, bit for bit", name));
    std::string line = format("{} {}: {}, largest error {}", name, verdict_of(output), differing_text(figures),
                              short_number(figures.max)) +
                       nonfinite_text(figures);
    if (std::isfinite(output.ratio) && output.ratio > 0)
      line += format(", {} times the spread (4 pass)", short_number(output.ratio));
    say(line);
    if (output.state == JudgedOutput::State::no_verdict)
      say(format("  no verdict: rounding alone may move it by {} of its rms; the regions decide",
                 percent(output.spread / figures.reference_rms())));
  }

  std::string verdict_of(const JudgedOutput& output) const {
    if (arguments_.tolerance.rtol || arguments_.tolerance.atol || arguments_.tolerance.exact)
      return output.passes ? "passes" : "fails";
    return output.state == JudgedOutput::State::rounding ? "within rounding" : "differs";
  }

  static std::string differing_text(const Figures& figures) {
    return format("{} of {} {}", figures.differ, counted(figures.count, "element"),
                  figures.differ == 1 ? "differs" : "differ");
  }

  static std::string nonfinite_text(const Figures& figures) {
    return figures.nonfinite == 0 ? "" : format(", {} Inf or NaN on one side alone", figures.nonfinite);
  }

  /// Of NEW's tensors, but for copies.
  std::string paired() const {
    const auto all = static_cast<std::int64_t>(pairing_.size() + found_.unpaired.size());
    return format("{} of {} paired", pairing_.size(), counted(all, "tensor"));
  }

  void regions() {
    say(format("{}, each judged on the reference's values:", paired()));
    const size_t differ = found_.count(Agreement::differs);
    say(format("  {} equal, bit for bit; {} within rounding; {} {}", found_.count(Agreement::equal),
               found_.count(Agreement::rounding), differ, differ == 1 ? "differs" : "differ"));
    if (!found_.rewritten.empty())
      say(format("  {} rewritten: computed in other ways, with no effect behind them", found_.rewritten.size()));
    differing_regions();
    kinds();
    if (found_.is_one_region) say("no tensor between inputs and outputs is paired: all is one region");
  }

  void differing_regions() {
    constexpr size_t kMost = 3;
    size_t told = 0;
    for (const JudgedPair& judged : found_.pairs) {
      if (judged.agreement != Agreement::differs || told == kMost) continue;
      tell_region(judged, told == 0 ? "first that differs" : "then");
      ++told;
    }
  }

  void tell_region(const JudgedPair& judged, std::string_view begin) {
    constexpr size_t kMostSentences = 4;
    const Description described = describe(pairing_, judged.pair);
    const std::string right = titles_of(reference(), described.reference_nodes),
                      own = titles_of(fresh(), described.fresh_nodes);
    say(format("{}: {}", begin, right));
    if (own != right) say(format("  in NEW: {}", own));
    for (size_t k = 0; k < std::min(kMostSentences, described.sentences.size()); ++k)
      say("  " + described.sentences[k]);
    const std::string name = printable(reference().entities()[judged.pair.reference].name);
    if (!judged.is_numeric)
      say(format("  {} differs", name));
    else
      say(format("  {}: {}, largest error {}", name, differing_text(judged.figures), short_number(judged.figures.max)) +
          nonfinite_text(judged.figures));
    if (begin == "first that differs" && !found_.closest.empty()) say(format("  closest: {}", found_.closest));
  }

  /// Regions that agree, with other nodes on both sides.
  void kinds() {
    constexpr size_t kMost = 6;
    std::map<std::string, size_t> counts;
    for (const JudgedPair& judged : found_.pairs) {
      if (judged.agreement == Agreement::differs) continue;
      const Description described = describe(pairing_, judged.pair);
      const std::string right = operators_of(reference(), described.reference_nodes),
                        own = operators_of(fresh(), described.fresh_nodes);
      if (right == own && described.reference_nodes.size() == 1 && !described.sentences.empty())
        say(format("no effect here: {}", described.sentences.front()));
      if (right != own && !right.empty() && !own.empty()) ++counts[format("{} -> {}", right, own)];
    }
    std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
    std::ranges::stable_sort(sorted, std::greater<>(), &std::pair<std::string, size_t>::second);
    if (sorted.size() > kMost) sorted.resize(kMost);
    if (sorted.empty()) return;
    say("other nodes, which agree:");
    for (const auto& [kind, count] : sorted) say(format("  {} x {}", count, kind));
  }

  void ranking() {
    constexpr size_t kMost = 10;
    const auto broken =
        std::ranges::find_if(found_.pairs, [](const JudgedPair& judged) { return judged.figures.nonfinite > 0; });
    if (broken != found_.pairs.end())
      say(format("first Inf or NaN: {}", titles_of(reference(), describe(pairing_, broken->pair).reference_nodes)));
    if (found_.ranked.empty()) return say(paired());
    say(format("{}; what each adds if it alone is NEW's (together {}):", paired(),
               percent(found_.together.value_or(0))));
    if (found_.together.value_or(0) > 3) say("  the outputs are few, and errors cancel by luck: give more inputs");
    if (found_.shares_are_some) say("  only the 64 with the greatest errors at the node");
    say(row("share", "alone", "at the node", "node"));
    for (size_t k = 0; k < std::min(arguments_.verbose ? found_.ranked.size() : kMost, found_.ranked.size()); ++k) {
      const JudgedPair& judged = found_.pairs[found_.ranked[k]];
      const size_t producer = reference().entities()[judged.pair.reference].producer;
      say(row(format("{}%", std::round(*judged.share * 1000) / 10), decibel_text(*judged.alone),
              decibel_text(judged.figures.sqnr()), reference().nodes()[producer].title()));
    }
  }

  static std::string row(std::string share, std::string alone, std::string at_node, const std::string& node) {
    const auto right = [](std::string text, size_t width) {
      if (text.size() < width) text.insert(0, width - text.size(), ' ');
      return text;
    };
    return format("{}{}{}  {}", right(std::move(share), 8), right(std::move(alone), 10), right(std::move(at_node), 14),
                  node);
  }

  void unknown() {
    for (const auto& [model, which] : {std::pair(&reference(), "REFERENCE"), std::pair(&fresh(), "NEW")}) {
      const std::vector<size_t>& places = model->unknown_nodes();
      if (places.empty()) continue;
      say(format("not evaluated in {}: {}, and what depends on {}; a region ends there", which,
                 titles_of(*model, places), places.size() == 1 ? "it" : "them"));
    }
  }

  void all_pairs() {
    say("pairs:");
    for (const JudgedPair& judged : found_.pairs)
      say(format("  {} {} {} ({})", printable(reference().entities()[judged.pair.reference].name),
                 printable(fresh().entities()[judged.pair.fresh].name), name(judged.agreement),
                 to_text(judged.pair.found)));
    for (const size_t entity : pairing_.copies())
      say(format("  {} of NEW is a copy of a paired tensor", printable(fresh().entities()[entity].name)));
    for (const size_t entity : found_.unpaired_reference)
      say(format("  {} is in no pair", printable(reference().entities()[entity].name)));
    for (const size_t entity : found_.unpaired)
      say(format("  {} of NEW is in no pair", printable(fresh().entities()[entity].name)));
  }

  const ModelDiffArguments& arguments_;
  const Both& both_;
  const Pairing& pairing_;
  const ModelComparison& found_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> text_lines(const ModelDiffArguments& arguments, const Both& both, const Pairing& pairing,
                                    const ModelComparison& found) {
  return Printer(arguments, both, pairing, found).lines();
}

}  // namespace opref::cli
