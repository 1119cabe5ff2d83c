// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "compare/compare.h"
#include "models/comparison.h"

namespace opref::models {
namespace {

/// By which equal nodes are known: operator, attributes, constants.
std::uint64_t key_of(const Model& model, const ModelNode& node) {
  Hash hash;
  hash.add(node.standing.plain);
  for (const auto& [name, text] : node.telling) hash.add(name).add(text);
  for (const Operand& operand : node.operands)
    hash.add(operand.entity == kNone && !operand.name.empty() ? model.constant_hash(operand.name, true) : 0);
  return hash.value();
}

using Nodes = std::vector<const ModelNode*>;

Nodes computing(const Model& model, const Region& region) {
  Nodes nodes;
  for (const size_t place : region.nodes)
    if (!model.nodes()[place].is_looked_through && !model.nodes()[place].is_inner)
      nodes.push_back(&model.nodes()[place]);
  return nodes;
}

/// Those of `nodes` that `others` do not have.
Nodes without_equal(const Model& model, const Nodes& nodes, const Model& other_model, const Nodes& others) {
  std::multiset<std::uint64_t> keys;
  for (const ModelNode* node : others) keys.insert(key_of(other_model, *node));
  Nodes rest;
  for (const ModelNode* node : nodes) {
    const auto found = keys.find(key_of(model, *node));
    if (found == keys.end())
      rest.push_back(node);
    else
      keys.erase(found);
  }
  return rest;
}

const std::string* text_of(const AttributeTexts& texts, const std::string& name) {
  const auto found = std::ranges::find(texts, name, &std::pair<std::string, std::string>::first);
  return found == texts.end() ? nullptr : &found->second;
}

class Describer {
 public:
  Describer(const Pairing& pairing, const Pair& pair)
      : pairing_(pairing),
        fresh_(pairing.fresh()),
        reference_(pairing.reference()),
        mine_(region_of(fresh_, pair.fresh, [&](size_t e) { return pairing.to(e) != kNone; })),
        theirs_(region_of(reference_, pair.reference, [&](size_t e) { return pairing.back(e) != kNone; })) {}

  Description describe() {
    const Nodes all = computing(fresh_, mine_), right = computing(reference_, theirs_);
    for (const ModelNode* node : all) described_.fresh_nodes.push_back(node->place);
    for (const ModelNode* node : right) described_.reference_nodes.push_back(node->place);
    described_.inputs = theirs_.inputs;
    is_one_to_one_ = all.size() == right.size();
    Nodes added = without_equal(fresh_, all, reference_, right),
          missing = without_equal(reference_, right, fresh_, all);
    std::vector<std::pair<const ModelNode*, const ModelNode*>> both;
    for (const ModelNode* node : Nodes(missing)) {
      const auto same = std::ranges::find_if(
          added, [&](const ModelNode* other) { return other->standing.plain == node->standing.plain; });
      if (same == added.end()) continue;
      both.emplace_back(*same, node);
      added.erase(same);
      std::erase(missing, node);
    }
    if (added.size() == 1 && missing.size() == 1 && is_one_to_one_) {
      both.emplace_back(added.front(), missing.front());
      added.clear();
      missing.clear();
    }
    if (both.empty() && added.empty() && missing.empty() && is_one_to_one_)
      for (size_t k = 0; k < all.size(); ++k) both.emplace_back(all[k], right[k]);
    for (const auto& [node, other] : both) compare(*node, *other);
    for (const ModelNode* node : missing) say(*node, "missing in NEW");
    for (const ModelNode* node : added) described_.sentences.push_back(format("{}: in NEW only", node->title()));
    compare_inputs();
    return std::move(described_);
  }

 private:
  void say(const ModelNode& node, const std::string& what) {
    described_.sentences.push_back(format("{}: {}", node.title(), what));
    described_.culprits.push_back(node.place);
  }

  void compare(const ModelNode& node, const ModelNode& right) {
    std::vector<std::string> parts;
    const bool is_same_operator = is_same(node, right);
    if (node.node->op_type != right.node->op_type)
      parts.push_back(format("{}, not {}", printable(node.node->op_type), printable(right.node->op_type)));
    else if (is_same_operator && node.version != right.version)
      parts.push_back(format("by the rules of version {}, not {}", node.version, right.version));
    compare_attributes(node, right, parts);
    if (is_same_operator && !is_one_to_one_ && parts.empty()) return;
    if (is_one_to_one_ && is_same_operator) compare_constants(node, right, parts);
    compare_operands(node, right, parts);
    if (!parts.empty()) say(right, join_text(parts, "; "));
  }

  static bool is_same(const ModelNode& node, const ModelNode& right) {
    return node.node->op_type == right.node->op_type &&
           canonical_domain(node.node->domain) == canonical_domain(right.node->domain);
  }

  /// Of operators of two domains, or of two versions, those that both have.
  static void compare_attributes(const ModelNode& node, const ModelNode& right, std::vector<std::string>& parts) {
    std::set<std::string> names;
    for (const auto& [name, text] : node.attributes) names.insert(name);
    for (const auto& [name, text] : right.attributes) names.insert(name);
    for (const std::string& name : names) {
      const std::string *mine = text_of(node.attributes, name), *theirs = text_of(right.attributes, name);
      if (mine != nullptr && theirs != nullptr && *mine == *theirs) continue;
      const bool is_other_form = !is_same(node, right) || node.version != right.version;
      if (is_other_form && (mine == nullptr || theirs == nullptr)) continue;
      parts.push_back(format("{} {}, not {}", name, mine == nullptr ? "absent" : printable(*mine),
                             theirs == nullptr ? "absent" : printable(*theirs)));
    }
  }

  void compare_constants(const ModelNode& node, const ModelNode& right, std::vector<std::string>& parts) const {
    for (size_t k = 0; k < std::min(node.operands.size(), right.operands.size()); ++k) {
      const Operand &mine = node.operands[k], &theirs = right.operands[k];
      if (mine.entity != kNone || theirs.entity != kNone) continue;
      const Value *value = fresh_.constant(mine.name), *other = reference_.constant(theirs.name);
      if (value == nullptr || other == nullptr || value->tensor() == nullptr || other->tensor() == nullptr) continue;
      if (const std::string text = constant_text(*value->tensor(), *other->tensor()); !text.empty())
        parts.push_back(format("input {} ({}): {}", k, printable(theirs.name), text));
    }
    if (node.node->inputs.size() != right.node->inputs.size())
      parts.push_back(format("{}, not {}", counted(std::ssize(node.node->inputs), "input"), right.node->inputs.size()));
  }

  static std::string constant_text(const Tensor& tensor, const Tensor& right) {
    if (tensor.count() != right.count()) return format("{}, not {}", to_text(tensor.type()), to_text(right.type()));
    const auto x = numbers_of(tensor), y = numbers_of(right);
    if (!x || !y) return "";
    const Figures figures = figures_of(*x, *y);
    if (figures.differ == 0) return "";
    return format("{} of {} elements differ, greatest difference {}", figures.differ, figures.count,
                  short_number(figures.max));
  }

  /// What the operands are that depend on the inputs, by the reference's names.
  void compare_operands(const ModelNode& node, const ModelNode& right, std::vector<std::string>& parts) {
    std::vector<std::string> mine, theirs;
    for (const Operand& operand : node.operands) {
      if (operand.entity == kNone) continue;
      const size_t other = pairing_.to(operand.entity);
      if (other == kNone) return;
      mine.push_back(printable(reference_.entities()[other].name));
    }
    for (const Operand& operand : right.operands) {
      if (operand.entity == kNone) continue;
      if (pairing_.back(operand.entity) == kNone) return;
      theirs.push_back(printable(operand.name));
    }
    if (mine == theirs) return;
    std::vector<std::string> a = mine, b = theirs;
    std::ranges::sort(a), std::ranges::sort(b);
    says_inputs_ = true;
    if (a == b)
      parts.emplace_back("inputs in another order");
    else
      parts.push_back(format("reads {}, not {}", join_some(mine, ", ", 4), join_some(theirs, ", ", 4)));
  }

  void compare_inputs() {
    std::set<size_t> mine;
    for (const size_t input : mine_.inputs)
      if (pairing_.to(input) != kNone) mine.insert(pairing_.to(input));
    const std::set<size_t> theirs(theirs_.inputs.begin(), theirs_.inputs.end());
    if (mine == theirs || says_inputs_) return;
    const auto names_of = [&](const std::set<size_t>& some, const std::set<size_t>& others) {
      std::vector<std::string> names;
      for (const size_t entity : some)
        if (!others.contains(entity)) names.push_back(printable(reference_.entities()[entity].name));
      return names.empty() ? std::string("less") : join_some(names, ", ", 4);
    };
    described_.sentences.push_back(format("reads {}, not {}", names_of(mine, theirs), names_of(theirs, mine)));
    for (const size_t place : described_.reference_nodes)
      if (std::ranges::any_of(reference_.nodes()[place].operands, [&](const Operand& operand) {
            return theirs.contains(operand.entity) && !mine.contains(operand.entity);
          }))
        described_.culprits.push_back(place);
  }

  const Pairing& pairing_;
  const Model &fresh_, &reference_;
  const Region mine_, theirs_;
  bool is_one_to_one_ = false, says_inputs_ = false;
  Description described_;
};

}  // namespace

Description describe(const Pairing& pairing, const Pair& pair) { return Describer(pairing, pair).describe(); }

}  // namespace opref::models
