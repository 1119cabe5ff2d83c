// SPDX-License-Identifier: Apache-2.0
// Several cases in one JSON file: a list of cases, and cases whose "opset" is a list.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/json/tree.h"

namespace opref::io {

/// One case of a document that must outlive it.
struct JsonCase {
  /// What follows the file's name: "" where the file is this case, "#2" of the second in a list, "#opset=11" of a list
  /// of opsets, "#2#opset=11" of both.
  std::string name;
  JsonValue object;
  std::optional<std::int64_t> opset;  ///< the one of a list; else the object says it
};

/// The most cases that a file may hold.
inline constexpr size_t kMostCasesOfFile = 1000;

/// All cases in the order of the file, none of them read yet. Faults: `malformed` (an empty list, one of something else
/// than objects, an opset of another kind or twice in a list), `unsupported` (more cases than kMostCasesOfFile).
std::vector<JsonCase> json_cases(const Json& document);

/// A file of cases, parsed once for all that read one of them.
struct JsonCaseFile {
  const Json document;
  const std::vector<JsonCase> cases;  ///< of ONNX's protobuf-JSON none

  /// Faults: those of parse_json and json_cases.
  explicit JsonCaseFile(std::string_view text);
  JsonCaseFile(const JsonCaseFile&) = delete;
  JsonCaseFile& operator=(const JsonCaseFile&) = delete;
};

/// JSON of opref's that holds no cases.
enum class OtherJson : std::uint8_t { recipe, manifest, report, mistakes };

/// What a quick look at the members of a JSON text says. What is empty or no JSON may be a case: reading says what it
/// is.
struct JsonGlance {
  bool has_operator = true;
  bool may_be_several = false;          ///< cases in one file
  std::optional<OtherJson> other = {};  ///< no cases, but this

  explicit JsonGlance(std::string_view text);
  bool may_be_case() const { return has_operator && !other; }
};

/// Which case of a file is meant.
struct CaseChoice {
  std::string name;                   ///< of a case or of several ("#2" of "#2#opset=11"); empty: all
  std::optional<std::int64_t> opset;  ///< of several that `name` leaves, the one that is for this opset
};

/// The cases that `name` means; all of them if it is empty. A `usage` error that says which there are, where it means
/// none.
std::vector<JsonCase> named_cases(const std::vector<JsonCase>& cases, std::string_view name);

/// The one case that is meant. A `usage` error that says which there are, where it is none or several.
JsonCase chosen_case(const std::vector<JsonCase>& cases, const CaseChoice& choice);

/// "a/b.json#opset=11" as the file and the name of a case in it. The name is empty where a file has the whole text as
/// its name, and where no part before a '#' is a file.
struct CaseOfFile {
  std::filesystem::path file;
  std::string name;
};
CaseOfFile split_case_name(const std::string& argument);

}  // namespace opref::io
