// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/reductions.h"
#include <cmath>

#include "core/error.h"
#include "evaluators/lines.h"
#include "evaluators/move.h"
#include "ops/shared/axes.h"
#include "ops/shared/parameters.h"
namespace opref::ops {
namespace {
constexpr std::string_view kDuplicateAxes = "reduce.duplicate_axes", kEmptyAxes = "reduce.empty_axes_attribute",
                           kIntegerTranscendental = "reduce.integer_transcendental";

/// The axes that the node names, nothing where it names none. Of the input, "a list of integers, along which to
/// reduce".
std::vector<std::int64_t> stated_axes(const Call& call) {
  if (!call.has_here("axes")) return {};
  if (call.schema().find_attribute("axes") == nullptr) require_list("axes", call.type("axes").shape);
  return call.integers("axes");
}

/// "When axes is empty … and this attribute is set to true, the input tensor will not be reduced". Without the
/// attribute an empty list is as good as none, unless it is read to the letter.
bool reduces_nothing(const Call& call) {
  if (call.has_here("noop_with_empty_axes")) return call.flag("noop_with_empty_axes");
  return call.stated("axes") && call.reads(kEmptyAxes, "none");
}
}  // namespace
Reduction reduction_over(const Call& call, std::string_view input, const std::vector<std::int64_t>& axes,
                         bool keepdims) {
  const Dims &data = call.type(input).shape, strides = strides_of(data);
  const Twice twice =
      lists_reading(call, kDuplicateAxes) && call.reads(kDuplicateAxes, "once") ? Twice::once : Twice::invalid;
  std::vector<bool> is_reduced(data.size());
  for (const size_t a :
       axes_among("axes", axes, data.size(), twice, "; the reading reduce.duplicate_axes=once allows it"))
    is_reduced[a] = true;
  Dims shape, kept, kept_strides, reduced, reduced_strides;
  for (size_t a = 0; a < data.size(); ++a) {
    (is_reduced[a] ? reduced : kept).push_back(data[a]);
    (is_reduced[a] ? reduced_strides : kept_strides).push_back(strides[a]);
    if (!is_reduced[a] || keepdims) shape.push_back(is_reduced[a] ? 1 : data[a]);
  }
  return {shape, Strided(kept, kept_strides), Strided(reduced, reduced_strides), false, is_reduced};
}

Reduction reduction(const Call& call) {
  std::vector<std::int64_t> axes = stated_axes(call);
  const bool is_noop = axes.empty() && reduces_nothing(call);
  if (axes.empty() && !is_noop)
    for (size_t axis = 0; axis < call.type("data").rank(); ++axis) axes.push_back(static_cast<std::int64_t>(axis));
  Reduction r = reduction_over(call, "data", axes, call.flag("keepdims"));
  r.is_noop = is_noop;
  return r;
}

std::vector<ValueType> reduced_types(const Call& call) {
  return {TensorType{call.type("data").dtype, reduction(call).shape}};
}

bool reduces_integers(const Call& call) { return info(call.type("data").dtype).kind != Kind::floating; }

std::vector<ValueType> reduced_types_of_some(const Call& call) {
  const Reduction r = reduction(call);
  require(!reduces_integers(call) || r.count() > 0 || element_count(r.shape) == 0,
          "data has shape {}, but integers are reduced to one only where there are some", call.type("data").shape);
  return reduced_types(call);
}

Tensor unreduced(const Output& out, const Tensor& data) {
  return move(out, data, [n = data.count()](std::int64_t i) { return Run{i, n - i}; });
}

std::vector<Value> reduced_to_extreme(const Call& call, std::span<const Output> outs, Extreme extreme) {
  const Reduction r = reduction(call);
  const Tensor& data = call.input("data");
  if (r.is_noop) return {unreduced(outs[0], data)};
  const auto candidates = [&](std::int64_t i, Best& best) {
    r.reduced.each(r.kept(i), [&](const Run& run) { best.consider(run); });
  };
  const Selection best(outs[0], data, Zeros::ordered, extreme, Tie::first, candidates, Neighbours(r.kept));
  return {best.values(outs[0], neutral(data.dtype(), extreme))};
}

Reading duplicate_axes_reading() {
  return {.name = kDuplicateAxes,
          .alternatives = {"reject: an axis that is named twice is invalid", "once: it counts once"},
          .defaults = {{1, "reject"}},
          .reason = "numpy rejects an axis that is named twice, ONNX's inference takes it once"};
}
namespace {
Reading empty_axes_reading(std::int64_t until) {
  return {
      .name = kEmptyAxes,
      .alternatives = {"all: an attribute axes without elements means all axes", "none: no axis is reduced"},
      .defaults = {{1, "all"}, {until, ""}},
      .reason = "the page says that all axes are reduced by default; ONNX's inference takes an empty list for none"};
}

void version_1(OpSchema& s) {
  s.attribute(optional(INTS, "axes"))
      .attribute(with_default("keepdims", 1, flag()))
      .input("data", "T")
      .output("reduced", "T")
      .types("T", types::floats | types::wide, "Constrain input and output types to numeric tensors.");
}

void axes_become_input(OpSchema& s) {
  s.becomes_input("axes").attribute(with_default("noop_with_empty_axes", 0, flag()));
}

using LaterVersions = std::initializer_list<std::pair<std::int64_t, VersionChange>>;
Operator reduction_with(std::string_view op_type, std::int64_t axes_as_input, const LaterVersions& later) {
  Operator op =
      Operator("ai.onnx", op_type).version(1, version_1).version(11, words("the page says that axes may be negative"));
  for (const auto& [since, change] : later) op = std::move(op).version(since, change);
  return std::move(op)
      .reading(duplicate_axes_reading())
      .reading(empty_axes_reading(axes_as_input))
      .output_types(reduced_types);
}
}  // namespace
Operator reduction_operator(std::string_view op_type) {
  return reduction_with(op_type, 18, {{13, adds("T", DType::bfloat16)}, {18, axes_become_input}});
}

Operator sum_operator(std::string_view op_type) {
  const auto version_13 = [](OpSchema& s) {
    s.add_types("T", DType::bfloat16);
    axes_become_input(s);
  };
  return reduction_with(op_type, 13, {{13, version_13}});
}

Operator extreme_operator(std::string_view op_type) {
  return reduction_with(op_type, 18,
                        {{12, adds("T", Types(DType::int8) | DType::uint8)},
                         {13, adds("T", DType::bfloat16)},
                         {18, axes_become_input},
                         {20, adds("T", DType::boolean)}});
}

Reading integer_transcendental_reading(std::optional<std::int64_t> until) {
  Reading reading{
      .name = kIntegerTranscendental,
      .alternatives = {"truncated: of integers the real number, truncated toward zero",
                       "float64: the float64 nearest to it, truncated toward zero", "rounded: to the nearest integer",
                       "reject: integers are invalid"},
      .defaults = {{1, "truncated"}},
      .reason =
          "the functions' bodies cast to float and back, which truncates; types admit integers, formulas hardly do",
      .may_change_values = reduces_integers};
  if (until) reading.defaults.emplace_back(*until, "");
  return reading;
}

bool makes_integers(const Call& call, std::string_view option) {
  return reduces_integers(call) && call.reads(kIntegerTranscendental, option);
}

void require_transcendental(const Call& call) {
  require(!makes_integers(call, "reject"), "data is {}, but the reading {}=reject refuses integers",
          call.type("data").dtype, kIntegerTranscendental);
}
namespace {
bool takes_last(const Call& call) { return call.flag("select_last_index"); }

std::vector<ValueType> arg_types(const Call& call) {
  const Dims& shape = call.type("data").shape;
  const size_t axis = call.axis("axis", shape.size());
  require(shape[axis] > 0, "data has shape {}, but axis {} must not be empty", shape, axis);
  require(call.version() != 11 || element_count(shape) > 0, "data has shape {}, but must not be empty", shape);
  return {TensorType{DType::int64,
                     reduction_over(call, "data", {static_cast<std::int64_t>(axis)}, call.flag("keepdims")).shape}};
}

bool reduces_nan(const Call& call) {
  return is_floating(call.type("data").dtype) && any_of(call, "data", true, [](double x) { return x != x; });
}

void arg_version_1(OpSchema& s) {
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
  const auto axis = static_cast<std::int64_t>(call.axis("axis", data.shape().size()));
  const Reduction r = reduction_over(call, "data", {axis}, true);
  const std::int64_t n = r.count(), inner = element_count(data.shape().without_first(static_cast<size_t>(axis) + 1));
  const bool passes_nan = call.reads("arg.nan", "ignored"), last_nan = call.reads("arg.nan", "last");
  const auto is_nan = [&](std::int64_t at) { return x.is_floating() && std::isnan(x.number(at)); };
  const auto all = [&](std::int64_t i, Best& best) {
    r.reduced.each(r.kept(i), [&](const Run& run) { best.consider(run); });
  };
  const auto some = [&](std::int64_t i, Best& best) {
    std::int64_t nan = -1, numbers = 0;
    r.each(i, [&](std::int64_t at) { is_nan(at) ? nan = at : ++numbers; });
    if (last_nan && nan >= 0) return best.consider(nan);
    r.each(i, [&](std::int64_t at) {
      if (!passes_nan || numbers == 0 || !is_nan(at)) best.consider(at);
    });
  };
  const Tie tie = takes_last(call) ? Tie::last : Tie::first;
  const auto best = passes_nan || last_nan
                        ? Selection(outs[0], data, Zeros::equal, extreme, tie, some)
                        : Selection(outs[0], data, Zeros::equal, extreme, tie, all, Neighbours(r.kept));
  return {best.places(outs[0], [&](std::int64_t, std::int64_t at) { return at / inner % n; })};
}

Operator arg_operator(std::string_view op_type) {
  return Operator("ai.onnx", op_type)
      .version(1, arg_version_1)
      .version(11, words("the page says that axis may be negative, and that data must not be empty"))
      .version(12, [](OpSchema& s) { s.attribute(with_default("select_last_index", 0, flag())); })
      .version(13, adds("T", DType::bfloat16))
      .reading({.name = "arg.nan",
                .alternatives =
                    {"extreme: NaN is beyond every number, the first one counts, or the last by select_last_index",
                     "ignored: NaN is passed over, where there is a number", "last: the last NaN counts"},
                .defaults = {{1, "extreme"}},
                .reason = "the text is silent; numpy and torch name the first NaN, in step with Max and Min",
                .may_change_values = reduces_nan})
      .output_types(arg_types);
}

OpSchema& cumulative(OpSchema& s, const Types& types) {
  s.input("x", "T").input("axis", "T2", "a scalar, negative from the end").output("y", "T");
  s.types("T", types).types("T2", types::signed_wide);
  return s.attribute(with_default("exclusive", 0, flag())).attribute(with_default("reverse", 0, flag()));
}

std::vector<ValueType> cumulative_types(const Call& call) {
  const TensorType& x = call.type("x");
  require_scalar(call, "axis");
  if (call.has_value("axis")) call.axis("axis", x.rank());
  return {x};
}

Running running(const Call& call) {
  return {.axis = call.axis("axis", call.type("x").rank()),
          .exclusive = call.flag("exclusive"),
          .reverse = call.flag("reverse")};
}
}  // namespace opref::ops
