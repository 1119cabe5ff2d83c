// SPDX-License-Identifier: Apache-2.0
#include "golden/paired.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "golden/combinations.h"
#include "golden/pairs.h"
#include "io/json/fields.h"
#include "io/json/json.h"
#include "ops/operators.h"

namespace opref::golden {
namespace {

/// An outermost `each`, with those in its values multiplied out.
struct Factor {
  std::string path;
  size_t values;
};

void add_factors(const JsonValue& value, std::vector<Factor>& factors) {
  if (value.kind() != JsonKind::list && value.kind() != JsonKind::object) return;
  if (value.kind() == JsonKind::object)
    if (value.find("each")) {
      factors.push_back({value.path(), static_cast<size_t>(count_combinations(value))});
      return;
    }
  for (const JsonValue member : value) add_factors(member, factors);
}

std::vector<Factor> factors_of(const JsonValue& recipe) {
  std::vector<Factor> factors;
  for (const JsonValue member : recipe) add_factors(member, factors);
  return factors;
}

std::vector<size_t> sizes_of(const std::vector<Factor>& factors) {
  std::vector<size_t> sizes;
  for (const Factor& factor : factors) sizes.push_back(factor.values);
  return sizes;
}

/// Whether `path` is `above` or stands below it.
bool is_within(std::string_view path, std::string_view above) {
  return path.starts_with(above) &&
         (path.size() == above.size() || path[above.size()] == '.' || path[above.size()] == '[');
}

/// A member that is stated and not null.
std::optional<JsonValue> stated(const JsonValue& object, std::string_view key) {
  if (object.kind() != JsonKind::object) return std::nullopt;
  const auto value = object.find(key);
  return value && value->kind() != JsonKind::null ? value : std::nullopt;
}

/// The keys of a member of the recipe, or of all values that an `each` there has.
std::set<std::string> keys_of(const JsonValue& flat, std::string_view member) {
  std::set<std::string> keys;
  const auto add = [&](const JsonValue& object) {
    if (object.kind() == JsonKind::object)
      for (const JsonValue value : object) keys.emplace(value.key());
  };
  if (const auto object = stated(flat, member)) {
    const auto each = stated(*object, "each");
    if (!each) add(*object);
    if (each)
      for (const JsonValue choice : *each) add(choice);
  }
  return keys;
}

template <class Named>
const Named* named(const std::vector<Named>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, &Named::name);
  return found == list.end() ? nullptr : &*found;
}

bool has_type(const JsonValue& tensor, const Types& types) {
  const auto dtype = stated(tensor, "dtype");
  return !dtype ||
         types.contains(parse_dtype(string_of(*dtype)), tensor.find("sequence") ? Form::sequence : Form::tensor);
}

/// What may be excluded of a recipe.
class Exclusions {
 public:
  explicit Exclusions(const JsonValue& flat, Where& where)
      : flat_(flat),
        where_(where),
        factors_(factors_of(flat)),
        op_(get_operator(canonical_domain(string_or_empty(flat, "domain")), string_of(required(flat, "op_type")))) {
    for (size_t entry = 0; entry < where.entries(); ++entry) add_entry(entry);
    for (const std::string& key : keys_of(flat, "attributes")) add_attribute(key);
    for (const std::string& key : keys_of(flat, "inputs")) add_input(key);
    add_outputs();
  }

  const std::vector<Factor>& factors() const { return factors_; }
  const std::vector<Exclusion>& all() const { return all_; }

 private:
  /// The factors that decide what stands at one of the paths: above it, or, where that matters, below.
  template <class Paths>
  std::vector<size_t> deciding(const Paths& paths, bool or_below) const {
    std::vector<size_t> places;
    for (size_t i = 0; i < factors_.size(); ++i)
      if (std::ranges::any_of(paths, [&](std::string_view path) {
            return is_within(path, factors_[i].path) || (or_below && is_within(factors_[i].path, path));
          }))
        places.push_back(i);
    return places;
  }

  void add(std::vector<size_t> factors, std::function<bool(const JsonValue&)> excludes) {
    all_.push_back({factors, [this, factors, excludes = std::move(excludes)](std::span<const size_t> values) {
                      std::vector<size_t> places(factors_.size());
                      for (size_t i = 0; i < factors.size(); ++i) places[factors[i]] = values[i];
                      return excludes(Choices(places).combined(flat_).root());
                    }});
  }

  void add_entry(size_t entry) {
    add(deciding(where_.paths(entry), true),
        [this, entry](const JsonValue& combination) { return where_.drops(combination, entry); });
  }

  /// With what the version in force says of the combination; before the first one nothing is excluded.
  void add_rule(const std::vector<std::string>& paths, bool or_below,
                std::function<bool(const OpSchema&, const JsonValue&)> excludes) {
    add(deciding(paths, or_below), [this, excludes = std::move(excludes)](const JsonValue& combination) {
      const auto opset = stated(combination, "opset");
      if (!opset) return excludes(op_.versions().back(), combination);
      const std::int64_t number = opset_number(*opset);
      return number >= op_.versions().front().since_version() && excludes(op_.schema_for(number), combination);
    });
  }

  void add_attribute(const std::string& key) {
    add_rule({"opset", "attributes." + key}, false, [key](const OpSchema& schema, const JsonValue& combination) {
      const AttributeSchema* attribute = schema.find_attribute(key);
      if (stated(required(combination, "attributes"), key)) return attribute == nullptr;
      return attribute != nullptr && attribute->presence == Presence::required;
    });
  }

  void add_input(const std::string& key) {
    add_rule({"opset", "inputs." + key}, false, [key](const OpSchema& schema, const JsonValue& combination) {
      const FormalParameter* input = named(schema.inputs(), key);
      if (stated(required(combination, "inputs"), key)) return input == nullptr;
      return input != nullptr && input->arity == Arity::single;
    });
    std::vector<std::string> paths = {"opset"};
    for (const Factor& factor : factors_)
      if (is_within(factor.path, "inputs." + key) && factor.path.ends_with(".dtype")) paths.push_back(factor.path);
    add_rule(paths.size() > 1 ? paths : std::vector<std::string>{"opset", "inputs." + key}, false,
             [key](const OpSchema& schema, const JsonValue& combination) {
               const FormalParameter* input = named(schema.inputs(), key);
               const auto value = stated(required(combination, "inputs"), key);
               if (input == nullptr || !value) return false;
               const Types types = schema.types_of(*input);
               if (value->kind() != JsonKind::list) return !has_type(*value, types);
               for (const JsonValue item : *value)
                 if (!has_type(item, types)) return true;
               return false;
             });
  }

  void add_outputs() {
    if (!stated(flat_, "outputs")) return;
    add_rule({"opset", "outputs"}, true, [](const OpSchema& schema, const JsonValue& combination) {
      const auto names = stated(combination, "outputs");
      if (!names || names->kind() != JsonKind::list) return false;
      for (const JsonValue name : *names)
        if (name.kind() == JsonKind::string && named(schema.outputs(), name.text()) == nullptr) return true;
      return false;
    });
  }

  const JsonValue flat_;
  Where& where_;
  std::vector<Factor> factors_;
  const Operator& op_;
  std::vector<Exclusion> all_;
};

}  // namespace

bool is_paired(const JsonValue& recipe) {
  const auto pairs = recipe.find("pairs");
  if (!pairs) return false;
  require_kind(*pairs, JsonKind::boolean);
  return pairs->text() == "true";
}

std::uint64_t count_paired(const JsonValue& recipe) {
  const std::vector<Factor> factors = factors_of(recipe);
  if (factors.size() < 2)
    fail(Fault::malformed, "'pairs' needs two 'each' or more, but there {}",
         factors.empty() ? "is none" : format("is one, '{}'", printable(factors.front().path)));
  return count_pairs(sizes_of(factors));
}

std::vector<std::vector<size_t>> paired_choices(const JsonValue& flat_recipe, Where& where) {
  const Exclusions exclusions(flat_recipe, where);
  return covering_rows(sizes_of(exclusions.factors()), exclusions.all());
}

}  // namespace opref::golden
