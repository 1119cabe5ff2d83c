// SPDX-License-Identifier: Apache-2.0
// ai.onnx.ml OneHotEncoder, version 1
// https://onnx.ai/onnx/operators/onnx_aionnxml_OneHotEncoder.html
#include "exact/element_text.h"
#include "ops/operator_file.h"
#include "ops/shared/lookups.h"
namespace opref::ops::onnx_ml::file_one_hot_encoder {
namespace {
constexpr std::string_view kCast = "one_hot.cast";

/// "One and only one of the 'cats_*' attributes must be defined", that of X's kind.
std::string_view categories(const Call& call) {
  const std::string_view name = given_one(call, {"cats_int64s", "cats_strings"});
  const DType X = call.type("X").dtype;
  require((name == "cats_strings") == (X == DType::string), "X is {}, so {} cannot be given", X, name);
  return name;
}

// "one more dimension than X"
std::vector<ValueType> output_types(const Call& call) {
  return {TensorType{DType::float32, join(call.type("X").shape, list_tensor(call, categories(call)).shape())}};
}

bool has_int64(double number) { return number >= -0x1p63 && number < 0x1p63; }
/// "If the input is a tensor of float, int32, or double, the data will be cast to integers": toward zero.
std::int64_t casted(double number) { return has_int64(number) ? static_cast<std::int64_t>(number) : INT64_MIN; }

/// For each element the place of its category; -1: it has none.
std::vector<std::int64_t> places(const Call& call) {
  const Tensor &X = call.input("X"), cats = list_tensor(call, categories(call));
  if (X.dtype() == DType::string) return places_among(X, cats, Repeated::last);
  const Elements x(X);
  std::vector<std::int64_t> integers;
  for (std::int64_t i = 0; i < X.count(); ++i) integers.push_back(x.is_floating() ? casted(x.number(i)) : x.integer(i));
  std::vector<std::int64_t> places =
      places_among(Tensor::of<std::int64_t>(DType::int64, X.shape(), integers), cats, Repeated::last);
  for (std::int64_t i = 0; x.is_floating() && i < X.count() && call.reads(kCast, "truncate"); ++i)
    if (!has_int64(x.number(i))) places[static_cast<size_t>(i)] = -1;
  return places;
}

// Y[…, k] = 1 where X[…] is category k, of equal ones the last, else 0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const std::vector<std::int64_t> hot = places(call);
  const std::string_view name = categories(call);
  // "if false and a category if not found, the operator will fail"
  if (!call.flag("zeros"))
    for (std::int64_t i = 0; i < std::ssize(hot); ++i)
      if (hot[static_cast<size_t>(i)] < 0)
        fail(Fault::invalid, "X{} is {}, which is none of {}, but zeros is 0: each must be one",
             coordinates(i, call.type("X").shape), printable(element_text(call.input("X"), i)), name);
  const std::int64_t n = list_tensor(call, name).count();
  if (outs[0].only()) {
    const auto [line, k] = split(*outs[0].only(), n);
    const std::int64_t category = hot[static_cast<size_t>(line)];
    tell_rule(outs[0], call.input("X"), line,
              category < 0 ? "it is no category" : format("its category is number {} from 0, here is {}", category, k));
  }
  return {move_one_hot(outs[0], zero_and_one(DType::float32), n, 1,
                       [&](std::int64_t line) { return hot[static_cast<size_t>(line)]; })};
}

void version_1(OpSchema& s) {
  s.input("X", "T")
      .output("Y", "float32")
      .types("T", types::signed_wide | Types{DType::float32, DType::float64, DType::string});
  s.attribute(optional(INTS, "cats_int64s"))
      .attribute(optional(STRINGS, "cats_strings"))
      .attribute(with_default("zeros", 1, flag()));
}
}  // namespace
Operator one_hot_encoder() {
  return Operator("ai.onnx.ml", "OneHotEncoder")
      .summary("a further axis, on which 1 stands at the element's category")
      .version(1, version_1)
      .reading({.name = kCast,
                .alternatives = {"truncate: NaN, infinities and what is beyond int64 are no category",
                                 "x86: they are -2^63, which may be one, as x86 converts them"},
                .defaults = {{1, "truncate"}},
                .reason = "the page: \"the data will be cast to integers\"; they are none",
                .may_change_values =
                    [](const Call& call) {
                      return is_floating(call.type("X").dtype) &&
                             any_of(call, "X", true, [](double x) { return !has_int64(x); });
                    }})
      .output_types(output_types)
      .kernel(kernel)
      .short_names({{"cats_int64s", "cats"}, {"cats_strings", "cats"}});
}
}  // namespace opref::ops::onnx_ml::file_one_hot_encoder
