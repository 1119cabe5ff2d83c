// SPDX-License-Identifier: Apache-2.0
// com.microsoft QLinearConcat, version 1
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearConcat
#include "ops/operator_file.h"
#include "ops/shared/requantized.h"
namespace opref::ops::microsoft::file_q_linear_concat {
namespace {
/// The inputs in threes: a tensor, its scale, its zero point.
struct Triple {
  const Input &tensor, &scale, &zero_point;
};
std::vector<Triple> triples(const Call& call) {
  const std::span<const Input> all = call.inputs("inputs");
  require(all.size() % 3 == 0, "there are {} inputs, but they come in threes: a tensor, its scale, its zero point",
          all.size());
  std::vector<Triple> threes;
  for (size_t k = 0; k < all.size(); k += 3) threes.push_back({all[k], all[k + 1], all[k + 2]});
  return threes;
}

std::vector<ValueType> output_types(const Call& call) {
  require_single_numbers(call, {"Y_scale", "Y_zero_point"});
  const DType type = call.type("Y_zero_point").dtype;
  const std::vector<Triple> all = triples(call);
  const Dims& first = all.front().tensor.tensor_type().shape;
  const size_t axis = call.axis("axis", first.size());
  Dims y = first;
  y[axis] = 0;
  for (size_t k = 0; k < all.size(); ++k) {
    const TensorType &tensor = all[k].tensor.tensor_type(), &scale = all[k].scale.tensor_type(),
                     &zero_point = all[k].zero_point.tensor_type();
    require(tensor.dtype == type && zero_point.dtype == type,
            "tensor {} is {} and its zero point {}, but both must be {}, as Y_zero_point", k, tensor.dtype,
            zero_point.dtype, type);
    require(scale.dtype == DType::float32, "the scale of tensor {} is {}, but must be float32", k, scale.dtype);
    for (const TensorType* of : {&scale, &zero_point})
      require(of->shape.empty() || of->shape == Dims{1},
              "the {} of tensor {} has shape {}, but must be one number: [] or [1]",
              of == &scale ? "scale" : "zero point", k, of->shape);
    Dims others = tensor.shape;
    if (others.size() == y.size()) others[axis] = first[axis];
    require(others == first, "tensor {} has shape {}, but tensor 0 has {}: they may differ along axis {} alone", k,
            tensor.shape, first, axis);
    y[axis] = checked_add(y[axis], tensor.shape[axis]);
  }
  return {TensorType{type, y}};
}

// Y = saturate(nearest((x - its zero point)·its scale / Y_scale) + Y_zero_point), of the x that lies there
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  require_usual_scales(call, {"Y_scale"});
  const std::vector<Triple> all = triples(call);
  const Dims& shape = outs[0].type().shape;
  const size_t axis = call.axis("axis", shape.size());
  const std::int64_t size = shape[axis], inner = element_count(shape.without_first(axis + 1));
  struct Part {
    Elements x, scale, zero_point;
    std::int64_t begin, size;  ///< along the axis
  };
  std::vector<Part> parts;
  std::int64_t begin = 0;
  for (const Triple& part : all) {
    require_usual_scale(call, part.scale);
    const std::int64_t own = part.tensor.tensor_type().shape[axis];
    if (own > 0)
      parts.push_back({Elements(part.tensor.tensor()), Elements(part.scale.tensor()),
                       Elements(part.zero_point.tensor()), begin, own});
    begin += own;
  }
  const Elements Y_scale(call.input("Y_scale")), Y_zero_point(call.input("Y_zero_point"));
  const Requantizing how(outs[0]);
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
    const auto [outer, j, in] = split(i, size, inner);
    const Part& part = *std::prev(std::ranges::upper_bound(parts, j, {}, &Part::begin));
    const std::int64_t at = (outer * part.size + j - part.begin) * inner + in;
    const R v = how.real(x(part.x, at), x(part.scale, 0), x(part.zero_point, 0));
    return how.integer(v, x(Y_scale, 0), x(Y_zero_point, 0));
  })};
}

void version_1(OpSchema& s) {
  s.input("Y_scale", "TF").input("Y_zero_point", "T8").input("inputs", "TV", Arity::heterogeneous).output("Y", "T8");
  s.types("T8", {DType::int8, DType::uint8})
      .types("TF", DType::float32)
      .types("TV", {DType::float32, DType::int8, DType::uint8});
  s.attribute(required(INT, "axis"));
}
}  // namespace
Operator q_linear_concat() {
  return Operator("com.microsoft", "QLinearConcat")
      .summary("quantized tensors one after another along an axis, quantized again alike")
      .version(1, version_1)
      .reading(arithmetic_reading())
      .reading(any_scale_reading(has_unusual_scale))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::microsoft::file_q_linear_concat
