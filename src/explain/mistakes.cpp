// SPDX-License-Identifier: Apache-2.0
#include "explain/mistakes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "compare/compare.h"
#include "core/error.h"
#include "explain/alterations.h"
#include "explain/evaluated.h"
#include "explain/evidence.h"
#include "explain/search.h"
#include "mistakes/mistakes.h"

namespace opref::explain {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 22;

/// Whether that is tried already: what says the same in another version may be computed otherwise.
bool is_known_as(const Changed& known, const Call& call) {
  return !known.result && known.call.version() == call.version() && is_same(known.call, call);
}

/// Adds the calls that may have been meant, each once.
void add_meant(std::vector<Changed>& all, const Call& call, const Accepts& accepts,
               const std::vector<Mistake>& mistakes) {
  for (const auto& mistake : mistakes) {
    const auto other = Search::unless_refused([&]() -> std::optional<Call> {
      const std::optional<Call> taken = in_play(mistake, call);
      return taken && accepts(*taken) ? taken : std::nullopt;
    });
    if (!other || std::ranges::any_of(all, [&](const Changed& known) { return is_known_as(known, *other); })) continue;
    const bool is_rounded = mistake.kind == MistakeKind::rounded_steps;
    all.push_back({.name = "mistake " + mistake.name,
                   .call = *other,
                   .kind = is_rounded ? Cause::Kind::arithmetic : Cause::Kind::mistake,
                   .mistake = mistake.kind});
  }
}

}  // namespace

std::vector<Changed> misunderstandings(const Call& call, const Accepts& accepts) {
  std::vector<Changed> all;
  for (const auto& mistakes : {known_mistakes(call), other_versions(call), general_mistakes(call)})
    add_meant(all, call, accepts, mistakes);
  return all;
}

namespace {

/// "mistake B ignored; float32 accumulation in order", "inputs rounded to TF32, float32 accumulation in order"
std::string with_arithmetic(const std::string& name, Cause::Kind kind, const std::string& arithmetic) {
  return name + (kind == Cause::Kind::mistake ? "; " : ", ") + arithmetic;
}

/// What gives a node's outputs beside its other readings alone, kind after kind.
class StepSearch {
 public:
  StepSearch(const Step& step, std::span<const Tensor> actual, std::span<const Tolerance> rules,
             std::span<const size_t> places, const CanReturn& can_return)
      : step_(step), rules_(rules), search_(actual, places), can_return_(can_return) {}

  Explanation explanation() {
    if (auto call = search_.accepted([&] { return std::optional(step_.call); })) right_ = Changed{"", *std::move(call)};
    if (right_ && search_.fits(*right_)) return {.complete = true};
    if (right_) search_.probe_where_differs(*right_);
    readings_ = with_other_readings(step_.call);
    const Search::Ways ways = right_ ? search_.by_arithmetic(right_->call) : Search::Ways();
    readings_with_arithmetic(ways.rounding);
    if (none()) {
      add_ways("", Cause::Kind::arithmetic, is_integer() ? kIntegers : kArithmetic, ways);
      if (right_) same_digits(*right_, ways);
    }
    if (none() && right_) narrowed_types(*right_);
    if (none()) mistakes(ways);
    if (none() && right_) other_carriers(*right_);
    if (none() && right_) readings_within_bound(*right_);
    if (none() && right_) integers_in_any_order(*right_);
    if (none() && right_) other_orders(*right_);
    if (none() && right_) last_digits(*right_);
    if (none()) others_with_orders();
    for (size_t i = 0; i < near_.size() && none(); ++i) last_digits(near_[i]);
    if (none()) sums_in_16_bits();
    if (none() && right_) narrower_arithmetic(*right_);
    if (none() && right_) in_half_size(*right_);
    if (none() && right_) absolute_accuracy(*right_);
    if (none()) nearly_close();
    if (none() && right_) by_rows();
    if (none() && right_ && has_rules() && is_small(kMostStacked)) {
      add_close(search_.by_a_number(right_->call));
      if (!none()) found_.within = compare::to_text(rules_.front());
    }
    if (none() && is_small(kMostStacked)) stacked();
    if (none() && right_) approximation();
    found_.complete = !search_.gave_up();
    return std::move(found_);
  }

 private:
  static constexpr std::string_view kArithmetic =
      "the same formula, rounded on its way: the specification names no order and no type of sums";
  static constexpr std::string_view kIntegers =
      "whole numbers are added in that type, which may not hold them, and the sum is converted back";
  static constexpr std::string_view kLastDigits =
      "the right formula, each operation rounded: the last digits of a real function differ";
  static constexpr std::string_view kBoth = "a kernel that does both gives these values";
  static constexpr std::string_view kPart = "it gives a part of what differs, and nothing known gives all";
  static constexpr std::string_view kRounded = "the right formula, of numbers that have lost digits or high bits";
  static constexpr std::string_view kAnyOrder =
      "no order that was tried gives these bits; they are within the proven error bound of such sums";
  static constexpr std::string_view kNarrower =
      "the right formula, each operation rounded to that type: its bits depend on the order of the operations";
  static constexpr std::string_view kLikeSums =
      "no order that was tried gives these bits; the errors are as large as those of such sums, in disorder";
  static constexpr std::string_view kApproximation =
      "the right function with fewer digits: all elements lack about as many";
  static constexpr std::string_view kLayout = "the right values, but not where they belong";
  static constexpr std::string_view kAbsolute =
      "the error is small beside the greatest value, not beside each: an approximation of absolute accuracy";
  static constexpr std::string_view kTruncated = "each value that differs is the next one nearer to zero";
  static constexpr std::string_view kMistake = "a kernel that makes this mistake gives these values";
  static constexpr std::string_view kOfThisSize = "weak evidence: any error of this size would fit";
  static constexpr std::int64_t kMostStacked = std::int64_t{1} << 16;
  static constexpr std::int64_t kMostOfAll = 1 << 12;  ///< elements of which each two are tried, and each step

  bool none() const { return found_.causes.empty(); }

  void add(Cause::Kind kind, std::string name, std::string_view meaning) {
    if (found_.causes.size() < kMostEqual &&
        std::ranges::find(found_.causes, name, &Cause::name) == found_.causes.end())
      found_.causes.push_back({kind, std::move(name), std::string(meaning), std::string(step_.call.op().link())});
  }
  /// Each of the ways, after what else is changed.
  void add_ways(const std::string& changed, Cause::Kind kind, std::string_view meaning, const Search::Ways& ways) {
    if (none()) found_.doubt = ways.doubt;
    for (const auto& [way, arithmetic] : ways.rounding)
      add(kind, changed.empty() ? way : with_arithmetic(changed, kind, way), meaning);
    if (none()) found_.doubt.clear();
  }

  /// What types of half the size give, alone or with arithmetic.
  void narrowed_types(const Changed& right) {
    for (const Changed& narrowed : narrowings(right.call, search_.dtype())) {
      add_fitting({&narrowed, 1});
      if (!none()) return;
      if (search_.dtype() == DType::float64 && is_small(kMostOfAll)) {
        Changed stepped = narrowed;
        stepped.name += ", each step rounded to float32";
        stepped.steps = DType::float32;
        add_fitting({&stepped, 1});
        if (!none()) return;
      }
      const Search::Ways ways = search_.by_arithmetic(narrowed.call, is_integer() ? 0 : 1);  // which say it themselves
      const bool says_it = std::ranges::any_of(
          ways.rounding, [](const Search::Way& way) { return way.arithmetic.int32 != Arithmetic::Int32::no; });
      add_ways(says_it ? "" : narrowed.name, Cause::Kind::arithmetic, kRounded, ways);
    }
  }

  /// What integers give that are computed as another type.
  void other_carriers(const Changed& right) {
    if (!is_small(kMostStacked)) return;
    std::vector<Changed> carriers = integer_carriers(right.call);
    add_fitting(carriers);
    std::ranges::move(tried(), std::back_inserter(carriers));
    weigh(carriers);
  }

  /// What explains the outputs as those of the same node in a type of half the size.
  void in_half_size(const Changed& right) {
    if (!is_small(kMostStacked)) return;
    for (const DType from : {DType::float64, DType::uint32, DType::uint64, DType::int64}) {
      const auto call = explain::in_half_size(right.call, from);
      auto halved = call ? search_.in_types_of(*call, from) : std::nullopt;
      if (!halved) continue;
      Step step = step_;
      step.call = *call;
      const DType to = from == DType::float64 ? DType::float32 : DType::int32;
      std::string name = format("{} carried as {}", from, to);
      if (halved->has_greatest_for_infinity) name += ", its greatest number for Inf";
      const Search search(halved->actual, search_.places());
      if (search.fits({"", *call})) return add(Cause::Kind::arithmetic, name, kRounded);
      if (from == DType::float64 && search.can_be_of(step, *call, to, can_return_)) {
        add(Cause::Kind::arithmetic, format("{}, computed in {}", name, to), kNarrower);
        found_.within = "within the bound of such a kernel";
        return;
      }
      std::vector<Tolerance> rules(rules_.begin(), rules_.end());
      for (size_t i = 0; i < rules.size(); ++i)
        if (halved->actual[i].dtype() == DType::float32) rules[i] = compare::onnx_rule(DType::float32);
      Explanation found = StepSearch(step, halved->actual, rules, search_.places(), can_return_).explanation();
      for (Cause& cause : found.causes)
        cause.name = cause.kind == Cause::Kind::arithmetic ? format("{}, {}", name, cause.name)
                                                           : with_arithmetic(cause.name, cause.kind, name);
      if (!found.causes.empty()) found_ = std::move(found);
      if (!none()) return;
    }
  }

  /// Within float16's range TF32 has the same numbers.
  void same_digits(const Changed& right, const Search::Ways& ways) {
    const auto is_half = [&](const Search::Way& way) { return way.arithmetic.inputs == DType::float16; };
    if (!is_small(kMostStacked) || std::ranges::none_of(ways.rounding, is_half)) return;
    if (const auto rounded = inputs_in_tf32(right.call))
      add_ways(rounded->name, rounded->kind, kRounded, search_.by_arithmetic(rounded->call, 1));
  }

  /// What numbers of fewer digits give, with sums that are rounded on their way.
  void rounded_sums() {
    for (const Changed& rounded : roundings_)
      if (none() && !rounded.result && !rounded.steps && search_.is_near(rounded))
        add_ways(rounded.name, Cause::Kind::arithmetic, kRounded, search_.by_arithmetic(rounded.call, 1));
  }

  void add(const Changed& changed) { add(changed.kind, changed.name, meaning_of(changed)); }
  /// Those that give the output to the bit.
  void add_fitting(std::span<const Changed> changes) {
    for (const Changed& changed : changes)
      if (search_.fits(changed)) add(changed);
  }
  /// Those that give it within the rules.
  void add_close(std::span<const Changed> changes) {
    for (const Changed& changed : changes)
      if (search_.fits(changed, rules_) && search_.is_idempotent(changed) && explains_most(changed)) add(changed);
  }
  bool explains_most(const Changed& changed) const { return !right_ || search_.explains_most(changed, *right_); }

  /// Those that give nearly all elements within the rules: a sum that cancels may be off by more.
  void nearly_close() {
    if (!has_rules()) return;
    std::vector<Changed> changes = near_;
    changes.insert(changes.end(), formulas_.begin(), formulas_.end());
    for (const Changed& changed : changes) {
      const auto left = search_.few_left(changed, rules_);
      if (!left || *left == 0 || !search_.is_idempotent(changed) || !explains_most(changed)) continue;
      add(changed);
      found_.within = format("{}; {} of {} left", compare::to_text(rules_.front()), *left, elements_text());
      return;
    }
  }
  std::string elements_text() const {
    std::int64_t all = 0;
    for (const Tensor& tensor : search_.actual()) all += tensor.count();
    return counted(all, "element");
  }

  /// The right values elsewhere.
  void layouts(std::span<const Tolerance> rules) {
    for (const Layout& layout : search_.layouts(step_.call, rules)) {
      add(Cause::Kind::mistake, "mistake " + layout.name, kLayout);
      if (!rules.empty()) found_.within = compare::to_text(rules.front());
      constexpr std::int64_t kFew = 8;
      if (layout.told < kFew) found_.doubt = format("weak evidence: {} alone show it", counted(layout.told, "element"));
      if (layout.left == 0) continue;
      found_.within += format("{}{} of {} left", found_.within.empty() ? "" : "; ", layout.left, elements_text());
    }
  }
  /// What luck has to do with what was found, where all of these were tried.
  void weigh(std::span<const Changed> tried, std::span<const Tolerance> rules = {}) {
    if (none()) return;
    if (const auto places = places_that_differ(rules)) found_.doubt = search_.doubt_of(*places, tried, rules);
  }
  /// Of outputs whose types are not the right ones all elements.
  std::optional<Search::Places> places_that_differ(std::span<const Tolerance> rules) const {
    if (right_) return search_.differences(*right_, rules);
    return search_.all_places();
  }

  void other_orders(const Changed& right) {
    const DType dtype = search_.dtype();
    if (info(dtype).kind != Kind::floating || info(dtype).bits < 16) return;
    for (const DType accumulator : {DType::float64, DType::float32, dtype})
      any_order(right.call, accumulator, dtype, "");
    if (dtype != DType::float64) return;
    for (const Changed& narrowed : narrowings(right.call, dtype))
      any_order(narrowed.call, DType::float32, DType::float32, narrowed.name + ", ");
  }

  /// What the right formula gives in narrower arithmetic, where the rules cannot tell it from the right outputs: then
  /// they say nothing of a mistake.
  void right_formula(const Changed& right) {
    if (!is_floating(widest()) || widest() == DType::float32) return;
    other_orders(right);
    if (none()) last_digits(right);
    if (none()) narrower_arithmetic(right);
  }
  /// The weakest evidence, but for float64 elements that are all float32 numbers.
  void narrower_arithmetic(const Changed& right) {
    const DType own = widest();
    if (!is_floating(own) || info(own).bits < 16 || own == DType::float32) return;
    if (own != DType::float64) {
      if (search_.can_be_of(step_, right.call, own, can_return_)) add_narrower(own, false);
      return;
    }
    for (const Changed& narrowed : narrowings(right.call, own))
      for (const Call* call : {&right.call, &narrowed.call})  // which differ in what float32 cannot hold
        if (none() && search_.can_be_of(step_, *call, DType::float32, can_return_))
          add_narrower(DType::float32, search_.is_idempotent(narrowed));
  }
  /// The first output's type, or float64 where another output is of it.
  DType widest() const {
    const bool has_float64 =
        std::ranges::any_of(search_.actual(), [](const Tensor& tensor) { return tensor.dtype() == DType::float64; });
    return has_float64 ? DType::float64 : search_.dtype();
  }
  void add_narrower(DType type, bool has_its_numbers) {
    add(Cause::Kind::arithmetic, format("computed in {}", type), kNarrower);
    found_.within = "within the bound of such a kernel";
    if (!has_its_numbers) found_.doubt = kOfThisSize;
  }

  /// The call by the other readings, as far as they matter for the step.
  std::vector<Changed> with_other_readings(const Call& call) const {
    std::vector<Changed> changes;
    for (const auto& [name, value] : other_readings({&step_, 1})) {
      auto other = search_.accepted([&, reading = &name, alternative = &value] {
        return std::optional(call.with_reading(*reading, *alternative));
      });
      if (!other || is_same(*other, call)) continue;
      const auto known = std::ranges::find(call.op().readings(), name, &Reading::name);
      changes.push_back({.name = format("reading {}={}", name, value),
                         .call = *std::move(other),
                         .reading = known->name,
                         .kind = Cause::Kind::reading});
    }
    return changes;
  }

  /// A reading is in play where the same arithmetic does not give the output without it.
  void readings_with_arithmetic(const std::vector<Search::Way>& without) {
    for (const Changed& other : readings_) {
      if (search_.fits(other)) continue;
      for (const Search::Ways ways = search_.by_arithmetic(other.call, 1);
           const auto& [way, arithmetic] : ways.rounding) {
        if (std::ranges::find(without, way, &Search::Way::text) != without.end()) continue;
        if (none()) found_.doubt = ways.doubt;
        add(Cause::Kind::reading_and_arithmetic, with_arithmetic(other.name, Cause::Kind::reading_and_arithmetic, way),
            "");
        describe_reading(found_.causes.back(), step_.call.op(), other.reading);
      }
    }
  }

  void add_reading(const Changed& other, DType type, std::string within) {
    constexpr auto kKind = Cause::Kind::reading_and_arithmetic;
    add(kKind, with_arithmetic(other.name, kKind, format("{} arithmetic", type)), "");
    describe_reading(found_.causes.back(), step_.call.op(), other.reading);
    found_.within = std::move(within);
  }
  /// What a kernel of another reading may give, by the bound that such a kernel passes by.
  void readings_within_bound(const Changed& right) {
    if (std::ranges::none_of(search_.actual(), [](const Tensor& t) { return info(t.dtype()).kind == Kind::floating; }))
      return;
    const DType own = floating_type();
    if (info(own).bits < 16) return;
    for (const Changed& other : readings_) {
      if (!search_.explains_most(other, right) || !search_.can_be_of(step_, other.call, own, can_return_)) continue;
      add_reading(other, own, "within the bound of such a kernel");
    }
    constexpr std::uint64_t kMost = 8;
    for (const Changed& other : readings_) {
      const auto near = none() && search_.explains_most(other, right) ? search_.nearness(other) : std::nullopt;
      if (near && near->absolute <= kMost)
        add_reading(other, own, format("within {} ULP of the greatest value", near->absolute));
    }
  }

  void integers_in_any_order(const Changed& right) {
    constexpr int kSure = 8;
    const auto bits = search_.bits_without_float64(right.call);
    if (!bits || *bits == 0) return;
    add(Cause::Kind::arithmetic, "integers added as float64 in any order", kIntegers);
    found_.within = "within its error bound";
    if (*bits < kSure) found_.doubt = kOfThisSize;
  }

  void mistakes(const Search::Ways& ways) {
    others_ = misunderstandings(step_.call, accepts_);
    if (right_ && is_small(kMostStacked)) roundings_ = roundings(right_->call);
    if (!is_small(kMostOfAll))
      std::erase_if(roundings_, [](const Changed& rounded) { return rounded.steps.has_value(); });
    // The plain formula in the output's own type is believed first, where no other type gives the same.
    const auto fits_by_steps = [&](const Changed& rounded) { return rounded.steps && search_.fits(rounded); };
    const auto own_steps = std::ranges::find(roundings_, std::optional(search_.dtype()), &Changed::steps);
    if (own_steps != roundings_.end() && fits_by_steps(*own_steps) &&
        std::ranges::count_if(roundings_, fits_by_steps) == 1)
      add(*own_steps);
    add_fitting(others_);
    const bool by_others = !none();
    for (const auto& [formula, arithmetic] : ways.formulas) add(Cause::Kind::mistake, "mistake " + formula, kMistake);
    if (right_) {
      const std::vector<Changed> special = special_values(right_->call);
      add_fitting(special);
      others_.insert(others_.end(), special.begin(), special.end());
    }
    add_fitting(roundings_);
    if (by_others || ways.formulas.empty())
      weigh(tried());
    else
      found_.doubt = ways.doubt;
    if (none()) rounded_sums();
    if (!none()) return;
    const size_t own = others_.size();
    if (is_small(kMostStacked)) {
      add_meant(others_, step_.call, accepts_, other_operators(step_.call));
      add_fitting(std::span(others_).subspan(own));
      weigh(tried());
      if (found_.causes.size() > 1 && found_.doubt.empty())
        found_.doubt = format("weak evidence: {} operators give these elements", found_.causes.size());
    }
    if (!none()) return;
    for (const Changed& other : others_)
      if (!other.result && search_.is_near(other)) near_.push_back(other);
    for (const Changed& other : near_)
      add_ways(other.name, other.kind, meaning_of(other), search_.by_arithmetic(other.call, 1));
    if (none()) layouts({});
    if (none()) others_by_steps();
    if (!none() || !has_rules()) return;
    if (right_ && search_.fits(*right_, rules_)) right_formula(*right_);
    if (!none()) return;
    if (right_ && is_small(kMostStacked)) formulas_ = search_.by_other_formulas(right_->call);
    add_close(roundings_);
    add_close(others_);
    add_close(formulas_);
    if (none()) return layouts(search_.with_cancelling(rules_));
    found_.within = compare::to_text(rules_.front());
    weigh(tried(), rules_);
  }

  /// Mistakes whose formula is worked out step by step.
  void others_by_steps() {
    if (!is_small(kMostOfAll) || info(search_.dtype()).kind != Kind::floating || info(search_.dtype()).bits < 16)
      return;
    std::vector<Changed> stepped;
    for (const Changed& other : near_) {
      if (is_of_another(other)) continue;
      for (const DType type : std::set{search_.dtype(), DType::float32}) {
        if (info(type).bits < info(search_.dtype()).bits) continue;
        stepped.push_back(other);
        stepped.back().name = with_arithmetic(other.name, other.kind, format("each step rounded to {}", type));
        stepped.back().steps = type;
      }
    }
    add_fitting(stepped);
    std::ranges::move(tried(), std::back_inserter(stepped));
    weigh(stepped);
  }

  /// Mistakes whose sums are added in an order that no tried one is.
  void others_with_orders() {
    const DType dtype = search_.dtype();
    if (info(dtype).kind != Kind::floating || info(dtype).bits < 16) return;
    for (const Changed& other : near_)
      if (none() && explains_most(other))
        any_order(other.call, DType::float32, dtype, with_arithmetic(other.name, other.kind, ""), other.kind);
  }
  /// The weakest of all: bits that no tried order gives, but that some order may.
  void any_order(const Call& call, DType accumulator, DType carried, const std::string& before,
                 Cause::Kind kind = Cause::Kind::arithmetic) {
    if (!none() || !search_.within_bound(call, accumulator, carried)) return;
    add(kind, format("{}{} accumulation in any order", before, accumulator), kAnyOrder);
    found_.within = "within its error bound";
    found_.doubt = kOfThisSize;
  }

  /// Sums in fewer digits than any order that is tried gives, of mistakes first.
  void sums_in_16_bits() {
    const DType dtype = search_.dtype();
    if (info(dtype).kind != Kind::floating || info(dtype).bits < 16 || !is_small(kMostStacked)) return;
    std::vector<Changed> changes;
    std::ranges::copy_if(near_, std::back_inserter(changes),
                         [&](const Changed& other) { return explains_most(other); });
    if (right_) changes.push_back(*right_);
    for (const Changed& changed : changes)
      for (const DType accumulator : {DType::float16, DType::bfloat16}) {
        if (!none() || (info(dtype).bits == 16 && dtype != accumulator)) continue;
        if (!search_.errs_like_sums(changed.call, accumulator)) continue;
        const bool is_right = changed.name.empty();
        const std::string arithmetic = format("{} accumulation in any order", accumulator);
        add(changed.kind, is_right ? arithmetic : with_arithmetic(changed.name, changed.kind, arithmetic), kLikeSums);
        found_.within = "its errors are of that size";
        if (is_right) found_.doubt = kOfThisSize;
      }
  }

  /// All that was tried instead of the right call.
  std::vector<Changed> tried() const {
    std::vector<Changed> all = others_;
    for (const auto* more : {&readings_, &roundings_, &formulas_}) all.insert(all.end(), more->begin(), more->end());
    return all;
  }

  /// The last resort for real functions, of the right call or of one with a mistake, which may leave a few elements:
  /// its terms cancel there.
  void last_digits(const Changed& changed) {
    constexpr std::int64_t kOneOf = 8;
    const bool is_right = changed.name.empty();
    const auto near = search_.nearness(changed);
    if (!near || near->left * kOneOf > (is_right ? 0 : near->elements)) return;
    if (!is_right && !explains_most(changed)) return;
    if (is_right && near->is_truncated) {
      add(Cause::Kind::arithmetic, "results truncated instead of rounded", kTruncated);
      found_.within = "each differing element 1 ULP nearer to zero";
      return;
    }
    const std::string arithmetic = format("{} arithmetic", floating_type());
    if (is_right)
      add(Cause::Kind::arithmetic, arithmetic, kLastDigits);
    else
      add(changed.kind, with_arithmetic(changed.name, changed.kind, arithmetic), meaning_of(changed));
    found_.within = format("within {} ULP of {} value", near->ulp, is_right ? "the right" : "that");
    if (near->left > 0) found_.within += format("; {} of {} left", near->left, elements_text());
    constexpr std::uint64_t kUsual = 2;
    const bool is_usual = near->ulp <= kUsual && info(floating_type()).bits >= 32;
    if (!is_usual && (is_right || !differs_much())) found_.doubt = kOfThisSize;
  }
  /// Whether so much differs from the right outputs that a change that gives it is none by luck.
  bool differs_much() const {
    const auto places = places_that_differ(has_rules() ? rules_ : std::span<const Tolerance>());
    return places && places->size() > Evidence::kMostElements;
  }
  DType floating_type() const {
    return std::ranges::find_if(search_.actual(),
                                [](const Tensor& t) { return info(t.dtype()).kind == Kind::floating; })
        ->dtype();
  }

  /// A number of each row that has lost digits, though in no order that was tried.
  void by_rows() {
    for (const Changed& other : near_) {
      if (other.mistake != MistakeKind::few_digits || !search_.errs_by_rows(other, right_->call)) continue;
      add(other);
      found_.within = "its errors but for a factor of each row";
      return;
    }
  }

  /// Few digits of each element alike, or errors that are small beside 1.
  void approximation() {
    constexpr double kMostOfOne = 5;  // as the class absolute has it (see KernelModel)
    const auto bits = search_.correct_bits(*right_);
    const auto of_one = bits ? std::nullopt : search_.error_in_ulp_of_one(*right_);
    if (of_one && *of_one <= kMostOfOne && info(floating_type()).bits >= 32) {
      add(Cause::Kind::arithmetic, format("a {} function of absolute accuracy", floating_type()), kAbsolute);
      found_.within = format("within {} ULP of 1", std::ceil(*of_one));
      found_.doubt = kOfThisSize;
    }
    if (!bits) return;
    add(Cause::Kind::arithmetic, format("an approximation of {} bits", *bits), kApproximation);
    found_.within = format("each element within 2^-{}", *bits);
    found_.doubt = kOfThisSize;
  }

  /// Errors that are small beside the greatest element alone.
  void absolute_accuracy(const Changed& right) {
    constexpr std::uint64_t kMost = 4, kMostOfMany = 8;
    constexpr std::int64_t kMany = 32;
    const auto near = search_.nearness(right);
    if (!near || near->absolute > (near->differing < kMany ? kMost : kMostOfMany)) return;
    add(Cause::Kind::arithmetic, format("a {} function of absolute accuracy", floating_type()), kAbsolute);
    found_.within = format("within {} ULP of the greatest value", near->absolute);
    found_.doubt = kOfThisSize;
  }

  /// Whether no output has more elements than that: many changes are many evaluations.
  bool is_small(std::int64_t most) const {
    return std::ranges::all_of(search_.actual(), [&](const Tensor& tensor) { return tensor.count() <= most; });
  }

  /// A change of the call, and what it leaves.
  struct Part {
    Changed change;
    Search::Agreement left;
  };

  /// All that was tried, by what it leaves.
  std::vector<Part> parts() const {
    std::vector<Part> parts;
    std::vector<Changed> changes = readings_;
    changes.insert(changes.end(), others_.begin(), others_.end());
    for (Changed& change : changes)
      if (const auto left = search_.agreement(change)) parts.push_back({std::move(change), *left});
    std::ranges::stable_sort(parts, {}, [](const Part& part) { return part.left.others; });
    return parts;
  }

  /// From the right outputs; -1 where there are none of the backend's types.
  std::int64_t differing_elements() const {
    if (!right_) return -1;
    const auto right = search_.agreement(*right_);
    return right ? right->others : -1;
  }

  /// Two changes that together give the output, where neither leaves so few elements that the other one may give them
  /// by luck; else the one that gives most of what differs.
  void stacked() {
    constexpr size_t kFirst = 3;  // changes of many elements on which a second one is tried
    constexpr size_t kMostPairs = 2048;
    constexpr std::int64_t kLeast = 2;
    const std::int64_t unchanged = differing_elements();  // what a change leaves that gives nothing
    const std::vector<Part> all = parts();
    const size_t firsts = is_small(kMostOfAll) ? all.size() : std::min(all.size(), kFirst);
    std::vector<Changed> pairs, fitting;
    for (size_t i = 0; i < firsts && pairs.size() < kMostPairs; ++i) {
      const auto& [first, left] = all[i];
      if (left.others < kLeast || first.result) continue;
      std::vector<Changed> seconds = misunderstandings(first.call, accepts_);
      if (first.reading.empty()) std::ranges::move(with_other_readings(first.call), std::back_inserter(seconds));
      std::ranges::move(special_values(first.call), std::back_inserter(seconds));
      for (Changed& second : seconds) {
        const auto alone = std::ranges::find(all, second.name, [](const Part& part) { return part.change.name; });
        if (alone != all.end() &&
            (alone->left.others < kLeast || alone < all.begin() + static_cast<std::ptrdiff_t>(i) + 1))
          continue;
        if (is_of_another(first) && is_of_another(second)) continue;  // a node has one
        const bool is_silent = is_of_another(first) && left.others == unchanged;
        if (!is_silent) second.name = format("{}, {}", first.name, second.name), second.kind = first.kind;
        pairs.push_back(std::move(second));
        if (search_.fits(pairs.back())) fitting.push_back(pairs.back());
      }
    }
    if (!fitting.empty()) {
      for (const Changed& pair : fitting) add(pair.kind, pair.name, kBoth);
      std::ranges::move(tried(), std::back_inserter(pairs));
      weigh(pairs);
      if (!found_.doubt.empty()) found_ = {};
    } else {
      pairs_with_arithmetic(pairs);
      if (none() && has_rules()) close_pairs(pairs);
    }
    const auto right = right_ ? search_.agreement(*right_) : std::nullopt;
    if (none() && !all.empty()) partial(all.front(), right);
  }

  /// The same with sums that are rounded on their way.
  void pairs_with_arithmetic(const std::vector<Changed>& pairs) {
    constexpr int kMost = 64;
    int tries = 0;
    for (const Changed& pair : pairs) {
      if (pair.result || !search_.is_near(pair) || (right_ && !search_.explains_most(pair, *right_))) continue;
      if (++tries > kMost) return;
      const Search::Ways ways = search_.by_arithmetic(pair.call, 2);
      if (ways.doubt.empty()) add_ways(pair.name, Cause::Kind::mistake, kBoth, ways);
    }
  }

  /// The same within the rules, where no luck is needed for that.
  void close_pairs(const std::vector<Changed>& pairs) {
    add_close(pairs);
    if (none()) return;
    found_.within = compare::to_text(rules_.front());
    std::vector<Changed> all = tried();
    all.insert(all.end(), pairs.begin(), pairs.end());
    weigh(all, rules_);
    if (!found_.doubt.empty()) found_ = {};
  }

  /// The greatest part, where it is most of what differs; where NaN alone make the difference, a part says nothing.
  void partial(const Part& part, const std::optional<Search::Agreement>& right) {
    constexpr std::int64_t kLeast = 4;
    const std::int64_t all = right ? right->others : part.left.elements, given = all - part.left.others;
    if (given < kLeast || given * 4 < all * 3 || (right && right->others_are_nan)) return;
    const bool nan = part.left.others_are_nan;
    add(part.change.kind, format("{} for {}", part.change.name, nan ? "all that is no NaN" : "a part"), kPart);
    found_.within =
        format("{}{} of {}; {} left{}", right ? "" : "the shape, and ", given,
               counted(all, right ? "differing element" : "element"), part.left.others, nan ? " by NaN" : "");
    if (!nan) found_.doubt = "weak evidence: it does not give the others";
  }

  /// Two values alone have no error bound, and what is exact has been tried. Texts need no rule.
  bool has_rules() const {
    for (size_t i = 0; i < rules_.size(); ++i)
      if (search_.actual()[i].dtype() != DType::string && rules_[i].rule != Tolerance::Rule::ulp &&
          rules_[i].rule != Tolerance::Rule::relative)
        return false;
    return !rules_.empty();
  }

  static std::string_view meaning_of(const Changed& changed) {
    if (changed.kind == Cause::Kind::arithmetic) return kRounded;
    switch (changed.mistake) {
      case MistakeKind::ignored:
        return "the node evaluated as if it were not there";
      case MistakeKind::reversed:
        return "the node evaluated with the list read from its end";
      case MistakeKind::other_operator:
        return "the node as another operator computes it";
      case MistakeKind::other_version:
        return "the node as another version of the operator computes it";
      case MistakeKind::few_digits:
      case MistakeKind::rounded_steps:
      case MistakeKind::misread:
        break;
    }
    return kMistake;
  }
  /// Of another operator, or another version.
  static bool is_of_another(const Changed& changed) {
    return changed.mistake == MistakeKind::other_operator || changed.mistake == MistakeKind::other_version;
  }

  bool is_integer() const {
    const Kind kind = info(search_.dtype()).kind;
    return kind == Kind::signed_integer || kind == Kind::unsigned_integer;
  }

  const Step& step_;
  std::optional<Changed> right_;    ///< where its outputs have the backend's types
  std::vector<Changed> readings_;   ///< the other ones
  std::vector<Changed> roundings_;  ///< numbers of fewer digits
  std::vector<Changed> others_;     ///< what else the node may have been taken for
  std::vector<Changed> formulas_;   ///< other formulas of the same terms
  std::vector<Changed> near_;       ///< of these what other arithmetic may make equal
  std::span<const Tolerance> rules_;
  Search search_;
  const CanReturn& can_return_;
  const Accepts accepts_ = [this](const Call& call) { return search_.has_types(call); };
  Explanation found_;
};
}  // namespace

void describe_reading(Cause& cause, const Operator& op, std::string_view reading) {
  const auto found = std::ranges::find(op.readings(), reading, &Reading::name);
  if (found == op.readings().end()) return;
  cause.meaning = format("opref's default differs: {}", found->reason);
  cause.link = link_of(*found, op);
}

Explanation explain_step(const Step& step, std::span<const Tensor> actual, std::span<const Tolerance> rules,
                         std::span<const size_t> places, const CanReturn& can_return) {
  const auto too_large = [](const Tensor& tensor) { return tensor.count() > kMostElements; };
  // Nothing proves but the shape, where there are no elements.
  const auto is_empty = [](const Tensor& tensor) { return tensor.count() == 0; };
  if (std::ranges::any_of(actual, too_large) || std::ranges::all_of(actual, is_empty)) return {.complete = true};
  return StepSearch(step, actual, rules, places, can_return).explanation();
}

}  // namespace opref::explain
