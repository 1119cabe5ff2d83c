// SPDX-License-Identifier: Apache-2.0
#include "check/unreturned.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "check/bound.h"
#include "compare/error_bound.h"
#include "core/error.h"
#include "core/infinity.h"
#include "exact/rounding.h"
#include "run/node_subgraphs.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

constexpr size_t kPatterns = 4;

/// Where the elements of a value are: all above it, all below it, and twice mixed.
double direction(size_t pattern, std::int64_t element) {
  if (pattern < 2) return pattern == 0 ? 1 : -1;
  const std::uint64_t mixed = (static_cast<std::uint64_t>(element) + pattern) * 0x9e3779b97f4a7c15u;
  return (mixed >> 40 & 1) != 0 ? 1 : -1;
}

Tensor with_errors(const Tensor& tensor, std::span<const double> errors, size_t pattern) {
  return tensor_of_bits(tensor.type(), [&](std::int64_t i) {
    const double x = floating_element(tensor, i), y = x + direction(pattern, i) * errors[static_cast<size_t>(i)];
    if (!std::isfinite(y)) return element_bits(tensor, i);
    const Scaled parts = scaled(y);
    return encode_bits(tensor.dtype(), parts.negative, parts.significand, parts.exponent);
  });
}

/// What the rule allows of each element.
std::vector<double> by_rule(const Tolerance& rule, const Tensor& exact) {
  double relative = rule.rtol, absolute = rule.atol;
  if (rule.rule == Tolerance::Rule::ulp) {
    relative = std::ldexp(static_cast<double>(rule.ulp), 1 - precision_of(exact.dtype()));
    absolute =
        kernel_of(exact.dtype()) ? static_cast<double>(rule.ulp) * limits_of(exact.dtype()).smallest_subnormal : 0;
  }
  std::vector<double> errors;
  for (std::int64_t i = 0; i < exact.count(); ++i)
    errors.push_back(absolute + relative * std::abs(floating_element(exact, i)));
  return errors;
}

}  // namespace

Tolerance rule_without_bound(const Tensor& exact) {
  if (info(exact.dtype()).kind != Kind::floating) return {};
  double greatest = 0;
  for (std::int64_t i = 0; i < exact.count(); ++i)
    if (const double x = std::abs(floating_element(exact, i)); x < kInfinity) greatest = std::max(greatest, x);
  const double rtol = exact.dtype() == DType::bfloat16 ? 0x1p-6 : exact.dtype() == DType::float16 ? 0x1p-9 : 1e-3;
  constexpr double kOfGreatest = 0.01;
  return {.rule = Tolerance::Rule::relative, .rtol = rtol, .atol = std::min(kOfGreatest * rtol * greatest, 1e300)};
}

std::optional<BoundedKernel> kernel_of(DType dtype) {
  return has_limits(dtype) ? std::optional(BoundedKernel{}) : std::nullopt;
}

Unreturned::Unreturned(const ReadyCase& whole, const NodeCases& cases, const Environment& values,
                       std::optional<Tolerance> chosen, double seconds)
    : whole_(whole), cases_(cases), values_(values), chosen_(std::move(chosen)), seconds_(seconds) {
  const std::vector<Node>& nodes = whole.bound.graph.nodes;
  for (size_t place = 0; place < nodes.size(); ++place)
    for (const std::string& name : names_read(nodes[place])) readers_.try_emplace(name, place);
}

bool Unreturned::reads_inexact(const Node& node) const {
  return std::ranges::any_of(names_read(node), [&](const std::string& name) {
    const auto giver = givers_.find(name);
    return giver != givers_.end() && !giver->second.exact;
  });
}

bool Unreturned::reads_vague(const Node& node) const {
  return std::ranges::any_of(names_read(node), [&](const std::string& name) {
    const auto giver = givers_.find(name);
    return giver != givers_.end() && giver->second.vague;
  });
}

std::map<size_t, std::string> Unreturned::givers_of(const Node& node) const {
  std::map<size_t, std::string> titles;
  std::vector<const Node*> left = {&node};
  while (!left.empty()) {
    const Node& reader = *left.back();
    left.pop_back();
    for (const std::string& name : names_read(reader))
      if (const auto giver = givers_.find(name); giver != givers_.end())
        if (titles.emplace(giver->second.place, giver->second.title).second)
          left.push_back(&whole_.bound.graph.nodes[giver->second.place]);
  }
  return titles;
}

std::vector<std::string> Unreturned::read_by(const Node& node) const {
  std::vector<std::string> titles;
  for (const auto& [place, title] : givers_of(node)) titles.push_back(title);
  return titles;
}

void Unreturned::add(const std::string& name, size_t place, const std::string& title, bool wrong) {
  const Node& node = whole_.bound.graph.nodes[place];
  const Tensor* tensor = values_.find(name)->second.value->tensor();
  const bool is_floating = tensor != nullptr && info(tensor->dtype()).kind == Kind::floating;
  Giver giver{place, title, !wrong && !is_floating, wrong || reads_vague(node)};
  if (reads_inexact(node)) {  // a choice among other numbers may be another one, a shape is none
    const std::optional<Input> known = inferred(place, name);
    giver.exact &= known && known->value.has_value();
    giver.vague |= !giver.exact && !(is_floating && known && known->type.has_shape);
  }
  givers_.insert_or_assign(name, std::move(giver));
}

/// What follows without the values of which a right backend may have others.
std::optional<Input> Unreturned::inferred(size_t place, const std::string& output) const {
  const Graph& whole = whole_.bound.graph;
  Graph part;  // with a node that reads each output, since it is computed for such alone
  part.opset_import = whole.opset_import;
  part.nodes = {whole.nodes[place]};
  for (const std::string& given : whole.nodes[place].outputs)
    if (const auto reader = readers_.find(given); reader != readers_.end())
      part.nodes.push_back(whole.nodes[reader->second]);
  Environment known;
  for (const std::string& name : names_read(part.nodes.front()))
    if (const auto value = values_.find(name); value != values_.end()) {
      Input& input = known.emplace(*value).first->second;
      if (const auto giver = givers_.find(name); giver != givers_.end() && !giver->second.exact) input.value = {};
    }
  try {
    Evaluation(part, known, whole_.bound.options, Compute::types).evaluate(part.nodes.front());
  } catch (const Error& error) {
    pass_on(error);
    return std::nullopt;
  }
  const auto found = known.find(output);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

/// How far a right value of each element may be off.
std::vector<double> Unreturned::allowed(const Evaluated& right, const std::string& output, const Tensor& exact) const {
  if (chosen_ && chosen_->rule != Tolerance::Rule::bound) return by_rule(*chosen_, exact);
  if (const auto kernel = kernel_of(exact.dtype()); kernel && !has_subgraph(*right.steps.front().node))
    if (auto bounds = rough_bounds(right.steps, output, exact, chosen_ ? chosen_->kernel : *kernel))
      return *std::move(bounds);
  return by_rule(rule_without_bound(exact), exact);
}

/// The node as it computes with inputs that a right backend may have had: those of givers are known by now.
Evaluated Unreturned::moved(size_t place, size_t pattern) const {
  Environment inputs;
  for (const std::string& name : names_read(whole_.bound.graph.nodes[place])) {
    const auto giver = givers_.find(name);
    const Environment& from = giver == givers_.end() ? values_ : moved_.at({giver->second.place, pattern});
    if (const auto value = from.find(name); value != from.end()) inputs.insert(*value);
  }
  return evaluate(std::make_shared<const ReadyCase>(ReadyCase{cases_.at(place, inputs), whole_.lacks_memory}),
                  seconds_);
}

/// Makes them known, one after the other: there may be as many as the model has nodes.
void Unreturned::move_givers(const Node& reader, size_t pattern) {
  for (const auto& [place, title] : givers_of(reader)) {
    if (moved_.contains({place, pattern})) continue;
    const Evaluated evaluated = moved(place, pattern);
    Environment outputs;
    for (const std::string& name : whole_.bound.graph.nodes[place].outputs) {
      if (name.empty()) continue;
      Input output = evaluated.environment.find(name)->second;
      const Tensor* tensor = output.value->tensor();
      if (tensor != nullptr && info(tensor->dtype()).kind == Kind::floating)
        output.value = with_errors(*tensor, allowed(evaluated, name, *tensor), pattern);
      outputs.emplace(name, std::move(output));
    }
    moved_.emplace(std::pair(place, pattern), std::move(outputs));
  }
}

/// How far the output moves; nothing where it changes its kind: a shape, a NaN, an infinity.
std::optional<double> Unreturned::reach(size_t place, const std::string& output, const Tensor& exact) {
  double reach = 0;
  for (size_t pattern = 0; pattern < kPatterns; ++pattern) {
    move_givers(whole_.bound.graph.nodes[place], pattern);
    const Evaluated evaluated = moved(place, pattern);
    const Tensor* tensor = evaluated.environment.find(output)->second.value->tensor();
    if (tensor == nullptr || tensor->type() != exact.type()) return std::nullopt;
    for (std::int64_t i = 0; i < exact.count(); ++i) {
      const double x = floating_element(*tensor, i), y = floating_element(exact, i);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      if (!std::isfinite(x - y)) return std::nullopt;
      reach = std::max(reach, std::abs(x - y));
    }
  }
  return reach;
}

Unreturned::Can Unreturned::give(size_t place, const Evaluated& right, const std::string& output, const Value& actual) {
  const Node& node = whole_.bound.graph.nodes[place];
  if (!reads_inexact(node)) return Can::no;
  if (reads_vague(node)) return Can::unknown;
  const Tensor *given = actual.tensor(), *exact = right.environment.find(output)->second.value->tensor();
  if (given == nullptr || exact == nullptr) return given == exact ? Can::unknown : Can::no;
  if (given->dtype() != exact->dtype()) return Can::no;
  try {
    if (given->shape() != exact->shape()) {
      const std::optional<Input> known = inferred(place, output);
      return known && known->type.has_shape ? Can::no : Can::unknown;
    }
    if (info(exact->dtype()).kind != Kind::floating) return Can::unknown;
    const std::optional<double> moves = reach(place, output, *exact);
    if (!moves) return Can::unknown;
    constexpr double kSafety = 2;  // few values are tried
    const std::vector<double> own = allowed(right, output, *exact);
    for (std::int64_t i = 0; i < exact->count(); ++i) {
      const double x = floating_element(*given, i), y = floating_element(*exact, i);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      if (!(std::abs(x - y) <= own[static_cast<size_t>(i)] + kSafety * *moves)) return Can::no;
    }
    return Can::yes;
  } catch (const Error& error) {  // it refuses such values, or they take too long
    pass_on(error);
    return Can::unknown;
  }
}

}  // namespace opref::check
