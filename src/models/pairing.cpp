// SPDX-License-Identifier: Apache-2.0
#include "models/pairing.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>

#include "models/structure.h"

namespace opref::models {

std::string_view to_text(Found found) {
  switch (found) {
    case Found::end:
      return "input or output";
    case Found::forward:
      return "equal structure";
    case Found::values:
      return "values";
    case Found::name:
      return "name";
    case Found::likeness:
      return "likeness";
    case Found::structure:
      return "structure";
    case Found::in_step:
      return "values in step";
  }
  return "";
}

ValueIndex::ValueIndex(const Model& reference) : reference_(reference) {
  for (size_t entity = 0; entity < reference.entities().size(); ++entity) {
    const Sketch& sketch = reference.entities()[entity].sketch;
    if (!sketch.is_constant) by_count_[sketch.count].push_back(entity);
  }
}

std::vector<Candidate> ValueIndex::find(const Numbers& numbers, const Sketch& sketch) const {
  std::vector<Candidate> candidates;
  const auto group = by_count_.find(sketch.count);
  if (group == by_count_.end() || sketch.is_constant) return candidates;
  for (const size_t entity : group->second)
    if (const auto likeness = likeness_to(numbers, sketch, reference_.entities()[entity].sketch))
      candidates.push_back({entity, *likeness});
  return candidates;
}

Pairing::Pairing(const Model& fresh, const Model& reference)
    : fresh_(fresh),
      reference_(reference),
      state_{std::vector(fresh.entities().size(), kNone), std::vector(reference.entities().size(), kNone),
             std::vector(fresh.entities().size(), Found::end), std::vector<Layout>(fresh.entities().size())} {}

namespace {

bool is_numeric(const ValueType& type) {
  const Kind kind = info(type.dtype()).kind;
  return kind != Kind::string && kind != Kind::complex;
}

bool may_be_one(const ValueType& a, const ValueType& b) {
  if (a.form != b.form || is_numeric(a) != is_numeric(b)) return false;
  return a.form != Form::tensor || element_count(a.tensor.shape) == element_count(b.tensor.shape);
}

}  // namespace

bool Pairing::fits(size_t fresh, size_t reference) const {
  if (state_.to[fresh] != kNone || state_.back[reference] != kNone) return false;
  if (fresh_.entities()[fresh].is_inner || reference_.entities()[reference].is_inner) return false;
  if (!may_be_one(fresh_.entities()[fresh].type, reference_.entities()[reference].type)) return false;
  for (size_t other = 0; other < state_.to.size(); ++other) {
    const size_t its = state_.to[other];
    if (its == kNone) continue;
    if (fresh_.is_ancestor(other, fresh) && reference_.is_ancestor(reference, its)) return false;
    if (reference_.is_ancestor(its, reference) && fresh_.is_ancestor(fresh, other)) return false;
  }
  return true;
}

bool Pairing::add(size_t fresh, size_t reference, Found found, const Layout& layout) {
  if (!fits(fresh, reference)) return false;
  state_.to[fresh] = reference;
  state_.back[reference] = fresh;
  state_.found[fresh] = found;
  state_.layouts[fresh] = layout;
  ++state_.size;
  return true;
}

void Pairing::remove(size_t fresh) {
  if (state_.to[fresh] == kNone) return;
  state_.back[state_.to[fresh]] = kNone;
  state_.to[fresh] = kNone;
  --state_.size;
}

std::vector<Pair> Pairing::pairs() const {
  std::vector<Pair> pairs;
  for (size_t reference = 0; reference < state_.back.size(); ++reference)
    if (const size_t fresh = state_.back[reference]; fresh != kNone)
      pairs.push_back({fresh, reference, state_.found[fresh], state_.layouts[fresh]});
  return pairs;
}

void Pairing::find_copies() {
  copies_.clear();
  for (size_t entity = 0; entity < state_.to.size(); ++entity) {
    const size_t producer = fresh_.entities()[entity].producer;
    if (state_.to[entity] != kNone || producer == kNone) continue;
    const ModelNode& node = fresh_.nodes()[producer];
    if (!(node.standing.keeps_order || node.standing.permutes) || node.operands.empty()) continue;
    const size_t of = node.operands.front().entity;
    if (of != kNone && (state_.to[of] != kNone || copies_.contains(of))) copies_.insert(entity);
  }
}

namespace {

std::string_view plain_of(const Model& model, size_t entity) {
  const size_t producer = model.entities()[entity].producer;
  return producer == kNone ? std::string_view() : model.nodes()[producer].standing.plain;
}

using Keys = std::vector<std::uint64_t>;
using Groups = std::map<std::uint64_t, std::vector<size_t>>;

Keys joined(const Keys& a, const Keys& b) {
  Keys keys(a.size());
  for (size_t i = 0; i < a.size(); ++i) keys[i] = Hash().add(a[i]).add(b[i]).value();
  return keys;
}

/// Those that one key of each model has; where `ties`, also k of k, in order.
size_t pair_equal(Pairing& pairing, const Keys& fresh, const Keys& reference, Found found, bool ties = false) {
  Groups mine, theirs;
  for (size_t i = 0; i < fresh.size(); ++i)
    if (pairing.to(i) == kNone && fresh[i] != 0) mine[fresh[i]].push_back(i);
  for (size_t i = 0; i < reference.size(); ++i)
    if (pairing.back(i) == kNone && reference[i] != 0) theirs[reference[i]].push_back(i);
  size_t count = 0;
  std::vector<std::pair<size_t, size_t>> chosen;  // in the order of the graph, as no pair may cross an earlier one
  for (const auto& [key, group] : mine) {
    const auto other = theirs.find(key);
    if (other == theirs.end() || other->second.size() != group.size() || (group.size() > 1 && !ties)) continue;
    for (size_t k = 0; k < group.size(); ++k) chosen.emplace_back(group[k], other->second[k]);
  }
  std::ranges::sort(chosen);
  for (const auto& [a, b] : chosen) count += pairing.add(a, b, found) ? 1 : 0;
  return count;
}

void pair_ends(Pairing& pairing) {
  const Model &fresh = pairing.fresh(), &reference = pairing.reference();
  const auto names_of = [](const std::vector<ValueInfo>& infos) {
    std::set<std::string_view> names;
    for (const ValueInfo& info : infos) names.insert(info.name);
    return names;
  };
  const auto pair_lists = [&](const std::vector<ValueInfo>& mine, const std::vector<size_t>& my_entities,
                              const std::vector<ValueInfo>& theirs, const std::vector<size_t>& their_entities) {
    const bool by_name = names_of(mine) == names_of(theirs);
    for (size_t k = 0; k < mine.size(); ++k) {
      size_t other = k;
      if (by_name)
        other = static_cast<size_t>(std::ranges::find(theirs, mine[k].name, &ValueInfo::name) - theirs.begin());
      if (other < theirs.size() && my_entities[k] != kNone && their_entities[other] != kNone)
        pairing.add(my_entities[k], their_entities[other], Found::end);
    }
  };
  pair_lists(fresh.graph().inputs, fresh.inputs(), reference.graph().inputs, reference.inputs());
  pair_lists(fresh.graph().outputs, fresh.outputs(), reference.graph().outputs, reference.outputs());
}

size_t pair_by_names(Pairing& pairing) {
  constexpr std::string_view kQuantized = "_quantized";
  constexpr double kLeast = 0.3;
  const Model &fresh = pairing.fresh(), &reference = pairing.reference();
  const PlaceHashes mine = place_hashes(fresh, Detail::loose), theirs = place_hashes(reference, Detail::loose);
  size_t count = 0;
  for (size_t entity = 0; entity < fresh.entities().size(); ++entity) {
    std::string_view name = fresh.entities()[entity].name;
    size_t other = reference.find_entity(name);
    if (other == kNone && name.ends_with(kQuantized))
      other = reference.find_entity(name.substr(0, name.size() - kQuantized.size()));
    if (other == kNone) continue;
    const bool agrees = mine.forward[entity] == theirs.forward[other] ||
                        mine.backward[entity] == theirs.backward[other] ||
                        correlation(fresh.entities()[entity].sketch, reference.entities()[other].sketch) > kLeast;
    if (agrees) count += pairing.add(entity, other, Found::name) ? 1 : 0;
  }
  return count;
}

/// The entities of each key, where each is an ancestor of the next one.
Groups chains(const Model& model, const Keys& keys) {
  Groups all, chained;
  for (size_t i = 0; i < keys.size(); ++i) all[keys[i]].push_back(i);
  for (auto& [key, group] : all) {
    bool is_chain = true;
    for (size_t k = 1; k < group.size(); ++k) is_chain = is_chain && model.is_ancestor(group[k - 1], group[k]);
    if (is_chain) chained.emplace(key, std::move(group));
  }
  return chained;
}

/// Ends of segments between the nodes that folding leaves: the last tensor of each.
size_t pair_by_skeleton(Pairing& pairing) {
  const PlaceHashes mine = skeleton_hashes(pairing.fresh()), theirs = skeleton_hashes(pairing.reference());
  size_t count = 0;
  const auto pair_ends_of = [&](const Keys& a, const Keys& b) {
    const Groups fresh = chains(pairing.fresh(), a), reference = chains(pairing.reference(), b);
    std::vector<std::pair<size_t, size_t>> chosen;
    for (const auto& [key, group] : fresh)
      if (const auto other = reference.find(key); other != reference.end())
        chosen.emplace_back(group.back(), other->second.back());
    std::ranges::sort(chosen);
    for (const auto& [x, y] : chosen) count += pairing.add(x, y, Found::structure) ? 1 : 0;
  };
  pair_ends_of(joined(mine.forward, mine.backward), joined(theirs.forward, theirs.backward));
  pair_ends_of(mine.forward, theirs.forward);
  pair_ends_of(mine.backward, theirs.backward);
  return count;
}

void pair_by_structure(Pairing& pairing) {
  const PlaceHashes mine = place_hashes(pairing.fresh(), Detail::full),
                    theirs = place_hashes(pairing.reference(), Detail::full),
                    my_loose = place_hashes(pairing.fresh(), Detail::loose),
                    their_loose = place_hashes(pairing.reference(), Detail::loose);
  const auto pair_keys = [&](const Keys& a, const Keys& b, bool ties = false) {
    pair_equal(pairing, a, b, Found::structure, ties);
  };
  pair_keys(mine.forward, theirs.forward);
  pair_keys(mine.backward, theirs.backward);
  pair_by_skeleton(pairing);
  pair_keys(joined(my_loose.forward, my_loose.backward), joined(their_loose.forward, their_loose.backward));
  pair_keys(my_loose.forward, their_loose.forward);
  pair_keys(my_loose.backward, their_loose.backward);
  pair_keys(joined(mine.forward, mine.backward), joined(theirs.forward, theirs.backward), true);
  pair_keys(joined(my_loose.forward, my_loose.backward), joined(their_loose.forward, their_loose.backward), true);
  pair_by_neighbours(pairing);
}

}  // namespace

size_t pair_by_values(Pairing& pairing, const Candidates& candidates, Found found) {
  const Model &fresh = pairing.fresh(), &reference = pairing.reference();
  size_t count = 0;
  for (const double tolerance : kTolerances)
    for (const auto& [entity, all] : candidates) {
      if (pairing.to(entity) != kNone) continue;
      std::vector<Candidate> some;
      for (const Candidate& candidate : all)
        if (candidate.likeness.tolerance <= tolerance && pairing.back(candidate.reference) == kNone)
          some.push_back(candidate);
      std::ranges::stable_sort(some, {}, [&, entity = entity](const Candidate& candidate) {
        return std::pair(fresh.entities()[entity].name != reference.entities()[candidate.reference].name,
                         plain_of(fresh, entity) != plain_of(reference, candidate.reference));
      });
      for (const Candidate& candidate : some)
        if (pairing.add(entity, candidate.reference, found, candidate.likeness.layout)) {
          ++count;
          break;
        }
    }
  return count;
}

namespace {

/// Nodes with results that are in no pair, by their operator and the operand that reads an entity.
using ReaderGroups = std::map<std::pair<std::string_view, size_t>, std::vector<size_t>>;
ReaderGroups open_readers(const Model& model, size_t entity, const std::function<bool(size_t)>& is_paired) {
  ReaderGroups groups;
  for (const Reader& reader : model.entities()[entity].readers) {
    const ModelNode& node = model.nodes()[reader.node];
    const bool is_open =
        std::ranges::any_of(node.outputs, [&](size_t output) { return output != kNone && !is_paired(output); });
    if (is_open) groups[{node.standing.plain, reader.operand}].push_back(reader.node);
  }
  return groups;
}

size_t pair_operands(Pairing& pairing, const Pair& pair) {
  const Model &fresh = pairing.fresh(), &reference = pairing.reference();
  const size_t a = fresh.entities()[pair.fresh].producer, b = reference.entities()[pair.reference].producer;
  if (a == kNone || b == kNone || fresh.nodes()[a].standing.plain != reference.nodes()[b].standing.plain) return 0;
  const auto &mine = fresh.nodes()[a].operands, &theirs = reference.nodes()[b].operands;
  size_t count = 0;
  for (size_t k = 0; k < std::min(mine.size(), theirs.size()); ++k)
    if (mine[k].entity != kNone && theirs[k].entity != kNone)
      count += pairing.add(mine[k].entity, theirs[k].entity, Found::structure) ? 1 : 0;
  return count;
}

size_t pair_readers(Pairing& pairing, const Pair& pair) {
  const Model &fresh = pairing.fresh(), &reference = pairing.reference();
  const ReaderGroups mine = open_readers(fresh, pair.fresh, [&](size_t e) { return pairing.to(e) != kNone; }),
                     theirs =
                         open_readers(reference, pair.reference, [&](size_t e) { return pairing.back(e) != kNone; });
  size_t count = 0;
  for (const auto& [key, group] : mine) {
    const auto other = theirs.find(key);
    if (other == theirs.end() || group.size() != 1 || other->second.size() != 1) continue;
    const auto &a = fresh.nodes()[group.front()].outputs, &b = reference.nodes()[other->second.front()].outputs;
    for (size_t k = 0; k < std::min(a.size(), b.size()); ++k)
      if (a[k] != kNone && b[k] != kNone) count += pairing.add(a[k], b[k], Found::structure) ? 1 : 0;
  }
  return count;
}

}  // namespace

size_t pair_by_neighbours(Pairing& pairing) {
  const auto of_all = [&](size_t (*step)(Pairing&, const Pair&)) {
    size_t count = 0;
    for (const Pair& pair : pairing.pairs()) count += step(pairing, pair);
    return count;
  };
  // Operands first: where BatchNormalization is folded, what reads its result knows that the folded node stands for
  // both, while what the Conv reads would take it for the Conv alone.
  size_t total = 0, count = 0;
  do {
    count = of_all(pair_operands);
    if (count == 0) count = of_all(pair_readers);
    total += count;
  } while (count > 0);
  return total;
}

size_t pair_by_likeness(Pairing& pairing, double least, const std::map<size_t, Sketch>* sketches) {
  constexpr std::int64_t kLeastElements = 8;
  struct Likely {
    double correlation;
    size_t fresh, reference;
  };
  const Model &fresh = pairing.fresh(), &reference = pairing.reference();
  const auto is_of_use = [](const Sketch& sketch) { return sketch.count >= kLeastElements && !sketch.is_constant; };
  std::map<std::int64_t, std::vector<size_t>> theirs;
  for (size_t entity = 0; entity < reference.entities().size(); ++entity)
    if (pairing.back(entity) == kNone && is_of_use(reference.entities()[entity].sketch))
      theirs[reference.entities()[entity].sketch.count].push_back(entity);
  std::vector<Likely> likely;
  for (size_t entity = 0; entity < fresh.entities().size(); ++entity) {
    const Sketch* sketch = &fresh.entities()[entity].sketch;
    if (sketches != nullptr) {
      const auto found = sketches->find(entity);
      if (found == sketches->end()) continue;
      sketch = &found->second;
    }
    const auto group = theirs.find(sketch->count);
    if (pairing.to(entity) != kNone || !is_of_use(*sketch) || group == theirs.end()) continue;
    for (const size_t other : group->second)
      if (const double r = correlation(*sketch, reference.entities()[other].sketch); r >= least)
        likely.push_back({r, entity, other});
  }
  std::ranges::sort(likely, [](const Likely& a, const Likely& b) {
    return std::tuple(-a.correlation, a.fresh, a.reference) < std::tuple(-b.correlation, b.fresh, b.reference);
  });
  size_t count = 0;
  for (const Likely& one : likely) count += pairing.add(one.fresh, one.reference, Found::likeness) ? 1 : 0;
  return count;
}

void pair_all(Pairing& pairing, const Candidates& candidates, const PairingOptions& options) {
  constexpr double kVeryLike = 0.995, kLike = 0.9;
  pair_ends(pairing);
  pair_equal(pairing, place_hashes(pairing.fresh(), Detail::full).forward,
             place_hashes(pairing.reference(), Detail::full).forward, Found::forward);
  if (options.by_values) pair_by_values(pairing, candidates, Found::values);
  if (options.by_names) pair_by_names(pairing);
  if (options.by_values) pair_by_likeness(pairing, kVeryLike, nullptr);
  pair_by_structure(pairing);
  pair_by_likeness(pairing, kLike, nullptr);
  pair_by_neighbours(pairing);
  pairing.find_copies();
}

}  // namespace opref::models
