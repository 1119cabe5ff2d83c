// SPDX-License-Identifier: Apache-2.0
#include "cli/operator_table.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "ops/operators.h"

namespace opref::cli {
namespace {

/// Types that mostly come together.
struct TypeGroup {
  std::string_view name;
  std::vector<DType> members;
};

const std::vector<TypeGroup>& groups() {
  using enum DType;
  static const std::vector<TypeGroup> groups = {
      {"floats", {float16, bfloat16, float32, float64}},
      {"ints", {int8, int16, int32, int64}},
      {"uints", {uint8, uint16, uint32, uint64}},
      {"complex", {complex64, complex128}},
      {"float8", {float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu}},
  };
  return groups;
}

bool holds(const std::vector<DType>& types, DType type) { return std::ranges::find(types, type) != types.end(); }

/// In the order of all_dtypes.
std::vector<DType> element_types(const Operator& op) {
  std::vector<DType> found;
  const OpSchema& schema = op.versions().back();
  for (const DTypeInfo& dtype : all_dtypes())
    if (std::ranges::any_of(schema.constraints(), [&](const TypeConstraint& constraint) {
          const std::vector<std::string> names = op.type_names(schema, constraint.variable);
          return std::ranges::any_of(names, [&](const std::string& name) {
            return name == dtype.name || name.ends_with(format(" {}", dtype.name));
          });
        }))
      found.push_back(dtype.dtype);
  return found;
}

std::string types_text(std::vector<DType> types) {
  std::vector<std::string_view> words;
  for (const TypeGroup& group : groups()) {
    if (!std::ranges::all_of(group.members, [&](DType member) { return holds(types, member); })) continue;
    words.push_back(group.name);
    std::erase_if(types, [&](DType type) { return holds(group.members, type); });
  }
  for (const DType type : types) words.push_back(name(type));
  return join_text(words, ", ");
}

std::string versions_text(const Operator& op) {
  std::vector<std::int64_t> versions;
  for (const OpSchema& schema : op.versions()) versions.push_back(schema.since_version());
  return join_text(versions, ", ");
}

}  // namespace

std::string operator_table() {
  std::string text =
      "# Operators: all that opref knows, with their versions and types\n\n"
      "opref knows every operator of this table in all its versions and types. The last\n"
      "column has the types that any input or output of the newest version may have.\n"
      "`opref ops` lists the operators in short, and `opref ops LpPool` prints one in\n"
      "full. `opref ops --markdown` writes this page.\n\n"
      "| operator | domain | versions | types |\n| --- | --- | --- | --- |\n";
  for (const OperatorRow& row : operator_rows()) {
    const Operator& op = *find_operator(row.domain, row.op_type);
    text +=
        format("| {} | {} | {} | {} |\n", row.op_type, row.domain, versions_text(op), types_text(element_types(op)));
  }
  text += "\n| in short | types |\n| --- | --- |\n";
  for (const TypeGroup& group : groups()) {
    std::vector<std::string_view> members;
    for (const DType member : group.members) members.push_back(name(member));
    text += format("| {} | {} |\n", group.name, join_text(members, ", "));
  }
  return text;
}

}  // namespace opref::cli
