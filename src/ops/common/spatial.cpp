#include "ops/common/spatial.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace opref::ops {
namespace {

constexpr std::array<std::string_view, 4> kAutoPads = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};

void check_values(const Call& call, std::string_view attribute, size_t length, size_t axes, Range range) {
  const auto& values = call.integers(attribute);
  require(values.size() == length, "attribute '{}' has {}, but {} has {} spatial {}{}", attribute,
          counted(static_cast<long long>(values.size()), "value"), call.schema().inputs().front().name, axes,
          axes == 1 ? "axis" : "axes", length == axes ? "" : format(" and it takes {}", length));
  const std::int64_t least = range == Range::positive ? 1 : 0;
  require(std::ranges::all_of(values, [least](std::int64_t value) { return value >= least; }),
          "attribute '{}' is [{}], but its values must be {}", attribute, join_text(values, ","),
          range == Range::positive ? "> 0" : ">= 0");
}

}  // namespace

Dims per_axis(const Call& call, std::string_view attribute, size_t axes, std::int64_t fallback, Range range) {
  if (!call.has(attribute)) return Dims::filled(axes, fallback);
  check_values(call, attribute, axes, axes, range);
  return Dims(call.integers(attribute));
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

AutoPad auto_pad(const Call& call) {
  const std::string& text = call.string("auto_pad");
  const auto found = std::ranges::find(kAutoPads, text);
  require(found != kAutoPads.end(), "attribute 'auto_pad' is '{}', but must be {}{}", printable(text),
          join_text(kAutoPads, ", "), did_you_mean(text, kAutoPads));
  return static_cast<AutoPad>(found - kAutoPads.begin());
}

Dims spatial(const Dims& shape) { return shape.without_first(2); }

void require_spatial(const Call& call, std::string_view input) {
  const TensorType& type = call.type(input);
  require(type.rank() >= 3, "{} has rank {}, but must be (N, C, D1, …): rank 3 or more", input, type.rank());
}

}  // namespace opref::ops
