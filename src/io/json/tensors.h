// SPDX-License-Identifier: Apache-2.0
// Tensors, sequences and optionals of JSON cases. Faults are `malformed` and name the member.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "io/case.h"
#include "io/json/tree.h"

namespace opref::io {

enum class Values : std::uint8_t { optional, compulsory };

/// What all tensors of a case have in common.
struct TensorsOf {
  const std::filesystem::path& folder;
  Values values;
  std::uint64_t seed;               ///< of generated ones that state none
  std::optional<DType> dtype = {};  ///< of those that state none
};

/// One element as a literal writes it; of a type that is not known yet any that a number's may be.
std::string element_text_of(const JsonValue& value, std::optional<DType> dtype);
/// A list of sizes.
Dims read_shape(const JsonValue& value);
/// A file's name, or an object with a file, data, a generator or a type alone.
TensorSource read_tensor(const JsonValue& value, const TensorsOf& all);
/// Those of a member like "inputs": a list of them is a variadic parameter's. None where the member is absent.
std::vector<NamedSource> read_tensors(const JsonValue& document, std::string_view key, const TensorsOf& all);

}  // namespace opref::io
