// SPDX-License-Identifier: Apache-2.0
#include "explain/element.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>

#include "core/error.h"
#include "core/map.h"
#include "exact/element_text.h"
#include "exact/integer_sum.h"
#include "exact/real/interval.h"
#include "exact/real/real_number.h"
#include "exact/real/steps.h"
#include "exact/rounding.h"
#include "exact/sentence_sink.h"
#include "exact/term_sink.h"
#include "explain/alterations.h"
#include "explain/arithmetic.h"
#include "explain/element_bound.h"
#include "explain/evidence.h"
#include "explain/mistakes.h"
#include "system/deadline.h"

namespace opref::explain {
namespace {

bool has_word(std::string_view text, std::string_view word) {
  const auto is_part = [&](size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (!is_part(at - 1) && !is_part(at + word.size())) return true;
  return false;
}

/// The call's inputs by the memory they lie in; of a sequence "input_sequence{2}", and so on; of a map its values.
class Inputs {
 public:
  explicit Inputs(const Call& call) {
    for (const Input& input : call.inputs()) {
      if (!input.value) continue;
      const std::string name = printable(input.name);
      if (const Tensor* tensor = input.value->tensor()) known_.emplace(tensor->identity(), Known{name, *tensor, {}});
      if (const auto* map = std::get_if<Map>(&*input.value))
        known_.emplace(map->values.identity(), Known{name, map->values, map->keys});
      if (const auto* sequence = std::get_if<Sequence>(&*input.value))
        for (size_t i = 0; i < sequence->elements.size(); ++i)
          known_.emplace(sequence->elements[i].identity(),
                         Known{format("{}{{{}}}", name, i), sequence->elements[i], {}});
    }
  }
  bool knows(const Tensor& tensor) const { return known_.contains(tensor.identity()); }
  /// "X[0,0,1,1]"; empty where it is no input's.
  std::string name(const Place& place) const {
    const auto found = known_.find(place.tensor);
    if (found == known_.end()) return "";
    const auto& [name, tensor, keys] = found->second;
    if (keys) return format("{}[{}]", name, key_text(*keys, static_cast<size_t>(place.at)));
    return tensor.shape().empty() ? name : format("{}{}", name, coordinates(place.at, tensor.shape()));
  }
  std::string value(const Place& place) const {
    const auto found = known_.find(place.tensor);
    return found == known_.end() ? "" : element_text(found->second.tensor, place.at);
  }
  /// The same so that what is computed from it can be checked: elements of less than 32 bits are short decimals.
  std::string number(const Place& place) const {
    const auto found = known_.find(place.tensor);
    if (found == known_.end()) return "";
    const Tensor& tensor = found->second.tensor;
    const DTypeInfo& type = info(tensor.dtype());
    const double value = type.kind == Kind::floating && type.bits < 32 ? floating_element(tensor, place.at) : NAN;
    return std::isfinite(value) ? to_text(RealNumber(value), 17) : element_text(tensor, place.at);
  }
  /// Of an element of 64 bits that is_integer.
  RealNumber integer(const Place& place) const {
    const Tensor& tensor = known_.find(place.tensor)->second.tensor;
    const std::uint64_t bits = element_bits(tensor, place.at);
    const bool is_unsigned = tensor.dtype() == DType::uint64;
    return RealNumber((is_unsigned ? Interval::whole(bits) : Interval::whole(static_cast<std::int64_t>(bits))).low());
  }
  bool is_integer(const Place& place) const {
    const auto found = known_.find(place.tensor);
    return found != known_.end() && info(found->second.tensor.dtype()).kind != Kind::floating;
  }

 private:
  struct Known {
    std::string name;
    Tensor tensor;
    std::optional<Tensor> keys;  ///< of a map's values
  };
  std::map<const std::byte*, Known> known_;
};

/// All that a kernel tells of the element.
class Listener : public SentenceSink {
 public:
  struct Term {
    std::vector<Place> factors;
    double a, b;
    bool is_product;
  };
  void norms(double p) override { norm = p; }
  void begin(std::int64_t) override { is_sum = true; }
  void add(double x) override { terms.push_back({std::exchange(pending, {}), x, 1, false}); }
  void add(double a, double b) override { terms.push_back({std::exchange(pending, {}), a, b, true}); }
  void scale(const Ratio& by) override { ratio = by; }
  void rounds(const Integers& how) override { integers = how; }
  void reads(const Place& place) override { pending.push_back(place); }
  void moves(const Place& place) override { moved.push_back(place); }
  void names(const Place& place) override { named.push_back(place); }
  void fills() override { is_fill = true; }
  void considers(const Place& place) override { candidates.push_back(place); }
  void real(std::string_view name, const Interval& interval) override {
    RealNumber low(interval.low()), high(interval.high());
    if (name.empty()) {
      result = {low, high};
      return;
    }
    const auto known = std::ranges::find(parts, name, [](const auto& part) { return part.first; });
    if (known != parts.end())
      known->second = {low, high};
    else
      parts.emplace_back(name, Between{low, high});
  }
  void converts(const std::string& by) override { rule = by; }
  void leaves_out(const std::string& sentence) override {
    if (std::ranges::find(left_out, sentence) == left_out.end()) left_out.push_back(sentence);
  }
  void decides(const std::string& sentence) override {
    if (decisions.size() < ElementStory::kMostLines) decisions.push_back(sentence);
  }

  bool is_silent() const {
    return !is_sum && !is_fill && !result && pending.empty() && moved.empty() && candidates.empty() && named.empty();
  }

  struct Between {
    RealNumber low, high;
  };
  std::optional<double> norm;
  bool is_sum = false, is_fill = false;
  std::vector<Term> terms;
  Ratio ratio;
  std::optional<Integers> integers;  ///< how a sum became one
  std::vector<Place> pending, moved, candidates, named;
  std::optional<Between> result;
  std::vector<std::pair<std::string, Between>> parts;  ///< in the formula's order
  std::vector<std::string> left_out, decisions;
  std::string rule;  ///< of a conversion
};

/// The outputs with this element computed and nothing else of what evaluators compute.
std::vector<Value> with_only(const Call& call, std::span<const ValueType> types, const Asked& asked, TermSink* sink) {
  return call.op().kernel(call, outputs_of(call, types, asked, sink));
}

Tensor element_of(const Tensor& tensor, std::int64_t i) {
  if (tensor.dtype() == DType::string) return Tensor(Dims{}, {tensor.strings()[static_cast<size_t>(i)]});
  if (info(tensor.dtype()).bits > 64) {
    const auto size = static_cast<size_t>(info(tensor.dtype()).bits / 8);
    return Tensor::copy_of({tensor.dtype(), Dims{}}, tensor.bytes().subspan(static_cast<size_t>(i) * size, size));
  }
  return tensor_of_bits({tensor.dtype(), Dims{}}, [&](std::int64_t) { return element_bits(tensor, i); });
}

/// A tensor itself; of maps their values, one after another.
Tensor all_elements(const Value& value) {
  if (const Tensor* tensor = value.tensor()) return *tensor;
  if (const auto* map = std::get_if<Map>(&value)) return map->values;
  const auto& maps = std::get<MapSequence>(value);
  std::vector<std::pair<Tensor, size_t>> places;
  for (size_t i = 0; i < maps.size(); ++i)
    for (size_t k = 0; k < static_cast<size_t>(maps[i].values.count()); ++k) places.emplace_back(maps[i].values, k);
  const Dims shape{std::ssize(places)};
  if (maps.dtype == DType::string) {
    std::vector<std::string> texts;
    for (const auto& [values, k] : places) texts.push_back(values.strings()[k]);
    return Tensor(shape, std::move(texts));
  }
  return tensor_of_bits({maps.dtype, shape}, [&](std::int64_t i) {
    const auto& [values, k] = places[static_cast<size_t>(i)];
    return element_bits(values, static_cast<std::int64_t>(k));
  });
}

/// One element as a changed call has it; nothing where it has no such element.
std::optional<std::string> value_in(const Changed& changed, size_t output, const Dims& at) {
  Call call = changed.call;
  if (changed.steps) call.set_numerics({.exact_only = true});
  const Steps steps(changed.steps);
  std::vector<ValueType> types = types_with_shapes(call);
  if (types[output].form != Form::tensor) types = entries_of(call, std::move(types), output).types;
  const Dims& shape = types[output].tensor.shape;
  if (shape.size() != at.size() || !std::ranges::equal(at, shape, std::less{})) return std::nullopt;
  const std::int64_t i = position(at, shape);
  const Tensor element = element_of(all_elements(with_only(call, types, {output, i}, nullptr)[output]), i);
  return element_text(changed.result ? changed.result(element) : element, 0);
}

class Story {
 public:
  Story(const Call& call, std::span<const ValueType> types, size_t output, const Dims& at, Digits digits)
      : call_(call), types_(types), output_(output), digits_(digits), inputs_(call) {
    const TensorType& type = types[output].tensor;
    story_.type = type;
    story_.at = at;
    const std::int64_t i = position(at, type.shape);
    const std::vector<Value> outputs = with_only(call, types, {output, i}, nullptr);
    const Tensor whole = all_elements(outputs[output]);
    element_ = element_of(whole, i);
    story_.value = element_text(element_, 0);
    if (type.dtype != DType::string && info(type.dtype).bits <= 64)
      story_.bits = bits_text(element_bits(element_, 0), info(type.dtype).bits);
    with_only(call, types, {output, i}, &told_);
    std::erase_if(told_.moved, [this](const Place& place) { return inputs_.name(place).empty(); });  // of a step inside
    if (told_.is_silent() && inputs_.knows(whole)) told_.moves({whole.identity(), i});
  }

  ElementStory tell() && {
    const bool is_choice = !told_.candidates.empty(), is_function = told_.result || !told_.pending.empty();
    if (is_function && !told_.is_sum && !is_choice && told_.rule.empty()) tell_formula();
    for (const auto& [name, part] : told_.parts) fact(name, to_text(part.low));
    if (told_.is_sum)
      told_.norm ? tell_norm() : tell_sum();
    else if (is_choice)
      tell_choice();
    else if (!told_.rule.empty())
      tell_conversion();
    else if (is_function)
      tell_real();
    else if (!told_.moved.empty() || told_.is_fill)
      tell_move();
    else if (!told_.named.empty())
      story_.made = format("where {} is", inputs_.name(told_.named.back()));
    else if (has_graph())
      story_.made = "by a graph that the node has as an attribute";
    else if (call_.inputs().empty())
      story_.made = "the node's attributes say it";
    tell_bound();
    story_.decisions = std::move(told_.decisions);
    std::ranges::sort(told_.left_out);
    story_.left_out = std::move(told_.left_out);
    tell_readings();
    return std::move(story_);
  }

 private:
  bool has_graph() const {
    return std::ranges::any_of(call_.attributes(), [](const auto& a) { return a.second.type == AttributeType::GRAPH; });
  }
  void fact(std::string name, std::string text) { story_.facts.emplace_back(std::move(name), std::move(text)); }
  void line(ElementStory::Line line) {
    require_time();
    if (story_.lines.size() < ElementStory::kMostLines)
      story_.lines.push_back(std::move(line));
    else
      ++story_.more_lines;
  }

  /// Of those that an input has; others are numbers of the node itself.
  std::string name(std::vector<Place> factors) const {
    std::erase_if(factors, [this](const Place& place) { return inputs_.name(place).empty(); });
    return join_some(factors, "*", factors.size(), [this](const Place& place) { return inputs_.name(place); });
  }
  /// The element as it is stored, or less its zero point: "3", "(3-1)".
  std::string factor(const Listener::Term& term, size_t k) const {
    const double number = k == 0 ? term.a : term.b;
    const std::string stored = inputs_.number(term.factors[k]), all = to_text(RealNumber(number), 17);
    if (stored.empty()) return all;
    double as_stored = 0;
    const bool is_integer = inputs_.is_integer(term.factors[k]);
    std::from_chars(stored.data(), stored.data() + stored.size(), as_stored);
    if (!is_integer || as_stored == number) return stored;
    const double zero_point = as_stored - number;
    return format("({}{}{})", stored, zero_point < 0 ? "+" : "-", std::abs(zero_point));
  }
  /// What the term was told as, a double; of an integer that none holds the stored one.
  RealNumber exact_factor(const Listener::Term& term, size_t k) const {
    const double number = k == 0 ? term.a : term.b;
    if (std::abs(number) < 0x1p53 || k >= term.factors.size() || !inputs_.is_integer(term.factors[k])) return number;
    const RealNumber stored = inputs_.integer(term.factors[k]);
    return stored.nearest_double() == number ? stored : number;
  }
  /// "-0.25*0.5 = -0.125"; of a term that is one element its shortest digits.
  std::string text(const Listener::Term& term, const RealNumber& value) const {
    std::string factors;
    for (size_t k = 0; k < term.factors.size(); ++k) factors += (k == 0 ? "" : "*") + factor(term, k);
    const std::string hex = digits_ == Digits::hexadecimal_too && !is_integer() ? format(" ({})", hex_text(value)) : "";
    if (!term.is_product && !factors.empty()) return factors + hex;
    return format("{}{}{}{}", factors, factors.empty() ? "" : " = ", to_text(value, 17), hex);
  }

  void tell_sum() {
    story_.has_sums = true;
    RealNumber sum;
    size_t products = 0;
    for (const Listener::Term& term : told_.terms) {
      RealNumber value = exact_factor(term, 0) * exact_factor(term, 1);
      if (value.sign() == 0 && is_integer()) value = 0;  // without a sign
      sum = &term == told_.terms.data() ? value : sum + value;
      products += term.is_product;
      line({name(term.factors), text(term, value), to_text(sum)});
    }
    story_.made = format("the sum of {}", products == told_.terms.size() ? counted(products, "product")
                                                                         : counted(told_.terms.size(), "term"));
    if (!told_.ratio.is_one()) {
      const RealNumber a(told_.ratio.a), b = RealNumber(told_.ratio.b) + RealNumber(told_.ratio.b_rest);
      story_.made += format(", times {}/{}", to_text(a), to_text(b));
      sum = sum * a / b;
    }
    tell_rounding(sum);
    tell_narrow();
  }

  void tell_norm() {
    const double p = *told_.norm;
    story_.has_sums = true;
    RealNumber sum;
    for (const Listener::Term& term : told_.terms) {
      const RealNumber value = power(magnitude(RealNumber(term.a)), RealNumber(p));
      sum += value;
      line({name(term.factors),
            format("|{}|^{} = {}",
                   join_some(term.factors, "*", 1, [this](const Place& place) { return inputs_.number(place); }), p,
                   to_text(value, 17)),
            to_text(sum)});
    }
    story_.made = format("the {}-norm of {}", p, counted(told_.terms.size(), "element"));
    if (!told_.ratio.is_one()) sum = sum * RealNumber(told_.ratio.a) / RealNumber(told_.ratio.b);
    tell_rounding(p == 1 ? sum : root(sum, p));
    tell_narrow();
  }

  void tell_choice() {
    const std::vector<Place>& last = told_.named.empty() ? told_.moved : told_.named;
    const std::string chosen = last.empty() ? "" : inputs_.name(last.back());
    for (const Place& place : told_.candidates) {
      const std::string who = inputs_.name(place);
      line({who, inputs_.value(place), who == chosen ? "chosen" : ""});
    }
    story_.made = format("{}chosen among {}", told_.named.empty() ? "" : format("where {} is, ", chosen),
                         counted(told_.candidates.size(), "element"));
  }

  void tell_move() {
    if (told_.moved.empty()) {
      story_.made = "the fill: it comes from no input";
      return;
    }
    for (const Place& place : told_.moved)
      line({inputs_.name(place), inputs_.value(place), &place == &told_.moved.back() ? "" : "written over"});
    story_.made = told_.moved.size() == 1 ? "an element of an input, its bits unchanged"
                                          : "the last of those that were written here";
  }

  void tell_conversion() {
    for (const Place& place : told_.pending) line({inputs_.name(place), inputs_.number(place), ""});
    story_.made = format("converted: {}", told_.rule);
    if (told_.result && !is_integer()) tell_rounding(told_.result->low);
  }

  /// The operator's own words, and the attributes that are numbers or words: those that the words name and those that
  /// the node states.
  void tell_formula() {
    const std::string_view words = call_.op().summary();
    std::string text(words);
    for (const auto& [name, value] : call_.attributes()) {
      const bool is_plain =
          value.type == AttributeType::FLOAT || value.type == AttributeType::INT || value.type == AttributeType::STRING;
      if (is_plain && (call_.stated(name) || has_word(words, name)))
        text += format("{}{} = {}", text.size() == words.size() ? "; " : ", ", name, to_text(value));
    }
    fact("formula", text);
  }

  void tell_real() {
    std::erase_if(told_.pending, [this](const Place& place) { return inputs_.name(place).empty(); });  // a default
    for (const Place& place : told_.pending) line({inputs_.name(place), inputs_.number(place), ""});
    story_.made = format("computed from {}", counted(told_.pending.size(), "element"));
    if (told_.result) tell_rounding(told_.result->low);
  }

  bool is_integer() const { return info(element_.dtype()).kind != Kind::floating; }

  /// How the exact value became this integer. Sums say how; real functions truncate, unless their formula rounds.
  std::string integer_text(const RealNumber& exact) const {
    using Rounding = Integers::Rounding;
    const DTypeInfo& type = info(element_.dtype());
    const double number = exact.nearest_double(), nearest = std::nearbyint(number),
                 modulus = std::ldexp(1.0, type.bits);
    const double least = type.kind == Kind::signed_integer ? -modulus / 2 : 0;
    double value = 0;
    std::from_chars(story_.value.data(), story_.value.data() + story_.value.size(), value);
    if (std::isnan(number)) return format("NaN becomes {}", story_.value);
    const Integers how = told_.integers.value_or(Integers{});
    const auto zero_point = static_cast<double>(how.zero_point);
    const bool formula_rounds = !told_.integers && value == nearest && value != std::trunc(number);
    const bool truncates = (how.rounding == Rounding::wrap || how.rounding == Rounding::truncate) && !formula_rounds;
    const bool zero_point_first = how.rounding == Rounding::nearest_with_zero_point;
    const double sum = truncates          ? std::trunc(number) + zero_point
                       : zero_point_first ? std::nearbyint(number + zero_point)
                                          : nearest + zero_point;
    if (sum == value && truncates) return "truncated toward zero";
    if (sum == value && zero_point == 0) return "to the nearest integer, ties to the even one";
    if (sum == value && zero_point_first)
      return format("the zero point {} added, then to the nearest integer, ties to the even one", zero_point);
    if (sum == value)
      return format("to the nearest integer {}, ties to the even one, and the zero point {}", sum - zero_point,
                    zero_point);
    const bool wraps = how.rounding == Rounding::wrap && (told_.integers || std::fmod(sum - value, modulus) == 0);
    if (wraps) return format("wrapped: {} is left modulo 2^{}", story_.value, type.bits);
    const std::string with = zero_point == 0 ? "" : format("with the zero point {} it is {}, and ", zero_point, sum);
    return format("saturated: {}{} is the type's {}", with, story_.value, sum < least ? "least" : "greatest");
  }

  /// The exact value between its two neighbours.
  void tell_rounding(const RealNumber& exact) {
    fact("exact", to_text(exact));
    const DType dtype = element_.dtype();
    if (is_integer() && to_text(exact) != story_.value) fact("rounding", integer_text(exact));
    if (is_integer() || !exact.is_finite()) return;
    const std::uint64_t bits = element_bits(element_, 0);
    const double chosen = floating_value(dtype, bits);
    if (!std::isfinite(chosen)) return fact("rounding", "the exact value lies beyond the type's range");
    const RealNumber rest = exact - RealNumber(chosen);
    if (rest.sign() == 0) return fact("rounding", "none: the exact value is an element of the type");
    const std::uint64_t negative = rest.sign() < 0 ? std::uint64_t{1} << (info(dtype).bits - 1) : 0;
    const std::uint64_t other = chosen == 0 ? negative + 1 : (rest.sign() < 0) == (chosen < 0) ? bits + 1 : bits - 1;
    const double neighbour = floating_value(dtype, other);
    const bool chose_below = rest.sign() > 0;
    const auto side = [&](std::string_view name, std::uint64_t which, double value, bool is_chosen) {
      fact(std::string(name), format("{} ({}){}", to_text(RealNumber(value)), bits_text(which, info(dtype).bits),
                                     is_chosen ? ", chosen" : ""));
    };
    if (chose_below) side("below", bits, chosen, true);
    if (std::isfinite(neighbour)) side(chose_below ? "above" : "below", other, neighbour, false);
    if (!chose_below) side("above", bits, chosen, true);
    if (!std::isfinite(neighbour) || dtype == DType::float8_e8m0fnu) return;  // the rule says what a midpoint is
    const RealNumber gap = magnitude(RealNumber(neighbour) - RealNumber(chosen));
    const RealNumber share = magnitude(rest) / gap, distance = RealNumber(0.5) - share;
    fact("midpoint",
         distance.sign() == 0
             ? std::string("a tie: the exact value is the midpoint of below and above; the even one is chosen")
             : format("no tie: the exact value is {} ULP from the midpoint of below and above", to_text(distance, 4)));
  }

  /// What accumulation in float32 (of float64 elements: in float64) gives, nothing else being done.
  void tell_narrow() {
    const DType output = element_.dtype(), accumulator = output == DType::float64 ? DType::float64 : DType::float32;
    if (info(output).kind != Kind::floating) return;
    TermTable table;
    table.norm = told_.norm;
    for (const Listener::Term& term : told_.terms) table.terms.push_back({term.a, term.b, term.is_product});
    table.ends = {table.terms.size()};
    if (!told_.ratio.is_one()) table.scales[0] = told_.ratio;
    const std::uint64_t bits = Arithmetic{.accumulator = accumulator}.element(table, 0, output);
    fact("naive", bits == element_bits(element_, 0) ? format("in {}, in order: the same", accumulator)
                                                    : format("in {}, in order: {} ({})", accumulator,
                                                             to_text(RealNumber(floating_value(output, bits)), 17),
                                                             bits_text(bits, info(output).bits)));
  }

  /// How far right kernels may be from it, where what was told above computes it.
  void tell_bound() {
    const bool is_computed = told_.is_sum || told_.result || !told_.rule.empty();
    if (!is_computed) return;
    for (auto& [name, text] : bound_facts(call_, types_, {output_, position(story_.at, story_.type.shape)}))
      fact(std::move(name), std::move(text));
  }

  void tell_readings() {
    for (const Reading& reading : call_.op().readings()) {
      const std::string_view in_force = call_.reading(reading.name);
      if (in_force.empty()) continue;
      std::vector<std::string> others;
      for (const std::string_view alternative : reading.alternatives) {
        if (alternative == in_force) continue;
        try {
          const auto value = value_in({"", call_.with_reading(reading.name, alternative)}, output_, story_.at);
          if (!value) others.push_back(format("{} has no such element", alternative));
          if (value && *value != story_.value) others.push_back(format("{} gives {}", alternative, *value));
        } catch (const Error& error) {
          if (error.fault() == Fault::internal || error.fault() == Fault::system) throw;
          others.push_back(format("{} refuses the node", alternative));
        }
      }
      if (!others.empty())
        story_.readings.push_back(format("{} = {}: {}", reading.name, in_force, join_text(others, ", ")));
    }
  }

  const Call& call_;
  std::span<const ValueType> types_;
  size_t output_;
  Digits digits_;
  Inputs inputs_;
  Listener told_;
  Tensor element_;
  ElementStory story_;
};

void require_element(const TensorType& type, const Dims& at) {
  if (at.size() != type.shape.size())
    fail(Fault::usage, "there is no element {} in {}: one is written {}, behind the tensor's name", at, to_text(type),
         Dims(std::vector<std::int64_t>(type.shape.size(), 0)));
  const auto inside = [&] { return std::ranges::equal(at, type.shape, std::less{}); };
  if (!inside() || std::ranges::any_of(at, [](auto i) { return i < 0; }))
    fail(Fault::usage, "there is no element {} in {}", at, to_text(type));
}

}  // namespace

std::vector<ValueType> types_with_shapes(const Call& call) {
  std::vector<ValueType> types = call.op().output_types(call);
  const auto is_open = [](const ValueType& type) { return type.form == Form::tensor && !type.has_shape; };
  if (std::ranges::none_of(types, is_open)) return types;
  const std::vector<Value> values = call.op().kernel(call, types);
  for (size_t i = 0; i < std::min(types.size(), values.size()); ++i)
    if (is_open(types[i])) types[i] = type_of(values[i]);
  return types;
}

Entries entries_of(const Call& call, std::vector<ValueType> types, size_t output) {
  const Value value = call.op().kernel(call, types)[output];
  Entries entries{std::move(types), {}};
  const auto add = [&](const Map& map, const std::string& before) {
    for (size_t k = 0; k < static_cast<size_t>(map.keys.count()); ++k)
      entries.paths.push_back(format("{}[{}]", before, key_text(map.keys, k)));
  };
  if (const auto* map = std::get_if<Map>(&value)) add(*map, "");
  if (const auto* maps = std::get_if<MapSequence>(&value))
    for (size_t i = 0; i < maps->size(); ++i) add((*maps)[i], format("[{}]", i));
  entries.types[output] = TensorType{entries.types[output].dtype(), {std::ssize(entries.paths)}};
  return entries;
}

ElementStory explain_element(const Call& call, std::span<const ValueType> types, size_t output, const Dims& at,
                             Digits digits) {
  require_element(types[output].tensor, at);
  return Story(call, types, output, at, digits).tell();
}

WaysTo ways_to(const Call& call, std::span<const ValueType> types, size_t output, const Dims& at,
               std::string_view wanted) {
  constexpr std::int64_t kMostTerms = 1 << 20;
  constexpr size_t kMostWays = 8;
  WaysTo found;
  Evidence evidence(1);
  const auto try_value = [&](const std::string& name, const std::string& value) {
    evidence.add({value});
    if (value == wanted && found.ways.size() < kMostWays && std::ranges::find(found.ways, name) == found.ways.end())
      found.ways.push_back(name);
  };
  const auto try_all = [&](const std::vector<Changed>& list) {
    for (const Changed& changed : list)
      if (const auto value = Search::unless_refused([&] { return value_in(changed, output, at); }))
        try_value(changed.name, *value);
  };
  for (const Reading& reading : call.op().readings())
    for (const std::string_view alternative : reading.alternatives)
      if (const auto in_force = call.reading(reading.name); !in_force.empty() && alternative != in_force)
        try_all({{format("reading {}={}", reading.name, alternative), call.with_reading(reading.name, alternative)}});
  const std::int64_t i = position(at, types[output].tensor.shape);
  const DType dtype = types[output].tensor.dtype;
  const Wording wording{.integers = info(dtype).kind != Kind::floating, .orders = false};
  std::optional<int> plainest;
  if (const auto table = collect_terms(call, types, {output, i}, kMostTerms))
    for (const Arithmetic& way : known_arithmetic(dtype, table->norm)) {
      if (to_text(way, wording).empty() || !says_anything(way, *table) || changes(way) >= kExotic) continue;
      const Tensor element =
          tensor_of_bits({dtype, Dims{}}, [&](std::int64_t) { return way.element(*table, 0, dtype); });
      const std::string value = element_text(element, 0);
      if (value == wanted && changes(way) > plainest.value_or(kExotic)) {  // more than is needed
        evidence.add({value});
        continue;
      }
      if (value == wanted) plainest = changes(way);
      try_value(to_text(way, wording), value);
    }
  try_all(misunderstandings(call, [](const Call&) { return true; }));
  try_all(special_values(call));
  try_all(narrowings(call, dtype));
  try_all(roundings(call));
  if (!found.ways.empty()) found.doubt = evidence.doubt({std::string(wanted)});
  return found;
}

}  // namespace opref::explain
