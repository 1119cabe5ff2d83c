// SPDX-License-Identifier: Apache-2.0
// ai.onnx NonZero, versions 9, 13
// https://onnx.ai/onnx/operators/onnx__NonZero.html
#include "ops/operator_file.h"
#include "ops/shared/numbers.h"
namespace opref::ops::onnx::file_non_zero {
namespace {
/// The places of the elements that are not zero, in row-major order: NaN is not, -0 is. Of complex numbers either part.
std::vector<std::int64_t> places_of(const Call& call) {
  const Tensor& x = call.input("X");
  std::vector<std::int64_t> found;
  if (x.dtype() == DType::string) {
    for (std::int64_t i = 0; i < x.count(); ++i)
      if (!x.strings()[static_cast<size_t>(i)].empty()) found.push_back(i);
    return found;
  }
  const Tensor parts = parts_of(x);
  const Elements numbers(parts);
  const auto is_zero = [&](std::int64_t at) {
    return numbers.is_floating() ? numbers.number(at) == 0 : numbers.integer(at) == 0;
  };
  const std::int64_t each = is_complex(x.dtype()) ? 2 : 1;
  for (std::int64_t i = 0; i < x.count(); ++i)
    if (!is_zero(each * i) || !is_zero(each * i + each - 1)) found.push_back(i);
  return found;
}

std::vector<ValueType> output_types(const Call& call) {
  const TensorType& x = call.type("X");
  require(x.dtype != DType::string || call.reads("non_zero.string", "non_empty"),
          "X has type string, which has no zero; the reading non_zero.string=non_empty takes \"\" as one");
  if (!call.has_value("X")) return {ValueType::of_unknown_shape(DType::int64)};
  return {TensorType{DType::int64, Dims{std::ssize(x.shape), std::ssize(places_of(call))}}};
}

// Y[a, n] = the coordinate along axis a of the n-th element of X that is not zero
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor& X = call.input("X");
  const std::vector<std::int64_t> found = places_of(call);
  const Dims strides = strides_of(X.shape());
  const auto place = [&](std::int64_t i) { return found[static_cast<size_t>(i % std::ssize(found))]; };
  const auto coordinate = [&](std::int64_t i, std::int64_t at) {
    const auto a = static_cast<size_t>(i / std::ssize(found));
    return at / strides[a] % X.shape()[a];
  };
  return {places(outs[0], X, place, coordinate)};
}

void version_9(OpSchema& s) { s.input("X", "T").output("Y", "int64").types("T", types::basic); }
}  // namespace
Operator non_zero() {
  return Operator("ai.onnx", "NonZero")
      .summary("the coordinates of the elements that are not zero")
      .version(9, version_9)
      .version(13, adds("T", DType::bfloat16))
      .reading({.name = "non_zero.string",
                .alternatives = {"non_empty: \"\" is zero", "invalid: strings are invalid"},
                .defaults = {{9, "non_empty"}},
                .reason = "the type list has strings, the page does not say what zero is; ONNX's reference takes \"\""})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_non_zero
