// SPDX-License-Identifier: Apache-2.0
#include "check/other_type.h"

#include "exact/convert.h"
#include "exact/rounding.h"
#include "exact/storage.h"

namespace opref::check {

Tensor in_type(const Tensor& tensor, DType dtype) {
  return tensor_of_bits({dtype, tensor.shape()}, [&](std::int64_t i) {
    return converted(number_of(tensor.dtype(), element_bits(tensor, i)), dtype, {.saturates = false});
  });
}

Value as_model_has_it(const Value& actual, const Value& right) {
  const Tensor *ours = right.tensor(), *theirs = actual.tensor();
  const bool fits = ours != nullptr && theirs != nullptr && ours->shape() == theirs->shape() &&
                    ours->dtype() != theirs->dtype() && is_floating(ours->dtype()) && is_floating(theirs->dtype());
  return fits ? Value(in_type(*theirs, ours->dtype())) : actual;
}

Environment in_backend_type(const Environment& values, const std::set<std::string, std::less<>>& names,
                            const OtherType& types) {
  Environment changed;
  for (const std::string& name : names) {
    const auto known = values.find(name);
    if (known == values.end()) continue;
    Input input = known->second;
    if (const Tensor* tensor = input.value ? input.value->tensor() : nullptr;
        tensor && tensor->dtype() == types.model) {
      const Tensor other = in_type(*tensor, types.backend);
      input = Input{name, ValueType(other.type()), Value(other), {}, true};
    }
    changed.insert_or_assign(name, std::move(input));
  }
  return changed;
}

void declare_backend_type(Graph& graph, const OtherType& types) {
  for (ValueInfo& info : graph.inputs)
    if (info.dtype == types.model) info.dtype = types.backend;
  for (auto* infos : {&graph.outputs, &graph.declared})
    for (ValueInfo& info : *infos) info.dtype.reset();
}

}  // namespace opref::check
