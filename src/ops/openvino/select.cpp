// SPDX-License-Identifier: Apache-2.0
// openvino Select, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_select_ {
namespace {
// pdpd: cond and else broadcast to the shape of then alone.
void broadcast_in_where(const Call& call, Restated& where) {
  reshape(where.inputs[0], auto_broadcast(call, "then", "cond"));
  reshape(where.inputs[2], auto_broadcast(call, "then", "else"));
}
}  // namespace
Operator select_() {
  return Operator("openvino", "Select")
      .summary("elements of then where cond is true, of else where it is false")
      .page("condition/select-1")
      .version(1,
               [](OpSchema& s) {
                 s.input("cond", "T_COND").input("then", "T").input("else", "T").output("output0", "T");
                 s.types("T_COND", DType::boolean).types("T", computed_numbers | DType::boolean);
                 add_auto_broadcast(s);
               })
      .reading(pdpd_axis_reading(1))
      .as("ai.onnx", "Where", 16,
          {{"cond", "condition"}, {"then", "X"}, {"else", "Y"}, {"output0", "output"}, {"auto_broadcast", ""}})
      .restated(broadcast_in_where);
}
}  // namespace opref::ops::openvino::file_select_
