// SPDX-License-Identifier: Apache-2.0
#include "compare/where.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "core/text.h"
#include "exact/power.h"

namespace opref::compare {
namespace {

/// Coordinates from first to last.
struct Range {
  std::int64_t first, last;
  std::int64_t length() const { return last - first + 1; }
};

/// Whether so many elements would hardly lie in this part of all by chance: part^elements <= 1/64. By multiplications
/// alone, which every machine rounds alike.
bool is_no_chance(double part, std::int64_t elements) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  return elements > 0 && raised(part, Power(static_cast<int>(std::min(elements, kMost)))) <= 1.0 / 64;
}

std::vector<Range> ranges_of(const std::vector<std::uint8_t>& seen) {
  std::vector<Range> ranges;
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == 0) continue;
    const auto coordinate = static_cast<std::int64_t>(i);
    if (ranges.empty() || ranges.back().last + 1 != coordinate)
      ranges.push_back({coordinate, coordinate});
    else
      ranges.back().last = coordinate;
  }
  return ranges;
}

std::string text_of(const Range& range) {
  return range.length() == 1 ? std::to_string(range.first) : format("{}..{}", range.first, range.last);
}

std::int64_t coordinates_in(const std::vector<Range>& ranges) {
  std::int64_t count = 0;
  for (const Range& range : ranges) count += range.length();
  return count;
}

/// How far apart equal ranges begin that repeat through the whole axis.
std::optional<std::int64_t> period_of(const std::vector<Range>& ranges, std::int64_t size) {
  if (ranges.size() < 2) return std::nullopt;
  const std::int64_t period = ranges[1].first - ranges[0].first, length = ranges[0].length();
  if (ranges[0].last >= period || ranges.back().first + period < size) return std::nullopt;
  for (size_t i = 1; i < ranges.size(); ++i) {
    const bool cut = ranges[i].last == size - 1 && ranges[i].length() < length;
    if (ranges[i].first - ranges[i - 1].first != period || (ranges[i].length() != length && !cut)) return std::nullopt;
  }
  return period;
}

std::string residue_text(const std::string& axis, std::int64_t period, const Range& residues) {
  if (period == 2) return format("have {} {}", residues.first == 0 ? "even" : "odd", axis);
  if (residues.length() == 1) return format("have {} % {} == {}", axis, period, residues.first);
  return format("have {} % {} in {}", axis, period, text_of(residues));
}

}  // namespace

Whereabouts::Whereabouts(const Dims& shape)
    : shape_(shape), at_(shape), axes_(shape.size()), border_axes_(shape.size() < 3 ? 0 : 2) {
  for (size_t axis = 0; axis < shape.size(); ++axis) axes_[axis].size = shape[axis];
}

void Whereabouts::start(std::int64_t element) {
  at_ = coordinates(element, shape_);
  for (size_t i = 0; i < axes_.size(); ++i) {
    Axis& axis = axes_[i];
    axis.first = axis.least = axis.most = at_[i];
    if (axis.size <= kMostSeen) axis.seen.resize(static_cast<size_t>(axis.size));
    mark(i);
  }
  outer_border_ = -1;
}

void Whereabouts::advance(std::int64_t distance) {
  for (size_t axis = axes_.size(); axis-- > 0;) {
    const std::int64_t sum = at_[axis] + distance;
    if (sum < shape_[axis]) {
      at_[axis] = sum;
      mark(axis);
      return;
    }
    distance = sum / shape_[axis];
    at_[axis] = sum - distance * shape_[axis];
    mark(axis);
    outer_border_ = -1;
  }
}

void Whereabouts::mark(size_t index) {
  Axis& axis = axes_[index];
  const std::int64_t at = at_[index];
  axis.least = std::min(axis.least, at);
  axis.most = std::max(axis.most, at);
  axis.deepest = std::max(axis.deepest, distance_to_border(index));
  if (axis.step != 1) axis.step = std::gcd(axis.step, at - axis.first);
  if (!axis.seen.empty()) axis.seen[static_cast<size_t>(at)] = 1;
}

void Whereabouts::note_border() {
  const size_t last = shape_.size() - 1;
  if (outer_border_ < 0) {
    outer_border_ = std::numeric_limits<std::int64_t>::max();
    for (size_t axis = border_axes_; axis < last; ++axis)
      outer_border_ = std::min(outer_border_, distance_to_border(axis));
  }
  deepest_border_ = std::max(deepest_border_, std::min(outer_border_, distance_to_border(last)));
}

std::string Whereabouts::axis_name(size_t axis) const {
  const size_t rank = shape_.size();
  if (rank < 3 || rank > 5) return format("axis {}", axis);
  constexpr std::string_view kSpatial = "dhw";
  return std::string(1, axis < 2 ? "nc"[axis] : kSpatial[3 - (rank - axis)]);
}

/// Each choice after the fact is as good as one element.
bool Whereabouts::tells(const Claim& claim, std::int64_t size) const {
  return is_no_chance(static_cast<double>(claim.coordinates) / static_cast<double>(size), count_ - claim.choices);
}

/// The first one that tells something is made.
std::vector<Whereabouts::Claim> Whereabouts::claims(size_t index) const {
  const Axis& axis = axes_[index];
  const std::string name = axis_name(index);
  const Range hull{axis.least, axis.most};
  if (hull.length() == 1) return {{format("have {} == {}", name, hull.first), 1, 1}};
  std::vector<Claim> claims;
  constexpr size_t kMostRanges = 4;
  const std::vector<Range> ranges = ranges_of(axis.seen);
  const auto period = period_of(ranges, axis.size);
  if (period && (ranges.size() > 2 || *period == 2))
    claims.push_back({residue_text(name, *period, ranges[0]), coordinates_in(ranges), ranges[0].length() == 1 ? 1 : 3});
  if (ranges.size() == 1) {
    std::string text = format("have {} in {}", name, text_of(hull));
    if (name == "c" && axis.size % hull.length() == 0 && hull.first % hull.length() == 0)
      text += format(", group {} of {}", hull.first / hull.length() + 1, axis.size / hull.length());
    return {{text, hull.length(), 2}};
  }
  if (!ranges.empty() && ranges.size() <= kMostRanges) {
    std::vector<std::string> texts;
    for (const Range& range : ranges) texts.push_back(text_of(range));
    int choices = 0;
    for (const Range& range : ranges) choices += range.length() == 1 ? 1 : 2;
    claims.push_back({format("have {} in {{{}}}", name, join_text(texts, ", ")), coordinates_in(ranges), choices});
  }
  std::vector<Claim> wider = {{format("have {} in {}", name, text_of(hull)), hull.length(), 2}};
  if (axis.step > 1) {
    const std::int64_t residue = axis.first % axis.step;
    const std::int64_t coordinates = (axis.size - residue + axis.step - 1) / axis.step;
    if (coordinates > 2)
      wider.push_back({residue_text(name, axis.step, {residue, residue}), coordinates, axis.step == 2 ? 1 : 2});
  }
  std::ranges::stable_sort(wider, {}, &Claim::coordinates);
  claims.insert(claims.end(), wider.begin(), wider.end());
  return claims;
}

/// Empty: nothing to tell.
std::string Whereabouts::border_text() const {
  if (border_axes_ >= shape_.size()) return "";
  const std::int64_t thickness = deepest_border_ + 1;
  double inner = 1;
  std::vector<std::string> names;
  for (size_t axis = border_axes_; axis < shape_.size(); ++axis) {
    if (shape_[axis] <= 2 * thickness) return "";
    inner *= static_cast<double>(shape_[axis] - 2 * thickness) / static_cast<double>(shape_[axis]);
    names.push_back(axis_name(axis));
  }
  if (!is_no_chance(1 - inner, count_ - 1)) return "";
  if (thickness == 1) return format("lie on the border (first or last {})", join_text(names, " or "));
  return format("lie within {} of the border of {}", thickness, join_text(names, " and "));
}

std::vector<std::string> Whereabouts::sentences() const {
  std::vector<std::string> texts;
  if (count_ < 2) return texts;
  bool one_border = false;  // what holds for one axis alone makes the border no news
  for (size_t axis = 0; axis < axes_.size(); ++axis) {
    for (const Claim& claim : claims(axis)) {
      if (!tells(claim, axes_[axis].size)) continue;
      texts.push_back(claim.text);
      one_border |= axis >= border_axes_ && axes_[axis].deepest <= deepest_border_;
      break;
    }
  }
  if (const std::string border = border_text(); !border.empty() && !one_border) texts.push_back(border);
  for (std::string& text : texts) text = format("all {} mismatches {}", count_, text);
  return texts;
}

}  // namespace opref::compare
