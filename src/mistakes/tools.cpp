// SPDX-License-Identifier: Apache-2.0
#include "mistakes/tools.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "core/index.h"
#include "core/nearly.h"
#include "exact/convert.h"
#include "exact/rounding.h"
#include "exact/storage.h"
#include "ops/operators.h"
#include "schema/node.h"

namespace opref::mistakes {
namespace {

/// Whether its elements are numbers that a double holds.
bool has_numbers(const Call& call, std::string_view input) {
  if (!call.has_here(input) || !call.has_value(input) || call.value_type(input).form != Form::tensor) return false;
  const DTypeInfo& type = info(call.type(input).dtype);
  return type.dtype != DType::string && type.bits <= 64 && !types::complexes.contains(type.dtype);
}

double integer_number(DType dtype, std::uint64_t bits) {
  const DTypeInfo& type = info(dtype);
  const auto wide = static_cast<std::int64_t>(bits << (64 - type.bits)) >> (64 - type.bits);
  return type.kind == Kind::signed_integer ? nearly(wide) : nearly(bits);
}

Kind kind_of_first(const Call& call) { return info(call.inputs().front().type.tensor.dtype).kind; }

/// The operator as it is, where the call has a kernel that is mistaken.
const Operator& right_operator(const Call& call) { return get_operator(call.op().domain(), call.op().op_type()); }

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

Call with_kernel(const Call& call, Kernel kernel, OutputTypes types = nullptr) {
  return call.computed_by(other_operator(call.op(), kernel, types));
}

}  // namespace

Made taken_as_value(std::string_view attribute, AttributeValue value) {
  return [attribute, value = std::move(value)](const Call& call) -> std::optional<Call> {
    if (call.schema().find_attribute(attribute) == nullptr) return std::nullopt;
    return call.with_attribute(attribute, value);
  };
}

Call with_list(const Call& call, std::string_view name, const std::vector<std::int64_t>& values) {
  if (call.schema().find_attribute(name) != nullptr) return call.with_attribute(name, AttributeValue::of(values));
  return call.with_input(name, Tensor::of<std::int64_t>(DType::int64, call.type(name).shape, values));
}

Made exchanged(std::string_view a, std::string_view b) {
  return [a, b](const Call& call) -> std::optional<Call> {
    if (!call.has_value(a) || !call.has_value(b)) return std::nullopt;
    return call.with_input(a, call.value(b)).with_input(b, call.value(a));
  };
}

std::optional<Call> with_numbers(const Call& call, std::string_view input, const std::function<double(double)>& f) {
  if (!has_numbers(call, input)) return std::nullopt;
  return call.with_input(input, of_each(call.input(input), f));
}

Made with_each(std::string_view input, double (*f)(double)) {
  return [input, f](const Call& call) { return with_numbers(call, input, f); };
}

Call with_moved(const Call& call, std::string_view input, const std::function<Dims(const Dims&)>& source) {
  return call.with_input(input, moved(call.input(input), source));
}

Call with_flipped(const Call& call, std::string_view input, const std::vector<size_t>& axes) {
  return call.with_input(input, flipped(call.input(input), axes));
}

std::string_view name_of(const Call& call, size_t input) {
  const auto& formal = call.schema().inputs();
  const bool known = input < std::min(formal.size(), call.inputs().size()) && call.inputs()[input].value;
  return known ? formal[input].name : std::string_view();
}

Made computed_by(Kernel kernel) {
  return [kernel](const Call& call) { return std::optional(with_kernel(call, kernel)); };
}

Made computed_by(bool (*where)(const Call&), Kernel kernel) {
  return [where, kernel](const Call& call) {
    return where(call) ? std::optional(with_kernel(call, kernel)) : std::nullopt;
  };
}

Made computed_by(std::optional<Call> (*made)(const Call&), Kernel kernel, OutputTypes types) {
  return [made, kernel, types](const Call& call) {
    const std::optional<Call> taken = made(call);
    return taken ? std::optional(with_kernel(*taken, kernel, types)) : std::nullopt;
  };
}

std::vector<Value> computed_rightly(const Call& call, std::span<const Output> outs) {
  return right_operator(call).kernel(call, outs);
}
std::vector<Value> computed_rightly(const Call& call) {
  return computed_rightly(call, outputs_of(call, right_types(call)));
}
std::vector<ValueType> right_types(const Call& call) { return right_operator(call).output_types(call); }

std::vector<Value> through_float64(const Call& call, std::span<const Output> outs, double (*f)(double)) {
  const std::string_view name = name_of(call, 0);
  const Tensor& x = call.input(name);
  const bool is_floating = info(x.dtype()).kind == Kind::floating;
  const Tensor wide = tensor_of_bits({DType::float64, x.shape()}, [&](std::int64_t i) {
    const double number = is_floating ? floating_element(x, i) : integer_number(x.dtype(), element_bits(x, i));
    return to_bits(f(number));
  });
  std::vector<Value> values = computed_rightly(call.with_input(name, wide));
  for (size_t k = 0; k < std::min(values.size(), outs.size()); ++k) {
    const Tensor* result = values[k].tensor();
    if (result == nullptr || result->dtype() != DType::float64) continue;
    values[k] = tensor_of_bits(outs[k].type(), [&](std::int64_t i) {
      return converted(Number::of(floating_element(*result, i)), outs[k].type().dtype,
                       {.beyond = Conversion::Beyond::saturate});
    });
  }
  return values;
}

bool has_integers(const Call& call) {
  return kind_of_first(call) == Kind::signed_integer || kind_of_first(call) == Kind::unsigned_integer;
}
bool has_floats(const Call& call) { return kind_of_first(call) == Kind::floating; }

Tensor of_each(const Tensor& tensor, const std::function<double(double)>& f) {
  const bool is_floating = info(tensor.dtype()).kind == Kind::floating;
  return tensor_of_bits(tensor.type(), [&](std::int64_t i) {
    const std::uint64_t bits = element_bits(tensor, i);
    const double x = is_floating ? floating_value(tensor.dtype(), bits) : integer_number(tensor.dtype(), bits);
    return converted(Number::of(f(x)), tensor.dtype(), {});
  });
}

std::vector<Value> with_first(std::vector<Value> values, const std::function<double(double)>& f) {
  if (values.front().tensor() != nullptr) values.front() = of_each(*values.front().tensor(), f);
  return values;
}

Tensor read_as(const TensorType& type, const Tensor& tensor, const std::function<Dims(const Dims&)>& source) {
  const auto place = [&](size_t i) {
    const Dims at = coordinates(static_cast<std::int64_t>(i), type.shape);
    return static_cast<size_t>(position(source(at), tensor.shape()));
  };
  if (type.dtype == DType::string) {
    std::vector<std::string> strings(static_cast<size_t>(element_count(type.shape)));
    for (size_t i = 0; i < strings.size(); ++i) strings[i] = tensor.strings()[place(i)];
    return Tensor(type.shape, std::move(strings));
  }
  TensorBuilder result(type);
  with_unit(tensor.dtype(), [&]<class Unit>(Unit) {
    const auto from = tensor.values<Unit>();
    const auto to = result.values<Unit>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = from[place(i)];
  });
  return std::move(result).finish();
}

Tensor moved(const Tensor& tensor, const std::function<Dims(const Dims&)>& source) {
  return read_as(tensor.type(), tensor, source);
}

Tensor with_axes_exchanged(const Tensor& tensor, size_t a, size_t b) {
  const auto exchanged = [a, b](Dims dims) {
    std::swap(dims[a], dims[b]);
    return dims;
  };
  return read_as({tensor.dtype(), exchanged(tensor.shape())}, tensor, exchanged);
}

Tensor reshaped(const Tensor& tensor, const Dims& shape) {
  return read_as({tensor.dtype(), shape}, tensor,
                 [&](const Dims& at) { return coordinates(position(at, shape), tensor.shape()); });
}

Tensor flipped(const Tensor& tensor, const std::vector<size_t>& axes) {
  return moved(tensor, [&](Dims at) {
    for (const size_t axis : axes) at[axis] = tensor.shape()[axis] - 1 - at[axis];
    return at;
  });
}

}  // namespace opref::mistakes
