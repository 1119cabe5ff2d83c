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
#include "explain/evidence.h"
#include "explain/narrowing.h"
#include "io/literal.h"
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
    std::string doubt;                  ///< see Evidence
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
    // One element cannot tell orders apart; of integers the type is what matters.
    const Wording wording{.integers = integer, .orders = sample.size() > 1};
    Ways found;
    std::array<std::optional<int>, 2> plainest;
    for (const Arithmetic& way : known_arithmetic(dtype, table->norm)) {
      const bool other = changes_formula(way);
      std::vector<std::string>& list = other ? found.formulas : found.rounding;
      std::optional<int>& least = plainest[other ? 1 : 0];
      const std::string text = to_text(way, wording);
      if (text.empty() || list.size() == kMostEqual || (least && changes(way) > *least)) continue;
      if (std::ranges::find(list, text) != list.end() || !says_anything(way, *table)) continue;
      if (!agrees(way, *table, sample) || !fusing_matters(way, *table)) continue;
      least = changes(way);
      list.push_back(text);
      if (work_ > kMostWork) break;
    }
    if (!found.rounding.empty() || !found.formulas.empty()) found.doubt = doubt_of(*table, sample);
    constexpr int kExotic = 3;  // so many changes at once need more than weak evidence
    if (!found.doubt.empty() && plainest[0].value_or(0) >= kExotic) found.rounding.clear();
    if (!found.doubt.empty() && plainest[1].value_or(0) >= kExotic) found.formulas.clear();
    return found;
  }

  /// The elements of all outputs in which two results differ: output and place; not more than one over the most that
  /// are weighed.
  using Places = std::vector<std::pair<size_t, std::int64_t>>;
  std::optional<Places> differences(const Call& right) const {
    const auto values = values_of(right);
    if (!values) return std::nullopt;
    Places places;
    for (size_t i = 0; i < actual_.size(); ++i)
      for (std::int64_t k = 0; k < actual_[i].count() && places.size() <= Evidence::kMostElements; ++k)
        if (!is_same_element((*values)[i], actual_[i], k)) places.emplace_back(i, k);
    return places;
  }

  /// What luck has to do with a call that fits at these places, where all of these were tried.
  std::string doubt_of(const Places& places, std::span<const std::pair<std::string, Call>> tried) const {
    if (places.size() > Evidence::kMostElements) return "";
    Evidence evidence(places.size());
    for (const auto& [name, call] : tried) {
      const auto values = values_of(call);
      if (!values) continue;
      std::vector<std::string> rule;
      for (const auto& [output, k] : places) rule.push_back(element_text((*values)[output], k));
      evidence.add(rule);
    }
    std::vector<std::string> actual;
    for (const auto& [output, k] : places) actual.push_back(element_text(actual_[output], k));
    return evidence.doubt(actual);
  }

  /// How a call's outputs compare with the backend's.
  struct Agreement {
    std::int64_t elements = 0;
    std::int64_t others = 0;     ///< of them differ
    bool others_are_nan = true;  ///< each where one of both is NaN and the other is not
  };
  std::optional<Agreement> agreement(const Call& call) const {
    const auto values = values_of(call);
    if (!values) return std::nullopt;
    Agreement agreement;
    for (size_t i = 0; i < actual_.size(); ++i) {
      const Tensor &ours = (*values)[i], &theirs = actual_[i];
      agreement.elements += theirs.count();
      const std::int64_t others = compare_values(theirs, ours, Tolerance{}).mismatches;
      agreement.others += others;
      if (others == 0) continue;
      const bool floating = info(theirs.dtype()).kind == Kind::floating && info(theirs.dtype()).bits <= 64;
      for (std::int64_t k = 0; k < theirs.count() && agreement.others_are_nan; ++k)
        if (!floating || std::isnan(floating_element(theirs, k)) == std::isnan(floating_element(ours, k)))
          agreement.others_are_nan = floating && is_same_element(theirs, ours, k);
    }
    return agreement;
  }

  /// The greatest distance of an element from the call's, in ULP, where each is finite and a step or a few away, and
  /// one that differs is a real function's; else nothing.
  std::optional<std::uint64_t> last_digits(const Call& call) const {
    constexpr auto most_ulp = [](DType dtype) {
      return info(dtype).bits >= 32 ? 16 : dtype == DType::float16 ? 4 : dtype == DType::bfloat16 ? 2 : 0;
    };
    const auto values = values_of(call);
    if (!values) return std::nullopt;
    std::uint64_t most = 0;
    bool is_real = false;
    for (size_t i = 0; i < actual_.size(); ++i) {
      const Tensor &ours = (*values)[i], &theirs = actual_[i];
      const std::int64_t limit = info(theirs.dtype()).kind == Kind::floating ? most_ulp(theirs.dtype()) : 0;
      const Comparison comparison = compare_values(theirs, ours, {.rule = Tolerance::Rule::ulp, .ulp = limit});
      if (!comparison.equal()) return std::nullopt;
      most = std::max<std::uint64_t>(most, comparison.max_ulp);
      if (!is_real) is_real = comparison.max_ulp > 0 && is_real_function(call, i, ours);
    }
    return is_real && most > 0 ? std::optional(most) : std::nullopt;
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

  static bool is_same_element(const Tensor& a, const Tensor& b, std::int64_t k) {
    const bool has_bits = info(a.dtype()).bits <= 64;
    return (has_bits && element_bits(a, k) == element_bits(b, k)) || element_text(a, k) == element_text(b, k);
  }

  /// Hears of real numbers.
  struct RealListener : TermSink {
    void real(std::string_view, const Interval&) override { heard = true; }
    bool heard = false;
  };

  /// Whether the first element that differs is no sum, but a function of real numbers.
  bool is_real_function(const Call& call, size_t output, const Tensor& ours) const {
    std::int64_t k = 0;
    while (k + 1 < ours.count() && is_same_element(ours, actual_[output], k)) ++k;
    const auto heard = unless_refused([&]() -> std::optional<bool> {
      RealListener listener;
      call.op().kernel(call, outputs_of(call, types_with_shapes(call), {output, k}, &listener));
      return listener.heard;
    });
    return heard.value_or(false);
  }

  std::string doubt_of(const TermTable& table, const std::vector<size_t>& sample) {
    if (sample.size() > Evidence::kMostElements) return "";
    const DType dtype = actual_[0].dtype();
    Evidence evidence(sample.size());
    for (const Arithmetic& way : known_arithmetic(dtype, table.norm)) {
      if (work_ > kMostWork || to_text(way).empty() || !says_anything(way, table)) continue;
      std::vector<std::string> rule;
      for (const size_t i : sample) {
        work_ += static_cast<std::int64_t>(table.of(i).size()) + 1;
        rule.push_back(bits_text(way.element(table, i, dtype)));
      }
      evidence.add(rule);
    }
    std::vector<std::string> actual;
    for (const size_t i : sample) actual.push_back(bits_text(element_bits(actual_[0], static_cast<std::int64_t>(i))));
    return evidence.doubt(actual);
  }

  /// All NaN are one.
  std::string bits_text(std::uint64_t bits) const {
    const DType dtype = actual_[0].dtype();
    const bool is_nan = info(dtype).kind == Kind::floating && std::isnan(floating_value(dtype, bits));
    return is_nan ? "NaN" : format("{}", bits);
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
    right_ = search_.accepted([&] { return std::optional(step_.call); });
    if (right_ && search_.fits(*right_)) return {{}, "", true};
    const Search::Ways ways = right_ ? search_.by_arithmetic(*right_) : Search::Ways();
    readings_with_arithmetic(ways.rounding);
    if (causes_.empty())
      for (const std::string& way : ways.rounding) {
        add(Cause::Kind::arithmetic, way, is_integer() ? kIntegers : kArithmetic);
        within_ = ways.doubt;
      }
    if (causes_.empty() && right_ && is_narrowed(search_.actual().front().dtype())) narrowings(*right_);
    if (causes_.empty()) mistakes(ways);
    if (causes_.empty() && right_) other_orders(*right_);
    if (causes_.empty() && right_) last_digits("", *right_);
    for (size_t i = 0; i < others_.size() && causes_.empty(); ++i) last_digits(others_[i].first, others_[i].second);
    if (causes_.empty() && is_small()) stacked();
    return {std::move(causes_), std::move(within_), !search_.gave_up()};
  }

 private:
  static constexpr std::string_view kArithmetic =
      "the same formula, rounded on its way: the specification names no order and no type of sums";
  static constexpr std::string_view kIntegers =
      "whole numbers are added in that type, which may not hold them, and the sum is converted back";
  static constexpr std::string_view kLastDigits =
      "the right formula, each operation rounded: the last digits of a real function differ";
  static constexpr std::string_view kBoth = "the two together give the output";
  static constexpr std::string_view kPart = "it gives a part of what differs, and nothing known gives all";
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
      for (const Search::Ways ways = search_.by_arithmetic(*call); const std::string& way : ways.rounding) {
        add(Cause::Kind::arithmetic, way.find("carried as") != std::string::npos ? way : with_arithmetic(name, way),
            kNarrowed);
        within_ = ways.doubt;
      }
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
      for (const Search::Ways ways = search_.by_arithmetic(*other); const std::string& way : ways.rounding) {
        if (std::ranges::find(without, way) != without.end()) continue;
        if (causes_.empty()) within_ = ways.doubt;
        add(Cause::Kind::reading_and_arithmetic, with_arithmetic(format("reading {}={}", name, value), way), "");
        describe_reading(causes_.back(), step_.call.op(), name);
      }
    }
  }

  void mistakes(const Search::Ways& ways) {
    others_ = misunderstandings(step_.call);
    for (const auto& [name, other] : others_)
      if (search_.fits(other)) add(Cause::Kind::mistake, name, meaning_of_mistake(name));
    if (!causes_.empty() && right_)
      if (const auto places = search_.differences(*right_)) within_ = search_.doubt_of(*places, tried());
    if (causes_.empty()) within_ = ways.formulas.empty() ? "" : ways.doubt;
    for (const std::string& formula : ways.formulas) add(Cause::Kind::mistake, "mistake " + formula, kMistake);
    if (!causes_.empty()) return;
    for (const auto& [name, other] : others_)
      for (const Search::Ways with = search_.by_arithmetic(other); const std::string& way : with.rounding) {
        if (causes_.empty()) within_ = with.doubt;
        add(Cause::Kind::mistake, with_arithmetic(name, way), meaning_of_mistake(name));
      }
    if (!causes_.empty() || !has_rules()) return;
    for (const auto& [name, other] : others_)
      if (search_.fits(other, rules_)) add(Cause::Kind::mistake, name, meaning_of_mistake(name));
    if (!causes_.empty()) within_ = compare::to_text(rules_.front());
  }

  /// A name and the call that it makes.
  using Changed = std::pair<std::string, Call>;

  /// What the call may have been taken for, each once.
  std::vector<Changed> misunderstandings(const Call& call) {
    std::vector<Changed> others;
    for (const KnownMistake& mistake : known_mistakes(call))
      if (auto other = search_.accepted([&] { return in_play(mistake, call); }))
        if (std::ranges::none_of(others, [&](const auto& known) { return is_same(known.second, *other); }))
          others.emplace_back("mistake " + mistake.name, *std::move(other));
    for (const OpSchema& version : call.op().versions())
      if (version.since_version() != call.version()) versions(call, version, others);
    return others;
  }

  /// All calls that were tried instead of the right one.
  std::vector<Changed> tried() const {
    std::vector<Changed> calls = others_;
    for (const auto& choice : other_readings({&step_, 1}))
      if (auto call =
              search_.accepted([&] { return std::optional(step_.call.with_reading(choice.first, choice.second)); }))
        calls.emplace_back(choice.first, *std::move(call));
    return calls;
  }

  /// The last resort for real functions, of the right call or of one with a mistake.
  void last_digits(const std::string& mistake, const Call& call) {
    const auto ulp = search_.last_digits(call);
    if (!ulp) return;
    const auto floating =
        std::ranges::find_if(search_.actual(), [](const Tensor& t) { return info(t.dtype()).kind == Kind::floating; });
    const std::string arithmetic = format("{} arithmetic", floating->dtype());
    if (mistake.empty())
      add(Cause::Kind::arithmetic, arithmetic, kLastDigits);
    else
      add(Cause::Kind::mistake, with_arithmetic(mistake, arithmetic), meaning_of_mistake(mistake));
    within_ = format("within {} ULP of {} value", *ulp, mistake.empty() ? "the right" : "that");
  }

  /// Two changes are many evaluations.
  bool is_small() const {
    constexpr std::int64_t kMost = std::int64_t{1} << 16;
    return std::ranges::all_of(search_.actual(), [](const Tensor& tensor) { return tensor.count() <= kMost; });
  }

  /// A change of the call, and what it leaves.
  struct Part {
    Changed change;
    bool is_reading;
    Search::Agreement left;
  };

  /// What gives a part of the output, the largest first: more than the right call, or the shape that it has not.
  std::vector<Part> parts(const std::optional<Search::Agreement>& right) {
    std::vector<Part> parts;
    const auto consider = [&](const std::string& name, const Call& call, bool is_reading) {
      const auto left = search_.agreement(call);
      if (left && (!right || left->others < right->others)) parts.push_back({{name, call}, is_reading, *left});
    };
    for (const auto& choice : other_readings({&step_, 1}))
      if (const auto other =
              search_.accepted([&] { return std::optional(step_.call.with_reading(choice.first, choice.second)); }))
        consider(format("reading {}={}", choice.first, choice.second), *other, true);
    for (const auto& [name, call] : others_) consider(name, call, false);
    std::ranges::stable_sort(parts, {}, [](const Part& part) { return part.left.others; });
    return parts;
  }

  /// Two changes that together give the output, each of them a part; else the one that gives most of what differs.
  void stacked() {
    constexpr size_t kFirst = 3;        // changes on which a second one is tried
    constexpr std::int64_t kLeast = 2;  // elements that each of both must explain: one may do so by luck
    const auto right = right_ ? search_.agreement(*right_) : std::nullopt;
    const std::vector<Part> all = parts(right);
    for (size_t i = 0; i < std::min(all.size(), kFirst); ++i) {
      const Part& first = all[i];
      if (first.left.others < kLeast || (right && right->others - first.left.others < kLeast)) continue;
      const auto try_second = [&](const std::string& name, const Call& call) {
        if (!search_.fits(call)) return;
        add(first.is_reading ? Cause::Kind::reading : Cause::Kind::mistake, format("{}, {}", first.change.first, name),
            kBoth);
      };
      for (const auto& [name, call] : misunderstandings(first.change.second)) try_second(name, call);
      for (const auto& choice : other_readings({&step_, 1}))
        if (const auto call = search_.accepted(
                [&] { return std::optional(first.change.second.with_reading(choice.first, choice.second)); });
            call && !is_same(*call, first.change.second) && !first.is_reading)
          try_second(format("reading {}={}", choice.first, choice.second), *call);
      if (!causes_.empty()) return;
    }
    if (!all.empty()) partial(all.front(), right);
  }

  /// The greatest part, where it is most of what differs; where NaN alone make the difference, a part says nothing.
  void partial(const Part& part, const std::optional<Search::Agreement>& right) {
    constexpr std::int64_t kLeast = 4;
    const std::int64_t all = right ? right->others : part.left.elements, given = all - part.left.others;
    if (given < kLeast || given * 4 < all * 3 || (right && right->others_are_nan)) return;
    const bool nan = part.left.others_are_nan;
    add(part.is_reading ? Cause::Kind::reading : Cause::Kind::mistake,
        format("{} for {}", part.change.first, nan ? "all that is no NaN" : "a part"), kPart);
    within_ = format("{}{} of {}; {} left{}", right ? "" : "the shape, and ", given,
                     counted(all, right ? "differing element" : "element"), part.left.others, nan ? " by NaN" : "");
  }

  /// The call as another version says it, by that version's defaults and by those in force.
  void versions(const Call& from, const OpSchema& version, std::vector<Changed>& others) {
    const auto other = search_.accepted([&] { return std::optional(from.with_version(version)); });
    if (other) others.emplace_back("mistake computed as " + other->title(), *other);
    std::string stated;
    const auto stating = search_.accepted([&] {
      Call call = from.with_version(version);
      for (const AttributeSchema& attribute : version.attributes()) {
        const auto before = std::ranges::find(from.schema().attributes(), attribute.name, &AttributeSchema::name);
        if (before == from.schema().attributes().end() || from.stated(attribute.name) || !before->default_value ||
            !attribute.default_value || to_text(*before->default_value) == to_text(*attribute.default_value))
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

  bool is_integer() const {
    const Kind kind = info(search_.actual().front().dtype()).kind;
    return kind == Kind::signed_integer || kind == Kind::unsigned_integer;
  }

  const Step& step_;
  std::optional<Call> right_;    ///< where its outputs have the backend's types
  std::vector<Changed> others_;  ///< what the node may have been taken for
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
