// SPDX-License-Identifier: Apache-2.0
// What OpenVINO's operations share: types, auto_broadcast, reductions, and what they say to their originals.
// https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/broadcast-rules.html
#pragma once

#include "ops/shared/elementwise.h"
#include "ops/shared/parameters.h"
#include "ops/shared/reductions.h"
#include "schema/operator.h"
namespace opref::ops {
// The types of numbers with which opref computes; OpenVINO has narrower ones too.
inline constexpr Types computed_floats = types::floats | DType::bfloat16,
                       computed_numbers = computed_floats | types::integers;
/// What operations take that only move elements.
inline constexpr Types any_type =
    computed_numbers | Types{DType::float8_e4m3fn, DType::float8_e5m2, DType::boolean, DType::string};
inline constexpr Types signed_integers = types::signed_wide | Types{DType::int8, DType::int16};

/// none: both shapes are equal. numpy: both broadcast. pdpd: `b` broadcasts to the shape of `a` alone; its axes are the
/// last ones of `a`, or by the reading pdpd.axis the first ones.
void add_auto_broadcast(OpSchema& s);
Reading pdpd_axis_reading(std::int64_t since);
/// The shape in which NumPy's broadcasting takes an input's elements to their places; what the attribute does not allow
/// is `invalid`.
Dims auto_broadcast(const Call& call, std::string_view a, std::string_view b);

/// The type of the first two inputs, or bool of comparisons, in the shape to which they broadcast; and the inputs in
/// shapes that NumPy's broadcasting takes to it.
std::vector<ValueType> auto_broadcast_types(const Call& call);
std::vector<Tensor> auto_broadcast_operands(const Call& call);

// Operations of two inputs with auto_broadcast, in their one version. What they are built `as` broadcasts by NumPy's
// rule.

/// The same numbers in and out.
Operator openvino_arithmetic(
    std::string_view op_type, std::string_view a = "arg0", std::string_view b = "arg1",
    const VersionChange& more = [](OpSchema&) {});
Operator openvino_comparison(std::string_view op_type);
Operator openvino_logical(std::string_view op_type, std::int64_t since_version = 1);
Operator openvino_bitwise(std::string_view op_type, std::int64_t since_version = 13,
                          const Types& types = types::integers | DType::boolean);

/// F of each element of the only input; integers are unchanged.
template <class F>
std::vector<Value> each_float(const Call& call, std::span<const Output> outs) {
  if (!is_floating(outs[0].type().dtype)) return {call.inputs()[0].tensor()};
  return each_element<F>(call, outs);
}

// What an operation says to its original.

/// Changes nothing: the original's rules hold for types that it does not list.
inline void with_more_types(const Call&, Restated&) {}

/// The input's elements in another shape of as many.
void reshape(Input& input, const Dims& shape);
/// The last two axes exchanged; an input of rank 1 stays.
void transpose_matrices(Input& input);
/// An input of integers, a scalar or a list, as ONNX has lists: int64[n].
Input int64_list(const Call& call, std::string_view input);

/// A reduction over the input `axes`, with keep_dims; an empty list reduces nothing.
Operator openvino_reduction(std::string_view op_type, std::int64_t since_version = 1,
                            const Types& types = computed_numbers, std::string_view variable = "T");
/// A norm over them, of opset 4, with its output types: without axes the elements themselves, or by the reading
/// reduce.no_axes_norm their magnitudes.
Operator openvino_norm(std::string_view op_type, const Types& types);
/// Whether it gives the elements themselves.
bool gives_elements(const Call& call);
Reduction openvino_norm_axes(const Call& call);

/// Of each axis of data the size of its blocks, and how much it has before and after them: pads or crops. Each input
/// has one value for each axis; those of the first axis, the batch, are 1, 0 and 0.
struct AxisBlocks {
  std::vector<std::int64_t> block, begin, end;
};
AxisBlocks axis_blocks(const Call& call, std::string_view begin, std::string_view end);

/// The element type that the attribute names; one that opref does not know is `unsupported`.
DType element_type_of(const Call& call, std::string_view attribute);
/// The types of index outputs: the attribute's words.
Range index_types();

// A flag that a layer leaves out: false, as OpenVINO's read_model takes it, though its page says true. The reading is
// the operator's, "region_yolo.default"; `is_left_out` says whether the layer states no flag.
Reading left_out_flag_reading(std::string_view name, std::int64_t version, bool (*is_left_out)(const Call&));
bool flag_or_default(const Call& call, std::string_view flag, std::string_view reading);
}  // namespace opref::ops
