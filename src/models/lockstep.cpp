// SPDX-License-Identifier: Apache-2.0
#include "models/lockstep.h"

#include <algorithm>

namespace opref::models {
namespace {
constexpr std::int64_t kMostKeptBytes = std::int64_t{256} << 20;
}

/// The values of one model that live: each until its last use.
class Lockstep::Side {
 public:
  Side(const Model& model, bool keeps_all) : model_(model), keeps_all_(keeps_all) {}

  void use(const std::string& name) { ++uses_[name]; }
  void use_by_nodes() {
    for (const ModelNode& node : model_.nodes())
      if (node.is_live)
        for (const std::string& name : model_.runner().reads(node.place)) use(name);
  }
  void release(const std::string& name) {
    const auto found = uses_.find(name);
    if (found == uses_.end() || --found->second > 0) return;
    uses_.erase(found);
    drop(name);
  }
  void forget_uses() { uses_.clear(); }

  const Value* find(const std::string& name) const {
    const auto live = values_.find(name);
    return live != values_.end() ? &live->second : model_.constant(name);
  }
  ValueOf value_of() const {
    return [this](const std::string& name) { return find(name); };
  }
  void set(const std::string& name, Value value) {
    drop_value(name);
    held_.add(value);
    values_.insert_or_assign(name, std::move(value));
  }

  /// Evaluates the node; names for which `is_fixed` holds keep what they have. Whether it has all that it reads.
  template <class IsFixed>
  bool run(size_t place, std::int64_t held_beside, const IsFixed& is_fixed) {
    const ModelNode& node = model_.nodes()[place];
    if (!node.is_evaluated() || !model_.runner().has_inputs(place, value_of())) return false;
    NodeRunner::Result result = model_.runner().run(place, value_of(), held_.total() + held_beside);
    for (auto& [name, value] : result.values)
      if (!is_fixed(name)) set(name, std::move(value));
    return true;
  }
  /// What nobody uses any more of what the node read and gave.
  void leave(size_t place) {
    for (const std::string& name : model_.runner().reads(place)) release(name);
    for (const std::string& name : model_.nodes()[place].node->outputs)
      if (!name.empty() && !uses_.contains(name)) drop(name);
  }

  /// The next node to be evaluated, of those that are live.
  size_t next = 0;
  std::int64_t held() const { return held_.total(); }
  const Model& model() const { return model_; }

 private:
  void drop(const std::string& name) {
    if (!keeps_all_) drop_value(name);
  }
  void drop_value(const std::string& name) {
    const auto live = values_.find(name);
    if (live == values_.end()) return;
    held_.remove(live->second);
    values_.erase(live);
  }

  const Model& model_;
  const bool keeps_all_;
  Values values_;
  std::map<std::string, int, std::less<>> uses_;
  HeldBytes held_;
};

/// One run over all nodes of the other model.
class Lockstep::Run {
 public:
  Run(Pairing& pairing, Side& reference, const LockstepOptions& options,
      const std::function<void(const Meeting&)>& meet)
      : pairing_(pairing),
        fresh_model_(pairing.fresh()),
        reference_model_(pairing.reference()),
        fresh_(pairing.fresh(), false),
        reference_(reference),
        base_(pairing.reference(), false),
        options_(options),
        meet_(meet) {
    fresh_.use_by_nodes();
    reference_.forget_uses();
    reference_.use_by_nodes();
    if (options.with_base) base_.use_by_nodes();
    for (const Pair& pair : pairing.pairs()) prepare(pair);
  }

  StepFindings run() {
    for (const size_t input : fresh_model_.inputs())
      if (input != kNone) meet(fresh_model_.entities()[input].name);
    for (const ModelNode& node : fresh_model_.nodes()) {
      if (!node.is_live) continue;
      if (fresh_.run(node.place, reference_.held() + base_.held(),
                     [this](const std::string& name) { return given_.contains(name); })) {
        for (const std::string& name : node.node->outputs)
          if (!name.empty()) {
            look_at(name);
            meet(name);
          }
      }
      fresh_.leave(node.place);
      if (options_.after_node) options_.after_node();
    }
    return std::move(findings_);
  }

 private:
  struct Pending {
    Pair pair;
    Region fresh_region, reference_region;
  };

  void prepare(const Pair& pair) {
    const bool is_met = options_.only.empty() || options_.only.contains(pair.fresh);
    const Entity& fresh = fresh_model_.entities()[pair.fresh];
    const Entity& reference = reference_model_.entities()[pair.reference];
    for (const std::string& cut : fresh.cuts) cut_of_.emplace(cut, pair.fresh);
    use(reference_, reference);
    if (options_.with_base) use(base_, reference);
    Pending pending{pair, {}, {}};
    if (is_met) {
      pending.fresh_region = region_of(fresh_model_, pair.fresh, [&](size_t e) { return pairing_.to(e) != kNone; });
      pending.reference_region =
          region_of(reference_model_, pair.reference, [&](size_t e) { return pairing_.back(e) != kNone; });
      for (const size_t input : pending.fresh_region.inputs) use(fresh_, fresh_model_.entities()[input]);
      for (const size_t input : pending.reference_region.inputs) use(reference_, reference_model_.entities()[input]);
    }
    pending_.emplace(pair.fresh, std::move(pending));
  }

  static void use(Side& side, const Entity& entity) {
    side.use(entity.name);
    for (const std::string& cut : entity.cuts) side.use(cut);
  }
  static void release(Side& side, const Entity& entity) {
    side.release(entity.name);
    for (const std::string& cut : entity.cuts) side.release(cut);
  }

  /// Evaluates the reference until the name has a value, or no node is left.
  void advance(Side& side, const std::string& name) {
    const std::vector<ModelNode>& nodes = side.model().nodes();
    while (side.find(name) == nullptr && side.next < nodes.size()) {
      const size_t place = side.next++;
      if (!nodes[place].is_live) continue;
      const std::int64_t beside = fresh_.held() + (&side == &reference_ ? base_.held() : reference_.held());
      side.run(place, beside, [&](const std::string& given) { return &side == &base_ && base_given_.contains(given); });
      side.leave(place);
    }
  }

  /// What is in no pair, and may be in one.
  void look_at(const std::string& name) {
    const size_t entity = fresh_model_.find_entity(name);
    if (entity == kNone || pairing_.to(entity) != kNone || (options_.index == nullptr && !options_.sketches)) return;
    const Value* value = fresh_.find(name);
    const auto numbers = value == nullptr ? std::nullopt : fresh_model_.real(name, *value);
    if (!numbers) return;
    Sketch sketch = sketch_of(*numbers);
    if (options_.index != nullptr)
      if (auto candidates = options_.index->find(*numbers, sketch); !candidates.empty())
        findings_.candidates.emplace(entity, std::move(candidates));
    if (options_.sketches) findings_.sketches.emplace(entity, std::move(sketch));
  }

  void meet(const std::string& name) {
    const auto cut = cut_of_.find(name);
    if (cut == cut_of_.end() || given_.contains(name)) return;
    const auto found = pending_.find(cut->second);
    if (found == pending_.end()) return;
    const Pending pending = std::move(found->second);
    pending_.erase(found);
    const Entity& reference = reference_model_.entities()[pending.pair.reference];
    const std::string& expected_name = reference.cuts.front();
    advance(reference_, expected_name);
    const Value *value = fresh_.find(name), *expected = reference_.find(expected_name);
    if (value != nullptr && expected != nullptr) give(name, pending, *value, *expected);
    for (const size_t input : pending.fresh_region.inputs) release(fresh_, fresh_model_.entities()[input]);
    for (const size_t input : pending.reference_region.inputs) release(reference_, reference_model_.entities()[input]);
    release(reference_, reference);
    if (options_.with_base) release(base_, reference);
  }

  /// Both values are known: they meet, and the reference's takes the place of the other one.
  void give(const std::string& name, const Pending& pending, const Value& value, const Value& expected) {
    Pair pair = pending.pair;
    const Entity& reference = reference_model_.entities()[pair.reference];
    const std::string& expected_name = reference.cuts.front();
    std::optional<Numbers> x = fresh_model_.real(name, value), y = reference_model_.real(expected_name, expected);
    if (x && y && x->values.size() == y->values.size()) {
      if (pair.layout.is_flat() && x->shape != y->shape) pair.layout = layout_by_values(*x, *y);
      pairing_.set_layout(pair.fresh, pair.layout);
      x = arranged(std::move(*x), pair.layout, y->shape);
    }
    const bool is_input = fresh_model_.entities()[pair.fresh].producer == kNone &&
                          fresh_model_.entities()[pair.fresh].cuts.front() == name &&
                          name == fresh_model_.entities()[pair.fresh].name;
    std::optional<Numbers> base;
    if (options_.with_base && y) {
      advance(base_, expected_name);
      if (const Value* based = base_.find(expected_name)) base = reference_model_.real(expected_name, *based);
      if (base && base->values.size() != y->values.size()) base.reset();
    }
    if (!is_input && (options_.only.empty() || options_.only.contains(pair.fresh)))
      meet_({pair, value, expected, x, y, base ? &*base : nullptr, pending.fresh_region, pending.reference_region,
             fresh_.value_of(), reference_.value_of(), fresh_.held() + reference_.held() + base_.held()});
    feed(pair, name, value, expected, y);
  }

  void feed(const Pair& pair, const std::string& name, const Value& value, const Value& expected,
            const std::optional<Numbers>& y) {
    const Tensor *own = value.tensor(), *right = expected.tensor();
    Value given = expected;
    if (own != nullptr && right != nullptr) {
      if (own->count() != right->count()) return;
      const bool same_type = own->dtype() == right->dtype() && !fresh_model_.has_scale(name) &&
                             !reference_model_.has_scale(reference_model_.entities()[pair.reference].cuts.front());
      if (same_type && own->dtype() != DType::string)
        given = arranged_back(*right, pair.layout, own->shape());
      else if (y && own->dtype() != DType::string)
        given = tensor_of(arranged_back(*y, pair.layout, own->shape()), own->type(), fresh_model_.scale_of(name));
    }
    if (options_.with_base && y && own != nullptr) feed_base(pair, name, given);
    for (const std::string& cut : fresh_model_.entities()[pair.fresh].cuts) {
      given_.insert(cut);
      fresh_.set(cut, options_.as_stored ? as_stored(cut, given) : given);
    }
  }

  /// Where it is dequantised for its readers: the nearest that its integers say.
  Value as_stored(const std::string& cut, const Value& value) const {
    const Tensor* tensor = value.tensor();
    const auto numbers = tensor == nullptr ? std::nullopt : numbers_of(*tensor);
    for (const ModelNode& node : fresh_model_.nodes()) {
      const std::vector<std::string>& outputs = node.node->outputs;
      if (node.standing.role != NodeRole::dequantizes || outputs.empty() || outputs.front() != cut) continue;
      const std::string& whole = node.node->inputs.front();
      const ValueType* type = fresh_model_.type_of_name(whole);
      if (type == nullptr || !numbers || !fresh_model_.has_scale(whole)) break;
      const Tensor stored = tensor_of(*numbers, {type->dtype(), tensor->shape()}, fresh_model_.scale_of(whole));
      return tensor_of(*fresh_model_.real(whole, stored), tensor->type());
    }
    return value;
  }

  /// The reference goes on from what the other model stores of its value.
  void feed_base(const Pair& pair, const std::string& name, const Value& given) {
    const auto stored = fresh_model_.real(name, given);
    if (!stored) return;
    const std::string& cut = reference_model_.entities()[pair.reference].cuts.front();
    const Value* expected = reference_.find(cut);
    if (expected == nullptr || expected->tensor() == nullptr) return;
    const TensorType& type = expected->tensor()->type();
    base_given_.insert(cut);
    base_.set(cut, tensor_of(arranged(*stored, pair.layout, type.shape), type, reference_model_.scale_of(cut)));
  }

  Pairing& pairing_;
  const Model &fresh_model_, &reference_model_;
  Side fresh_;
  Side& reference_;
  Side base_;
  const LockstepOptions& options_;
  const std::function<void(const Meeting&)>& meet_;
  std::map<std::string, size_t, std::less<>> cut_of_;
  std::map<size_t, Pending> pending_;
  std::set<std::string, std::less<>> given_, base_given_;
  StepFindings findings_;
};

Lockstep::Lockstep(Pairing& pairing, std::int64_t max_bytes)
    : pairing_(pairing),
      keeps_reference_(pairing.reference().entity_bytes() <= std::min(max_bytes / 4, kMostKeptBytes)) {}

Lockstep::~Lockstep() = default;

StepFindings Lockstep::run(const LockstepOptions& options, const std::function<void(const Meeting&)>& meet) {
  if (reference_ == nullptr || !keeps_reference_)
    reference_ = std::make_unique<Side>(pairing_.reference(), keeps_reference_);
  return Run(pairing_, *reference_, options, meet).run();
}

ValueOf Lockstep::kept_reference() const {
  return keeps_reference_ && reference_ != nullptr ? reference_->value_of() : ValueOf();
}

}  // namespace opref::models
