// SPDX-License-Identifier: Apache-2.0
// openvino Broadcast, versions 1 (opset1), 3 (opset3)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_broadcast_ {
namespace {
/// data's shape with axes of size 1, so that NumPy's broadcasting takes each axis to its place in the target.
Dims placed(const Call& call, std::string_view target_shape, const Dims& target) {
  const Dims& data = call.type("data").shape;
  const std::string& mode = call.string("mode");
  require((mode == "explicit" || mode == "none") == call.has("axes_mapping"),
          "axes_mapping goes with mode {} alone, but attribute 'mode' is {}", call.version() < 3 ? "none" : "explicit",
          mode);
  if (mode == "bidirectional") return data;
  require(data.size() <= target.size(), "data has shape {}, but {} is {}: it has fewer axes", data, target_shape,
          target);
  Dims shape = Dims::filled(target.size(), 1);
  std::vector<size_t> axes;
  if (call.has("axes_mapping")) {
    const std::vector<std::int64_t> mapping = list_of(call, "axes_mapping");
    require(mapping.size() == data.size(), "axes_mapping has {}, but data has rank {}",
            counted(std::ssize(mapping), "value"), data.size());
    require(std::ranges::adjacent_find(mapping, std::greater_equal()) == mapping.end(),
            "axes_mapping is {}, but must ascend", Dims(mapping));
    axes = axes_among("axes_mapping", mapping, target.size());
  } else {
    for (size_t k = 0; k < data.size(); ++k)
      axes.push_back(k + (mode == "pdpd" && call.reads("pdpd.axis", "first") ? 0 : target.size() - data.size()));
  }
  for (size_t k = 0; k < axes.size(); ++k) {
    shape[axes[k]] = data[k];
    require(data[k] == 1 || data[k] == target[axes[k]], "data has shape {}, whose axis {} does not become {} of {} {}",
            data, k, target[axes[k]], target_shape, target);
  }
  return shape;
}

void in_expand(const Call& call, Restated& expand) {
  const std::string_view target_shape = call.schema().inputs()[1].name;
  expand.inputs[1] = int64_list(call, target_shape);
  reshape(expand.inputs[0], placed(call, target_shape, sizes_of(call, target_shape)));
}
}  // namespace
Operator broadcast_() {
  return Operator("openvino", "Broadcast")
      .summary("data repeated along axes of size 1, to a target shape")
      .page("movement/broadcast-3")
      .category("category data movement")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(with_default("mode", "numpy", one_of({"none", "numpy", "pdpd"})))
                     .input("data", "T")
                     .input("taget_shape", "T_SHAPE")
                     .input("axes_mapping", "T_AXES", Arity::optional)
                     .output("output0", "T")
                     .types("T", any_type)
                     .types("T_SHAPE", types::integers)
                     .types("T_AXES", types::integers);
               })
      .version(3,
               [](OpSchema& s) {
                 s.rename("taget_shape", "target_shape");
                 s.change("mode").range = one_of({"numpy", "explicit", "bidirectional", "pdpd"});
               })
      .reading(pdpd_axis_reading(1))
      .as("ai.onnx", "Expand", 13,
          {{"data", "input"},
           {"taget_shape", "shape"},
           {"target_shape", "shape"},
           {"axes_mapping", ""},
           {"output0", "output"},
           {"mode", ""}})
      .restated(in_expand);
}
}  // namespace opref::ops::openvino::file_broadcast_
