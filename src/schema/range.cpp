// SPDX-License-Identifier: Apache-2.0
#include "schema/range.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "schema/double_attributes.h"

namespace opref::schema {
namespace {

bool contains(const Range& range, double number) {
  switch (range.kind) {
    case Range::Kind::at_least:
      return number >= range.least;
    case Range::Kind::above:
      return std::isfinite(number) && number > range.least;
    case Range::Kind::between:
      return number >= range.least && number <= range.most;
    default:
      return true;
  }
}

struct Checker {
  std::string_view noun, name;
  const AttributeValue& value;
  const Range& range;

  template <class Number>
  void check_number(Number number) const {
    if (!contains(range, static_cast<double>(number)))
      fail(Fault::invalid, "{} '{}' is {}, but must be {}", noun, name, value, to_text(range, value.type));
  }
  template <class Number>
  void check_numbers(const std::vector<Number>& numbers) const {
    if (!std::ranges::all_of(numbers, [&](Number number) { return contains(range, static_cast<double>(number)); }))
      fail(Fault::invalid, "{} '{}' is {}, but its values must be {}", noun, name, value, to_text(range, value.type));
  }
  void require_word(std::string_view word) const {
    if (range.kind != Range::Kind::one_of || std::ranges::find(range.words, word) != range.words.end()) return;
    fail(Fault::invalid, "{} '{}' is '{}', but must be {}{}", noun, name, printable(word), join_text(range.words, ", "),
         did_you_mean(word, range.words));
  }
  void operator()(std::int64_t number) const { check_number(number); }
  void operator()(float number) const { check_number(number); }
  void operator()(const std::vector<std::int64_t>& numbers) const { check_numbers(numbers); }
  void operator()(const std::vector<float>& numbers) const { check_numbers(numbers); }
  void operator()(const std::string& word) const { require_word(word); }
  void operator()(const std::vector<std::string>& words) const {
    for (const std::string& word : words) require_word(word);
  }
  void operator()(const Tensor&) const {
    if (const auto both = in_both_types(value)) check_number(both->exact);
  }
  void operator()(const SparseTensor&) const {}
  void operator()(const ValueType&) const {}
  void operator()(const std::shared_ptr<const Graph>&) const {}
  void operator()(const Opaque&) const {}
};

}  // namespace

Range at_least(double least) { return {Range::Kind::at_least, least}; }
Range above(double least) { return {Range::Kind::above, least}; }
Range between(double least, double most) { return {Range::Kind::between, least, most}; }
Range flag() { return between(0, 1); }
Range one_of(std::initializer_list<std::string_view> words) { return {Range::Kind::one_of, 0, 0, words}; }

std::string to_text(const Range& range, AttributeType type) {
  const bool integers = type == AttributeType::INT || type == AttributeType::INTS;
  switch (range.kind) {
    case Range::Kind::any:
      return "";
    case Range::Kind::at_least:
      return integers && range.least == 1 ? "> 0" : format(">= {}", range.least);
    case Range::Kind::above:
      return format("finite and > {}", range.least);
    case Range::Kind::between:
      return integers && range.most == range.least + 1 ? format("{} or {}", range.least, range.most)
                                                       : format("from {} to {}", range.least, range.most);
    case Range::Kind::one_of:
      break;
  }
  if (integers) {  // the words stand for 1, 2 …
    std::vector<std::string> numbered;
    for (const std::string_view word : range.words) numbered.push_back(format("{}={}", numbered.size() + 1, word));
    return join_text(numbered, ", ");
  }
  const std::span words(range.words);
  return words.size() == 1 ? std::string(words[0])
                           : format("{} or {}", join_text(words.first(words.size() - 1), ", "), words.back());
}

bool has_all_of(const Range& range, const Range& inner) {
  using enum Range::Kind;
  switch (range.kind) {
    case any:
      return true;
    case at_least:
      return inner.kind != any && inner.kind != one_of && inner.least >= range.least;
    case above:
      return (inner.kind == above && inner.least >= range.least) ||
             (inner.kind == between && inner.least > range.least);
    case between:
      return inner.kind == between && inner.least >= range.least && inner.most <= range.most;
    case one_of:
      break;
  }
  return inner.kind == one_of && std::ranges::all_of(inner.words, [&](std::string_view word) {
           return std::ranges::find(range.words, word) != range.words.end();
         });
}

void require_in_range(std::string_view name, const AttributeValue& value, const Range& range, std::string_view noun) {
  if (range.kind != Range::Kind::any) std::visit(Checker{noun, name, value, range}, value.value);
}

}  // namespace opref::schema
