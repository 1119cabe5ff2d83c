#include "explain/mistakes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "compare/compare.h"
#include "core/error.h"
#include "exact/rounding.h"
#include "explain/arithmetic.h"
#include "explain/evaluated.h"
#include "system/machine_error.h"

namespace opref::explain {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 22;
constexpr std::int64_t kMostTerms = std::int64_t{1} << 21;
/// Elements that are looked at first: nearly all other arithmetic already differs there.
constexpr size_t kSample = 64;
/// Terms that all arithmetic together may look at.
constexpr std::int64_t kMostWork = std::int64_t{1} << 27;

/// What is left of values that are carried in a type of half the size: of float64 as float32, those too large as its
/// largest number; of 64-bit integers the low 32 bits, signed. Other types stay.
Tensor narrowed(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::float64)
    return tensor_of_bits(tensor.type(), [&](std::int64_t i) {
      const double x = tensor.values<double>()[static_cast<size_t>(i)];
      const double rounded = widen(nearest<float>(x));
      constexpr double kLargest = std::numeric_limits<float>::max();
      return std::bit_cast<std::uint64_t>(std::isinf(rounded) && std::isfinite(x) ? std::copysign(kLargest, x)
                                                                                  : rounded);
    });
  if (dtype == DType::int64 || dtype == DType::uint64)
    return tensor_of_bits(tensor.type(), [&](std::int64_t i) {
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(element_bits(tensor, i))});
    });
  return tensor;
}

std::string narrowing_of(DType dtype) {
  return dtype == DType::float64 ? "float64 carried as float32" : format("{} carried as int32", dtype);
}

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
      std::vector<ValueType> types = call->op().output_types(*call);
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

  /// Whether the call gives the outputs where the machine's types are narrower, as `narrowed` makes them.
  bool fits_narrowed(const Call& call) const {
    const auto values = unless_refused([&] { return values_of(call.with_tensors(narrowed)); });
    return values && std::ranges::equal(*values, actual_, [](const Tensor& value, const Tensor& actual) {
             return compare_values(actual, narrowed(value), Tolerance{}).equal();
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

std::optional<Call> in_play(const KnownMistake& mistake, const Call& call) {
  std::optional<Call> other = mistake.made(call);
  if (other && other->says_as(call)) other.reset();
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
    if (causes_.empty() && right && search_.fits_narrowed(*right))
      add(Cause::Kind::arithmetic, narrowing_of(search_.actual().front().dtype()), kNarrowed);
    if (causes_.empty()) mistakes(ways.formulas);
    return {std::move(causes_), std::move(within_), !search_.gave_up()};
  }

 private:
  static constexpr std::string_view kArithmetic =
      "the same formula, rounded on its way: the specification names no order and no type of sums";
  static constexpr std::string_view kNarrowed =
      "the values are converted to a type of half the size, and the results back: digits or high bits are lost";
  static constexpr std::string_view kMistake = "the node evaluated with this misunderstanding gives the output";

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
        others.emplace_back("mistake " + mistake.name, *std::move(other));
    for (const OpSchema& version : step_.call.op().versions())
      if (version.since_version() != step_.call.version())
        if (auto other = search_.accepted([&] { return std::optional(step_.call.with_version(version)); }))
          others.emplace_back("mistake computed as " + other->title(), *std::move(other));
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
