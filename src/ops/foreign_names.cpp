// SPDX-License-Identifier: Apache-2.0
#include "ops/foreign_names.h"

#include <algorithm>

#include "ops/operators.h"

namespace opref::ops {
std::string plain_name(std::string_view name) {
  name.remove_prefix(std::min(name.size(), name.find_last_of(".:") + 1));
  std::string plain;
  for (const char c : name)
    if (c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string_view axes : {"1d", "2d", "3d"})
    if (plain.size() > axes.size() && plain.ends_with(axes)) return plain.substr(0, plain.size() - axes.size());
  return plain;
}

std::optional<Hint> find_foreign_name(std::string_view name) {
  const std::string plain = plain_name(name);
  for (const OperatorRow& row : operator_rows())
    if (row.domain == "ai.onnx" && plain_name(row.op_type) == plain) return Hint{.meant = row.op_type};
  const std::vector<Hint>& known = hints("operator");
  const auto found = std::ranges::find(known, plain, &Hint::written);
  return found == known.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string> attributes_meant(std::string_view name, std::string_view value) {
  std::string lower(value);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  std::vector<std::string> meant;
  for (const Hint& known : hints("attribute")) {
    if (known.written != name || (!known.where.empty() && known.where != lower)) continue;
    const size_t place = known.meant.find("{}");
    meant.push_back(std::string(known.meant.substr(0, place)) +
                    (place == std::string_view::npos ? "" : std::string(value)));
  }
  if (name == "padding" && !value.empty() && value.find_first_not_of("0123456789, ") == std::string_view::npos) {
    // one number of each axis, or of all; here of two axes
    const std::string begins =
        value.find(',') == std::string_view::npos ? format("{0},{0}", value) : std::string(value);
    meant.push_back(format("pads={0},{0}", begins));
  }
  if (name == "normalized_shape") meant.push_back(format("axis=-{}", 1 + std::ranges::count(value, ',')));
  return meant;
}

std::string_view operator_that_has(std::string_view attribute) { return meant("owner", attribute); }

std::string_view graph_example(std::string_view op_type) {
  const std::string_view example = meant("example", op_type);
  return example.empty() ? meant("example", "") : example;
}

std::string_view successor_of(std::string_view op_type) { return meant("successor", op_type); }

}  // namespace opref::ops
