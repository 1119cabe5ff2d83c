// SPDX-License-Identifier: Apache-2.0
// ai.onnx LayerNormalization, version 17
// https://onnx.ai/onnx/operators/onnx__LayerNormalization.html
#include "core/error.h"
#include "ops/common/lists.h"
#include "ops/common/normalization.h"

namespace opref::ops::onnx {
namespace {

// Over the axes from `axis` on, of n elements: Mean = ΣX/n, InvStdDev = 1/√(Σ(X - Mean)²/n + epsilon),
// Y = (X - Mean)·InvStdDev·Scale + B; each from X, rounded once
class LayerNormalization {
 public:
  LayerNormalization(const Call& call, std::int64_t n, Spread spread)
      : spread_(spread),
        n_(n),
        epsilon_(call.number("epsilon")),
        has_bias_(call.has("B")),
        x_(call.input("X")),
        scale_(call.input("Scale")),
        bias_(call.input(has_bias_ ? "B" : "Scale")),
        scale_at_(places(call, "Scale")),
        bias_at_(places(call, has_bias_ ? "B" : "Scale")) {}

  template <class R>
  void operator()(std::int64_t row, const Reader<R>& x, Writer<R>& y) const {
    const auto each = [&](const auto& f) {
      for (std::int64_t at = row * n_; at < (row + 1) * n_; ++at) f(at);
    };
    const R mean = mean_of(x, x_, n_, each, spread_);
    y.put(1, row, mean);
    const R deviation = deviation_of(x, variance_of(x, x_, n_, each, mean, spread_), epsilon_, spread_);
    y.put(2, row, [&] { return R(1.0) / deviation; });
    each([&](std::int64_t at) {
      y.put(0, at, [&] {
        const R scaled = (x(x_, at) - mean) / deviation * x(scale_, scale_at_(at));
        return has_bias_ ? scaled + x(bias_, bias_at_(at)) : scaled;
      });
    });
  }
  std::int64_t program_of(size_t output, std::int64_t at) const { return output == 0 ? at / n_ : at; }

 private:
  static Strided places(const Call& call, std::string_view input) {
    const Dims& x = call.type("X").shape;
    return {x, broadcast_strides(call.type(input).shape, x)};
  }

  Spread spread_;
  std::int64_t n_;
  double epsilon_;
  bool has_bias_;
  Elements x_, scale_, bias_;
  Strided scale_at_, bias_at_;
};

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("X");
  const auto axis = static_cast<size_t>(call.axis("axis", x.size()));
  for (const std::string_view input : {"Scale", "B"})
    if (call.has(input))
      require(call.type(input).rank() <= x.size() && broadcast(call.type(input).shape, x) == x,
              "{} has shape {}, which does not broadcast to that of X, {}", input, call.type(input).shape, x);
  const DType stash = floating_type_of(call, "stash_type");
  const bool has_type = stash == DType::float32 || stash == DType::bfloat16;
  require(has_type || !(call.wants("Mean") || call.wants("InvStdDev")),
          "attribute 'stash_type' is {}, but Mean and InvStdDev have 1, float32, or 16, bfloat16",
          call.integer("stash_type"));
  Dims statistics = x;
  for (size_t a = axis; a < x.size(); ++a) statistics[a] = 1;
  const DType type = has_type ? stash : DType::float32;
  return {TensorType{dtype, x}, TensorType{type, statistics}, TensorType{type, statistics}};
}

template <Spread spread>
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& x = call.type("X").shape;
  const auto axis = static_cast<size_t>(call.axis("axis", x.size()));
  return programs(outs, element_count(x.first(axis)),
                  LayerNormalization(call, element_count(x.without_first(axis)), spread));
}

void version_17(OpSchema& s) {
  s.attribute(with_default("axis", -1))
      .attribute(with_default("epsilon", 1e-05F))
      .attribute(with_default("stash_type", 1, element_types()));
  s.input("X", "T").input("Scale", "T").input("B", "T", Arity::optional).output("Y", "T");
  s.output("Mean", "U", Arity::optional)
      .output("InvStdDev", "U", Arity::optional)
      .types("T", types::floats | DType::bfloat16)
      .types("U", {DType::bfloat16, DType::float32});
}

}  // namespace

Operator layer_normalization() {
  return Operator("ai.onnx", "LayerNormalization")
      .summary("(x - mean)/√(variance + epsilon)·Scale + B, mean and variance of the last axes")
      .version(17, version_17)
      .output_types(output_types)
      .kernel(kernel<Spread::right>)
      .mistakes(spread_mistakes<kernel<Spread::sample>, kernel<Spread::of_squares>, kernel<Spread::epsilon_outside>,
                                kernel<Spread::without_root>>());
}

}  // namespace opref::ops::onnx
