#include "ops/common/spatial.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace opref::ops {
namespace {

constexpr std::array<std::string_view, 4> kAutoPads = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};

std::int64_t least(Range range) { return range == Range::positive ? 1 : 0; }
std::string_view range_text(Range range) { return range == Range::positive ? "> 0" : ">= 0"; }

void check_values(const Call& call, std::string_view attribute, size_t length, size_t axes, Range range) {
  const auto& values = call.integers(attribute);
  require(values.size() == length, "attribute '{}' has {}, but {} has {} spatial {}{}", attribute,
          counted(static_cast<long long>(values.size()), "value"), call.schema().inputs().front().name, axes,
          axes == 1 ? "axis" : "axes", length == axes ? "" : format(" and it takes {}", length));
  require(std::ranges::all_of(values, [range](std::int64_t value) { return value >= least(range); }),
          "attribute '{}' is [{}], but its values must be {}", attribute, join_text(values, ","), range_text(range));
}

}  // namespace

Dims per_axis(const Call& call, std::string_view attribute, size_t axes, Range range) {
  if (!call.has(attribute)) return Dims::filled(axes, least(range));
  check_values(call, attribute, axes, axes, range);
  return Dims(call.integers(attribute));
}

AttributeSchema per_axis_attribute(std::string_view name, Range range, DefaultStated stated) {
  const std::string_view value = range == Range::positive ? "1 along each spatial axis" : "0 along each spatial axis";
  return {name, AttributeType::INTS, Presence::optional, range_text(range), {}, value, stated};
}

AttributeSchema pads_attribute(DefaultStated stated) {
  AttributeSchema pads = per_axis_attribute("pads", Range::not_negative, stated);
  pads.default_text = "0 along start and end of each spatial axis";
  return pads;
}

AttributeSchema auto_pad_attribute() {
  return with_default("auto_pad", "NOTSET, SAME_UPPER, SAME_LOWER or VALID", AttributeValue::of(std::string("NOTSET")));
}

std::string to_text(const Pads& pads) {
  std::vector<std::int64_t> all(pads.begin.begin(), pads.begin.end());
  all.insert(all.end(), pads.end.begin(), pads.end.end());
  return "[" + join_text(all, ",") + "]";
}

bool is_zero(const Pads& pads) {
  const Dims none = Dims::filled(pads.begin.size(), 0);
  return pads.begin == none && pads.end == none;
}

Pads explicit_pads(const Call& call, size_t axes) {
  if (!call.has("pads")) return {Dims::filled(axes, 0), Dims::filled(axes, 0)};
  check_values(call, "pads", 2 * axes, axes, Range::not_negative);
  const std::span values(call.integers("pads"));
  return {Dims(values.first(axes)), Dims(values.last(axes))};
}

AutoPad auto_pad(const Call& call) { return static_cast<AutoPad>(call.choice("auto_pad", kAutoPads)); }

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

}  // namespace opref::ops
