// SPDX-License-Identifier: Apache-2.0
// ai.onnx CausalConvWithState, version 27
// https://onnx.ai/onnx/operators/onnx__CausalConvWithState.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_causal_conv_with_state {
namespace {
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, x] = call.type("input");
  require(x.size() == 3, "input has rank {}, but must be (N, C, L): rank 3", x.size());
  const Dims& w = call.type("weight").shape;
  require(w.size() == 3 && w[0] == x[1] && w[1] == 1, "weight has shape {}, but input has {}: it must be ({}, 1, k)", w,
          counted(x[1], "channel"), x[1]);
  require(w[2] > 0, "weight has shape {}, but k must be > 0", w);
  require(!call.has("bias") || call.type("bias").shape == Dims{x[1]}, "bias has shape {}, but must have {}",
          call.has("bias") ? call.type("bias").shape : Dims{}, Dims{x[1]});
  const Dims state{x[0], x[1], w[2] - 1};
  require(!call.has("past_state") || call.type("past_state").shape == state,
          "past_state has shape {}, but must have {}", call.has("past_state") ? call.type("past_state").shape : Dims{},
          state);
  return {TensorType{dtype, x}, TensorType{dtype, state}};
}

// With p = past_state ++ input along the last axis (without past_state: nothing before input),
//   z[n,c,t] = bias[c] + Σ weight[c,0,k]·p[n,c,t+k],   output = z, or silu: z·sigmoid(z)
class Causal {
 public:
  explicit Causal(const Call& call)
      : input_(call.input("input")),
        weight_(call.input("weight")),
        bias_(call.input(call.has("bias") ? "bias" : "weight")),
        past_(call.input(call.has("past_state") ? "past_state" : "weight")),
        has_bias_(call.has("bias")),
        has_past_(call.has("past_state")),
        C_(call.type("input").shape[1]),
        L_(call.type("input").shape[2]),
        K_(call.type("weight").shape[2]) {}

  /// f(element, weight) of each tap, f(bias).
  template <class F>
  void each(std::int64_t i, const F& f) const {
    const auto [nc, t] = split(i, L_);
    const std::int64_t c = nc % C_;
    if (has_bias_) f(bias_[c]);
    for (std::int64_t k = 0; k < K_; ++k) {
      const std::int64_t at = t + k - (K_ - 1);  // in input
      if (at >= 0)
        f(input_[nc * L_ + at], weight_[c * K_ + k]);
      else if (has_past_)
        f(past_[nc * (K_ - 1) + t + k], weight_[c * K_ + k]);
    }
  }
  template <class R>
  R operator()(std::int64_t i, const Reader<R>& x) const {
    SumOf<R> sum;
    each(i, [&](const Element& first, const auto&... weight) {
      sum.add((x(*first.of, first.at) * ... * x(*weight.of, weight.at)));
    });
    const R z = x.named("z", sum.total());
    return z * sigmoid(z);
  }

 private:
  Elements input_, weight_, bias_, past_;
  bool has_bias_, has_past_;
  std::int64_t C_, L_, K_;
};

// The last K - 1 columns of p.
Tensor present_state(const Call& call, const Output& out) {
  const std::int64_t L = call.type("input").shape[2], kept = out.type().shape[2];
  const bool has_past = call.has("past_state");
  const std::array from{call.input("input"), call.input(has_past ? "past_state" : "input")};
  return move(out, from, [=](std::int64_t i) {
    const auto [nc, t] = split(i, kept);
    const std::int64_t at = L - kept + t;  // in input
    if (at >= 0) return Run{nc * L + at, 1, 1, 0};
    return has_past ? Run{nc * kept + L + t, 1, 1, 1} : Run::fill();
  });
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Causal causal(call);
  const Tensor& input = call.input("input");
  const auto sums = [&](const Output& out) {
    return sum(out, input.dtype(), [&](std::int64_t i, auto& sum) {
      causal.each(i, [&](const auto&... factors) { sum.add(factors...); });
    });
  };
  const auto output = [&]() -> Tensor {
    if (call.string("activation") == "none") return sums(outs[0]);
    if (call.reads("causal_conv_with_state.activation", "exact")) return real(outs[0], causal);
    const Tensor rounded = sums(outs[0].inner(outs[0].type()));
    const Elements z(rounded);
    return real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) { return x(z, i) * sigmoid(x(z, i)); });
  };
  if (outs.size() == 1) return {output()};
  return {output(), present_state(call, outs[1])};
}

bool has_activation(const Call& call) { return call.string("activation") != "none"; }

void version_27(OpSchema& s) {
  s.attribute(with_default("activation", "none", one_of({"none", "silu", "swish"})))
      .input("input", "T", "the data, (N, C, L)")
      .input("weight", "T", "the kernels, (C, 1, k)")
      .input("bias", "T", Arity::optional, "the bias, (C)")
      .input("past_state", "T", Arity::optional, "what came before the data, (N, C, k-1)")
      .output("output", "T", "the result, (N, C, L)")
      .output("present_state", "T", "what the next call takes for past_state")
      .types("T", {DType::float16, DType::float32, DType::bfloat16});
}
}  // namespace
Operator causal_conv_with_state() {
  return Operator("ai.onnx", "CausalConvWithState")
      .summary("convolution of each channel with what came before, and the state that the next call needs")
      .version(27, version_27)
      .reading({.name = "causal_conv_with_state.activation",
                .alternatives = {"exact: of the sum as it is, rounded once",
                                 "rounded_first: of the sum rounded to the output's type"},
                .defaults = {{27, "exact"}},
                .reason = "one formula of numbers; the page's function body rounds the sum before silu takes it",
                .may_change_values = has_activation})
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"activation", ""}});
}
}  // namespace opref::ops::onnx::file_causal_conv_with_state
