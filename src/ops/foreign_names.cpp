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

namespace {

/// The axes in the order that a text says: of "nhwc" or "nchw->nhwc" those of the one layout in the order of the other,
/// "0,2,3,1"; of "0312" its digits. Empty of any other text.
std::string order_meant(const std::string& lower) {
  struct Layouts {
    std::string_view first, last;  // where the channels are
  };
  constexpr Layouts kLayouts[] = {{"ncw", "nwc"},   {"nchw", "nhwc"}, {"ncdhw", "ndhwc"}, {"chw", "hwc"},
                                  {"oihw", "hwio"}, {"oiw", "wio"},   {"oidhw", "dhwio"}};
  std::string from = "0123456789", to = lower;
  for (const auto& [first, last] : kLayouts)
    for (const auto& [one, other] : {Layouts{first, last}, {last, first}})
      if (lower == other || (lower.starts_with(one) && lower.ends_with(other) && lower != one)) from = one, to = other;
  if (to == lower) from.resize(std::min(from.size(), lower.size()));
  if (to.size() < 2 || !std::ranges::is_permutation(from, to)) return "";
  std::vector<std::string> axes;
  for (const char axis : to) axes.push_back(std::to_string(from.find(axis)));
  return join_text(axes, ",");
}

}  // namespace

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
  if (name == "scale_factor") meant.push_back(format("scales=[1,1,{0},{0}]", value));  // here of images
  if (const std::string order = name == "perm" ? order_meant(lower) : ""; !order.empty())
    meant.push_back("perm=" + order);
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
