// SPDX-License-Identifier: Apache-2.0
#include "schema/changes.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace opref::schema {
namespace {

using What = Change::Kind;

std::string default_text(const AttributeSchema& attribute) {
  return attribute.default_value ? to_text(*attribute.default_value) : std::string(attribute.default_text);
}

std::string range_text(const AttributeSchema& attribute) {
  const std::string text = to_text(attribute.range, attribute.type);
  return text.empty() ? "any" : text;
}

void compare_attributes(const OpSchema& before, const OpSchema& after, std::vector<Change>& changes) {
  for (const AttributeSchema& old : before.attributes())
    if (after.find_attribute(old.name) == nullptr)
      changes.push_back({What::rule, format("attribute {} is gone", old.name)});
  for (const AttributeSchema& now : after.attributes()) {
    const AttributeSchema* old = before.find_attribute(now.name);
    if (old == nullptr) {
      const std::string is = default_text(now);
      changes.push_back(
          {What::rule, format("attribute {} is new ({}{})", now.name, now.type, is.empty() ? "" : ", default " + is)});
      continue;
    }
    if (old->type != now.type)
      changes.push_back({What::rule, format("attribute {} is {}, was {}", now.name, now.type, old->type)});
    if (old->presence != now.presence)
      changes.push_back({What::rule, format("attribute {} is {}", now.name,
                                            now.presence == Presence::required ? "required" : "optional")});
    if (old->range != now.range)
      changes.push_back(
          {What::rule, format("attribute {} must be {}, was {}", now.name, range_text(now), range_text(*old))});
    const std::string was = default_text(*old), is = default_text(now);
    if (was != is)
      changes.push_back({What::rule, is.empty()    ? format("attribute {} has no default, was {}", now.name, was)
                                     : was.empty() ? format("attribute {} defaults to {}", now.name, is)
                                                   : format("attribute {} defaults to {}, was {}", now.name, is, was)});
    if (old->default_stated != now.default_stated)
      changes.push_back(
          {What::wording, format("the page {} the default of {} ({})",
                                 now.default_stated == DefaultStated::yes ? "now states" : "no longer states", now.name,
                                 default_text(now))});
  }
}

std::string_view presence_text(Arity arity) { return arity == Arity::single ? "required" : name(arity); }

void compare_parameters(std::string_view noun, const std::vector<FormalParameter>& before,
                        const std::vector<FormalParameter>& after, std::vector<Change>& changes) {
  for (const FormalParameter& now : after) {
    const auto old = std::ranges::find(before, now.name, &FormalParameter::name);
    if (old == before.end())
      changes.push_back({What::rule, format("{} {} is new", noun, now.name)});
    else if (old->arity != now.arity)
      changes.push_back({What::rule, format("{} {} is {}, was {}", noun, now.name, presence_text(now.arity),
                                            presence_text(old->arity))});
    if (old != before.end() && old->type != now.type)
      changes.push_back({What::type, format("{} {} has type {}, had {}", noun, now.name, now.type, old->type)});
  }
  for (const FormalParameter& old : before)
    if (std::ranges::find(after, old.name, &FormalParameter::name) == after.end())
      changes.push_back({What::rule, format("{} {} is gone", noun, old.name)});
}

void compare_types(const OpSchema& before, const OpSchema& after, std::vector<Change>& changes) {
  for (const TypeConstraint& now : after.constraints()) {
    const auto old = std::ranges::find(before.constraints(), now.variable, &TypeConstraint::variable);
    if (old == before.constraints().end()) continue;
    if (const auto added = names(now.types - old->types); !added.empty())
      changes.push_back({What::type, format("{} takes {} too", now.variable, join_text(added, ", "))});
    if (const auto gone = names(old->types - now.types); !gone.empty())
      changes.push_back({What::type, format("{} no longer takes {}", now.variable, join_text(gone, ", "))});
  }
}

}  // namespace

std::string_view name(What kind) {
  constexpr std::array<std::string_view, 4> kNames = {"rule", "reading", "type", "wording"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<VersionChanges> changes_of(const Operator& op) {
  std::vector<VersionChanges> all;
  for (size_t i = 1; i < op.versions().size(); ++i) {
    const OpSchema &before = op.versions()[i - 1], &after = op.versions()[i];
    VersionChanges version{after.since_version(), {}};
    compare_attributes(before, after, version.changes);
    compare_parameters("input", before.inputs(), after.inputs(), version.changes);
    compare_parameters("output", before.outputs(), after.outputs(), version.changes);
    compare_types(before, after, version.changes);
    if (after.is_deprecated() && !before.is_deprecated()) version.changes.push_back({What::rule, "is deprecated"});
    if (before.shape_inference() != after.shape_inference())
      version.changes.push_back({What::rule, after.shape_inference() == ShapeInference::onnx
                                                 ? "ONNX infers the shapes"
                                                 : "ONNX no longer infers the shapes"});
    for (const std::string_view rule : after.other_rules()) version.changes.push_back({What::rule, std::string(rule)});
    for (const std::string_view wording : after.wordings())
      version.changes.push_back({What::wording, std::string(wording)});
    for (const Reading& reading : op.readings()) {
      const auto old = default_of(reading, before.since_version()), now = default_of(reading, after.since_version());
      if (old.empty() && !now.empty())
        version.changes.push_back({What::reading, format("{} is new: {}", reading.name, now)});
      else if (now.empty() && !old.empty())
        version.changes.push_back({What::reading, format("{} no longer applies", reading.name)});
      else if (old != now)
        version.changes.push_back({What::reading, format("{} is {}, was {}", reading.name, now, old)});
    }
    all.push_back(std::move(version));
  }
  return all;
}

}  // namespace opref::schema
