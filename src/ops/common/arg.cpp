// SPDX-License-Identifier: Apache-2.0
#include "ops/common/arg.h"

#include <cmath>

#include "core/error.h"
#include "evaluators/move.h"

namespace opref::ops {
namespace {

bool takes_last(const Call& call) { return call.flag("select_last_index"); }

std::vector<ValueType> output_types(const Call& call) {
  Dims shape = call.type("data").shape;
  const auto axis = call.axis("axis", shape.size());
  require(shape[axis] > 0, "data has shape {}, but axis {} must not be empty", shape, axis);
  require(call.version() != 11 || element_count(shape) > 0, "data has shape {}, but must not be empty", shape);
  if (call.flag("keepdims"))
    shape[axis] = 1;
  else
    shape = join(shape.first(axis), shape.without_first(axis + 1));
  return {TensorType{DType::int64, shape}};
}

bool has_nan(const Call& call) {
  if (info(call.type("data").dtype).kind != Kind::floating) return false;
  if (!call.has_value("data")) return true;
  const Elements data(call.input("data"));
  for (std::int64_t i = 0; i < call.input("data").count(); ++i)
    if (std::isnan(data.number(i))) return true;
  return false;
}

void version_1(OpSchema& s) {
  s.attribute(with_default("axis", 0))
      .attribute(with_default("keepdims", 1, flag()))
      .input("data", "T")
      .output("reduced", "int64")
      .types("T", types::numbers, "Constrain input and output types to all numeric tensors.");
}

}  // namespace

std::vector<Value> arg_extreme(const Call& call, std::span<const Output> outs, Extreme extreme) {
  const Tensor& data = call.input("data");
  const Elements x(data);
  const auto axis = call.axis("axis", data.shape().size());
  const std::int64_t n = data.shape()[axis], inner = element_count(data.shape().without_first(axis + 1));
  const bool passes_nan = call.reads("arg.nan", "ignored"), last_nan = call.reads("arg.nan", "last");
  const auto is_nan = [&](std::int64_t at) { return x.is_floating() && std::isnan(x.number(at)); };
  const Selection best(outs[0], data, Zeros::equal, extreme, takes_last(call) ? Tie::last : Tie::first,
                       [&](std::int64_t i, Best& candidates) {
                         const std::int64_t first = i / inner * n * inner + i % inner;
                         std::int64_t nan = -1, numbers = 0;
                         for (std::int64_t k = 0; k < n; ++k) is_nan(first + k * inner) ? nan = k : ++numbers;
                         if (last_nan && nan >= 0) return candidates.consider(first + nan * inner);
                         for (std::int64_t k = 0; k < n; ++k)
                           if (!passes_nan || numbers == 0 || !is_nan(first + k * inner))
                             candidates.consider(first + k * inner);
                       });
  return {places(
      outs[0], data, [&](std::int64_t i) { return best(i); }, [&](std::int64_t at) { return at / inner % n; })};
}

Operator arg_operator(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .version(1, version_1)
      .version(11, words("the page says that axis may be negative, and that data must not be empty"))
      .version(12, [](OpSchema& s) { s.attribute(with_default("select_last_index", 0, flag())); })
      .version(13, adds("T", DType::bfloat16))
      .reading({.name = "arg.nan",
                .alternatives =
                    {"extreme: NaN is beyond every number, the first one counts, or the last by select_last_index",
                     "ignored: NaN is passed over, where there is a number", "last: the last NaN counts"},
                .defaults = {{1, "extreme"}},
                .reason = "the text is silent; numpy and torch name the first NaN, in step with Max and Min",
                .may_change_values = has_nan})
      .output_types(output_types);
}

}  // namespace opref::ops
