// SPDX-License-Identifier: Apache-2.0
#include "schema/operator.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "schema/domains.h"

namespace opref::schema {

Operator::Operator(std::string_view domain, std::string_view op_type) : domain_(domain), op_type_(op_type) {
  const Domain* known = find_domain(domain);
  if (known == nullptr || is_of_layers(domain)) return;
  link_ = format(known->page, op_type);
  category_ = "support level COMMON";
}

Operator::Operator(const Operator& other) = default;
Operator::Operator(Operator&& other) noexcept = default;
Operator& Operator::operator=(Operator&& other) noexcept = default;
Operator::~Operator() = default;

Operator Operator::summary(std::string_view text) && {
  summary_ = text;
  return std::move(*this);
}

Operator Operator::page(std::string_view page) && {
  link_ = format(find_domain(domain_)->page, page);
  category_ = format("category {}", page.substr(0, page.find('/')));
  return std::move(*this);
}

Operator Operator::category(std::string_view text) && {
  category_ = text;
  return std::move(*this);
}

Operator Operator::version(std::int64_t since_version, const VersionChange& change) && {
  if (!versions_.empty() && versions_.back().since_version() >= since_version)
    fail(Fault::internal, "versions of {} do not ascend at {}", op_type_, since_version);
  OpSchema schema = versions_.empty() ? OpSchema{} : versions_.back();
  schema.since_version_ = since_version;
  schema.wordings_.clear();
  schema.other_rules_.clear();
  schema.is_deprecated_ = false;
  change(schema);
  versions_.push_back(std::move(schema));
  return std::move(*this);
}

Operator Operator::version(std::int64_t since_version, const VersionChange& first, const VersionChange& second) && {
  return std::move(*this).version(since_version, [&](OpSchema& schema) { first(schema), second(schema); });
}

Operator Operator::reading(Reading reading) && {
  readings_.push_back(std::move(reading));
  Reading& added = readings_.back();
  for (std::string_view& alternative : added.alternatives) {
    const size_t colon = std::min(alternative.find(": "), alternative.size());
    added.meanings.push_back(alternative.substr(std::min(colon + 2, alternative.size())));
    alternative = alternative.substr(0, colon);
  }
  return std::move(*this);
}

Operator Operator::readings(std::vector<Reading> readings) && {
  for (Reading& reading : readings) *this = std::move(*this).reading(std::move(reading));
  return std::move(*this);
}

Operator Operator::output_types(OutputTypes function) && {
  output_types_ = function;
  return std::move(*this);
}

Operator Operator::placement(std::vector<Dims> (*function)(const Call&)) && {
  placement_ = function;
  return std::move(*this);
}

Operator Operator::outputs_counted_by(const OutputCount& count) && {
  output_count_ = count;
  return std::move(*this);
}

Operator Operator::kernel(Kernel function) && {
  kernel_ = function;
  return std::move(*this);
}

Operator Operator::needs_types_alone() && {
  needs_types_alone_ = true;
  return std::move(*this);
}

Operator Operator::undetermined(std::string_view why) && {
  undetermined_ = why;
  return std::move(*this);
}

Operator Operator::drawn(Drawn function, bool (*where)(const Call&)) && {
  drawn_ = function;
  draws_ = where;
  return std::move(*this);
}

std::vector<Value> Operator::kernel(const Call& call, std::span<const Output> outs) const {
  if (kernel_ != nullptr) return kernel_(call, outs);
  if (rules_ != nullptr) return kernel_of_original(call, outs);
  fail(Fault::unsupported, "{} gives no values: {}", call.title(), undetermined_);
}

Operator Operator::notes(std::vector<Note> (*function)(const Call&)) && {
  notes_ = function;
  return std::move(*this);
}

Operator Operator::generator(std::string_view name, std::string_view text,
                             Tensor (*values)(const Call&, std::string_view, const Random&)) && {
  generators_.push_back({name, text, values});
  return std::move(*this);
}

Operator Operator::short_names(const std::vector<ShortName>& names) && {
  short_names_.insert(short_names_.end(), names.begin(), names.end());
  return std::move(*this);
}

Operator Operator::order(TermOrder (*function)(const Call&)) && {
  order_ = function;
  return std::move(*this);
}

const OwnGenerator* Operator::find_generator(std::string_view name) const {
  const auto found = std::ranges::find(generators_, name, &OwnGenerator::name);
  return found == generators_.end() ? nullptr : &*found;
}

std::optional<std::string_view> Operator::short_name(std::string_view name) const {
  const auto found = std::ranges::find(short_names_, name, &ShortName::name);
  return found == short_names_.end() ? std::nullopt : std::optional(found->text);
}

std::vector<std::string> Operator::type_names(const OpSchema& schema, std::string_view variable) const {
  Types left = schema.types_of(variable);
  std::vector<std::string> all;
  for (const OpSchema& version : versions_) {
    const auto constraint = std::ranges::find(version.constraints(), variable, &TypeConstraint::variable);
    if (constraint == version.constraints().end()) continue;
    const Types still_left = left - constraint->types;
    std::ranges::move(names(left - still_left), std::back_inserter(all));
    left = still_left;
  }
  std::ranges::move(names(left), std::back_inserter(all));
  return all;
}

const OpSchema& Operator::schema_for(std::int64_t opset) const {
  const OpSchema* newest = nullptr;
  for (const OpSchema& schema : versions_)
    if (schema.since_version() <= opset) newest = &schema;
  require(newest != nullptr, "{} came with opset {}, but the opset is {}", op_type_, versions_.front().since_version(),
          opset);
  return *newest;
}

Version Operator::at(std::int64_t opset) const { return {*this, schema_for(opset), opset}; }

}  // namespace opref::schema
