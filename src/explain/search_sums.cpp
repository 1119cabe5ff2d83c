// SPDX-License-Identifier: Apache-2.0
// Which arithmetic of sums gives a backend's elements.
#include <algorithm>
#include <array>
#include <cmath>

#include "compare/error_bound.h"
#include "core/nearly.h"
#include "exact/storage.h"
#include "explain/element.h"
#include "explain/evidence.h"
#include "explain/search.h"

namespace opref::explain {
namespace {

constexpr std::int64_t kMostTerms = std::int64_t{1} << 21;
/// Elements that are looked at first: nearly all other arithmetic already differs there.
constexpr size_t kSample = 64;
/// Terms that all arithmetic together may look at.
constexpr std::int64_t kMostWork = std::int64_t{1} << 27;

std::optional<TermTable> terms_of(const Call& call, size_t output) {
  return Search::unless_refused([&] { return collect_terms(call, call.op().output_types(call), kMostTerms, output); });
}

}  // namespace

Search::Ways Search::by_arithmetic(const Call& call, int made) {
  const Kind kind = info(dtype()).kind;
  const bool integer = kind == Kind::signed_integer || kind == Kind::unsigned_integer;
  if (actual_.size() != 1 || actual_[0].count() == 0 || (!integer && info(dtype()).bits < 16)) return {};
  const auto table = terms_of(call, places_.front());
  const auto values = values_of({"", call});
  if (!table || !values || table->to_nearest) return {};
  const std::vector<size_t> sample = sample_of(values->front());
  // One element cannot tell orders apart; of integers the type is what matters.
  const Wording wording{.integers = integer, .orders = sample.size() > 1};
  Ways found;
  std::array<std::optional<int>, 2> plainest;
  for (const Arithmetic& way : known_arithmetic(dtype(), table->norm)) {
    const bool other = changes_formula(way);
    std::vector<Way>& list = other ? found.formulas : found.rounding;
    std::optional<int>& least = plainest[other ? 1 : 0];
    const std::string text = to_text(way, wording);
    if (text.empty() || list.size() == kMostEqual || (least && changes(way) > *least)) continue;
    if (std::ranges::find(list, text, &Way::text) != list.end() || !says_anything(way, *table)) continue;
    if (!agrees(way, *table, sample) || !fusing_matters(way, *table)) continue;
    least = changes(way);
    list.push_back({text, way});
    if (gave_up()) break;
  }
  if (!found.rounding.empty() || !found.formulas.empty()) found.doubt = doubt_of(*table, *differences({"", call}));
  if (!found.doubt.empty() && made + plainest[0].value_or(0) >= kExotic) found.rounding.clear();
  if (!found.doubt.empty() && made + plainest[1].value_or(0) >= kExotic) found.formulas.clear();
  return found;
}

std::vector<Changed> Search::by_other_formulas(const Call& call) {
  const Kind kind = info(dtype()).kind;
  if (actual_.size() != 1 || kind != Kind::floating || info(dtype()).bits < 16) return {};
  const auto table = terms_of(call, places_.front());
  if (!table || static_cast<std::int64_t>(table->ends.size()) != actual_[0].count()) return {};
  std::vector<Changed> list;
  for (const Arithmetic& way : known_arithmetic(dtype(), table->norm)) {
    if (!changes_formula(way) || way.accumulator || changes(way) != 1 || !says_anything(way, *table)) continue;
    work_ += static_cast<std::int64_t>(table->terms.size());
    if (gave_up()) break;
    Changed changed{.name = "mistake " + to_text(way), .call = call, .kind = Cause::Kind::mistake};
    changed.computed = std::make_shared<const Tensor>(tensor_of_bits(
        actual_[0].type(), [&](std::int64_t i) { return way.element(*table, static_cast<size_t>(i), dtype()); }));
    list.push_back(std::move(changed));
  }
  return list;
}

bool Search::within_bound(const Call& call, DType accumulator, DType carried) {
  const auto table = terms_of(call, places_.front());
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
    if (gave_up() || !bound.no_bound(terms).empty()) return false;
    if (terms.finite() && bound.may_overflow(terms)) return false;
    const double actual = floating_element(actual_[0], static_cast<std::int64_t>(i));
    if (!(p == 2 ? bound.judge_root(terms, actual) : bound.judge_sum(terms, actual)).passes) return false;
  }
  return !table->ends.empty();
}

std::optional<int> Search::bits_without_float64(const Call& call) {
  constexpr int kDigits = 53;
  const auto table = terms_of(call, places_.front());
  const auto right = values_of({"", call});
  const Tensor& actual = actual_[0];
  if (actual_.size() != 1 || dtype() != DType::int64 || !table || table->norm || table->to_nearest || !right ||
      std::ssize(table->ends) != actual.count())
    return std::nullopt;
  int bits = 0;
  for (std::int64_t i = 0; i < actual.count(); ++i) {
    const auto element = static_cast<std::int64_t>(element_bits(actual, i));
    const double number = nearly(element);
    const int missing = number == 0 ? 0 : std::max(0, std::ilogb(number) + 1 - kDigits);
    if (missing > 0 && element % (std::int64_t{1} << missing) != 0) return std::nullopt;
    double magnitude = 0, scale = 1;
    const auto terms = table->of(static_cast<size_t>(i));
    for (const TermTable::Term& term : terms) magnitude += std::abs(term.a * term.b);
    if (const auto found = table->scales.find(static_cast<size_t>(i)); found != table->scales.end())
      scale = found->second.a / found->second.b;
    work_ += std::ssize(terms) + 1;
    if (gave_up()) return std::nullopt;
    const double most = std::ldexp((nearly(std::ssize(terms)) + 3) * magnitude * scale, -kDigits) + 1;
    const auto theirs = static_cast<std::uint64_t>(element), ours = element_bits(right->front(), i);
    const auto apart = static_cast<std::int64_t>(theirs - ours);
    if (std::abs(nearly(apart)) > most) return std::nullopt;
    if (apart != 0) bits += missing;
  }
  return bits;
}

bool Search::errs_like_sums(const Call& call, DType accumulator) {
  constexpr std::int64_t kLeast = 32;
  constexpr double kApart = 8;
  const auto table = terms_of(call, places_.front());
  const auto right = values_of({"", call});
  const std::int64_t count = actual_[0].count();
  if (actual_.size() != 1 || !table || !right || count < kLeast || std::ssize(table->ends) != count) return false;
  work_ += std::ssize(table->terms);
  if (gave_up()) return false;
  const Arithmetic way{.inputs = accumulator, .accumulator = accumulator};
  std::vector<double> errors;
  double squares = 0, usual = 0, sum = 0, sizes = 0, products = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double exact = floating_element(right->front(), i), error = floating_element(actual_[0], i) - exact,
                 of_sums = floating_value(dtype(), way.element(*table, static_cast<size_t>(i), dtype())) - exact;
    if (!std::isfinite(error) || !std::isfinite(of_sums)) return false;
    errors.push_back(error);
    squares += error * error, usual += of_sums * of_sums, sum += error;
    sizes += exact * exact, products += exact * error;
  }
  // What errors in disorder may have in common with a constant, with the elements, and with their neighbours.
  const double n = nearly(count), most = 0.25 + 4 / std::sqrt(n);
  if (std::abs(sum) > most * std::sqrt(squares * n) || std::abs(products) > most * std::sqrt(squares * sizes))
    return false;
  std::int64_t stride = 1;
  const Dims& shape = actual_[0].shape();
  for (size_t axis = shape.size(); axis-- > 0;) {
    const std::int64_t size = shape[axis];
    double neighbours = 0;
    for (std::int64_t i = 0; i < count; ++i)
      if (i / stride % size > 0) neighbours += errors[static_cast<size_t>(i)] * errors[static_cast<size_t>(i - stride)];
    if (std::abs(neighbours) > most * squares) return false;
    stride *= size;
  }
  return squares <= usual * kApart * kApart && usual <= squares * kApart * kApart;
}

bool Search::gave_up() const { return work_ > kMostWork; }

std::string Search::doubt_of(const TermTable& table, const Places& places) {
  if (places.size() > Evidence::kMostElements) return "";
  Evidence evidence(places.size());
  for (const Arithmetic& way : known_arithmetic(dtype(), table.norm)) {
    if (gave_up() || to_text(way).empty() || !says_anything(way, table)) continue;
    std::vector<std::string> rule;
    for (const auto& [output, k] : places) {
      const auto i = static_cast<size_t>(k);
      work_ += static_cast<std::int64_t>(table.of(i).size()) + 1;
      rule.push_back(bits_text(way.element(table, i, dtype())));
    }
    evidence.add(rule);
  }
  std::vector<std::string> actual;
  for (const auto& [output, k] : places) actual.push_back(bits_text(element_bits(actual_[0], k)));
  return evidence.doubt(actual);
}

/// All NaN are one.
std::string Search::bits_text(std::uint64_t bits) const {
  const bool is_nan = info(dtype()).kind == Kind::floating && std::isnan(floating_value(dtype(), bits));
  return is_nan ? "NaN" : format("{}", bits);
}

bool Search::same(const Arithmetic& way, const TermTable& table, size_t element) {
  work_ += static_cast<std::int64_t>(table.of(element).size()) + 1;
  return is_actual(way.element(table, element, dtype()), element);
}

bool Search::is_actual(std::uint64_t bits, size_t element) const {
  const std::uint64_t wanted = element_bits(actual_[0], static_cast<std::int64_t>(element));
  if (bits == wanted) return true;
  return info(dtype()).kind == Kind::floating && std::isnan(floating_value(dtype(), bits)) &&
         std::isnan(floating_value(dtype(), wanted));
}

/// The first elements in which the correct values are not the backend's.
std::vector<size_t> Search::sample_of(const Tensor& correct) const {
  std::vector<size_t> sample;
  const auto count = static_cast<size_t>(correct.count());
  for (size_t i = 0; i < count && sample.size() < kSample; ++i)
    if (!is_actual(element_bits(correct, static_cast<std::int64_t>(i)), i)) sample.push_back(i);
  return sample;
}

bool Search::agrees(const Arithmetic& way, const TermTable& table, std::span<const size_t> sample) {
  for (const size_t element : sample)
    if (!same(way, table, element)) return false;
  for (size_t element = 0; element < table.ends.size(); ++element)
    if (gave_up() || !same(way, table, element)) return false;
  return true;
}

}  // namespace opref::explain
