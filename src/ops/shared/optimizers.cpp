// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/optimizers.h"

#include "core/error.h"
#include "evaluators/move.h"
namespace opref::ops {
namespace {
const TensorType& type_of(const Call& call, size_t input) { return call.inputs("inputs")[input].tensor_type(); }

/// Of `kinds` lists in a row, each of as many tensors.
size_t variable_count(const Call& call, size_t kinds) {
  const size_t tensors = call.inputs("inputs").size();
  require(tensors % kinds == 0, "inputs has {} tensors, which is no multiple of {}: those of a variable", tensors,
          kinds);
  return tensors / kinds;
}
}  // namespace
Reading broadcast_reading() {
  return {.name = "optimizer.broadcast",
          .alternatives = {"one_shape: the tensors of a variable have one shape",
                           "numpy: they broadcast to a common one, which all of the variable's outputs have"},
          .defaults = {{1, "one_shape"}},
          .reason = "the pseudo code broadcasts, but nothing says to which shape the outputs would be"};
}

void optimizer_version_1(OpSchema& s) {
  s.input("R", "T1", "the learning rate").input("T", "T2", "how many updates there were");
  s.input("inputs", "T3", Arity::heterogeneous, "all X, all of their gradients, then what is accumulated of each");
  s.output("outputs", "T3", Arity::heterogeneous, "all new X, then what is newly accumulated of each");
  s.types("T1", {DType::float32, DType::float64})
      .types("T2", DType::int64)
      .types("T3", {DType::float32, DType::float64});
}

std::vector<ValueType> optimizer_types(const Call& call, size_t kinds) {
  for (const std::string_view name : {"R", "T"})
    require(element_count(call.type(name).shape) == 1, "{} has shape {}, but must have one element", name,
            call.type(name).shape);
  const size_t n = variable_count(call, kinds);
  std::vector<ValueType> types;
  for (size_t variable = 0; variable < n; ++variable) {
    TensorType type = type_of(call, variable);
    for (size_t k = 1; k < kinds; ++k) {
      const TensorType& other = type_of(call, k * n + variable);
      require(other.dtype == type.dtype, "input {} is of {}, but X of the same variable, input {}, of {}",
              k * n + variable + 2, other.dtype, variable + 2, type.dtype);
      require(call.reads("optimizer.broadcast", "numpy") || other.shape == type.shape,
              "input {} has shape {}, but X of the same variable, input {}, has {}", k * n + variable + 2, other.shape,
              variable + 2, type.shape);
      type.shape = broadcast(type.shape, other.shape);
    }
    types.emplace_back(type);
  }
  for (size_t k = n; k < n * (kinds - 1); ++k) types.push_back(types[k - n]);
  require(call.output_count() <= types.size(), "the node has {}, but {} {} {}",
          counted(static_cast<std::int64_t>(call.output_count()), "output"),
          counted(static_cast<std::int64_t>(n), "variable"), n == 1 ? "gives" : "give", types.size());
  return types;
}

std::vector<std::vector<Tensor>> variables_of(const Call& call, std::span<const Output> outs, size_t kinds) {
  const size_t n = variable_count(call, kinds);
  std::vector<std::vector<Tensor>> variables(n);
  for (size_t variable = 0; variable < n; ++variable)
    for (size_t k = 0; k < kinds; ++k) variables[variable].push_back(call.inputs("inputs")[k * n + variable].tensor());
  if (call.reads("optimizer.broadcast", "one_shape")) return variables;
  for (size_t variable = 0; variable < n; ++variable) {
    const TensorType& to = outs[variable].type();
    const Output step(call, to);
    for (Tensor& x : variables[variable]) {
      const Dims strides = broadcast_strides(x.shape(), to.shape);
      x = move(step.inner(to), x, [&](std::int64_t i) {
        std::int64_t from = 0;
        for (size_t axis = to.shape.size(); axis-- > 0; i /= to.shape[axis]) from += i % to.shape[axis] * strides[axis];
        return Run{from, 1};
      });
    }
  }
  return variables;
}
}  // namespace opref::ops
