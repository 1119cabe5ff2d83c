// SPDX-License-Identifier: Apache-2.0
// openvino FakeConvert, version 13 (opset13)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_fake_convert {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const Dims &data = call.type("data").shape, &scale = call.type("scale").shape;
  require(broadcast(data, scale) == data, "scale of shape {} does not broadcast to data, which has shape {}", scale,
          data);
  if (call.has("shift"))
    require(call.type("shift").shape == scale, "shift has shape {}, but scale has {}: both must have one",
            call.type("shift").shape, scale);
  return same_type(call);
}

// data·scale - shift
struct Scaled : RealFormula<2> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& data, const R& scale) const {
    return data * scale;
  }
};
struct Shifted : RealFormula<3> {
  static constexpr bool one_operation = true;
  template <class R>
  OPREF_INLINE R operator()(const R& data, const R& scale, const R& shift) const {
    return sum_to_odd(data * scale, -shift);
  }
};

// out = (f8 + shift)/scale, where f8 = data·scale - shift as float8, its greatest number where it is beyond
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const TensorType& type = outs[0].type();
  const Output f8 = outs[0].inner({element_type_of(call, "destination_type"), type.shape});
  std::vector<Tensor> operands{call.input("data"), call.input("scale")};
  if (call.has("shift")) operands.push_back(call.input("shift"));
  const Tensor rounded =
      operands.size() == 2 ? elementwise(f8, operands, Scaled{}) : elementwise(f8, operands, Shifted{});
  const Elements q(rounded), scale(operands[1]), shift(operands.back());
  const Strided place = broadcast_places(operands[1].shape(), type.shape);
  return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& read) {
    const R number = read.named("as float8", R(q.number(i)));
    if (operands.size() == 2) return number / read(scale, place(i));
    return (number + read(shift, place(i))) / read(scale, place(i));
  })};
}
}  // namespace
Operator fake_convert() {
  return Operator("openvino", "FakeConvert")
      .summary("data rounded to float8 after scale and shift, which are undone")
      .page("quantization/fake-convert-13")
      .version(13,
               [](OpSchema& s) {
                 s.attribute(required(STRING, "destination_type", one_of({"f8e4m3", "f8e5m2"})))
                     .input("data", "T_F")
                     .input("scale", "T_F")
                     .input("shift", "T_F", Arity::optional)
                     .output("out", "T_F")
                     .types("T_F", {DType::float16, DType::bfloat16, DType::float32});
               })
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_fake_convert
