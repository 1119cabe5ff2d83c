// SPDX-License-Identifier: Apache-2.0
// ai.onnx RMSNormalization, version 23
// https://onnx.ai/onnx/operators/onnx__RMSNormalization.html
#include "ops/operator_file.h"
#include "ops/shared/normalization.h"
namespace opref::ops::onnx {
namespace {
// Over the axes from `axis` on, of n elements: Y = X / √(ΣX²/n + epsilon) · scale
class RmsNormalization {
 public:
  explicit RmsNormalization(const Call& call, std::int64_t n)
      : n_(n),
        epsilon_(call.number("epsilon")),
        x_(call.input("X")),
        scale_(call.input("scale")),
        scale_at_(broadcast_places(call.type("scale").shape, call.type("X").shape)) {}

  template <class R>
  void operator()(std::int64_t row, const Reader<R>& x, Writer<R>& y) const {
    R squares = x.zero();
    for (std::int64_t at = row * n_; at < (row + 1) * n_; ++at) squares = squares + square(x(x_, at));
    const R mean = x.named("the mean of squares", squares / R::whole(n_));
    const R rms = x.named("the root", sqrt(mean + R(epsilon_)));
    for (std::int64_t at = row * n_; at < (row + 1) * n_; ++at)
      y.put(0, at, [&] { return x(x_, at) / rms * x(scale_, scale_at_(at)); });
  }
  std::int64_t program_of(size_t, std::int64_t at) const { return at / n_; }

 private:
  std::int64_t n_;
  double epsilon_;
  Elements x_, scale_;
  Strided scale_at_;
};

std::vector<ValueType> output_types(const Call& call) {
  const TensorType &x = call.type("X"), scale = call.type("scale");
  call.axis("axis", x.rank());
  floating_type_of(call, "stash_type");
  require(scale.rank() <= x.rank() && broadcast(scale.shape, x.shape) == x.shape,
          "scale has shape {}, which does not broadcast to that of X, {}", scale.shape, x.shape);
  return {TensorType{call.reads("rms_normalization.output_type", "x") ? x.dtype : scale.dtype, x.shape}};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& x = outs[0].type().shape;
  const auto axis = call.axis("axis", x.size());
  return programs(outs, element_count(x.first(axis)), RmsNormalization(call, element_count(x.without_first(axis))));
}

void version_23(OpSchema& s) {
  s.attribute(with_default("axis", -1))
      .attribute(with_default("epsilon", 1e-05F))
      .attribute(with_default("stash_type", 1, element_types()));
  s.input("X", "T").input("scale", "V").output("Y", "V");
  for (const char* variable : {"T", "V"}) s.types(variable, types::floats | DType::bfloat16);
}
}  // namespace
Operator rms_normalization() {
  return Operator("ai.onnx", "RMSNormalization")
      .summary("x/√(mean of squares + epsilon)·scale, the mean of the last axes")
      .version(23, version_23)
      .reading({.name = "rms_normalization.output_type",
                .alternatives = {"scale: Y has the type of scale", "x: that of X"},
                .defaults = {{23, "scale"}},
                .reason = "Y and scale have one type variable, V; ONNX's inference gives Y the type of X"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx
