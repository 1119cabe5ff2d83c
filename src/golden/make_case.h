// SPDX-License-Identifier: Apache-2.0
// One golden case: its inputs, its correctly rounded outputs or its expected refusal, and what the manifest says of it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "golden/recipe.h"

namespace opref::golden {

/// How a case lies in its folder.
enum class Layout : std::uint8_t {
  onnx,     ///< model.onnx, test_data_set_0/input_K.pb and output_K.pb
  npy,      ///< case.json and NAME.npy
  openvino  ///< layer.xml and NAME.npy
};
std::string_view name(Layout layout);
/// By name, else a `usage` error that offers the nearest.
Layout parse_layout(std::string_view name);

/// What becomes of combinations that the specification rejects.
enum class Refused : std::uint8_t { counted, kept };

struct MakeOptions {
  std::optional<Layout> layout;  ///< nothing: openvino for its operators, else onnx
  Refused refused = Refused::counted;
  std::int64_t max_bytes = INT64_MAX;
};

struct MadeCase {
  enum class Kind : std::uint8_t { values, must_fail, rejected } kind = Kind::rejected;
  std::shared_ptr<const Json> entry = {};  ///< what the manifest says of the case
  std::string reason = {};                 ///< of a rejected one

  bool is_case() const { return kind != Kind::rejected; }
};

/// SHA-256 by path below a folder.
using FileHashes = std::map<std::string, std::string>;
/// Of all that is below it; of what is no file (a link to nothing, a pipe) it is empty.
FileHashes hashes_below(const std::filesystem::path& folder);

/// Writes the case into an existing empty folder. A combination that is refused as `invalid` is rejected; where such
/// are kept, and the layout can state it so that it is refused by the same rule when it is read again, it becomes a
/// must-fail case with that fault and message. What looks at the node to generate values has iota's there. Other faults
/// are thrown, with the case and its recipe as their places: the recipe is wrong.
MadeCase make_case(const GoldenCase& golden, const MakeOptions& options, const std::filesystem::path& folder);

/// What becomes of a combination that the specification rejects: kept as a must-fail case or counted, and its message.
struct Refusal {
  MadeCase::Kind kind;
  std::string message;
};

/// Whether the specification rejects the case, as `make_case` would find it but with little computing: types and shapes
/// decide, and where some inputs are indices or sizes their values too. Whether a layout can state what is rejected is
/// known for certain only when it is written. Faults: as of `make_case`.
std::optional<Refusal> refusal_of(const GoldenCase& golden, const MakeOptions& options);

}  // namespace opref::golden
