// SPDX-License-Identifier: Apache-2.0
// ai.onnx Multinomial, versions 7, 22
// https://onnx.ai/onnx/operators/onnx__Multinomial.html
#include "exact/real/bounded_functions.h"
#include "ops/operator_file.h"
#include "ops/shared/random.h"
namespace opref::ops::onnx {
namespace {
// output[b, k], for k < sample_size, is c with a probability proportional to e^input[b, c]
std::vector<ValueType> output_types(const Call& call) {
  const Dims& input = call.type("input").shape;
  require(input.size() == 2, "input has shape {}, but must be [batch_size,class_size]", input);
  require(input[1] > 0 || input[0] == 0, "input has shape {}, but there must be an outcome to draw", input);
  return {TensorType{drawn_dtype(call, ""), {input[0], call.integer("sample_size")}}};
}

/// e^input[b, c] over their sum; nothing where that is no number.
std::vector<double> chances(const Elements& input, std::int64_t b, std::int64_t classes) {
  std::vector<double> p;
  double greatest = -INFINITY, sum = 0;
  for (std::int64_t c = 0; c < classes; ++c) greatest = std::max(greatest, input.number(b * classes + c));
  for (std::int64_t c = 0; c < classes; ++c) {
    const double x = input.number(b * classes + c);
    p.push_back(std::isinf(x) ? 0 : exp(exact::Bounded(x - greatest)).v);
  }
  for (const double weight : p) sum += weight;
  for (double& weight : p) weight /= sum;
  return std::isfinite(sum) && std::isfinite(greatest) ? p : std::vector<double>();
}

// what was drawn: classes, each about as often as its probability says
std::vector<Value> drawn(const Call& call, std::span<const Output>, std::span<const Tensor* const> given) {
  if (given[0] == nullptr) return {Value{}};
  const Dims& shape = call.type("input").shape;
  const std::int64_t classes = shape[1], samples = call.integer("sample_size");
  const Elements input(call.input("input")), y(*given[0]);
  std::vector<Deviations> all(static_cast<size_t>(classes));
  for (std::int64_t b = 0; b < shape[0]; ++b) {
    const std::vector<double> p = chances(input, b, classes);
    std::vector<std::int64_t> count(static_cast<size_t>(classes));
    for (std::int64_t k = 0; k < samples; ++k) {
      const std::int64_t c = y.integer(b * samples + k);
      require(c >= 0 && c < classes, "output{} is {}, but there are {} classes", Dims{b, k}, c, classes);
      require(p.empty() || p[static_cast<size_t>(c)] > 0, "output{} is {}, whose probability is 0", Dims{b, k}, c);
      ++count[static_cast<size_t>(c)];
    }
    for (size_t c = 0; c < p.size(); ++c) {
      Deviations own;
      const double n = nearly(samples), deviation = nearly(count[c]) - n * p[c], variance = n * p[c] * (1 - p[c]);
      own.add(deviation, variance, 1);
      all[c].add(deviation, variance, 1);
      require(own.are_likely(rare(shape[0] * classes)),
              "row {} of output has class {} {} times of {}, but {} are expected: {}", b, c, count[c], samples,
              about(n * p[c]), kSeldom);
    }
  }
  for (size_t c = 0; c < all.size(); ++c)
    require(all[c].are_likely(rare(classes)), "output has class {} too often or too seldom: {}", c, kSeldom);
  return {*given[0]};
}

void version_7(OpSchema& s) {
  s.input("input", "T1").output("output", "T2").types("T1", types::floats).types("T2", types::signed_wide);
  s.attribute(with_default("dtype", 6, element_types())).attribute(with_default("sample_size", 1, at_least(1)));
  s.attribute(optional(FLOAT, "seed"));
}
}  // namespace
Operator multinomial() {
  return Operator("ai.onnx", "Multinomial")
      .summary("outcomes drawn by their unnormalized log-probabilities")
      .version(7, version_7)
      .version(22, adds("T1", DType::bfloat16))
      .output_types(output_types)
      .undetermined(kUndetermined)
      .drawn(drawn);
}
}  // namespace opref::ops::onnx
