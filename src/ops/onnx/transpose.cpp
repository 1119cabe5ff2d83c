// SPDX-License-Identifier: Apache-2.0
// ai.onnx Transpose, versions 1, 13, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Transpose.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_transpose {
namespace {
/// perm, "by default, reverse the dimensions".
std::vector<size_t> permutation(const Call& call) {
  const size_t rank = call.type("data").rank();
  std::vector<size_t> perm;
  if (!call.has("perm")) {
    for (size_t axis = rank; axis-- > 0;) perm.push_back(axis);
    return perm;
  }
  const Dims stated(call.integers("perm"));
  require(stated.size() == rank, "{} orders {} axes, but {} has rank {}", call.name("perm"), stated.size(),
          call.name("data"), rank);
  for (const std::int64_t axis : stated) {
    require(axis < static_cast<std::int64_t>(rank), "{} is {}, but {} has axes 0 to {}", call.name("perm"), stated,
            call.name("data"), rank - 1);
    require(std::ranges::find(perm, axis) == perm.end(), "{} is {}, which names axis {} twice", call.name("perm"),
            stated, axis);
    perm.push_back(static_cast<size_t>(axis));
  }
  return perm;
}

Dims permuted(const Dims& of, const std::vector<size_t>& perm) {
  Dims to;
  for (const size_t axis : perm) to.push_back(of[axis]);
  return to;
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  return {TensorType{dtype, permuted(data, permutation(call))}};
}

// transposed[i] = data[j],  j[perm[a]] = i[a] for each axis a
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  const TensorType& transposed = outs[0].type();
  return {move(outs[0], data, Strided(transposed.shape, permuted(strides_of(data.shape()), permutation(call))))};
}

void version_1(OpSchema& s) {
  s.attribute(optional(INTS, "perm", at_least(0)))
      .input("data", "T")
      .output("transposed", "T", "data with its axes in the order of perm")
      .types("T", types::basic, "Constrain input and output types to all tensor types.");
}
}  // namespace
Operator transpose() {
  Operator op = Operator("ai.onnx", "Transpose")
                    .summary("the axes in another order")
                    .version(1, version_1)
                    .version(13, allows("T", types::ir4));
  return with_newer_types(std::move(op), "T").output_types(output_types).kernel(kernel);
}
}  // namespace opref::ops::onnx::file_transpose
