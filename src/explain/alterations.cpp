// SPDX-License-Identifier: Apache-2.0
#include "explain/alterations.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "exact/convert.h"
#include "exact/rounding.h"
#include "exact/storage.h"
#include "schema/resolve.h"

namespace opref::explain {
namespace {

using RoundedTo = double (*)(double);

/// Of 16 bits or more.
bool is_wide_float(DType dtype) { return is_floating(dtype) && info(dtype).bits >= 16; }

/// f of each element that is a number or not, where the tensor's type is such; other types stay.
Tensor mapped(const Tensor& tensor, const std::function<double(DType, double)>& f) {
  const DType dtype = tensor.dtype();
  if (!is_wide_float(dtype)) return tensor;
  return with_float(dtype, [&]<class T>(T) {
    return tensor_of_bits(tensor.type(), [&](std::int64_t i) -> std::uint64_t {
      const double x = floating_element(tensor, i), y = f(dtype, x);
      const bool stays = x == y || (std::isnan(x) && std::isnan(y));
      return stays && std::signbit(x) == std::signbit(y) ? element_bits(tensor, i) : to_bits(nearest<T>(y));
    });
  });
}

/// Numbers above and below 0: of one sign alone nothing can be told.
bool has_both_signs(const Tensor& tensor) {
  bool above = false, below = false;
  for (std::int64_t i = 0; is_wide_float(tensor.dtype()) && i < tensor.count(); ++i) {
    above |= floating_element(tensor, i) > 0;
    below |= floating_element(tensor, i) < 0;
  }
  return above && below;
}

// --- types of half the size

double to_float32(double x) { return widen(nearest<float>(x)); }

/// The bits of an integer of 64 bits: the word's number, with its sign.
std::uint64_t with_sign(std::uint32_t word) {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word)});
}

std::uint64_t low_word(const Tensor& tensor, std::int64_t i, bool is_signed) {
  const auto word = static_cast<std::uint32_t>(element_bits(tensor, i));
  return is_signed ? with_sign(word) : word;
}

bool is_narrowed(DType dtype) { return dtype == DType::float64 || dtype == DType::int64 || dtype == DType::uint64; }

Tensor narrowed(const Tensor& tensor, bool is_input) {
  const DType dtype = tensor.dtype();
  if (!is_narrowed(dtype)) return tensor;
  if (dtype != DType::float64)
    return tensor_of_bits(tensor.type(),
                          [&](std::int64_t i) { return low_word(tensor, i, !is_input || dtype == DType::int64); });
  return mapped(tensor, [is_input](DType, double x) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    const double rounded = to_float32(x);
    return is_input && std::isinf(rounded) ? std::copysign(kLargest, rounded) : rounded;
  });
}

// --- integers as another type

bool has_graphs(const Call& call) {
  const auto is_graph = [](const AttributeSchema& attribute) { return attribute.type == AttributeType::GRAPH; };
  return std::ranges::any_of(call.schema().attributes(), is_graph);
}

/// The node with inputs of another type: those that have this type variable, or all.
std::optional<Call> with_inputs_as(const Call& call, std::optional<std::string_view> variable, DType from,
                                   const std::function<Tensor(const Tensor&)>& carried) {
  Node node{std::string(call.op().op_type()), "", "", {}, {}, {}};
  for (const auto& [name, value] : call.attributes())
    if (call.stated(name)) node.attributes.push_back({name, value});
  std::vector<Input> inputs(call.inputs().begin(), call.inputs().end());
  for (size_t i = 0; i < inputs.size(); ++i) {
    node.inputs.push_back(inputs[i].name);
    const bool is_meant = !variable || OpSchema::formal(call.schema().inputs(), i).type == *variable;
    if (!is_meant || !inputs[i].value) continue;
    const Tensor* tensor = inputs[i].value->tensor();
    if (tensor == nullptr || tensor->dtype() != from) continue;
    const Tensor other = carried(*tensor);
    inputs[i].type = other.type();
    inputs[i].value = other;
  }
  for (size_t i = 0; i < call.output_count(); ++i) node.outputs.push_back(call.wants_output(i) ? format("{}", i) : "");
  ReadingChoices choices;
  for (const Reading& reading : call.op().readings())
    if (call.reading_selected(reading.name)) choices.emplace(reading.name, call.reading(reading.name));
  return Search::unless_refused([&] {
    return std::optional(resolve({call.op(), call.schema(), call.version()}, node, std::move(inputs), choices));
  });
}

/// How whole numbers come back from float32.
struct Return {
  std::string_view name;
  std::optional<DType> type;  ///< by way of this one
  Conversion how;
};
constexpr std::array kReturns = {
    Return{"", std::nullopt, {.beyond = Conversion::Beyond::saturate}},
    Return{", saturated to int32", DType::int32, {.beyond = Conversion::Beyond::saturate}},
    Return{", -2^31 for too large ones", DType::int32, {.beyond = Conversion::Beyond::minimum}},
    Return{", low bits", DType::int64, {.beyond = Conversion::Beyond::minimum}},
};

std::uint64_t low_bits(DType dtype, std::uint64_t bits) {
  return bits & (~std::uint64_t{0} >> (64 - info(dtype).bits));
}

Tensor returned(const Tensor& tensor, DType to, const Return& by, bool is_rounded) {
  if (tensor.dtype() != DType::float32 || is_floating(to)) return tensor;
  Conversion how = by.how;
  if (is_rounded) how.fraction = Conversion::Fraction::nearest;
  const DType through = by.type.value_or(to);
  return tensor_of_bits({to, tensor.shape()}, [&](std::int64_t i) {
    const std::uint64_t whole = converted(number_of(DType::float32, element_bits(tensor, i)), through, how);
    return low_bits(to, through == DType::int32 ? with_sign(static_cast<std::uint32_t>(whole)) : whole);
  });
}

/// As int32.
Tensor low_words(const Tensor& tensor) {
  return tensor_of_bits({DType::int32, tensor.shape()}, [&](std::int64_t i) { return low_word(tensor, i, false); });
}
/// As float32, without infinities.
Tensor in_float32(const Tensor& tensor) {
  const Tensor carried = narrowed(tensor, true);
  return tensor_of_bits({DType::float32, tensor.shape()},
                        [&](std::int64_t i) { return to_bits(nearest<float>(floating_element(carried, i))); });
}

void add_carriers(std::vector<Changed>& list, const Call& call, std::string_view variable, DType from) {
  const auto add_float32 = [&](std::string_view before, const std::function<Number(const Tensor&, std::int64_t)>& of) {
    const auto other = with_inputs_as(call, variable, from, [&](const Tensor& tensor) {
      return tensor_of_bits({DType::float32, tensor.shape()},
                            [&](std::int64_t i) { return converted(of(tensor, i), DType::float32, {}); });
    });
    if (!other) return;
    for (const Return& by : kReturns)
      for (const bool is_rounded : {false, true})
        list.push_back(
            {.name = format("{} {}computed in float32{}{}", from, before, by.name, is_rounded ? ", rounded" : ""),
             .call = *other,
             .result = [=](const Tensor& tensor) { return returned(tensor, from, by, is_rounded); }});
  };
  if (from == DType::int64 || from == DType::uint64 || from == DType::uint32) {
    const auto other = with_inputs_as(call, variable, from, low_words);
    const auto back = [=](const Tensor& tensor) {
      if (tensor.dtype() != DType::int32) return tensor;
      return tensor_of_bits({from, tensor.shape()},
                            [&](std::int64_t i) { return low_bits(from, low_word(tensor, i, true)); });
    };
    if (other) list.push_back({.name = format("{} carried as int32", from), .call = *other, .result = back});
    add_float32("carried as int32, ", [&](const Tensor& tensor, std::int64_t i) {
      return number_of(DType::int32, low_word(tensor, i, false));
    });
  }
  add_float32("", [&](const Tensor& tensor, std::int64_t i) { return number_of(from, element_bits(tensor, i)); });
}

// --- types of fewer digits

/// TF32: the exponents of float32, and ten digits after the point.
double to_tf32(double x) {
  constexpr std::uint64_t kDropped = std::uint64_t{1} << 42;  // the last of double's 52 digits that stays
  if (!std::isfinite(x)) return x;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t odd = bits >> 42 & 1;
  return std::bit_cast<double>((bits + kDropped / 2 - 1 + odd) & ~(kDropped - 1));
}

/// The upper half of a float32.
double cut_to_bfloat16(double x) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  return std::isfinite(x) ? double{std::bit_cast<float>(bits & 0xffff0000)} : x;
}
double cut_to_tf32(double x) {
  constexpr std::uint64_t kKept = ~((std::uint64_t{1} << 42) - 1);
  return std::isfinite(x) ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & kKept) : x;
}

struct StoredDigits {
  std::string_view name;
  DType type;  ///< or a narrower one, whose exponents it has
  RoundedTo rounded;
  bool of_results = true;  ///< what multiplies in TF32 adds in float32
  std::string_view verb = "rounded";
};
template <class T>
double rounded_to(double x) {
  return widen(nearest<T>(x));
}
constexpr StoredDigits kTf32{"TF32", DType::float32, to_tf32, false};
constexpr std::array kDigits = {StoredDigits{"float32", DType::float32, rounded_to<float>},
                                kTf32,
                                StoredDigits{"float16", DType::float16, rounded_to<Half>},
                                StoredDigits{"bfloat16", DType::bfloat16, rounded_to<BFloat16>},
                                StoredDigits{"bfloat16", DType::float32, cut_to_bfloat16, true, "truncated"},
                                StoredDigits{"TF32", DType::float32, cut_to_tf32, false, "truncated"}};

/// Elements of types that hold more, or other, numbers.
Tensor with_digits(const Tensor& tensor, const StoredDigits& digits) {
  const bool is_wider = info(tensor.dtype()).bits >= info(digits.type).bits;
  return is_wider ? mapped(tensor, [&](DType, double x) { return digits.rounded(x); }) : tensor;
}

double least_normal(DType dtype) {
  return with_float(dtype, []<class T>(T) { return std::ldexp(1.0, Format<T>::min_exponent); });
}
Tensor flushed(const Tensor& tensor) {
  return mapped(tensor,
                [](DType dtype, double x) { return std::abs(x) < least_normal(dtype) ? std::copysign(0.0, x) : x; });
}

/// Integers of more digits than this floating type has, rounded to it.
Tensor integers_as(const Tensor& tensor, DType dtype) {
  const DTypeInfo& type = info(tensor.dtype());
  const bool is_integer = type.kind == Kind::signed_integer || type.kind == Kind::unsigned_integer;
  if (!is_integer || type.bits <= precision_of(dtype)) return tensor;
  return tensor_of_bits(tensor.type(), [&](std::int64_t i) {
    const std::uint64_t rounded = converted(number_of(type.dtype, element_bits(tensor, i)), dtype, {});
    return converted(number_of(dtype, rounded), type.dtype, {.beyond = Conversion::Beyond::saturate});
  });
}

/// Adds what is in play: another call, or something done to results.
void add(std::vector<Changed>& list, const Call& call, Changed changed) {
  if (changed.result || changed.steps || !changed.call.says_as(call)) list.push_back(std::move(changed));
}

std::vector<std::string_view> floating_inputs(const Call& call) {
  std::vector<std::string_view> names;
  for (const FormalParameter& input : call.schema().inputs())
    if (!is_variadic(input.arity) && call.has(input.name) && call.has_value(input.name) &&
        call.value_type(input.name).form == Form::tensor && is_wide_float(call.type(input.name).dtype))
      names.push_back(input.name);
  return names;
}

/// The widest floating type of an input or of `types`.
bool has_type(const Call& call, const StoredDigits& digits) {
  return std::ranges::any_of(call.inputs(), [&](const Input& input) {
    return input.value && input.type.form == Form::tensor && is_wide_float(input.type.tensor.dtype) &&
           info(input.type.tensor.dtype).bits >= info(digits.type).bits &&
           (input.type.tensor.dtype != digits.type || !digits.of_results || digits.rounded == cut_to_bfloat16);
  });
}

Changed with_inputs_rounded(const Call& call, const StoredDigits& digits) {
  return {.name = format("inputs {} to {}", digits.verb, digits.name),
          .call = call.with_tensors([&](const Tensor& tensor) { return with_digits(tensor, digits); })};
}

}  // namespace

std::vector<Changed> narrowings(const Call& call, DType output) {
  if (!is_narrowed(output)) return {};
  const std::string name =
      output == DType::float64 ? "float64 carried as float32" : format("{} carried as int32", output);
  return {{.name = name,
           .call = call.with_tensors([](const Tensor& tensor) { return narrowed(tensor, true); }),
           .result = [](const Tensor& tensor) { return narrowed(tensor, false); }}};
}

std::optional<Call> in_half_size(const Call& call, DType from) {
  const auto first = std::ranges::find_if(call.inputs(), [from](const Input& input) {
    const Tensor* tensor = input.value ? input.value->tensor() : nullptr;
    return tensor != nullptr && tensor->dtype() == from;
  });
  if (first == call.inputs().end() || has_graphs(call)) return std::nullopt;
  if (from == DType::float64) return with_inputs_as(call, std::nullopt, from, in_float32);
  const auto place = static_cast<size_t>(first - call.inputs().begin());
  return with_inputs_as(call, OpSchema::formal(call.schema().inputs(), place).type, from, low_words);
}

std::vector<Changed> integer_carriers(const Call& call) {
  std::vector<Changed> list;
  if (has_graphs(call)) return list;
  std::vector<std::string_view> seen;
  for (size_t i = 0; i < call.inputs().size(); ++i) {
    const Tensor* tensor = call.inputs()[i].value ? call.inputs()[i].value->tensor() : nullptr;
    const std::string_view variable = OpSchema::formal(call.schema().inputs(), i).type;
    if (tensor == nullptr || !is_integer(tensor->dtype()) || info(tensor->dtype()).bits < 8 ||
        std::ranges::find(seen, variable) != seen.end())
      continue;
    seen.push_back(variable);
    add_carriers(list, call, variable, tensor->dtype());
  }
  return list;
}

std::optional<Changed> inputs_in_tf32(const Call& call) {
  Changed changed = with_inputs_rounded(call, kTf32);
  return has_type(call, kTf32) && !changed.call.says_as(call) ? std::optional(std::move(changed)) : std::nullopt;
}

std::vector<Changed> roundings(const Call& call) {
  std::vector<Changed> list;
  const auto flush = [](const Tensor& tensor) { return flushed(tensor); };
  add(list, call, {.name = "subnormal inputs flushed to zero", .call = call.with_tensors(flush)});
  add(list, call, {.name = "subnormal results flushed to zero", .call = call, .result = flush});
  add(list, call, {.name = "subnormal numbers flushed to zero", .call = call.with_tensors(flush), .result = flush});
  for (const DType type : {DType::float32, DType::float64}) {
    const Call rounded = call.with_tensors([type](const Tensor& tensor) { return integers_as(tensor, type); });
    add(list, call, {.name = format("integers rounded to {}", type), .call = rounded});
    if (!rounded.says_as(call))
      add(list, call, {.name = format("integers and each step rounded to {}", type), .call = rounded, .steps = type});
  }
  const std::vector<std::string_view> inputs = floating_inputs(call);
  for (const StoredDigits& digits : kDigits) {
    if (!has_type(call, digits)) continue;
    const auto round = [&digits](const Tensor& tensor) { return with_digits(tensor, digits); };
    const Changed rounded = with_inputs_rounded(call, digits);
    const Call& all = rounded.call;
    add(list, call, rounded);
    if (digits.of_results)
      add(list, call, {.name = format("result {} to {}", digits.verb, digits.name), .call = call, .result = round});
    if (digits.of_results && !all.says_as(call))
      add(list, call,
          {.name = format("inputs and result {} to {}", digits.verb, digits.name), .call = all, .result = round});
    for (const std::string_view input : inputs)
      if (inputs.size() > 1)
        add(list, call,
            {.name = format("{} {} to {}", input, digits.verb, digits.name),
             .call = call.with_input(input, round(call.input(input)))});
  }
  for (const DType type : {DType::float64, DType::float32, DType::float16, DType::bfloat16})
    add(list, call, {.name = format("each step rounded to {}", type), .call = call, .steps = type});
  return list;
}

std::vector<Changed> special_values(const Call& call) {
  std::vector<Changed> list;
  const auto add_mistake = [&](Changed changed) {
    changed.kind = Cause::Kind::mistake;
    add(list, call, std::move(changed));
  };
  const auto nan_as = [](double number) {
    return [number](const Tensor& tensor) {
      return mapped(tensor, [number](DType, double x) { return std::isnan(x) ? number : x; });
    };
  };
  for (const double number : {0.0, -HUGE_VAL, HUGE_VAL})
    add_mistake({.name = format("mistake NaN in inputs taken for {}", number == 0  ? "0"
                                                                      : number < 0 ? "-Inf"
                                                                                   : "Inf"),
                 .call = call.with_tensors(nan_as(number))});
  add_mistake({.name = "mistake NaN in results written as 0", .call = call, .result = nan_as(0)});
  if (const Tensor* x = call.inputs().empty() || !call.inputs()[0].value ? nullptr : call.inputs()[0].value->tensor())
    add_mistake({.name = "mistake the first input returned as it is",
                 .call = call,
                 .result = [x = *x](const Tensor& tensor) { return tensor.type() == x.type() ? x : tensor; }});
  const auto each = [&](std::string_view name, double (*f)(double)) {
    add_mistake({.name = format("mistake {}", name), .call = call, .result = [f](const Tensor& tensor) {
                   return has_both_signs(tensor) ? mapped(tensor, [f](DType, double x) { return f(x); }) : tensor;
                 }});
  };
  each("negative results written as 0", [](double x) { return x < 0 ? 0.0 : x; });
  each("the sign of results changed", [](double x) { return -x; });
  each("the sign of results dropped", [](double x) { return std::abs(x); });
  add_mistake({.name = "mistake infinite results written as the greatest number",
               .call = call,
               .result = [](const Tensor& tensor) {
                 return mapped(tensor, [](DType dtype, double x) {
                   const double most =
                       with_float(dtype, []<class T>(T) { return widen(from_bits<T>(infinity_bits<T> - 1)); });
                   return std::isinf(x) ? std::copysign(most, x) : x;
                 });
               }});
  return list;
}

}  // namespace opref::explain
