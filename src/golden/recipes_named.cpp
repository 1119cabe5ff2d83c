// SPDX-License-Identifier: Apache-2.0
// What a RECIPE argument names.
#include <filesystem>

#include "core/error.h"
#include "golden/shipped_recipes.h"
#include "io/json/fields.h"
#include "ops/operators.h"
#include "schema/node.h"
#include "system/file.h"

namespace opref::golden {
namespace {

namespace fs = std::filesystem;

/// Whether the recipes are of this operator; those of a file are all of one.
bool is_of(const RecipeFile& file, const Operator& op) {
  const JsonValue root = file.document->root();
  const JsonValue first = root.kind() == JsonKind::list ? *root.begin() : root;
  const std::string domain = string_or_empty(first, "domain");
  return string_of(required(first, "op_type")) == op.op_type() &&
         canonical_domain(domain) == canonical_domain(op.domain());
}

/// A folder of an operator's name, such as the one that its cases go into, does not hide the operator.
bool is_hidden_by_folder(const std::string& argument) {
  std::error_code ignored;
  if (!fs::is_directory(argument, ignored)) return false;
  try {
    get_operator_named(argument);
    return true;
  } catch (const Error&) {
    return false;
  }
}

const Operator& operator_named(const std::string& argument) {
  try {
    return get_operator_named(argument);
  } catch (const Error& error) {
    throw Error(error.fault(), "no such file, and " + error.message());
  }
}

}  // namespace

std::vector<RecipeFile> recipes_named(const std::string& argument) {
  std::error_code ignored;
  if (argument == "-" || (fs::exists(argument, ignored) && !is_hidden_by_folder(argument)))
    return read_recipes(argument);
  if (argument.find('/') != std::string::npos || argument.ends_with(".json"))
    fail(Fault::system, "no such file: {}", printable(argument));
  std::vector<RecipeFile> files;
  const Operator* op = argument == "all" ? nullptr : &operator_named(argument);
  for (const ShippedRecipe& shipped : shipped_recipes())
    for (RecipeFile& file : parse_recipes(std::string(shipped.name), "", shipped.text))
      if (op == nullptr || is_of(file, *op)) files.push_back(std::move(file));
  if (files.empty()) fail(Fault::unsupported, "there are no shipped recipes of {}", printable(argument));
  return files;
}

}  // namespace opref::golden
