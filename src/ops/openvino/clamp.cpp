// SPDX-License-Identifier: Apache-2.0
// openvino Clamp, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
#include "schema/double_attributes.h"
namespace opref::ops::openvino::file_clamp {
namespace {
/// A bound in data's type: of integers the next one inward, within the type's range.
Tensor bound(const Call& call, std::string_view name) {
  const DType dtype = call.type("data").dtype;
  const double number = call.number(name);
  if (is_floating(dtype)) return fill_of(number, dtype);
  const auto end = [&](Extreme extreme) { return Elements(neutral(dtype, extreme, Ends::finite)).number(0); };
  const double least = end(Extreme::greatest), most = end(Extreme::least);
  const double inward = name == "min" ? std::ceil(number) : std::floor(number);
  if (inward >= most) return neutral(dtype, Extreme::least, Ends::finite).reshaped({});
  return fill_of(std::max(inward, least), dtype);
}

// "min … max": the number between both that is nearest to each element
void as_clip(const Call& call, Restated& clip) {
  require(!(call.number("max") < call.number("min")), "attribute 'min' is {}, but must not exceed max, {}",
          call.number("min"), call.number("max"));
  if (types::integers.contains(call.type("data").dtype) &&
      std::floor(call.number("max")) < std::ceil(call.number("min")))
    fail(Fault::unsupported,
         "no integer lies between attribute 'min', {}, and 'max', {}: the page leaves open what Clamp gives",
         call.number("min"), call.number("max"));
  clip.inputs.resize(1);
  for (const std::string_view name : {"min", "max"}) {
    const Tensor number = bound(call, name);
    clip.inputs.push_back({std::string(name), number.type(), number});
  }
}
}  // namespace
Operator clamp() {
  return Operator("openvino", "Clamp")
      .summary("the number between min and max that is nearest to each element")
      .page("activation/clamp-1")
      .category("category activation function")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(required(FLOAT, "min")).attribute(required(FLOAT, "max"));
                 s.input("data", "T").output("output0", "T").types("T", computed_numbers);
               })
      .reading(attribute_double_reading(1))
      .as("ai.onnx", "Clip", 13, {{"data", "input"}, {"output0", "output"}, {"min", ""}, {"max", ""}})
      .restated(as_clip);
}
}  // namespace opref::ops::openvino::file_clamp
