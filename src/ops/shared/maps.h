// SPDX-License-Identifier: Apache-2.0
// Maps of ai.onnx.ml: the keys that a node lists, and where each of them stands.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/map.h"
#include "schema/call.h"

namespace opref::ops {

/// The keys or labels that one of two attributes lists, as a 1-D tensor in its order: one of INTS, the other of
/// STRINGS. An empty list counts as none; both or none of them are `invalid`.
Tensor either_list(const Call& call, std::string_view ints, std::string_view strings);

/// The places of the listed keys in the order of a map's keys; of a key that is listed twice the last one.
std::vector<size_t> places_in_order(const Tensor& keys);

/// Where each listed key stands among the map's values; nothing where the map does not have it.
std::vector<std::optional<size_t>> places_of_keys(const Map& map, const Tensor& keys);

/// The first key of the map, by its place, that none of these places is; nothing where each of its keys is one of them.
std::optional<size_t> first_unlisted(const Map& map, std::span<const std::optional<size_t>> places);

}  // namespace opref::ops
