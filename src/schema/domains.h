// SPDX-License-Identifier: Apache-2.0
// Where operators come from.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "schema/node.h"

namespace opref::schema {

enum class WrittenIn : std::uint8_t { onnx_models, openvino_layers };

/// A row of domains.def, which says what each member is.
struct Domain {
  std::string_view space, name;
  std::int64_t newest_opset, opset_of_none;
  WrittenIn written_in;
  std::string_view page;
};

#define X(space, name, newest_opset, opset_of_none, written_in, page) \
  Domain{#space, name, newest_opset, opset_of_none, WrittenIn::written_in, page},
inline constexpr auto kDomains = std::to_array<Domain>({
#include "schema/domains.def"
});
#undef X

/// "ai.onnx" for "", else the domain itself: the opposite of canonical_domain.
std::string_view domain_name(std::string_view domain);

/// "" is ai.onnx; null if unknown.
const Domain* find_domain(std::string_view name);

/// Whether the domain's operators are OpenVINO's: their nodes are layers, with attributes as text.
bool is_of_layers(std::string_view domain);

}  // namespace opref::schema
