// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReduceProd, versions 1, 11, 13, 18
// https://onnx.ai/onnx/operators/onnx__ReduceProd.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx {
namespace {
// reduced[i] = Π of data over the reduced axes;  of integers modulo 2^bits;  of none 1
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Reduction r = reduction(call);
  if (r.is_noop) return {unreduced(outs[0], call.input("data"))};
  const Elements data(call.input("data"));
  if (reduces_integers(call))
    return {wholes(outs[0], [&](std::int64_t i, const WholeReader& x) {
      std::uint64_t product = 1;
      r.each(i, [&](std::int64_t at) { product *= static_cast<std::uint64_t>(x(data, at)); });
      return product;
    })};
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    R product(1.0);
    r.each(i, [&](std::int64_t at) { product = product * x(data, at); });
    return product;
  })};
}
}  // namespace
Operator reduce_prod() {
  return reduction_operator("ReduceProd").summary("the product of the elements along some axes").kernel(kernel);
}
}  // namespace opref::ops::onnx
