// SPDX-License-Identifier: Apache-2.0
#include "ops/common/mistakes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "core/index.h"
#include "core/nearly.h"
#include "evaluators/strided.h"
#include "exact/convert.h"
#include "exact/rounding.h"
#include "exact/storage.h"
#include "ops/common/spatial.h"
#include "ops/operators.h"
#include "schema/node.h"
#include "schema/resolve.h"

namespace opref::ops {
namespace {

using Integers = std::vector<std::int64_t>;

/// The list, an attribute or an input of int64.
std::optional<Call> with_list(const Call& call, std::string_view name, const Integers& values) {
  if (call.schema().find_attribute(name) != nullptr) return call.with_attribute(name, AttributeValue::of(values));
  return call.with_input(name, Tensor::of<std::int64_t>(DType::int64, call.type(name).shape, values));
}

double integer_number(DType dtype, std::uint64_t bits) {
  const DTypeInfo& type = info(dtype);
  const auto wide = static_cast<std::int64_t>(bits << (64 - type.bits)) >> (64 - type.bits);
  return type.kind == Kind::signed_integer ? nearly(wide) : nearly(bits);
}

/// Whether its elements are numbers that a double holds.
bool has_numbers(const Call& call, std::string_view input) {
  if (!call.has_here(input) || !call.has_value(input) || call.value_type(input).form != Form::tensor) return false;
  const DTypeInfo& type = info(call.type(input).dtype);
  return type.dtype != DType::string && type.bits <= 64 && !types::complexes.contains(type.dtype);
}

/// The place of the formal input of this name; else `other`.
size_t place_of(const Call& call, std::initializer_list<std::string_view> names, size_t other) {
  const auto& formal = call.schema().inputs();
  const auto found = std::ranges::find_first_of(formal, names, {}, &FormalParameter::name);
  return found == formal.end() ? other : static_cast<size_t>(found - formal.begin());
}
size_t kernels(const Call& call) { return place_of(call, {"W", "w"}, 1); }

/// The name of an input that is there with its values, else empty.
std::string_view name_of(const Call& call, size_t input) {
  const auto& formal = call.schema().inputs();
  const bool known = input < std::min(formal.size(), call.inputs().size()) && call.inputs()[input].value;
  return known ? formal[input].name : std::string_view();
}

size_t spatial_axes(const Call& call) { return call.inputs().front().type.tensor.rank() - 2; }

/// f of each element, rounded to the tensor's type.
Tensor of_each(const Tensor& tensor, const std::function<double(double)>& f) {
  const bool is_floating = info(tensor.dtype()).kind == Kind::floating;
  return tensor_of_bits(tensor.type(), [&](std::int64_t i) {
    const std::uint64_t bits = element_bits(tensor, i);
    const double x = is_floating ? floating_value(tensor.dtype(), bits) : integer_number(tensor.dtype(), bits);
    return converted(Number::of(f(x)), tensor.dtype(), {});
  });
}

std::optional<Call> with_moved(const Call& call, std::string_view name,
                               const std::function<Dims(const Dims&)>& source) {
  return call.with_input(name, moved(call.input(name), source));
}

/// The kernels as if stored with two axes exchanged, counted from the first spatial one.
std::optional<Call> with_axes_exchanged(const Call& call, std::ptrdiff_t a, std::ptrdiff_t b) {
  const std::string_view name = name_of(call, kernels(call));
  if (name.empty()) return std::nullopt;
  const Dims& w = call.type(name).shape;
  const auto exchanged = [first = static_cast<std::ptrdiff_t>(w.size() - spatial_axes(call)), a, b](Dims dims) {
    std::swap(dims[static_cast<size_t>(first + a)], dims[static_cast<size_t>(first + b)]);
    return dims;
  };
  return with_moved(call, name, [&](const Dims& at) { return coordinates(position(exchanged(at), exchanged(w)), w); });
}

/// The bias whose element m is the original's element `source(m, outputs of a group)`.
std::optional<Call> with_bias(const Call& call, std::int64_t (*source)(std::int64_t m, std::int64_t outputs)) {
  const std::int64_t groups = call.has_here("group") ? call.integer("group") : 1;
  const std::string_view name = name_of(call, place_of(call, {"B"}, SIZE_MAX));
  if (name.empty() || groups < 2 || call.type(name).shape[0] % groups != 0) return std::nullopt;
  const std::int64_t outputs = call.type(name).shape[0] / groups;
  return with_moved(call, name, [&](const Dims& at) { return Dims{source(at[0], outputs)}; });
}

}  // namespace

Tensor moved(const Tensor& tensor, const std::function<Dims(const Dims&)>& source) {
  return read_as(tensor.type(), tensor, source);
}

Tensor read_as(const TensorType& type, const Tensor& tensor, const std::function<Dims(const Dims&)>& source) {
  if (type.dtype == DType::string) {
    std::vector<std::string> strings(static_cast<size_t>(element_count(type.shape)));
    for (size_t i = 0; i < strings.size(); ++i) {
      const Dims at = coordinates(static_cast<std::int64_t>(i), type.shape);
      strings[i] = tensor.strings()[static_cast<size_t>(position(source(at), tensor.shape()))];
    }
    return Tensor(type.shape, std::move(strings));
  }
  TensorBuilder result(type);
  with_unit(tensor.dtype(), [&]<class Unit>(Unit) {
    const auto from = tensor.values<Unit>();
    const auto to = result.values<Unit>();
    for (size_t i = 0; i < to.size(); ++i) {
      const Dims at = coordinates(static_cast<std::int64_t>(i), type.shape);
      to[i] = from[static_cast<size_t>(position(source(at), tensor.shape()))];
    }
  });
  return std::move(result).finish();
}

Tensor flipped(const Tensor& tensor, const std::vector<size_t>& axes) {
  return moved(tensor, [&](Dims at) {
    for (const size_t axis : axes) at[axis] = tensor.shape()[axis] - 1 - at[axis];
    return at;
  });
}

std::optional<Call> with_attribute_if_any(const Call& call, std::string_view attribute, AttributeValue value) {
  if (call.schema().find_attribute(attribute) == nullptr) return std::nullopt;
  return call.with_attribute(attribute, std::move(value));
}

std::optional<Call> with_inputs_exchanged(const Call& call, std::string_view a, std::string_view b) {
  if (!call.has_value(a) || !call.has_value(b)) return std::nullopt;
  return call.with_input(a, call.value(b)).with_input(b, call.value(a));
}

std::optional<Call> with_numbers(const Call& call, std::string_view input, const std::function<double(double)>& f) {
  if (!has_numbers(call, input)) return std::nullopt;
  return call.with_input(input, of_each(call.input(input), f));
}

namespace {

/// One for each operator and kernel that was asked for; they stay.
const Operator& other_operator(const Operator& op, Kernel kernel, OutputTypes types) {
  static std::mutex guard;
  static std::map<std::pair<const Operator*, Kernel>, Operator> known;
  const std::lock_guard lock(guard);
  const auto found = known.find({&op, kernel});
  if (found != known.end()) return found->second;
  Operator other = Operator(op).kernel(kernel);
  if (types != nullptr) other = std::move(other).output_types(types);
  return known.try_emplace({&op, kernel}, std::move(other)).first->second;
}

}  // namespace

Call with_kernel(const Call& call, Kernel kernel, OutputTypes types) {
  const Operator& op = other_operator(call.op(), kernel, types);
  Node node{std::string(op.op_type()), std::string(op.domain()), "", {}, {}, {}};
  for (const auto& [name, value] : call.attributes())
    if (call.stated(name)) node.attributes.push_back({name, value});
  for (const Input& input : call.inputs()) node.inputs.push_back(input.name);
  for (size_t k = 0; k < call.output_count(); ++k)
    node.outputs.push_back(call.wants_output(k) ? format("output {}", k) : "");
  ReadingChoices readings;
  for (const Reading& reading : op.readings())
    if (call.reading_selected(reading.name)) readings.emplace(reading.name, call.reading(reading.name));
  Call other = resolve({op, op.schema_for(call.version()), call.version()}, node, call.inputs(), readings);
  other.set_subgraphs(call.subgraphs());
  return other;
}

namespace {
/// The operator as it is, where the call has a kernel that is mistaken.
const Operator& right_operator(const Call& call) { return get_operator(call.op().domain(), call.op().op_type()); }
}  // namespace

std::vector<Value> computed_rightly(const Call& call, std::span<const Output> outs) {
  return right_operator(call).kernel(call, outs);
}

std::optional<Call> as_it_is(const Call& call) { return call; }
std::optional<Call> if_integers(const Call& call) {
  const Kind kind = info(call.inputs().front().type.tensor.dtype).kind;
  return kind == Kind::signed_integer || kind == Kind::unsigned_integer ? std::optional(call) : std::nullopt;
}
std::optional<Call> if_floats(const Call& call) {
  return info(call.inputs().front().type.tensor.dtype).kind == Kind::floating ? std::optional(call) : std::nullopt;
}

std::vector<Value> with_first(std::vector<Value> values, const std::function<double(double)>& f) {
  if (values.front().tensor() != nullptr) values.front() = of_each(*values.front().tensor(), f);
  return values;
}

std::optional<Call> negative_indices_as_zero(const Call& call) {
  return with_numbers(call, "indices", [](double i) { return std::max(i, 0.0); });
}

std::optional<Call> exponentials_overflow(const Call& call) {
  // ln of the greatest number, and of half the least one: where e^x becomes Inf and 0
  struct Range {
    double most, least;
  };
  const auto range = [&]() -> Range {
    switch (call.inputs().front().type.tensor.dtype) {
      case DType::float16:
        return {11.0898, -17.3287};
      case DType::bfloat16:
        return {88.7228, -92.8850};
      case DType::float32:
        return {88.72283, -103.97208};
      default:
        return {709.782712893384, -745.1332191019412};
    }
  }();
  return with_numbers(call, call.schema().inputs()[0].name, [range](double x) {
    return x > range.most ? INFINITY : x < range.least ? -INFINITY : x;
  });
}

namespace {

std::optional<Call> with_nan_as(const Call& call, bool negative) {
  if (!if_floats(call)) return std::nullopt;
  return call.with_tensors([negative](const Tensor& tensor) {
    const auto infinity =
        info(tensor.dtype()).kind == Kind::floating ? infinity_of(tensor.dtype(), negative) : std::nullopt;
    if (!infinity) return tensor;
    return tensor_of_bits(tensor.type(), [&](std::int64_t i) {
      const std::uint64_t bits = element_bits(tensor, i);
      return std::isnan(floating_value(tensor.dtype(), bits)) ? *infinity : bits;
    });
  });
}

}  // namespace

std::optional<Call> nan_passed_over_by_greatest(const Call& call) { return with_nan_as(call, true); }
std::optional<Call> nan_passed_over_by_least(const Call& call) { return with_nan_as(call, false); }

std::optional<Call> pads_swapped(const Call& call) {
  if (call.has_here("pads")) {
    Integers pads = call.integers("pads");
    std::rotate(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2), pads.end());
    return with_list(call, "pads", pads);
  }
  if (!call.has_here("pads_begin") && !call.has_here("pads_end")) return std::nullopt;
  const auto list = [&](std::string_view name) {
    return call.has(name) ? call.integers(name) : Integers(spatial_axes(call), 0);
  };
  return with_list(call, "pads_begin", list("pads_end"))
      ->with_attribute("pads_end", AttributeValue::of(list("pads_begin")));
}

std::optional<Call> pads_by_axis(const Call& call) {
  if (!call.has_here("pads")) return std::nullopt;
  const Integers pads = call.integers("pads");
  const size_t axes = pads.size() / 2;
  Integers by_axis = pads;
  for (size_t i = 0; i < axes; ++i) by_axis[i] = pads[2 * i], by_axis[axes + i] = pads[2 * i + 1];
  return with_list(call, "pads", by_axis);
}

std::optional<Call> both_pads_ignored(const Call& call) {
  const Integers none(spatial_axes(call), 0);
  return with_list(call, "pads_begin", none)->with_attribute("pads_end", AttributeValue::of(none));
}

std::optional<Call> odd_pad_on_other_side(const Call& call) {
  const AttributeSchema* auto_pad = call.schema().find_attribute("auto_pad");
  if (auto_pad == nullptr) return std::nullopt;
  const std::vector<std::string_view>& words = auto_pad->range.words;
  const std::string_view upper = words[1], lower = words[2];
  const std::string& side = call.string("auto_pad");
  if (side != upper && side != lower && !call.has_here("output_shape")) return std::nullopt;  // nothing is split
  return call.with_attribute("auto_pad",
                             AttributeValue::of(std::string(call.string("auto_pad") == upper ? lower : upper)));
}

std::optional<Call> nan_passed_over(const Call& call) {
  const std::string_view name = name_of(call, 0);
  const DType dtype = call.inputs().front().type.tensor.dtype;
  if (name.empty() || info(dtype).kind != Kind::floating || !infinity_of(dtype, true)) return std::nullopt;
  const Tensor& x = call.input(name);
  return call.with_input(name, tensor_of_bits(x.type(), [&](std::int64_t i) {
                           const std::uint64_t bits = element_bits(x, i);
                           return std::isnan(floating_value(dtype, bits)) ? *infinity_of(dtype, true) : bits;
                         }));
}

std::optional<Call> padding_stored_as_zero(const Call& call) {
  if (!call.stated("pads") || name_of(call, 0).empty()) return std::nullopt;
  const Tensor& x = call.input(name_of(call, 0));
  const Integers pads = call.integers("pads");
  const size_t axes = pads.size() / 2;
  constexpr std::int64_t kMost = 1 << 16;  // nobody pads by more, and what is padded has to be stored
  if (std::ranges::any_of(pads, [](std::int64_t pad) { return pad > kMost; })) return std::nullopt;
  Dims shape = x.shape();
  for (size_t a = 0; a < axes; ++a) shape[a + 2] += pads[a] + pads[axes + a];
  if (element_count(shape) > kMost * kMost / 256) return std::nullopt;
  const Tensor padded = tensor_of_bits({x.dtype(), shape}, [&](std::int64_t i) {
    Dims at = coordinates(i, shape);
    for (size_t a = 0; a < axes; ++a) at[a + 2] -= pads[a];
    for (size_t a = 2; a < at.size(); ++a)
      if (at[a] < 0 || at[a] >= x.shape()[a]) return std::uint64_t{0};
    return element_bits(x, position(at, x.shape()));
  });
  return call.with_input(name_of(call, 0), padded).with_attribute("pads", AttributeValue::of(Integers(pads.size(), 0)));
}

std::optional<Call> kernel_flipped(const Call& call) {
  const std::string_view name = name_of(call, kernels(call));
  if (name.empty()) return std::nullopt;
  const Dims& w = call.type(name).shape;
  return with_moved(call, name, [&](Dims at) {
    for (size_t axis = w.size() - spatial_axes(call); axis < w.size(); ++axis) at[axis] = w[axis] - 1 - at[axis];
    return at;
  });
}

std::optional<Call> kernel_axes_exchanged(const Call& call) {
  const auto axes = static_cast<std::ptrdiff_t>(spatial_axes(call));
  return axes < 2 ? std::nullopt : with_axes_exchanged(call, axes - 2, axes - 1);
}

std::optional<Call> kernel_channels_exchanged(const Call& call) { return with_axes_exchanged(call, -2, -1); }

std::optional<Call> bias_per_group(const Call& call) {
  return with_bias(call, [](std::int64_t m, std::int64_t outputs) { return m / outputs; });
}

std::optional<Call> bias_of_first_group(const Call& call) {
  return with_bias(call, [](std::int64_t m, std::int64_t outputs) { return m % outputs; });
}

std::vector<Mistake> padding_mistakes() {
  return {{"pads swapped", pads_swapped},
          {"pads read axis by axis", pads_by_axis},
          {"odd pad on the other side", odd_pad_on_other_side}};
}

std::vector<Mistake> openvino_padding_mistakes() {
  return {{"pads swapped", pads_swapped},
          {"pads ignored", both_pads_ignored},
          {"odd pad on the other side", odd_pad_on_other_side}};
}

std::vector<Mistake> kernel_mistakes() {
  return {{"kernel flipped", kernel_flipped},
          {"kernel's axes exchanged", kernel_axes_exchanged},
          {"kernel's input and output channels exchanged", kernel_channels_exchanged}};
}

std::vector<Mistake> bias_mistakes() {
  return {{"bias per group", bias_per_group}, {"bias of the first group for all", bias_of_first_group}};
}

std::vector<Mistake> convolution_mistakes() {
  std::vector<Mistake> all = padding_mistakes();
  for (const auto& more : {kernel_mistakes(), bias_mistakes()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

TermOrder convolution_order(const Call& call) {
  const TensorType &x = call.inputs()[0].type.tensor, &w = call.inputs()[kernels(call)].type.tensor;
  const bool grouped = w.rank() > x.rank();  // [GROUPS, C_IN, …]
  const std::int64_t groups = grouped ? w.shape[0] : call.has_here("group") ? call.integer("group") : 1;
  return {true, x.shape[1] / groups, element_count(w.shape.without_first(w.rank() - spatial_axes(call)))};
}

std::optional<Call> if_no_image(const Call& call) {
  const bool known = element_count(call.type("w_scale").shape) > 1 && call.type("x").rank() != 4;
  return known ? std::optional(call) : std::nullopt;
}

std::vector<ValueType> types_as_image(const Call& call) {
  const TensorType y = right_operator(call).output_types(call).front().tensor;
  const std::int64_t scales = element_count(call.type("w_scale").shape);
  return {TensorType{y.dtype, evaluators::broadcast(y.shape, Dims{1, scales, 1, 1})}};
}

std::vector<Value> scaled_as_image(const Call& call, std::span<const Output> outs) {
  const Tensor& scales = call.input("w_scale");
  std::vector<Tensor> by_scale;
  for (std::int64_t m = 0; m < scales.count(); ++m) {
    const Call one = call.with_input("w_scale", moved(scales, [m](const Dims&) { return Dims{m}; }));
    by_scale.push_back(*computed_rightly(one, outputs_of(one, right_operator(one).output_types(one))).front().tensor());
  }
  const Dims &y = by_scale.front().shape(), &image = outs[0].type().shape;
  return {tensor_of_bits(outs[0].type(), [&](std::int64_t i) {
    const Dims at = coordinates(i, image);
    Dims from = at.without_first(image.size() - y.size());
    for (size_t axis = 0; axis < from.size(); ++axis) from[axis] = std::min(from[axis], y[axis] - 1);
    return element_bits(by_scale[static_cast<size_t>(at[image.size() - 3])], position(from, y));
  })};
}

}  // namespace opref::ops
