// SPDX-License-Identifier: Apache-2.0
// ai.onnx Reshape, versions 1, 5, 13, 14, 19, 21, 23, 24, 25
// https://onnx.ai/onnx/operators/onnx__Reshape.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_reshape {
namespace {
// The shape of reshaped. "At most one dimension of the new shape can be -1": it is inferred. "A dimension could also be
// 0, in which case the actual dimension value is unchanged (i.e. taken from the input tensor)", unless allowzero.
std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  require(call.has("shape"), "attribute 'shape' is missing; {} needs it", call.title());
  const Dims stated(list_of(call, "shape"));
  const bool keeps_zero = call.flag("allowzero");
  Dims shape = stated;
  std::optional<size_t> inferred;
  for (size_t a = 0; a < shape.size(); ++a) {
    require(stated[a] >= -1, "shape is {}, but no size can be less than -1", stated);
    if (stated[a] == 0 && !keeps_zero) {
      require(a < data.size(), "shape is {}, but data of shape {} has no axis {} whose size 0 could mean", stated, data,
              a);
      shape[a] = data[a];
    }
    if (stated[a] != -1) continue;
    require(!inferred, "shape is {}, but can have -1 only once", stated);
    inferred = a;
    shape[a] = 1;
  }
  require(!inferred || !keeps_zero || std::ranges::find(stated, 0) == stated.end(),
          "shape is {}, but with allowzero it cannot have both 0 and -1", stated);
  const std::int64_t count = element_count(data), others = element_count(shape);
  if (inferred) {
    require(others != 0 && count % others == 0, "shape is {}, but no size at -1 makes {} of it, those of data {}",
            stated, counted(count, "element"), data);
    shape[*inferred] = count / others;
  }
  require(element_count(shape) == count, "shape is {}, which has {}, but data of shape {} has {}", stated,
          counted(element_count(shape), "element"), data, count);
  return {TensorType{dtype, shape}};
}

void version_1(OpSchema& s) {
  s.input("data", "T").output("reshaped", "T").types("T", types::floats);
  s.attribute(optional(INTS, "consumed_inputs")).attribute(optional(INTS, "shape"));
  s.shape_inference(ShapeInference::none);
}

void version_5(OpSchema& s) {
  s.anew();
  s.input("data", "T").input("shape", "int64").output("reshaped", "T").types("T", types::basic);
}
}  // namespace
Operator reshape() {
  Operator op = Operator("ai.onnx", "Reshape")
                    .summary("the same elements in another shape")
                    .version(1, version_1)
                    .version(5, version_5)
                    .version(13, allows("T", types::ir4))
                    .version(14, [](OpSchema& s) { s.attribute(with_default("allowzero", 0, flag())); })
                    .version(19, allows("T", types::ir9));
  return with_newer_types(std::move(op), "T").output_types(output_types).kernel(in_other_shape);
}
}  // namespace opref::ops::onnx::file_reshape
