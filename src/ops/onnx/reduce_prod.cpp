// SPDX-License-Identifier: Apache-2.0
// ai.onnx ReduceProd, versions 1, 11, 13, 18
// https://onnx.ai/onnx/operators/onnx__ReduceProd.html
#include "evaluators/slices.h"
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::onnx::file_reduce_prod {
namespace {
// reduced[i] = Π of data over the reduced axes;  of integers modulo 2^bits;  of none 1
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Reduction r = reduction(call);
  if (r.is_noop) return {unreduced(outs[0], call.input("data"))};
  if (reduces_integers(call))
    return {wholes(outs[0], [&, data = Elements(call.input("data"))](std::int64_t i, const WholeReader& x) {
      std::uint64_t product = 1;
      r.each(i, [&](std::int64_t at) { product *= static_cast<std::uint64_t>(x(data, at)); });
      return product;
    })};
  const Slicing reduced(call.type("data").shape, r.is_reduced);
  const SliceOperand data = reduced.operand(call.input("data"));
  return slices(outs, reduced,
                [&]<class R>(const Slices<R>& s) { s.put(0, product(s.row(data)), evaluators::Sign::as_estimate); });
}
}  // namespace
Operator reduce_prod() {
  return reduction_operator("ReduceProd").summary("the product of the elements along some axes").kernel(kernel);
}
}  // namespace opref::ops::onnx::file_reduce_prod
