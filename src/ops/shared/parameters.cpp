// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/parameters.h"
#include <algorithm>

#include "core/error.h"
#include "schema/remedies.h"
namespace opref::ops {
namespace {
constexpr std::string_view kScalarList = "list.scalar", kScalarShape = "scalar.shape";
}  // namespace
Reading scalar_list_reading(std::int64_t since) {
  return {.name = kScalarList,
          .alternatives = {"accept: a scalar is a list of one", "reject: it is invalid"},
          .defaults = {{since, "accept"}},
          .reason = "ONNX's own test of Loop gives axes as a scalar"};
}

bool lists_reading(const Call& call, std::string_view name) {
  const std::vector<Reading>& readings = call.op().readings();
  return std::ranges::find(readings, name, &Reading::name) != readings.end();
}

void require_list(std::string_view input, const Dims& shape) {
  const WayOut way_out = shape.empty() ? WayOut(kGiveList, std::string(input)) : WayOut();
  if (shape.size() != 1) fail(Fault::invalid, way_out, "{} has shape {}, but must be a list", input, shape);
}

std::vector<std::int64_t> list_of(const Call& call, std::string_view name) {
  if (call.attributes().contains(name)) return call.integers(name);
  const Dims& shape = call.type(name).shape;
  const bool may_be_scalar = lists_reading(call, kScalarList) && call.reads(kScalarList, "accept");
  if (!shape.empty() || !may_be_scalar) require_list(name, shape);
  return call.integers(name);
}

Dims sizes_of(const Call& call, std::string_view name) {
  const std::vector<std::int64_t> sizes = list_of(call, name);
  const bool is_negative = std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; });
  if (is_negative) fail(Fault::invalid, "{} is [{}], but no size can be negative", name, join_some(sizes, ","));
  return Dims(sizes);
}

Reading scalar_shape_reading(std::int64_t since) {
  return {.name = kScalarShape,
          .alternatives = {"scalar: it has no axes", "or_one: [1] is a scalar too"},
          .defaults = {{since, "scalar"}},
          .reason = "the pages: \"scalar\", \"a 0-D tensor\"; onnxruntime and OpenVINO take [1] in places"};
}

void require_scalar(const Call& call, std::string_view input) {
  if (!call.has(input) || call.type(input).shape.empty()) return;
  const Dims& shape = call.type(input).shape;
  const bool may_be_one = shape == Dims{1} && lists_reading(call, kScalarShape);
  require(may_be_one && call.reads(kScalarShape, "or_one"), "{} has shape {}, but must be a scalar{}", input, shape,
          may_be_one ? format(", which has no axes; the reading {}=or_one allows [1]", kScalarShape) : "");
}

void require_scalar_or_one(const Call& call, std::string_view input) {
  if (call.has(input) && call.type(input).shape != Dims{1}) require_scalar(call, input);
}

Range element_types() {
  Range range{.kind = Range::Kind::one_of};
  for (const DTypeInfo& type : onnx_dtypes()) range.words.push_back(type.onnx);
  return range;
}
DType dtype_of_number(const Call& call, std::string_view attribute, const Types& types) {
  const std::int64_t number = call.integer(attribute);
  std::vector<DType> known = types.dtypes();
  std::ranges::sort(known);  // by their numbers
  std::vector<std::string> texts;
  for (const DType dtype : known) {
    if (static_cast<std::int64_t>(dtype) == number) return dtype;
    texts.push_back(format("{} ({})", static_cast<int>(dtype), dtype));
  }
  fail(Fault::invalid, "attribute '{}' is {}, but must be {}", attribute, number, join_text(texts, ", "));
}
DType floating_type_of(const Call& call, std::string_view attribute) {
  return dtype_of_number(call, attribute, types::floats | Types{DType::bfloat16});
}

Operator with_newer_types(Operator op, std::string_view variable) {
  return std::move(op)
      .version(21, allows(variable, types::ir10))
      .version(23, allows(variable, types::ir11))
      .version(24, allows(variable, types::ir12))
      .version(25, allows(variable, types::ir13));
}
}  // namespace opref::ops
