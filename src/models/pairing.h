// SPDX-License-Identifier: Apache-2.0
// Which tensor of one model stands for which of another.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "models/model.h"

namespace opref::models {

/// How a pair was found, in the order in which it is tried.
enum class Found : std::uint8_t { end, forward, values, name, likeness, structure, in_step };
/// "values", "values in step"
std::string_view to_text(Found found);
/// Whether it is a guess: the tensors need not agree.
constexpr bool is_guess(Found found) {
  return found == Found::name || found == Found::likeness || found == Found::structure;
}

/// A tensor of the reference that agrees with one of the other model.
struct Candidate {
  size_t reference = 0;  ///< entity
  Likeness likeness;
};

/// Finds the reference's tensors with given values.
class ValueIndex {
 public:
  explicit ValueIndex(const Model& reference);
  std::vector<Candidate> find(const Numbers& numbers, const Sketch& sketch) const;

 private:
  const Model& reference_;
  std::map<std::int64_t, std::vector<size_t>> by_count_;
};

/// By entity of the other model; those without candidates are left out.
using Candidates = std::map<size_t, std::vector<Candidate>>;

struct Pair {
  size_t fresh = 0, reference = 0;  ///< entities
  Found found = Found::end;
  Layout layout = {};  ///< of the reference: how its elements lie in the other one
};

/// What can be taken back.
struct PairingState {
  std::vector<size_t> to, back;
  std::vector<Found> found;
  std::vector<Layout> layouts;
  size_t size = 0;
};

/// Pairs of entities, each in one pair at most. No two of them cross: the first of one an ancestor of the first of the
/// other, but the second a descendant.
class Pairing {
 public:
  /// `fresh` is what is compared with `reference`; both live longer.
  Pairing(const Model& fresh, const Model& reference);

  bool fits(size_t fresh, size_t reference) const;
  /// Where it fits.
  bool add(size_t fresh, size_t reference, Found found, const Layout& layout = {});
  void remove(size_t fresh);
  void set_layout(size_t fresh, const Layout& layout) { state_.layouts[fresh] = layout; }
  const PairingState& state() const { return state_; }
  void restore(PairingState state) { state_ = std::move(state); }

  const Model& fresh() const { return fresh_; }
  const Model& reference() const { return reference_; }
  size_t to(size_t fresh) const { return state_.to[fresh]; }
  size_t back(size_t reference) const { return state_.back[reference]; }
  Found found(size_t fresh) const { return state_.found[fresh]; }
  const Layout& layout(size_t fresh) const { return state_.layouts[fresh]; }
  size_t size() const { return state_.size; }
  /// In the order of the reference's entities.
  std::vector<Pair> pairs() const;
  /// Entities that are copies of a paired one but for shape or order.
  const std::set<size_t>& copies() const { return copies_; }
  void find_copies();

 private:
  const Model &fresh_, &reference_;
  PairingState state_;
  std::set<size_t> copies_;
};

struct PairingOptions {
  bool by_names = true;
  bool by_values = true;  ///< false: the models' values differ everywhere (quantised)
};

/// Inputs and outputs are paired; then by equal structure, values, names, likeness and loose structure. `candidates`
/// have the values that the other model has on the same inputs.
void pair_all(Pairing& pairing, const Candidates& candidates, const PairingOptions& options);

// Single steps; each returns how many pairs it found.
size_t pair_by_values(Pairing& pairing, const Candidates& candidates, Found found);
size_t pair_by_neighbours(Pairing& pairing);
/// Mutually most alike of one size, of a correlation of at least `least`. `sketches`: those of the other model's
/// entities instead of their own; null: their own.
size_t pair_by_likeness(Pairing& pairing, double least, const std::map<size_t, Sketch>* sketches);

}  // namespace opref::models
