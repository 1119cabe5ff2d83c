// SPDX-License-Identifier: Apache-2.0
#include "run/cost.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "io/json/members.h"
#include "run/bind.h"
#include "run/load_inputs.h"

namespace opref::run {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 60;  // sums of a million of these stay below 2^64 with kCostOfTerm

std::uint64_t times(std::uint64_t a, std::int64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, static_cast<std::uint64_t>(b), &product) ? kMost : std::min(product, kMost);
}

std::uint64_t elements(const ValueType& type) {
  return type.form == Form::tensor ? static_cast<std::uint64_t>(element_count(type.tensor.shape)) : 1;
}

std::uint64_t terms(const Step& step) {
  const TermOrder order = step.call.op().order(step.call);
  std::uint64_t inputs = 0, outputs = 0;
  for (const Input& input : step.call.inputs())
    if (!input.name.empty()) inputs += elements(input.type);
  for (const ValueType& type : step.types) outputs += times(times(elements(type), order.channels), order.taps);
  return std::min(std::max(inputs, outputs), kMost);
}

std::uint64_t terms(Case read) {
  EvaluationOptions options;
  options.generate = false;
  Bound bound = bind_case(std::move(read));
  std::erase_if(bound.inputs, [](const NamedSource& input) { return !files_of(input.source).empty(); });
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, options, warnings);
  std::uint64_t sum = 0;
  for (const Step& step : infer(bound.graph, environment, options)) sum = std::min(sum + terms(step), kMost);
  return sum;
}

}  // namespace

std::uint64_t cost_of(std::uint64_t bytes, bool is_large, const std::function<Case()>& read) {
  const std::uint64_t cost = kCostOfCase + kCostOfByte * bytes;
  try {
    return is_large ? cost + kCostOfTerm * terms(read()) : cost;
  } catch (const Error&) {  // said where it is evaluated
    return cost;
  }
}

std::uint64_t stated_elements(std::string_view json) {
  std::uint64_t sum = 0;
  each_member(json, [&](const JsonMember& member) {
    if (member.key != "shape" || !member.rest.starts_with('[')) return true;
    std::uint64_t product = 1;
    for (size_t at = 1; at < member.rest.size() && member.rest[at] != ']'; ++at) {
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(member.rest.data() + at, member.rest.end(), size);
      if (error != std::errc{}) continue;
      product = size < 0 ? 0 : times(product, size);
      at = static_cast<size_t>(end - member.rest.data()) - 1;
    }
    sum = std::min(sum + product, kMost);
    return true;
  });
  return sum;
}

}  // namespace opref::run
