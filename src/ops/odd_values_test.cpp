// SPDX-License-Identifier: Apache-2.0
// Every shipped case with one number changed to an odd one: a result or an error that is no bug's, never a crash.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

#include "check/discover.h"
#include "core/error.h"
#include "run/bind.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "system/deadline.h"

namespace opref::ops {

using namespace check;
using namespace run;

namespace {

constexpr std::array<std::int64_t, 16> kIntegers = {
    -1, 0, 1, 2, 3, 5, 7, 8, 16, 99, -99, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, std::int64_t{1} << 40};
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::array<float, 10> kFloats = {0, -1, 1, 0.5F, -0.0F, NAN, kInfinity, -kInfinity, 1e38F, 1e-45F};

/// Odd numbers in turn.
class OddNumbers {
 public:
  std::int64_t integer() { return kIntegers.at(next_++ % kIntegers.size()); }
  float floating() { return kFloats.at(next_++ % kFloats.size()); }
  size_t place(size_t count) { return next_ % count; }

  /// The value with another number, or another length; nothing of what is no number.
  std::optional<AttributeValue> instead_of(const AttributeValue& value) {
    if (std::holds_alternative<std::int64_t>(value.value)) return AttributeValue::of(integer());
    if (std::holds_alternative<float>(value.value)) return AttributeValue::of(floating());
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value.value))
      return AttributeValue::of(changed(*list, integer()));
    if (const auto* list = std::get_if<std::vector<float>>(&value.value))
      return AttributeValue::of(changed(*list, floating()));
    return std::nullopt;
  }

  /// The tensor with another number somewhere; nothing of types that are not looked at here, and of empty ones.
  std::optional<Tensor> instead_of(const Tensor& tensor) {
    switch (tensor.dtype()) {
      case DType::float32:
        return changed(tensor, floating());
      case DType::float64:
        return changed(tensor, static_cast<double>(floating()));
      case DType::int64:
        return changed(tensor, integer());
      case DType::int32:
        return changed(tensor, static_cast<std::int32_t>(integer()));
      default:
        return std::nullopt;
    }
  }

 private:
  template <class T>
  std::vector<T> changed(std::vector<T> list, T number) {
    if (next_ % 5 == 0 || list.empty())
      list.push_back(number);
    else if (next_ % 7 == 0)
      list.pop_back();
    else
      list[place(list.size())] = number;
    return list;
  }
  template <class T>
  std::optional<Tensor> changed(const Tensor& tensor, T number) {
    if (tensor.count() == 0) return std::nullopt;
    std::vector<std::byte> bytes(tensor.bytes().begin(), tensor.bytes().end());
    std::memcpy(bytes.data() + place(static_cast<size_t>(tensor.count())) * sizeof(T), &number, sizeof(T));
    return Tensor::copy_of(tensor.type(), bytes);
  }

  size_t next_ = 0;
};

/// The fault with which the evaluation ends, if it does.
std::optional<Fault> fault_of(const Graph& graph, Environment environment) {
  EvaluationOptions options;
  options.max_bytes = 1 << 16;
  options.confirm_readings_below = 0;
  const Deadline deadline(0.25);  // a Loop may have 2^63 iterations
  try {
    run_graph(graph, environment, options);
    return std::nullopt;
  } catch (const Error& error) {
    INFO(error.text());
    CHECK(error.fault() != Fault::internal);
    return error.fault();
  }
}

/// How many evaluations gave a result, and how many an error.
struct Count {
  size_t results = 0, errors = 0;
  void add(std::optional<Fault> fault) { ++(fault ? errors : results); }
};

void change_attributes(const Graph& graph, const Environment& inputs, OddNumbers& odd, Count& count) {
  Environment known = inputs;
  const std::vector<Step> steps = infer(graph, known, {});
  for (const auto& [name, value] : steps.front().call.attributes()) {
    const auto other = odd.instead_of(value);
    if (!other) continue;
    Graph changed = graph;
    std::vector<Attribute>& attributes = changed.nodes.front().attributes;
    std::erase_if(attributes, [&](const Attribute& attribute) { return attribute.name == name; });
    attributes.push_back({std::string(name), *other});
    CAPTURE(name, to_text(*other));
    count.add(fault_of(changed, inputs));
  }
}

void change_inputs(const Graph& graph, const Environment& inputs, OddNumbers& odd, Count& count) {
  for (const auto& [name, input] : inputs) {
    const Tensor* tensor = input.value ? input.value->tensor() : nullptr;
    const auto other = tensor == nullptr ? std::nullopt : odd.instead_of(*tensor);
    if (!other) continue;
    Environment changed = inputs;
    changed.find(name)->second.value = *other;
    CAPTURE(name);
    count.add(fault_of(graph, std::move(changed)));
  }
}

}  // namespace

TEST_CASE("operators: odd numbers give results or errors, and never a crash", "[ops]") {
  const std::vector<std::string> folders = {OPREF_SOURCE_DIR "/testdata"};
  OddNumbers odd;
  Count attributes, numbers;
  for (const FoundCase& found : discover(folders)) {
    CAPTURE(found.path);
    try {
      const Bound bound = bind_case(read_case(found.path));
      if (bound.graph.nodes.size() != 1) continue;
      std::vector<std::string> warnings;
      const Environment inputs = load_inputs(bound, {}, warnings);
      change_attributes(bound.graph, inputs, odd, attributes);
      change_inputs(bound.graph, inputs, odd, numbers);
    } catch (const Error&) {
      continue;  // a case that must fail
    }
  }
  CHECK(attributes.results > 1000);
  CHECK(attributes.errors > 1000);
  CHECK(numbers.results > 1000);
  CHECK(numbers.errors > 100);
}

}  // namespace opref::ops
