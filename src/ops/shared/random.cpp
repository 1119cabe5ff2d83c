// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/random.h"
#include <algorithm>

#include "core/error.h"
#include "ops/shared/parameters.h"
namespace opref::ops {
namespace {
/// The type variable of the output.
Types drawn_types(const Call& call) { return call.schema().types_of(call.schema().outputs()[0].type); }

bool is_like(const Call& call) { return !call.schema().inputs().empty(); }

void version_22(OpSchema& s) {
  s.add_types(s.outputs()[0].type, DType::bfloat16);
  if (!s.inputs().empty()) s.add_types(s.inputs()[0].type, DType::bfloat16);
}

Operator of(std::string_view op_type, std::string_view summary, const VersionChange& version_1, OutputTypes types) {
  return Operator("ai.onnx", op_type)
      .summary(summary)
      .version(1, version_1)
      .version(22, version_22)
      .output_types(types)
      .undetermined(kUndetermined);
}
}  // namespace
DType drawn_dtype(const Call& call, std::string_view like) {
  if (call.has("dtype")) return dtype_of_number(call, "dtype", drawn_types(call));
  const DType dtype = call.type(like).dtype;
  require(drawn_types(call).contains(dtype),
          "{} is {}, which {} does not give: the attribute 'dtype' has to say another", like, dtype, call.title());
  return dtype;
}

std::vector<ValueType> distribution_types(const Call& call) {
  if (is_like(call)) return {TensorType{drawn_dtype(call, "input"), call.type("input").shape}};
  return {TensorType{drawn_dtype(call, ""), sizes_of(call, "shape")}};
}

std::vector<ValueType> uniform_types(const Call& call) {
  require(call.number("low") <= call.number("high"), "low is {}, but high {}", call.number("low"), call.number("high"));
  return distribution_types(call);
}

Operator distribution(std::string_view op_type, std::string_view summary, const VersionChange& parameters,
                      OutputTypes types) {
  return of(
      op_type, summary,
      [&](OpSchema& s) {
        parameters(s);
        s.attribute(with_default("dtype", 1, element_types()))
            .attribute(optional(FLOAT, "seed"))
            .attribute(required(INTS, "shape"));
        s.output("output", "T").types("T", types::floats);
      },
      types);
}

Operator distribution_like(std::string_view op_type, std::string_view summary, const VersionChange& parameters,
                           OutputTypes types) {
  return of(
      op_type, summary,
      [&](OpSchema& s) {
        parameters(s);
        s.attribute(optional(INT, "dtype", element_types())).attribute(optional(FLOAT, "seed"));
        s.input("input", "T1").output("output", "T2").types("T1", types::basic).types("T2", types::floats);
      },
      types);
}

void normal_parameters(OpSchema& s) {
  s.attribute(with_default("mean", 0.0F)).attribute(with_default("scale", 1.0F, at_least(0)));
}

void uniform_parameters(OpSchema& s) { s.attribute(with_default("low", 0.0F)).attribute(with_default("high", 1.0F)); }
}  // namespace opref::ops
