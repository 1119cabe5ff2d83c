// SPDX-License-Identifier: Apache-2.0
#include "explain/mistakes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "compare/compare.h"
#include "compare/error_bound.h"
#include "core/error.h"
#include "exact/rounding.h"
#include "explain/arithmetic.h"
#include "explain/element.h"
#include "explain/evaluated.h"
#include "explain/narrowing.h"
#include "system/machine_error.h"

namespace opref::explain {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 22;
constexpr std::int64_t kMostTerms = std::int64_t{1} << 21;
/// Elements that are looked at first: nearly all other arithmetic already differs there.
constexpr size_t kSample = 64;
/// Terms that all arithmetic together may look at.
constexpr std::int64_t kMostWork = std::int64_t{1} << 27;

/// Compares what calls and arithmetic give with what a backend gave.
class Search {
 public:
  explicit Search(std::span<const Tensor> actual) : actual_(actual) {}

  /// The call where it is one and its outputs have the backend's types; nothing where the node refuses the change.
  template <class F>
  std::optional<Call> accepted(const F& made) const {
    return unless_refused([&]() -> std::optional<Call> {
      const std::optional<Call> call = made();
      if (!call) return std::nullopt;
      std::vector<ValueType> types = types_with_shapes(*call);
      if (types.size() > actual_.size()) types.resize(actual_.size());  // the node does not name the others
      const bool same = std::ranges::equal(types, actual_, {}, &ValueType::tensor, &Tensor::type);
      return same ? call : std::nullopt;
    });
  }

  /// Whether the call gives the outputs: bit for bit where there are no rules.
  bool fits(const Call& call, std::span<const Tolerance> rules = {}) const {
    const auto values = values_of(call);
    if (!values) return false;
    for (size_t i = 0; i < actual_.size(); ++i)
      if (!compare_values(actual_[i], (*values)[i], rules.empty() ? Tolerance{} : rules[i]).equal()) return false;
    return true;
  }

  /// Whether the call gives the outputs where results are carried in narrower types.
  bool fits_narrowed(const Call& call) const {
    const auto values = values_of(call);
    return values && std::ranges::equal(*values, actual_, [](const Tensor& value, const Tensor& actual) {
             return compare_values(actual, narrowed_result(value), Tolerance{}).equal();
           });
  }

  /// Ways that give the backend's output.
  struct Ways {
    std::vector<std::string> rounding;  ///< of the same formula
    std::vector<std::string> formulas;  ///< of another one
  };

  /// The plainest of the call's arithmetic that fits, and what is as plain but for order and fusing.
  Ways by_arithmetic(const Call& call) {
    const DType dtype = actual_[0].dtype();
    const Kind kind = info(dtype).kind;
    const bool integer = kind == Kind::signed_integer || kind == Kind::unsigned_integer;
    if (actual_.size() != 1 || actual_[0].count() == 0 || (!integer && info(dtype).bits < 16)) return {};
    const auto table = unless_refused([&] { return collect_terms(call, call.op().output_types(call), kMostTerms); });
    const auto values = values_of(call);
    if (!table || !values) return {};
    const std::vector<size_t> sample = sample_of(values->front());
    Ways found;
    std::array<std::optional<int>, 2> plainest;
    for (const Arithmetic& way : known_arithmetic(dtype, table->norm)) {
      const bool other = changes_formula(way);
      std::vector<std::string>& list = other ? found.formulas : found.rounding;
      std::optional<int>& least = plainest[other ? 1 : 0];
      if (to_text(way).empty() || list.size() == kMostEqual || (least && changes(way) > *least)) continue;
      if (!says_anything(way, *table) || !agrees(way, *table, sample)) continue;
      least = changes(way);
      list.push_back(to_text(way));
      if (work_ > kMostWork) break;
    }
    return found;
  }

  /// Whether each element can be a sum, or a 1- or 2-norm, of the call's terms that is rounded to `accumulator` after
  /// each operation, in whatever order, and then to `carried`.
  bool within_bound(const Call& call, DType accumulator, DType carried) {
    const auto table = unless_refused([&] { return collect_terms(call, call.op().output_types(call), kMostTerms); });
    if (actual_.size() != 1 || !table || !table->scales.empty()) return false;
    const double p = table->norm.value_or(0);
    if (p > 2 || p != std::floor(p)) return false;
    ErrorBound bound({.accumulator = accumulator}, carried);
    MagnitudeSum terms;
    for (size_t i = 0; i < table->ends.size(); ++i) {
      terms.clear();
      for (const TermTable::Term& term : table->of(i))
        p == 2 ? terms.add(term.a, term.a) : terms.add(p == 1 ? std::abs(term.a) : term.a, term.b);
      work_ += static_cast<std::int64_t>(terms.terms()) + 1;
      if (work_ > kMostWork || !bound.no_bound(terms).empty()) return false;
      if (terms.finite() && bound.may_overflow(terms)) return false;
      const double actual = floating_element(actual_[0], static_cast<std::int64_t>(i));
      if (!(p == 2 ? bound.judge_root(terms, actual) : bound.judge_sum(terms, actual)).passes) return false;
    }
    return !table->ends.empty();
  }

  std::span<const Tensor> actual() const { return actual_; }
  /// Whether it had no time for all arithmetic.
  bool gave_up() const { return work_ > kMostWork; }

 private:
  template <class F>
  static auto unless_refused(const F& f) -> decltype(f()) {
    try {
      return f();
    } catch (const Error& error) {
      if (error.fault() == Fault::internal || dynamic_cast<const MachineError*>(&error) != nullptr) throw;
      return std::nullopt;
    }
  }

  static std::optional<std::vector<Tensor>> values_of(const Call& call) {
    return unless_refused(
        [&] { return std::optional(tensors_of(call.op().kernel(call, call.op().output_types(call)))); });
  }

  bool same(const Arithmetic& way, const TermTable& table, size_t element) {
    const DType dtype = actual_[0].dtype();
    work_ += static_cast<std::int64_t>(table.of(element).size()) + 1;
    return is_actual(way.element(table, element, dtype), element);
  }

  bool is_actual(std::uint64_t bits, size_t element) const {
    const DType dtype = actual_[0].dtype();
    const std::uint64_t wanted = element_bits(actual_[0], static_cast<std::int64_t>(element));
    if (bits == wanted) return true;
    return info(dtype).kind == Kind::floating && std::isnan(floating_value(dtype, bits)) &&
           std::isnan(floating_value(dtype, wanted));
  }

  /// The first elements in which the correct values are not the backend's.
  std::vector<size_t> sample_of(const Tensor& correct) const {
    std::vector<size_t> sample;
    const auto count = static_cast<size_t>(correct.count());
    for (size_t i = 0; i < count && sample.size() < kSample; ++i)
      if (!is_actual(element_bits(correct, static_cast<std::int64_t>(i)), i)) sample.push_back(i);
    return sample;
  }

  bool agrees(const Arithmetic& way, const TermTable& table, std::span<const size_t> sample) {
    for (const size_t element : sample)
      if (!same(way, table, element)) return false;
    for (size_t element = 0; element < table.ends.size(); ++element)
      if (work_ > kMostWork || !same(way, table, element)) return false;
    return true;
  }

  std::span<const Tensor> actual_;
  std::int64_t work_ = 0;
};

KnownMistake ignored_attribute(std::string_view name) {
  return {format("{} ignored", name), [name](const Call& call) { return std::optional(call.without_attribute(name)); }};
}

KnownMistake ignored_input(std::string_view name) {
  return {format("{} ignored", name), [name](const Call& call) { return std::optional(call.without_input(name)); }};
}

KnownMistake reversed_list(std::string_view name) {
  return {format("{} in reverse order of axes", name), [name](const Call& call) {
            std::vector<std::int64_t> list = call.integers(name);
            std::ranges::reverse(list);
            return std::optional(call.with_attribute(name, AttributeValue::of(std::move(list))));
          }};
}

}  // namespace

std::vector<KnownMistake> known_mistakes(const Call& call) {
  std::vector<KnownMistake> mistakes;
  const OpSchema& schema = call.schema();
  for (const AttributeSchema& attribute : schema.attributes())
    if (call.stated(attribute.name)) mistakes.push_back(ignored_attribute(attribute.name));
  for (const FormalParameter& input : schema.inputs())
    if (input.arity == Arity::optional && call.has(input.name)) mistakes.push_back(ignored_input(input.name));
  for (const Mistake& own : call.op().mistakes()) mistakes.push_back({std::string(own.name), own.made});
  for (const AttributeSchema& attribute : schema.attributes())
    if (call.stated(attribute.name) && attribute.type == AttributeType::INTS)
      mistakes.push_back(reversed_list(attribute.name));
  return mistakes;
}

namespace {

/// Whether both say the same, and are computed by the same kernel.
bool is_same(const Call& a, const Call& b) { return &a.op() == &b.op() && a.says_as(b); }

}  // namespace

std::optional<Call> in_play(const KnownMistake& mistake, const Call& call) {
  std::optional<Call> other = mistake.made(call);
  if (!other || is_same(*other, call)) return std::nullopt;
  other->set_numerics(call.numerics());
  return other;
}

namespace {

std::string with_arithmetic(const std::string& name, const std::string& arithmetic) { return name + ", " + arithmetic; }

/// What gives a node's outputs beside its other readings alone, kind after kind.
class StepSearch {
 public:
  StepSearch(const Step& step, std::span<const Tensor> actual, std::span<const Tolerance> rules)
      : step_(step), rules_(rules), search_(actual) {}

  Explanation explanation() {
    const auto right = search_.accepted([&] { return std::optional(step_.call); });
    if (right && search_.fits(*right)) return {{}, "", true};
    const Search::Ways ways = right ? search_.by_arithmetic(*right) : Search::Ways();
    readings_with_arithmetic(ways.rounding);
    if (causes_.empty())
      for (const std::string& way : ways.rounding) add(Cause::Kind::arithmetic, way, kArithmetic);
    if (causes_.empty() && right && is_narrowed(search_.actual().front().dtype())) narrowings(*right);
    if (causes_.empty()) mistakes(ways.formulas);
    if (causes_.empty() && right) other_orders(*right);
    return {std::move(causes_), std::move(within_), !search_.gave_up()};
  }

 private:
  static constexpr std::string_view kArithmetic =
      "the same formula, rounded on its way: the specification names no order and no type of sums";
  static constexpr std::string_view kNarrowed =
      "the values are converted to a type of half the size, and the results back: digits or high bits are lost";
  static constexpr std::string_view kOtherOrder =
      "no order that was tried gives these bits, but all are within the error bound of such sums";
  static constexpr std::string_view kMistake = "the node evaluated with this misunderstanding gives the output";

  /// What narrower types give, alone or with arithmetic.
  void narrowings(const Call& right) {
    const auto call = search_.accepted([&] { return std::optional(right.with_tensors(narrowed_input)); });
    if (!call) return;
    const std::string name = narrowing_of(search_.actual().front().dtype());
    if (search_.fits_narrowed(*call))
      add(Cause::Kind::arithmetic, name, kNarrowed);
    else
      for (const std::string& way : search_.by_arithmetic(*call).rounding)
        add(Cause::Kind::arithmetic, way.find("carried as") != std::string::npos ? way : with_arithmetic(name, way),
            kNarrowed);
  }

  /// The weakest of all: bits that no tried order gives, but that some order may.
  void other_orders(const Call& right) {
    const DType dtype = search_.actual().front().dtype();
    if (info(dtype).kind != Kind::floating || info(dtype).bits < 16) return;
    const auto try_one = [&](const Call& call, DType accumulator, DType carried, const std::string& before) {
      if (!causes_.empty() || !search_.within_bound(call, accumulator, carried)) return;
      add(Cause::Kind::arithmetic, format("{}{} accumulation in another order", before, accumulator), kOtherOrder);
      within_ = "within its error bound";
    };
    for (const DType accumulator : {DType::float64, DType::float32, dtype}) try_one(right, accumulator, dtype, "");
    if (dtype != DType::float64) return;
    if (const auto call = search_.accepted([&] { return std::optional(right.with_tensors(narrowed_input)); }))
      try_one(*call, DType::float32, DType::float32, narrowing_of(dtype) + ", ");
  }

  void add(Cause::Kind kind, std::string name, std::string_view meaning) {
    if (causes_.size() < kMostEqual)
      causes_.push_back({kind, std::move(name), std::string(meaning), std::string(step_.call.op().link())});
  }

  /// A reading is in play where the same arithmetic does not give the output without it.
  void readings_with_arithmetic(const std::vector<std::string>& without) {
    for (const auto& choice : other_readings({&step_, 1})) {
      const auto& [name, value] = choice;
      const auto other =
          search_.accepted([&] { return std::optional(step_.call.with_reading(choice.first, choice.second)); });
      if (!other || search_.fits(*other)) continue;
      for (const std::string& way : search_.by_arithmetic(*other).rounding) {
        if (std::ranges::find(without, way) != without.end()) continue;
        add(Cause::Kind::reading_and_arithmetic, with_arithmetic(format("reading {}={}", name, value), way), "");
        describe_reading(causes_.back(), step_.call.op(), name);
      }
    }
  }

  void mistakes(const std::vector<std::string>& formulas) {
    std::vector<std::pair<std::string, Call>> others;
    for (const KnownMistake& mistake : known_mistakes(step_.call))
      if (auto other = search_.accepted([&] { return in_play(mistake, step_.call); }))
        if (std::ranges::none_of(others, [&](const auto& known) { return is_same(known.second, *other); }))
          others.emplace_back("mistake " + mistake.name, *std::move(other));
    for (const OpSchema& version : step_.call.op().versions())
      if (version.since_version() != step_.call.version()) versions(version, others);
    for (const auto& [name, other] : others)
      if (search_.fits(other)) add(Cause::Kind::mistake, name, meaning_of_mistake(name));
    for (const std::string& formula : formulas) add(Cause::Kind::mistake, "mistake " + formula, kMistake);
    if (!causes_.empty()) return;
    for (const auto& [name, other] : others)
      for (const std::string& way : search_.by_arithmetic(other).rounding)
        add(Cause::Kind::mistake, with_arithmetic(name, way), meaning_of_mistake(name));
    if (!causes_.empty() || !has_rules()) return;
    for (const auto& [name, other] : others)
      if (search_.fits(other, rules_)) add(Cause::Kind::mistake, name, meaning_of_mistake(name));
    if (!causes_.empty()) within_ = compare::to_text(rules_.front());
  }

  /// The call as another version says it, by that version's defaults and by those in force.
  void versions(const OpSchema& version, std::vector<std::pair<std::string, Call>>& others) {
    const auto other = search_.accepted([&] { return std::optional(step_.call.with_version(version)); });
    if (other) others.emplace_back("mistake computed as " + other->title(), *other);
    std::string stated;
    const auto stating = search_.accepted([&] {
      Call call = step_.call.with_version(version);
      for (const AttributeSchema& attribute : version.attributes()) {
        const auto before = std::ranges::find(step_.call.schema().attributes(), attribute.name, &AttributeSchema::name);
        if (before == step_.call.schema().attributes().end() || step_.call.stated(attribute.name) ||
            !before->default_value || !attribute.default_value ||
            to_text(*before->default_value) == to_text(*attribute.default_value))
          continue;
        const AttributeValue& value = *before->default_value;
        call = call.with_attribute(attribute.name, value);
        stated += format("{}{} {}", stated.empty() ? " with " : ", ", attribute.name, to_text(value));
      }
      return stated.empty() ? std::nullopt : std::optional(call);
    });
    if (stating) others.emplace_back("mistake computed as " + stating->title() + stated, *stating);
  }

  /// Two values alone have no error bound, and what is exact has been tried.
  bool has_rules() const {
    return !rules_.empty() && std::ranges::all_of(rules_, [](const Tolerance& rule) {
      return rule.rule == Tolerance::Rule::ulp || rule.rule == Tolerance::Rule::relative;
    });
  }

  static std::string_view meaning_of_mistake(std::string_view name) {
    if (name.ends_with(" ignored")) return "evaluated as if it were not there, it gives the output";
    if (name.starts_with("mistake computed as ")) return "another version of the operator gives the output";
    if (name.ends_with(" in reverse order of axes"))
      return "evaluated with the list read from its end, it gives the output";
    return kMistake;
  }

  const Step& step_;
  std::span<const Tolerance> rules_;
  Search search_;
  std::vector<Cause> causes_;
  std::string within_;
};

}  // namespace

void describe_reading(Cause& cause, const Operator& op, std::string_view reading) {
  const auto found = std::ranges::find(op.readings(), reading, &Reading::name);
  if (found == op.readings().end()) return;
  cause.meaning = format("opref's default differs: {}", found->reason);
  cause.link = link_of(*found, op);
}

Explanation explain_step(const Step& step, std::span<const Tensor> actual, std::span<const Tolerance> rules) {
  const auto too_large = [](const Tensor& tensor) {
    return tensor.dtype() == DType::string || tensor.count() > kMostElements;
  };
  if (actual.empty() || std::ranges::any_of(actual, too_large)) return {{}, "", true};
  return StepSearch(step, actual, rules).explanation();
}

}  // namespace opref::explain
