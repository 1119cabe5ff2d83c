// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/maps.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
namespace opref::ops {

Tensor listed_keys(const Call& call, std::string_view ints, std::string_view strings) {
  const bool has_ints = call.has(ints) && !call.integers(ints).empty();
  const bool has_strings = call.has(strings) && !call.strings(strings).empty();
  require(has_ints != has_strings, "{} of {} and {} are given, but must be one", has_ints ? "both" : "none",
          call.name(ints), call.name(strings));
  if (has_strings) return {Dims{std::ssize(call.strings(strings))}, call.strings(strings)};
  const std::vector<std::int64_t> keys = call.integers(ints);
  return Tensor::of(DType::int64, Dims{std::ssize(keys)}, std::span<const std::int64_t>(keys));
}

std::vector<size_t> places_in_order(const Tensor& keys) {
  std::vector<size_t> places(static_cast<size_t>(keys.count()));
  std::iota(places.begin(), places.end(), size_t{0});
  std::ranges::stable_sort(places, [&](size_t a, size_t b) { return compare_keys(keys, a, keys, b) < 0; });
  std::ranges::reverse(places);  // so that unique keeps the last ones
  const auto rest =
      std::ranges::unique(places, [&](size_t a, size_t b) { return compare_keys(keys, a, keys, b) == 0; });
  places.erase(rest.begin(), rest.end());
  std::ranges::reverse(places);
  return places;
}

std::vector<std::optional<size_t>> places_of_keys(const Map& map, const Tensor& keys) {
  std::vector<std::optional<size_t>> places;
  for (size_t i = 0; i < static_cast<size_t>(keys.count()); ++i) places.push_back(place_of(map, keys, i));
  return places;
}

std::optional<size_t> first_unlisted(const Map& map, std::span<const std::optional<size_t>> places) {
  std::vector<bool> listed(static_cast<size_t>(map.keys.count()));
  for (const std::optional<size_t>& place : places)
    if (place) listed[*place] = true;
  const auto found = std::ranges::find(listed, false);
  return found == listed.end() ? std::nullopt : std::optional(static_cast<size_t>(found - listed.begin()));
}

}  // namespace opref::ops
