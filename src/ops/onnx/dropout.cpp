// SPDX-License-Identifier: Apache-2.0
// ai.onnx Dropout, versions 1, 6, 7, 10, 12, 13, 22
// https://onnx.ai/onnx/operators/onnx__Dropout.html
#include "ops/operator_file.h"
#include "ops/shared/random.h"
namespace opref::ops::onnx::file_dropout {
namespace {
bool is_training(const Call& call) {
  if (call.version() < 7) return !call.flag("is_test");
  return call.has("training_mode") && Elements(call.input("training_mode")).integer(0) != 0;
}

double ratio(const Call& call) {
  if (call.version() < 12) return call.number("ratio");
  return call.has("ratio") ? Elements(call.input("ratio")).number(0) : 0.5;
}

std::vector<ValueType> output_types(const Call& call) {
  const TensorType& data = call.type("data");
  if (call.version() < 12) return {data, TensorType{call.version() < 10 ? data.dtype : DType::boolean, data.shape}};
  for (const std::string_view scalar : {"ratio", "training_mode"}) require_scalar(call, scalar);
  return {data, TensorType{DType::boolean, data.shape}};
}

// output = data, and a mask of ones, where nothing is dropped
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const bool training = is_training(call), has_mask = outs.size() > 1 && outs[1].wanted();
  if (training && call.version() >= 12)
    require(ratio(call) >= 0 && ratio(call) < 1, "ratio is {}, but in training must be in [0, 1)", ratio(call));
  if (training && (call.version() < 7 || ratio(call) != 0))
    fail(Fault::unsupported, "in training elements are dropped at random");
  require(!has_mask || call.version() >= 7, "the node has a mask, but with is_test none is filled");
  const Tensor& data = call.input("data");
  std::vector<Value> values{move(outs[0], data, [n = data.count()](std::int64_t i) { return Run{i, n - i}; })};
  if (!has_mask) return values;
  const std::vector<double> one{call.reads("dropout.mask", "zeros") ? 0.0 : 1.0};
  const Tensor number = Tensor::copy_of({DType::float64, Dims{}}, std::as_bytes(std::span(one)));
  const Tensor fill = convert(outs[1].inner({outs[1].type().dtype, Dims{}}), number, {});
  values.emplace_back(move(
      outs[1], std::span<const Tensor>(), [n = data.count()](std::int64_t i) { return Run::fill(n - i); }, fill));
  return values;
}

/// x/(1 - ratio)
struct Scaled : RealFormula<1> {
  double ratio;
  explicit Scaled(double of) : ratio(of) {}
  template <class R>
  OPREF_INLINE R operator()(const R& x) const {
    return x / (R(1.0) - R(ratio));
  }
};

bool draws(const Call& call) {
  if (call.version() < 12) return call.version() < 7 && is_training(call);
  const bool is_known = call.has_value("training_mode") && (!call.has("ratio") || call.has_value("ratio"));
  return is_known && is_training(call) && ratio(call) != 0;
}

// what was drawn: elements kept, about the share 1 - ratio; output = data/(1 - ratio) where they are, else 0; of
// Inf and NaN also NaN, which the page's formula gives: scale·data·mask
std::vector<Value> drawn(const Call& call, std::span<const Output> outs, std::span<const Tensor* const> given) {
  const Tensor& data = call.input("data");
  const double r = ratio(call);
  require(r >= 0 && r < 1, "ratio is {}, but in training must be in [0, 1)", r);
  const Tensor* const output = given[0];
  const Tensor* const mask = given.size() > 1 ? given[1] : nullptr;
  const Tensor* const shown = mask != nullptr ? mask : output;
  if (shown == nullptr) return {Value{}, Value{}};
  const Elements x(data), y(*shown);
  const auto is_product = [&](std::int64_t i) {  // of the mask's 0 and Inf or NaN
    return output != nullptr && !std::isfinite(x.number(i)) && std::isnan(Elements(*output).number(i));
  };
  const auto is_kept = [&](std::int64_t i) {
    if (mask == nullptr && std::isinf(x.number(i)) && is_product(i)) return false;
    return y.is_floating() ? y.number(i) != 0 : y.integer(i) != 0;
  };
  std::vector<std::int64_t> telling;  // a kept 0 or NaN looks like a dropped one, but for the mask
  for (std::int64_t i = 0; i < data.count(); ++i)
    if (mask != nullptr || (x.number(i) != 0 && !std::isnan(x.number(i)))) telling.push_back(i);
  require_likely_share(
      mask != nullptr ? "mask" : "output", "elements kept", std::ssize(telling),
      [&](std::int64_t k) { return is_kept(telling[static_cast<size_t>(k)]); }, [r](std::int64_t) { return 1 - r; });
  const Tensor scaled = elementwise(outs[0].inner(outs[0].type()), std::span(&data, 1), Scaled(r));
  const std::vector<Tensor> sources{scaled, output != nullptr ? *output : scaled};
  std::vector<Value> values{move(outs[0], sources, [&](std::int64_t i) {
    return is_kept(i) ? Run{i, 1} : is_product(i) ? Run{i, 1, 1, 1} : Run::fill(1);
  })};
  if (outs.size() > 1) values.push_back(mask != nullptr ? Value(*mask) : Value{});
  return values;
}

bool has_mask(const Call& call) { return call.wants("mask"); }

void version_1(OpSchema& s) {
  s.attribute(optional(INTS, "consumed_inputs"))
      .attribute(with_default("is_test", 0))
      .attribute(with_default("ratio", 0.5F));
  s.input("data", "T").output("output", "T").output("mask", "T", Arity::optional);
  s.types("T", types::floats, "Constrain input and output types to float tensors.");
  s.shape_inference(ShapeInference::none);
}

void version_7(OpSchema& s) { s.remove("is_test").wording("data are copied, always"); }

void version_10(OpSchema& s) {
  s.change_parameter("mask").type = "T1";
  s.types("T1", DType::boolean);
}

void version_12(OpSchema& s) {
  s.remove("ratio").attribute(optional(INT, "seed"));
  s.input("ratio", "T1", Arity::optional).input("training_mode", "T2", Arity::optional);
  s.change_parameter("mask").type = "T2";
  s.types("T1", types::floats).types("T2", DType::boolean);
}

void version_22(OpSchema& s) {
  for (const char* variable : {"T", "T1"}) s.types(variable, types::floats | DType::bfloat16 | types::float8);
}
}  // namespace
Operator dropout() {
  return Operator("ai.onnx", "Dropout")
      .summary("the data; in training, some elements at random become 0")
      .version(1, version_1)
      .version(6, without_consumed_inputs)
      .version(7, version_7)
      .version(10, version_10)
      .version(12, version_12)
      .version(13, adds("T", DType::bfloat16))
      .version(22, version_22)
      .reading({.name = "dropout.mask",
                .alternatives = {"ones: all elements are kept", "zeros: no element is dropped"},
                .defaults = {{7, "ones"}, {12, ""}},
                .reason = "the page of 12 says that the mask then has ones alone; onnxruntime gives zeros in 7 and 10",
                .may_change_values = has_mask})
      .output_types(output_types)
      .kernel(kernel)
      .drawn(drawn, draws);
}
}  // namespace opref::ops::onnx::file_dropout
