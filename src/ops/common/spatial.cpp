// SPDX-License-Identifier: Apache-2.0
#include "ops/common/spatial.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/nearly.h"
#include "evaluators/elements.h"

namespace opref::ops {
namespace {

void require_length(const Call& call, std::string_view attribute, size_t length, size_t axes) {
  const std::vector<std::int64_t> values = call.integers(attribute);
  require(values.size() == length, "attribute '{}' has {}, but {} has {} spatial {}{}", attribute,
          counted(static_cast<long long>(values.size()), "value"), call.schema().inputs().front().name, axes,
          axes == 1 ? "axis" : "axes", length == axes ? "" : format(" and it takes {}", length));
}

}  // namespace

Dims per_axis(const Call& call, std::string_view attribute, size_t axes, std::int64_t by_default) {
  if (!call.has(attribute)) return Dims::filled(axes, by_default);
  require_length(call, attribute, axes, axes);
  return Dims(call.integers(attribute));
}

AttributeSchema per_axis_attribute(std::string_view name, std::int64_t least, DefaultStated stated) {
  const std::string_view value = least == 1 ? "1 along each spatial axis" : "0 along each spatial axis";
  return {name, INTS, Presence::optional, at_least(nearly(least)), {}, value, stated};
}

AttributeSchema pads_attribute(DefaultStated stated) {
  AttributeSchema pads = per_axis_attribute("pads", 0, stated);
  pads.default_text = "0 along start and end of each spatial axis";
  return pads;
}

AttributeSchema auto_pad_attribute() {
  return with_default("auto_pad", "NOTSET", one_of({"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}));
}

std::string to_text(const Pads& pads) {
  std::vector<std::int64_t> all(pads.begin.begin(), pads.begin.end());
  all.insert(all.end(), pads.end.begin(), pads.end.end());
  return "[" + join_some(all, ",") + "]";
}

bool is_zero(const Pads& pads) {
  const Dims none = Dims::filled(pads.begin.size(), 0);
  return pads.begin == none && pads.end == none;
}

Pads explicit_pads(const Call& call, size_t axes) {
  if (!call.has_here("pads")) return {Dims::filled(axes, 0), Dims::filled(axes, 0)};
  require_length(call, "pads", 2 * axes, axes);
  const std::vector<std::int64_t> list = call.integers("pads");
  const std::span values(list);
  return {Dims(values.first(axes)), Dims(values.last(axes))};
}

AutoPad auto_pad(const Call& call) { return call.choice<AutoPad>("auto_pad"); }

std::vector<ShortName> spatial_short_names() {
  return {{"kernel_shape", "k"},
          {"strides", "s"},
          {"dilations", "d"},
          {"pads", "pad"},
          {"pads_begin", "pb"},
          {"pads_end", "pe"},
          {"output_padding", "op"},
          {"output_shape", "os"},
          {"group", "g"},
          {"storage_order", "order"},
          {"auto_pad", ""},
          {"auto_pad=same_upper", "upper"},
          {"auto_pad=same_lower", "lower"},
          {"ceil_mode", "ceil"},
          {"ceil_mode=0", "floor"},
          {"ceil_mode=1", "ceil"}};
}

Dims spatial(const Dims& shape) { return shape.without_first(2); }

bool all_positive(const Dims& sizes) {
  return std::ranges::all_of(sizes, [](std::int64_t size) { return size > 0; });
}

std::vector<Note> in_force(const Call& call, std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::vector<Note> notes;
  for (const auto& [attribute, value] : values) {
    if (call.schema().find_attribute(attribute) == nullptr) continue;
    const auto stated = call.attributes().find(attribute);
    if (stated == call.attributes().end() || to_text(stated->second) != value)
      notes.push_back(resolved(attribute, value));
  }
  return notes;
}

void warn_of_denotation(const Call& call, std::string_view input, std::vector<Note>& notes) {
  const auto& stated = call.denotation(input);
  for (size_t axis = 0; axis < stated.size(); ++axis) {
    const std::string_view expected = axis == 0 ? "DATA_BATCH" : axis == 1 ? "DATA_CHANNEL" : "DATA_FEATURE";
    if (!stated[axis].empty() && stated[axis] != expected)
      notes.push_back(warning(input, format("axis {} is denoted {}, but {} expects {}", axis, printable(stated[axis]),
                                            call.title(), expected)));
  }
}

void require_spatial(const Call& call, std::string_view input) {
  const TensorType& type = call.type(input);
  require(type.rank() >= 3, "{} has rank {}, but must be (N, C, D1, …): rank 3 or more", input, type.rank());
}

void require_spatial_sizes(const Call& call, std::string_view input, const Dims& sizes) {
  require(all_positive(sizes), "{} has shape {}, but its spatial sizes must be > 0", input, call.type(input).shape);
}

namespace {

void require_each(const Tensor& tensor, std::string_view name, bool (*is_wanted)(double), std::string_view wanted) {
  const evaluators::Elements elements(tensor);
  for (std::int64_t i = 0; i < tensor.count(); ++i)
    if (const double x = elements.number(i); !is_wanted(x))
      fail(Fault::invalid, "{}{} is {}, but must be {}", name, coordinates(i, tensor.shape()), x, wanted);
}

}  // namespace

void require_finite(const Call& call, std::string_view name) {
  if (call.attributes().contains(name)) {
    const double x = call.number(name);
    require(std::isfinite(x), "attribute '{}' is {}, but must be finite", name, x);
    return;
  }
  require_each(
      call.input(name), name, [](double x) { return std::isfinite(x); }, "finite");
}

void require_no_nan(const Call& call, std::string_view input) {
  require_each(
      call.input(input), input, [](double x) { return !std::isnan(x); }, "a number");
}

}  // namespace opref::ops
