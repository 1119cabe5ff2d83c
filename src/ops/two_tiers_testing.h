// SPDX-License-Identifier: Apache-2.0
// For tests: a node's outputs, bit by bit, by all tiers and by the exact one alone.
#pragma once

#include <algorithm>

#include "exact/oracle_testing.h"
#include "ops/operators.h"
#include "schema/resolve.h"

namespace opref::ops::two_tiers {

template <class T>
Tensor floats(const Dims& shape, const std::vector<double>& numbers) {
  TensorBuilder builder({oracle::kDType<T>, shape});
  std::transform(numbers.begin(), numbers.end(), builder.values<T>().begin(), nearest<T>);
  return std::move(builder).finish();
}
inline AttributeValue number(double x) { return AttributeValue::of(static_cast<float>(x)); }
inline AttributeValue integer(std::int64_t n) { return AttributeValue::of(n); }

/// A node, its omitted inputs among the others.
struct Case {
  std::string_view domain, op_type;
  std::int64_t opset;
  std::vector<Attribute> attributes;
  std::vector<std::optional<Tensor>> inputs;
  size_t outputs = 1;
};
/// The bits of all outputs by each tier; `stats` counts what estimates decide.
inline std::vector<std::vector<std::vector<std::uint64_t>>> results_of(const Case& c, Stats* stats = nullptr) {
  const Operator& op = *find_operator(c.domain, c.op_type);
  Node node{std::string(c.op_type), std::string(c.domain), "", c.attributes, {}, {}};
  std::vector<Input> inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    node.inputs.push_back(c.inputs[i] ? format("x{}", i) : "");
    inputs.push_back(c.inputs[i] ? Input{node.inputs.back(), c.inputs[i]->type(), *c.inputs[i]} : Input{});
  }
  for (size_t i = 0; i < c.outputs; ++i) node.outputs.push_back(format("y{}", i));
  Call call = resolve(op.at(c.opset), node, inputs, {});
  std::vector<std::vector<std::vector<std::uint64_t>>> results;
  for (const bool exact_only : {false, true}) {
    Numerics numerics;
    numerics.exact_only = exact_only;
    if (!exact_only) numerics.stats = stats;
    call.set_numerics(numerics);
    const std::vector<ValueType> types = op.output_types(call);
    results.emplace_back();
    for (const Value& y : op.kernel(call, outputs_of(call, types))) {
      results.back().emplace_back();
      if (y.tensor() == nullptr) continue;
      for (std::int64_t i = 0; i < y.tensor()->count(); ++i)
        results.back().back().push_back(element_bits(*y.tensor(), i));
    }
  }
  return results;
}

}  // namespace opref::ops::two_tiers
