// SPDX-License-Identifier: Apache-2.0
// openvino NormalizeL2, version 1 (opset1)
// https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/normalization/normalize-l2-1.html
#include "ops/operator_file.h"
#include "ops/shared/reductions.h"
namespace opref::ops::openvino::file_normalize_l2 {
namespace {
enum class EpsMode : std::uint8_t { add, max };
enum class WithoutAxes : std::uint8_t { one, sign, formula };

// output0 = data / sqrt(eps_mode(Σ data^2, eps)), the sum being over the axes; without axes "divided by itself", 0 of 0
struct NormalizeL2 {
  Elements data;
  Reduction groups;  ///< the axes' elements, for each place on the other axes
  Strided group_of;  ///< an element's
  double eps;
  EpsMode eps_mode;
  std::optional<WithoutAxes> without_axes;

  template <class R>
  R quotient(const R& a, const R& norm, bool is_zero) const {
    if (!without_axes || *without_axes == WithoutAxes::formula) return a / norm;
    if (is_zero) return R(0.0);
    return *without_axes == WithoutAxes::one ? a / a : a / abs(a);
  }
  template <class R>
  void operator()(std::int64_t group, const Reader<R>& x, Writer<R>& y) const {
    SumOf<R> squares;
    groups.each(group, [&](std::int64_t at) { squares.add(square(x(data, at))); });
    const R& sum = squares.total();
    const R norm = x.named("the norm", sqrt(eps_mode == EpsMode::add ? sum + R(eps) : max(sum, R(eps))));
    groups.each(group, [&](std::int64_t at) {
      y.put(0, at, [&] { return quotient(x(data, at), norm, data.number(at) == 0); });
    });
  }
  std::int64_t program_of(size_t, std::int64_t at) const { return group_of(at); }
};

bool has_no_axes(const Call& call) { return element_count(call.type("axes").shape) == 0; }

std::vector<ValueType> output_types(const Call& call) {
  const TensorType &data = call.type("data"), &axes = call.type("axes");
  // "A scalar or 1D tensor of unique elements", in the range [-r, r-1]
  require(axes.rank() <= 1, "axes has shape {}, but must be a scalar or have one axis", axes.shape);
  if (call.has_value("axes")) axes_among("axes", call.integers("axes"), data.rank());
  return {data};
}

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& data = outs[0].type().shape;
  const Reduction groups = reduction_over(call, "data", call.integers("axes"), true);
  std::optional<WithoutAxes> without_axes;
  if (has_no_axes(call)) without_axes = call.reading_choice<WithoutAxes>("normalize_l2.no_axes");
  return programs(outs, groups.kept.count(),
                  NormalizeL2{Elements(call.input("data")), groups, broadcast_places(groups.shape, data),
                              call.number("eps"), call.choice<EpsMode>("eps_mode"), without_axes});
}

void version_1(OpSchema& s) {
  s.input("data", "T").input("axes", "T_IND").output("output0", "T");
  s.types("T", types::floats | DType::bfloat16).types("T_IND", types::integers);
  s.attribute(required(FLOAT, "eps", above(0))).attribute(required(STRING, "eps_mode", one_of({"add", "max"})));
}
}  // namespace
Operator normalize_l2() {
  return Operator("openvino", "NormalizeL2")
      .summary("each element divided by the L2 norm of those along some axes, which eps keeps from 0")
      .page("normalization/normalize-l2-1")
      .version(1, version_1)
      .reading({.name = "normalize_l2.no_axes",
                .alternatives = {"one: x/x, so 1 of each number but 0; +0 of ±0",
                                 "sign: x/|x|, so -1 of negative ones; +0 of ±0",
                                 "formula: data / sqrt(eps_mode(data^2, eps))"},
                .defaults = {{1, "one"}},
                .reason = "the page: without axes an element is \"divided by itself\", with \"value 1 for all non-zero "
                          "elements\"; its formula has other values",
                .may_change_values = has_no_axes})
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_normalize_l2
