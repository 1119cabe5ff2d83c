// SPDX-License-Identifier: Apache-2.0
// ai.onnx LpPool, versions 1, 2, 11, 18, 22
// https://onnx.ai/onnx/operators/onnx__LpPool.html
#include "fast/fast.h"
#include "ops/operator_file.h"
#include "ops/shared/convolutions.h"
#include "ops/shared/windows.h"
namespace opref::ops::onnx::file_lp_pool {
namespace {
// SAME_*, 18: "pad_shape[i] = (output_spatial_shape[i] - 1) * strides_spatial_shape[i] + {kernelSpatialShape} - …": the
// placeholder was never replaced. VALID: "ceil((input_spatial_shape[i] - {kernelSpatialShape} + 1) / …)", the floor
// mode.
std::vector<ValueType> output_types(const Call& call) {
  power_of_norm(call);
  return {pooled_type(call)};
}

// Y[n,c,o] = ( sum over k of |X[n, c, o*s + k*d - pb]|^p )^(1/p);  padding adds no terms, a window without terms is +0
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const PoolingWindows w = pooling_windows(call);
  const TapAxes axes = window_axes(w.L, w.k, w.O, w.s, w.d, w.pads.begin);
  const Taps taps(axes, outs[0]);
  const Elements X(call.input("X"));
  const bool skips_nan = call.reads("lp_pool.nan", "skip"), rescaled = call.reads("lp_pool.partial_window", "rescaled");
  const std::int64_t plane = element_count(w.L), O = element_count(w.O), K = rescaled ? element_count(w.k) : 0;
  if (K > std::int64_t{1} << 53)
    fail(Fault::unsupported, "the kernel {} has {} elements, but partial windows are rescaled for up to 2^53", w.k, K);
  const auto definition = [&](std::int64_t i, auto& sum) {
    const auto [nc, o] = split(i, O);
    std::int64_t terms = 0;
    for (const Tap& tap : taps.of(o)) {
      const Element x = X[nc * plane + tap.x];
      if (skips_nan && std::isnan(x.number())) continue;
      sum.add(x);
      ++terms;
    }
    if (rescaled && terms > 0) sum.scale({K, terms});
  };
  const auto rows = [&](const RowTarget& y) {
    return !rescaled && fast::lp_norm(y, call.input("X"), axes, power_of_norm(call));
  };
  return {norm(outs[0], power_of_norm(call), definition, rows)};
}

// An element that is skipped makes its window partial too.
bool has_partial_windows(const Call& call) {
  return call.reads("lp_pool.nan", "skip") || has_partial_window(pooling_windows(call));
}

std::vector<Note> notes(const Call& call) {
  auto notes = window_notes(call, pooling_windows(call));
  if (call.has("pads") && auto_pad(call) == AutoPad::valid && is_zero(explicit_pads(call, call.type("X").rank() - 2)))
    notes.push_back(remark("pads", "zeros agree with auto_pad VALID, but the text allows no pads beside it"));
  if (call.schema().shape_inference() == ShapeInference::none)
    notes.push_back(remark("kernel_shape", format("ONNX has no shape inference for {}: the output's shape follows the "
                                                  "rules of version 2",
                                                  call.title())));
  return notes;
}

constexpr std::uint32_t kPlaneStream = 2;

struct PowerTuple {
  std::array<std::uint64_t, 3> terms;
  size_t count;
  std::uint64_t root;
};

PowerTuple tuple_of(double p) {
  if (p == 1) return {{1, 2, 0}, 2, 3};
  if (p == 2) return {{3, 4, 0}, 2, 5};
  if (p == 3) return {{1, 6, 8}, 3, 9};
  fail(Fault::usage, "the generator 'ties' knows p-norms on midpoints for p = 1, 2 and 3 only, but p is {}", p);
}

// Values of which each whole window is a midpoint, or in some planes one with a little more under the root: |a t|^p +
// |b t|^p + … = |h t|^p, where h t needs one bit more than the type has. A `usage` error where p is not 1, 2 or 3, for
// the powers of larger numbers have no such sums that are known, or a window too small. Each whole window has each
// residue of its axes' coordinates, modulo the kernel, once: so every window of a plane has the same terms, wherever it
// lies.
Tensor norm_ties(const Call& call, std::string_view input, const Random& random) {
  const TensorType& type = call.type(input);
  const size_t axes = type.rank() - 2;
  const Dims k = per_axis(call, "kernel_shape", axes, 1), d = per_axis(call, "dilations", axes, 1);
  const double p = power_of_norm(call);
  const PowerTuple tuple = tuple_of(p);
  if (element_count(k) < static_cast<std::int64_t>(tuple.count))
    fail(Fault::usage, "the generator 'ties' needs windows of {} elements for p = {}, but kernel_shape is {}",
         tuple.count, p, k);
  const std::uint64_t top = std::uint64_t{1} << precision_of(type.dtype);
  // h t has one bit too many, and every odd term fits.
  const std::uint64_t first = (top + tuple.root - 1) / tuple.root | 1;
  std::uint64_t last = (2 * top - 1) / tuple.root;
  for (size_t i = 0; i < tuple.count; ++i) {
    const std::uint64_t odd_part = tuple.terms[i] >> std::countr_zero(tuple.terms[i]);
    last = std::min(last, (top - 1) / odd_part);
  }
  const std::int64_t plane = element_count(type.shape.without_first(2));
  const int least = least_exponent(type.dtype);
  return tensor_of_bits(type, [&](std::int64_t i) -> std::uint64_t {
    const auto words = random.draw(i / plane, 0, kPlaneStream);
    const Dims at = coordinates(i % plane, type.shape.without_first(2));
    std::int64_t residue = 0;
    for (size_t axis = 0; axis < axes; ++axis) residue = residue * k[axis] + at[axis] / d[axis] % k[axis];
    const bool negative = random.below(2, i) != 0;
    const auto place = static_cast<size_t>(residue);
    if (place == tuple.count && words[3] % 2 == 0) return bits_of_number(type.dtype, negative, 1, least);
    if (place >= tuple.count) return 0;
    const std::uint64_t drawn = std::uint64_t{words[1]} << 32 | words[0];
    const std::uint64_t t = first + drawn % ((last - first) / 2 + 1) * 2;
    return bits_of_number(type.dtype, negative, t * tuple.terms[place], 0);
  });
}

void version_1(OpSchema& s) {
  pooling_version_1(s, "the norms of the windows");
  s.change("kernel_shape").presence = Presence::optional;
  s.attribute(with_default("p", 2.0F, above(0))).shape_inference(ShapeInference::none);
}

void version_2(OpSchema& s) {
  s.change("kernel_shape").presence = Presence::required;
  s.change("p") = with_default("p", 2, above(0));
  s.change("pads").default_stated = DefaultStated::yes;
  s.shape_inference(ShapeInference::onnx);
}

void version_18(OpSchema& s) {
  s.attribute(with_default("ceil_mode", 0, flag()));
  s.attribute(per_axis_attribute("dilations", 1));
  s.wording("the page has formulas for the output's size; auto_pad is \"deprecated\"");
}
}  // namespace
Operator lp_pool() {
  return pooling_operator("LpPool")
      .summary("the p-norm of each window of each channel: the p-th root of the sum of its elements' p-th powers")
      .version(1, version_1)
      .version(2, version_2)
      .version(11, pooling_version_11)
      .version(18, version_18)
      .version(22, adds("T", DType::bfloat16))
      .reading({.name = "lp_pool.ceil_drop",
                .alternatives = {"keep: a last window that starts in the end padding counts", "drop: it does not"},
                .defaults = {{18, "keep"}, {22, "drop"}},
                .reason =
                    "the texts of 18 and 22 and ONNX's inference of 18 keep a last ceil window that starts in the end "
                    "padding, its inference of 22 drops it",
                .link = "https://github.com/onnx/onnx/pull/7305"})
      .reading(same_size_reading("lp_pool.same_size"))
      .reading(
          {.name = "lp_pool.partial_window",
           .alternatives = {"norm: of the elements in the window, whatever their number",
                            "rescaled: their sum times kernel size / elements in the window"},
           .defaults = {{1, "norm"}},
           .reason =
               "the text's norm has no factor; OpenVINO and onnx.reference scale the sum by kernel size / elements "
               "in the window where ceil_mode lets the last window reach beyond the input, but not where a window "
               "lies in padding",
           .link = "https://github.com/onnx/onnx/blob/main/onnx/reference/ops/op_lp_pool.py",
           .may_change_values = has_partial_windows})
      .reading(same_dilation_reading("lp_pool.same_dilation", 18))
      .reading(valid_ceil_reading("lp_pool.valid_ceil", 18))
      .reading(pads_with_auto_pad_reading("lp_pool.pads_with_auto_pad", 1))
      .reading({.name = "lp_pool.nan",
                .alternatives = {"propagate: a window with NaN gives NaN", "skip: NaN is left out of the window"},
                .defaults = {{1, "propagate"}},
                .reason = "a norm of NaN is NaN; onnx.reference leaves NaN elements out",
                .link = "https://github.com/onnx/onnx/blob/main/onnx/reference/ops/op_pool_common.py",
                .may_change_values = [](const Call& call) { return has_nan(call, "X"); }})
      .output_types(output_types)
      .kernel(kernel)
      .notes(notes)
      .generator("ties", kTies, norm_ties)
      .short_names({{"p", "p"}});
}
}  // namespace opref::ops::onnx::file_lp_pool
