// One golden case: its inputs, its correctly rounded outputs or its expected refusal, and what the manifest says of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "golden/recipe.h"

namespace opref {

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
  std::string entry;  ///< of the manifest, as JSON; of a rejected case nothing
};

/// Writes the case into an existing empty folder. A combination that is refused as `invalid` is rejected; where such
/// are kept, and the layout can state it so that it is refused when it is read again, it becomes a must-fail case with
/// that fault and message. What looks at the node to generate values has iota's there. Other faults are thrown, with
/// the case as their place: the recipe is wrong.
MadeCase make_case(const GoldenCase& golden, const MakeOptions& options, const std::filesystem::path& folder);

/// Whether the specification accepts the case, as far as types and shapes decide it; else its message.
std::optional<std::string> refusal_by_types(const GoldenCase& golden);

}  // namespace opref
