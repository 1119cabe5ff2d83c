// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/openvino.h"

#include <array>
#include <cstring>

#include "core/error.h"
#include "evaluators/strided.h"
namespace opref::ops {
namespace {
std::string_view first(const Call& call) { return call.schema().inputs()[0].name; }
std::string_view second(const Call& call) { return call.schema().inputs()[1].name; }

void broadcast_in_original(const Call& call, Restated& original) {
  reshape(original.inputs[1], auto_broadcast(call, first(call), second(call)));
}

Operator pair(std::string_view op_type, std::int64_t since_version, const VersionChange& parameters) {
  return Operator("openvino", op_type)
      .version(since_version, parameters, add_auto_broadcast)
      .reading(pdpd_axis_reading(since_version))
      .restated(broadcast_in_original);
}

void list_axes(const Call& call, Restated& reduction) { reduction.inputs[1] = int64_list(call, "axes"); }
}  // namespace

void add_auto_broadcast(OpSchema& s) {
  s.attribute(with_default("auto_broadcast", "numpy", one_of({"none", "numpy", "pdpd"})));
}

Reading pdpd_axis_reading(std::int64_t since) {
  return {.name = "pdpd.axis",
          .alternatives = {"last: the axes of the input that broadcasts are the last ones of the other",
                           "first: they are its first ones"},
          .defaults = {{since, "last"}},
          .reason = "the page: axis is -1, the difference of the ranks; OpenVINO's programs take 0",
          .link = "https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/broadcast-rules.html",
          .may_change_values = [](const Call& call) {
            return call.string(call.has_here("auto_broadcast") ? "auto_broadcast" : "mode") == "pdpd";
          }};
}

Dims auto_broadcast(const Call& call, std::string_view a, std::string_view b) {
  const Dims &to = call.type(a).shape, &from = call.type(b).shape;
  const std::string& rule = call.string("auto_broadcast");
  if (rule == "none")
    require(to == from, "{} has shape {}, but {} has {}: auto_broadcast=none takes equal shapes", a, to, b, from);
  if (rule != "pdpd") return from;
  require(from.size() <= to.size(), "{} has shape {}, but {} has {}: auto_broadcast=pdpd takes at most as many axes", b,
          from, a, to);
  const size_t axis = call.reads("pdpd.axis", "first") ? 0 : to.size() - from.size();
  Dims shape = Dims::filled(to.size(), 1);
  for (size_t k = 0; k < from.size(); ++k) {
    shape[axis + k] = from[k];
    require(from[k] == 1 || from[k] == to[axis + k],
            "{} has shape {}, which auto_broadcast=pdpd lays on the axes of {} from {} on, but that has shape {}", b,
            from, a, axis, to);
  }
  return shape;
}

std::vector<ValueType> auto_broadcast_types(const Call& call) {
  const bool is_truth = call.schema().outputs()[0].type == "T_BOOL";
  const auto& [dtype, a] = call.type(first(call));
  return {TensorType{is_truth ? DType::boolean : dtype, broadcast(a, auto_broadcast(call, first(call), second(call)))}};
}

std::vector<Tensor> auto_broadcast_operands(const Call& call) {
  return {call.input(first(call)), call.input(second(call)).reshaped(auto_broadcast(call, first(call), second(call)))};
}

Operator openvino_arithmetic(std::string_view op_type, std::string_view a, std::string_view b,
                             const VersionChange& more) {
  return pair(op_type, 1, [&](OpSchema& s) {
    s.input(a, "T").input(b, "T").output("output0", "T").types("T", computed_numbers);
    more(s);
  });
}

Operator openvino_comparison(std::string_view op_type) {
  return pair(op_type, 1, [](OpSchema& s) {
    s.input("arg0", "T").input("arg1", "T").output("output0", "T_BOOL");
    s.types("T", computed_numbers | DType::boolean).types("T_BOOL", DType::boolean);
  });
}

Operator openvino_logical(std::string_view op_type, std::int64_t since_version) {
  return pair(op_type, since_version, [](OpSchema& s) {
    s.input("arg0", "T_BOOL").input("arg1", "T_BOOL").output("output0", "T_BOOL").types("T_BOOL", DType::boolean);
  });
}

Operator openvino_bitwise(std::string_view op_type, std::int64_t since_version, const Types& types) {
  return pair(op_type, since_version,
              [&](OpSchema& s) { s.input("a", "T").input("b", "T").output("out", "T").types("T", types); });
}

void reshape(Input& input, const Dims& shape) {
  input.type.tensor.shape = shape;
  if (input.value) input.value = Value(input.tensor().reshaped(shape));
}

void transpose_matrices(Input& input) {
  const TensorType of = input.type.tensor;
  if (of.rank() < 2) return;
  const std::int64_t columns = of.shape[of.rank() - 1], rows = of.shape[of.rank() - 2];
  std::swap(input.type.tensor.shape[of.rank() - 1], input.type.tensor.shape[of.rank() - 2]);
  if (!input.value) return;
  TensorBuilder to(input.type.tensor);
  const auto size = static_cast<size_t>(info(of.dtype).bits / 8);
  const std::byte* from = input.tensor().bytes().data();
  std::byte* next = to.bytes().data();
  for (std::int64_t i = 0, n = element_count(of.shape); i < n; ++i, next += size) {
    const std::int64_t matrix = i / (rows * columns), row = i % rows, column = i / rows % columns;
    std::memcpy(next, from + static_cast<size_t>((matrix * rows + row) * columns + column) * size, size);
  }
  input.value = Value(std::move(to).finish());
}

Input int64_list(const Call& call, std::string_view input) {
  const Dims& shape = call.type(input).shape;
  require(shape.size() <= 1, "{} has shape {}, but must be a scalar or a list", input, shape);
  const TensorType type{DType::int64, Dims{element_count(shape)}};
  if (!call.has_value(input)) return {std::string(input), type};
  return {std::string(input), type, Value(Tensor::of<std::int64_t>(type.dtype, type.shape, call.integers(input)))};
}

Operator openvino_reduction(std::string_view op_type, std::int64_t since_version, const Types& types,
                            std::string_view variable) {
  return Operator("openvino", op_type)
      .version(since_version,
               [&](OpSchema& s) {
                 s.attribute(with_default("keep_dims", 0, flag())).input("data", variable).input("axes", "T_IND");
                 s.output("output0", variable).types(variable, types).types("T_IND", types::integers);
               })
      .restated(list_axes);
}

bool gives_elements(const Call& call) {
  return call.integers("axes").empty() && call.reads("reduce.no_axes_norm", "identity");
}

Reduction openvino_norm_axes(const Call& call) {
  return reduction_over(call, "data", call.integers("axes"), call.flag("keep_dims"));
}

Operator openvino_norm(std::string_view op_type, const Types& types) {
  return openvino_reduction(op_type, 4, types)
      .reading({.name = "reduce.no_axes_norm",
                .alternatives = {"identity: without axes it is the element", "norm: it is its magnitude"},
                .defaults = {{4, "identity"}},
                .reason = "the page: empty axes reduce nothing; both programs give the magnitude",
                .link = "https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/"
                        "operation-specs/reduction/reduce-l1-4.html",
                .may_change_values = [](const Call& call) { return element_count(call.type("axes").shape) == 0; }})
      .output_types([](const Call& call) -> std::vector<ValueType> {
        int64_list(call, "axes");
        return {TensorType{call.type("data").dtype, openvino_norm_axes(call).shape}};
      });
}

AxisBlocks axis_blocks(const Call& call, std::string_view begin, std::string_view end) {
  const Dims& data = call.type("data").shape;
  require(data.size() >= 2, "data has shape {}, but must have a batch and another axis", data);
  AxisBlocks of{list_of(call, "block_shape"), list_of(call, begin), list_of(call, end)};
  for (const auto& [name, list] :
       {std::pair(std::string_view("block_shape"), &of.block), {begin, &of.begin}, {end, &of.end}})
    require(list->size() == data.size(), "{} has {}, but data has rank {}", name, counted(std::ssize(*list), "value"),
            data.size());
  for (size_t axis = 0; axis < data.size(); ++axis)
    require(of.block[axis] >= 1 && of.begin[axis] >= 0 && of.end[axis] >= 0,
            "block_shape is {}, {} {} and {} {}, but blocks must be > 0, the others >= 0", Dims(of.block), begin,
            Dims(of.begin), end, Dims(of.end));
  require(of.block[0] == 1 && of.begin[0] == 0 && of.end[0] == 0,
          "block_shape begins with {}, {} with {} and {} with {}, but the batch has 1, 0 and 0", of.block[0], begin,
          of.begin[0], end, of.end[0]);
  return of;
}

DType element_type_of(const Call& call, std::string_view attribute) {
  const std::string& name = call.string(attribute);
  for (const DTypeInfo& type : all_dtypes())
    if (type.openvino == name) return type.dtype;
  fail(Fault::unsupported, "attribute '{}' is '{}', which is no type that opref knows", attribute, printable(name));
}

Reading left_out_flag_reading(std::string_view name, std::int64_t version, bool (*is_left_out)(const Call&)) {
  return {.name = name,
          .alternatives = {"read_model: what is left out is false", "page: it is true"},
          .defaults = {{version, "read_model"}},
          .reason = "the page says true, but OpenVINO's files are read by read_model, which takes false",
          .may_change_values = is_left_out};
}

bool flag_or_default(const Call& call, std::string_view flag, std::string_view reading) {
  return call.stated(flag) ? call.flag(flag) : call.reads(reading, "page");
}

Range index_types() { return one_of({"i32", "i64"}); }
}  // namespace opref::ops
