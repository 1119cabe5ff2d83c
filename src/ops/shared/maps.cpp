// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/maps.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
namespace opref::ops {

Tensor either_list(const Call& call, std::string_view ints, std::string_view strings) {
  const std::vector<std::int64_t> of_ints = call.has(ints) ? call.integers(ints) : std::vector<std::int64_t>();
  const std::vector<std::string> of_strings = call.has(strings) ? call.strings(strings) : std::vector<std::string>();
  require(of_ints.empty() != of_strings.empty(), "{} lists {} and {} {}, but exactly one of them must list some", ints,
          counted(std::ssize(of_ints), "element"), strings, counted(std::ssize(of_strings), "element"));
  if (of_ints.empty()) return {Dims{std::ssize(of_strings)}, of_strings};
  return Tensor::of<std::int64_t>(DType::int64, {std::ssize(of_ints)}, of_ints);
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
