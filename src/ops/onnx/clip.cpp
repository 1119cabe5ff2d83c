// SPDX-License-Identifier: Apache-2.0
// ai.onnx Clip, versions 1, 6, 11, 12, 13
// https://onnx.ai/onnx/operators/onnx__Clip.html
#include "ops/operator_file.h"
namespace opref::ops::onnx::file_clip {
namespace {
// min(max, max(input, min)): of min > max everything is max, NaN stays, +0 is above -0
template <bool ignores_nan, bool keeps_zero>
struct Clip : RealFormula<3> {
  static constexpr bool one_operation = true, integers = true;
  template <class R>
  OPREF_INLINE R operator()(const R& x, const R& least, const R& most) const {
    const R above = bounded(x, least, max(x, least));
    return bounded(above, most, min(above, most));
  }

 private:
  /// x within the bound, which is `y` by the formula and by the readings perhaps x itself.
  template <class R>
  OPREF_INLINE R bounded(const R& x, const R& bound, const R& y) const {
    const R of_nan = ignores_nan ? select((bound == bound).holds, y, x) : y;
    return keeps_zero ? select((x == bound).holds, x, of_nan) : of_nan;
  }
};

bool has_input_bounds(const Call& call) { return call.version() >= 11; }
bool is_input(const Call& call, std::string_view bound) { return has_input_bounds(call) && call.has(bound); }
bool is_left_out(const Call& call, std::string_view bound) {
  return has_input_bounds(call) ? !call.has(bound) : !call.stated(bound);
}

std::vector<ValueType> output_types(const Call& call) {
  for (const std::string_view bound : {"min", "max"})
    if (is_input(call, bound))
      require(call.type(bound).rank() == 0 ||
                  (call.type(bound).shape == Dims{1} && call.reads("clip.bound_shape", "or_one")),
              "{} has shape {}, but must be a scalar; the reading clip.bound_shape=or_one allows [1]", bound,
              call.type(bound).shape);
  return same_type(call);
}

/// "min … defaults to numeric_limits::lowest()", "max … to numeric_limits::max()". Version 6 has attributes, whose
/// defaults are the limits of float32.
Tensor bound(const Call& call, std::string_view name, Extreme lost) {
  const DType dtype = call.type("input").dtype;
  const bool is_unbounded = call.reads("clip.default_bounds", "none") || info(dtype).kind != Kind::floating;
  if (!call.has(name) || (is_left_out(call, name) && is_unbounded))
    return neutral(dtype, lost, is_unbounded ? Ends::infinite : Ends::finite).reshaped({});
  if (has_input_bounds(call)) return call.input(name).reshaped({});
  return Tensor::of<float>(DType::float32, {}, std::array{static_cast<float>(call.number(name))});
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Tensor least = bound(call, "min", Extreme::greatest), most = bound(call, "max", Extreme::least);
  const Named named(outs[0]);
  if (!is_input(call, "min")) named("min", Interval(Elements(least).number(0)));
  if (!is_input(call, "max")) named("max", Interval(Elements(most).number(0)));
  const std::array operands{call.input("input"), least, most};
  const bool keeps_zero = call.reads("clip.zero", "keep");
  if (call.reads("clip.nan_bound", "ignored"))
    return {keeps_zero ? elementwise(outs[0], operands, Clip<true, true>{})
                       : elementwise(outs[0], operands, Clip<true, false>{})};
  return {keeps_zero ? elementwise(outs[0], operands, Clip<false, true>{})
                     : elementwise(outs[0], operands, Clip<false, false>{})};
}

bool is_beyond_defaults(const Call& call) {
  return (is_left_out(call, "min") || is_left_out(call, "max")) &&
         has_element(call, [](double x) { return std::abs(x) > std::numeric_limits<float>::max(); });
}
/// Whether a bound that is known is such a number.
bool has_bound(const Call& call, bool (*is_such)(double)) {
  for (const std::string_view name : {"min", "max"}) {
    if (!call.has(name) || (has_input_bounds(call) && !call.has_value(name))) continue;
    if (is_such(has_input_bounds(call) ? Elements(call.input(name)).number(0) : call.number(name))) return true;
  }
  return false;
}
bool meets_zero(const Call& call) {
  const auto is_zero = [](double x) { return x == 0; };
  return has_bound(call, is_zero) && has_element(call, is_zero);
}

void version_1(OpSchema& s) {
  s.input("input", "T").output("output", "T").types("T", types::floats);
  s.attribute(optional(FLOAT, "max")).attribute(optional(FLOAT, "min"));
  with_consumed_inputs(s);
}

void version_6(OpSchema& s) {
  without_consumed_inputs(s);
  s.change("max") = with_default("max", 3.4028235e+38F);
  s.change("min") = with_default("min", -3.4028235e+38F);
}

void version_11(OpSchema& s) {
  s.remove("max").remove("min").input("min", "T", Arity::optional).input("max", "T", Arity::optional);
}
}  // namespace
Operator clip() {
  return Operator("ai.onnx", "Clip")
      .summary("the number between min and max that is nearest to each element")
      .version(1, version_1)
      .version(6, version_6)
      .version(11, version_11)
      .version(12, adds("T", types::integers))
      .version(13, adds("T", DType::bfloat16))
      .reading({.name = "clip.default_bounds",
                .alternatives = {"page: the type's greatest finite numbers; in version 6 those of float32",
                                 "none: there is no bound"},
                .defaults = {{1, "page"}},
                .reason = "the text: numeric_limits::lowest() and max(); the function's body has no bound then",
                .may_change_values = is_beyond_defaults})
      .reading({.name = "clip.nan_bound",
                .alternatives = {"nan: everything is NaN", "ignored: it bounds nothing"},
                .defaults = {{1, "nan"}},
                .reason = "the text: \"equivalent to Min(max, Max(input, min))\"; the function's body compares",
                .may_change_values = [](const Call& call) { return has_bound(call, [](double x) { return x != x; }); }})
      .reading({.name = "clip.zero",
                .alternatives = {"ordered: +0 is above -0, as in Max and Min", "keep: equal to a bound, it stays"},
                .defaults = {{1, "ordered"}},
                .reason = "the text: \"equivalent to Min(max, Max(input, min))\"; the function's body compares",
                .may_change_values = meets_zero})
      .reading({.name = "clip.bound_shape",
                .alternatives = {"scalar: bounds have no axes", "or_one: [1] is a scalar too"},
                .defaults = {{11, "scalar"}},
                .reason = "the text: \"a scalar (tensor of empty shape)\"; onnxruntime takes [1]"})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::onnx::file_clip
