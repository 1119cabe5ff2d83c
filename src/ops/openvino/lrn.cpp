// SPDX-License-Identifier: Apache-2.0
// openvino LRN, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "ops/shared/powers.h"
#include "schema/double_attributes.h"
namespace opref::ops::openvino::file_lrn {
namespace {
/// The axes of the box.
std::vector<size_t> box_axes(const Call& call) {
  return axes_among("axes", call.integers("axes"), call.type("data").rank());
}

std::vector<ValueType> output_types(const Call& call) {
  int64_list(call, "axes");
  if (call.has_value("axes")) box_axes(call);
  return same_type(call);
}

// output0 = x/(bias + alpha/size^n·Σ x²)^beta over the box from i - size/2 to i + size/2 on each of n axes, inside data
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& data = call.input("data");
  const Elements x(data);
  const std::vector<size_t> axes = box_axes(call);
  const Dims &shape = data.shape(), strides = strides_of(shape);
  const std::int64_t size = call.integer("size"),
                     half = call.reads("lrn.even_size", "symmetric") ? (size - 1) / 2 : size / 2;
  const double alpha = call.number("alpha"), beta = call.number("beta"), bias = call.number("bias");
  std::int64_t box = 1;
  for (size_t k = 0; k < axes.size(); ++k) box = checked_multiply(box, size);
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& read) {
    const Dims at = coordinates(i, shape);
    Dims first = at, count = Dims::filled(shape.size(), 1);
    for (const size_t axis : axes) {
      first[axis] = std::max<std::int64_t>(at[axis] - half, 0);
      count[axis] = std::min(at[axis] + half, shape[axis] - 1) - first[axis] + 1;
    }
    R squares = read.zero();
    Strided(count, strides).each(position(first, shape), [&](const Run& run) {
      for (std::int64_t k = 0; k < run.count; ++k) squares = squares + square(read(x, run.from + k * run.step));
    });
    const R base = R(bias) + squares * (R(alpha) / R::whole(box));
    return read(x, i) / powers::power(base, beta);
  })};
}
}  // namespace
Operator lrn() {
  return Operator("openvino", "LRN")
      .summary("x/(bias + alpha/size^n·(sum of squares around it))^beta")
      .page("normalization/lrn-1")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(required(FLOAT, "alpha"))
                     .attribute(required(FLOAT, "beta"))
                     .attribute(required(FLOAT, "bias"))
                     .attribute(required(INT, "size", at_least(1)))
                     .input("data", "T")
                     .input("axes", "T_IND")
                     .output("output0", "T")
                     .types("T", computed_floats)
                     .types("T_IND", types::integers);
               })
      .reading({.name = "lrn.even_size",
                .alternatives = {"page: from i - size/2 to i + size/2, so size + 1 elements of an even size",
                                 "symmetric: (size - 1)/2 elements on both sides"},
                .defaults = {{1, "page"}},
                .reason = "the page states the limits; both programs take (size - 1)/2",
                .may_change_values = [](const Call& call) { return call.integer("size") % 2 == 0; }})
      .reading(attribute_double_reading(1))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_lrn
