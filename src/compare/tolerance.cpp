// SPDX-License-Identifier: Apache-2.0
#include "compare/tolerance.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"

namespace opref::compare {
namespace {

/// "float16" alone is the accumulator's type.
void require_key(std::string_view item) {
  const bool is_type = dtype_meant(item).has_value();
  const bool is_known = std::ranges::find(BoundedKernel::kKeys, item) != BoundedKernel::kKeys.end();
  if (is_type || is_known)
    fail(Fault::usage, "'{}' {}: it is written {}", item, is_type ? "has no key" : "has no value",
         is_type ? format("accumulator={}", item) : format("{}={}", item, item == "accumulator" ? "float16" : "1"));
}

double number_of_text(std::string_view key, std::string_view value) {
  double number = 0;
  const auto [end, fault] = std::from_chars(value.begin(), value.end(), number);
  if (fault != std::errc{} || end != value.end())
    fail(Fault::usage, "{} is '{}', but must be a number{}", key, printable(value),
         key == "functions" ? " of ULP or 'absolute'" : "");
  return number;
}

/// One item, KEY=VALUE.
void set_item(BoundedKernel& kernel, std::string_view key, std::string_view value) {
  if (std::ranges::find(BoundedKernel::kKeys, key) == BoundedKernel::kKeys.end())
    fail(Fault::usage, "'{}' is none of {}{}", printable(key), join_text(BoundedKernel::kKeys, ", "),
         did_you_mean(key, BoundedKernel::kKeys));
  if (key == "accumulator") return kernel.set_accumulator(value);
  if (key == "flush") {
    if (value != "0" && value != "1") fail(Fault::usage, "flush is '{}', but must be 0 or 1", printable(value));
    kernel.subnormals = value == "1" ? BoundedKernel::Subnormals::flushed : BoundedKernel::Subnormals::kept;
    return;
  }
  if (key == "formula") {
    if (value != "page" && value != "accurate")
      fail(Fault::usage, "the formula is '{}', but must be page or accurate", printable(value));
    kernel.formula = value == "page" ? BoundedKernel::Formula::page : BoundedKernel::Formula::accurate;
    return;
  }
  if (key == "functions" && value == "absolute") {
    kernel.functions.absolute = true;
    return;
  }
  const double number = number_of_text(key, value);
  key == "functions" ? kernel.set_functions(number) : kernel.set_input_error(number);
}

}  // namespace

void BoundedKernel::set_accumulator(std::string_view text) {
  const auto found = std::ranges::find(kAccumulators, dtype_meant(text));
  if (found == kAccumulators.end()) {
    std::array<std::string_view, kAccumulators.size()> names;
    std::ranges::transform(kAccumulators, names.begin(), [](DType dtype) { return name(dtype); });
    fail(Fault::usage, "the accumulator is '{}', but must be {}{}", printable(text), join_text(names, ", "),
         did_you_mean(text, names));
  }
  accumulator = *found;
}

void BoundedKernel::set_input_error(double error) {
  if (error != 0 && !(error >= 1e-30 && error <= 1))
    fail(Fault::usage, "the input error is {}, but must be 0, or from 1e-30 to 1", error);
  input_error = error;
}

void BoundedKernel::set_functions(double ulp) {
  if (!(ulp >= 0.5 && ulp <= 1e6)) fail(Fault::usage, "functions is {} ULP, but must be from 0.5 to 1e6", ulp);
  functions = FunctionErrors::all(ulp);
}

Tolerance onnx_rule(DType dtype) {
  return {.rule = Tolerance::Rule::relative, .rtol = dtype == DType::bfloat16 ? 0x1p-6 : 1e-3, .atol = 1e-7};
}

BoundedKernel parse_kernel(std::string_view text) {
  BoundedKernel kernel;
  std::vector<std::string_view> given;
  for (bool more = !text.empty(); more;) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos) require_key(item);
    const std::string_view key = item.substr(0, equals);
    if (std::ranges::find(given, key) != given.end()) fail(Fault::usage, "'{}' is given twice", printable(key));
    given.push_back(key);
    set_item(kernel, key, equals == std::string_view::npos ? "" : item.substr(equals + 1));
  }
  return kernel;
}

std::string to_text(const BoundedKernel& kernel) {
  std::vector<std::string> items;
  if (kernel.accumulator) items.push_back(format("accumulator={}", *kernel.accumulator));
  if (kernel.subnormals == BoundedKernel::Subnormals::flushed) items.emplace_back("flush=1");
  if (kernel.input_error != 0) items.push_back(format("input-error={}", kernel.input_error));
  if (kernel.functions.absolute) items.emplace_back("functions=absolute");
  if (kernel.functions.of_all) items.push_back(format("functions={}", *kernel.functions.of_all));
  if (kernel.formula == BoundedKernel::Formula::accurate) items.emplace_back("formula=accurate");
  return join_text(items, ",");
}

void refuse_bound_without_node() { fail(Fault::usage, kCompareInRun, "the rule bound needs the node"); }

}  // namespace opref::compare
