// SPDX-License-Identifier: Apache-2.0
#include "golden/pairs.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/error.h"
#include "golden/combinations.h"
#include "golden/every.h"
#include "io/json/fields.h"

namespace opref::golden {
namespace {

constexpr size_t kNone = SIZE_MAX;                // a factor without a value as yet
constexpr size_t kMostSteps = 2'000'000;          // of the search for all rows
constexpr std::uint64_t kMostTuples = 1'000'000;  // of the factors of one exclusion

/// An exclusion with the answer for each tuple of values, the last factor's value fastest.
struct Table {
  std::vector<size_t> factors;
  std::vector<bool> excluded;
};

Table table_of(const Exclusion& exclusion, std::span<const size_t> sizes) {
  std::uint64_t tuples = 1;
  for (const size_t factor : exclusion.factors)
    if ((tuples *= sizes[factor]) > kMostTuples)
      fail(Fault::unsupported, "a rule is about more than {} combinations of values: state fewer of them", kMostTuples);
  Table table{exclusion.factors, std::vector<bool>(tuples)};
  std::vector<size_t> values(exclusion.factors.size());
  for (std::uint64_t i = 0; i < tuples; ++i) {
    std::uint64_t rest = i;
    for (size_t k = values.size(); k-- > 0; rest /= sizes[exclusion.factors[k]])
      values[k] = rest % sizes[exclusion.factors[k]];
    table.excluded[i] = exclusion.excludes(values);
  }
  return table;
}

class Rows {
 public:
  Rows(std::span<const size_t> sizes, std::span<const Exclusion> exclusions) : sizes_(sizes) {
    for (const Exclusion& exclusion : exclusions) tables_.push_back(table_of(exclusion, sizes));
    size_t pairs = 0;
    for (size_t a = 0; a < sizes.size(); ++a)
      for (size_t b = 0; b < sizes.size(); ++b) {
        first_.push_back(pairs);
        if (a < b) pairs += sizes[a] * sizes[b];
      }
    open_.assign(pairs, true);
  }

  std::vector<std::vector<size_t>> all() {
    std::vector<std::vector<size_t>> rows;
    for (size_t a = 0; a < sizes_.size(); ++a)
      for (size_t b = a + 1; b < sizes_.size(); ++b)
        for (size_t i = 0; i < sizes_[a]; ++i)
          for (size_t j = 0; j < sizes_[b]; ++j)
            if (open(a, i, b, j) && found_row_with(a, i, b, j)) {
              cover();
              rows.push_back(row_);
            }
    std::ranges::sort(rows);
    return rows;
  }

 private:
  /// Whether no row has both values yet.
  std::vector<bool>::reference open(size_t a, size_t i, size_t b, size_t j) {
    return a < b ? open_[first_[a * sizes_.size() + b] + i * sizes_[b] + j] : open(b, j, a, i);
  }

  /// Sets row_ to one that has both values and, by the way, many pairs that are open; false if there is none.
  bool found_row_with(size_t a, size_t i, size_t b, size_t j) {
    row_.assign(sizes_.size(), kNone);
    row_[a] = i;
    row_[b] = j;
    return is_allowed(a) && is_allowed(b) && completed(0);
  }

  bool completed(size_t factor) {
    if (factor == sizes_.size()) return true;
    if (row_[factor] != kNone) return completed(factor + 1);
    if (++steps_ > kMostSteps)
      fail(Fault::unsupported,
           "the pairs have so many rules that {} steps do not tell which values can stand together: split the recipe",
           kMostSteps);
    for (const size_t value : by_gain(factor)) {
      row_[factor] = value;
      if (is_allowed(factor) && completed(factor + 1)) return true;
    }
    row_[factor] = kNone;
    return false;
  }

  /// The factor's values, first those that make many open pairs with what the row has.
  std::vector<size_t> by_gain(size_t factor) {
    std::vector<size_t> gains(sizes_[factor]), order(sizes_[factor]);
    for (size_t value = 0; value < gains.size(); ++value)
      for (size_t other = 0; other < sizes_.size(); ++other)
        if (row_[other] != kNone) gains[value] += open(factor, value, other, row_[other]) ? 1 : 0;
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t value) { return gains[value]; });
    return order;
  }

  /// Whether no rule that is about this factor, and about none without a value, excludes the row.
  bool is_allowed(size_t factor) const {
    return std::ranges::none_of(tables_, [&](const Table& table) {
      size_t place = 0;
      bool is_about = table.factors.empty();
      for (const size_t other : table.factors) {
        if (row_[other] == kNone) return false;
        place = place * sizes_[other] + row_[other];
        is_about = is_about || other == factor;
      }
      return is_about && table.excluded[place];
    });
  }

  void cover() {
    for (size_t a = 0; a < row_.size(); ++a)
      for (size_t b = a + 1; b < row_.size(); ++b) open(a, row_[a], b, row_[b]) = false;
  }

  std::span<const size_t> sizes_;
  std::vector<Table> tables_;
  std::vector<size_t> first_;  ///< of each two factors where their pairs begin in open_
  std::vector<bool> open_;     ///< pairs that no row has
  std::vector<size_t> row_;
  size_t steps_ = 0;
};

/// An outermost `each`, with those in its values multiplied out.
struct Factor {
  std::string path;
  size_t values;
};

void add_factors(const JsonValue& container, std::vector<Factor>& factors) {
  for (const JsonValue value : container)
    if (stated(value, "each"))
      factors.push_back({value.path(), static_cast<size_t>(count_combinations(value))});
    else if (value.is_container())
      add_factors(value, factors);
}

std::vector<Factor> factors_of(const JsonValue& recipe) {
  std::vector<Factor> factors;
  add_factors(recipe, factors);
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

/// The keys of a member of the recipe, or of all values that an `each` there has.
std::set<std::string> keys_of(const JsonValue& flat, std::string_view member) {
  std::set<std::string> keys;
  const auto add = [&](const JsonValue& object) {
    if (object.kind() == JsonKind::object)
      for (const JsonValue value : object) keys.emplace(value.key());
  };
  const auto object = stated(flat, member);
  const auto each = object ? stated(*object, "each") : std::nullopt;
  if (object && !each) add(*object);
  if (each)
    for (const JsonValue choice : *each) add(choice);
  return keys;
}

/// Something of a combination that a rule looks at: what stands at the path, and below it where the path ends so.
struct Part {
  std::string path;
  const char* below = nullptr;  ///< null: only whether something stands there
};

/// What is excluded of a recipe.
class Exclusions {
 public:
  Exclusions(const JsonValue& flat, Where& where) : flat_(flat), factors_(factors_of(flat)), op_(operator_of(flat)) {
    for (size_t entry = 0; entry < where.entries(); ++entry) {
      std::vector<Part> parts;
      for (const std::string_view path : where.paths(entry)) parts.push_back({std::string(path), ""});
      add(parts, [&where, entry](const JsonValue& combination) { return where.drops(combination, entry); });
    }
    for (const std::string& key : keys_of(flat, "attributes")) add_attribute(key);
    for (const std::string& key : keys_of(flat, "inputs")) add_input(key);
    if (stated(flat, "outputs")) add_outputs();
  }

  std::vector<std::vector<size_t>> rows() const { return covering_rows(sizes_of(factors_), all_); }

 private:
  void add(const std::vector<Part>& parts, std::function<bool(const JsonValue&)> excludes) {
    std::vector<size_t> deciding;
    for (size_t i = 0; i < factors_.size(); ++i)
      if (std::ranges::any_of(parts, [&, &factor = factors_[i].path](const Part& part) {
            return is_within(part.path, factor) ||
                   (part.below != nullptr && is_within(factor, part.path) && factor.ends_with(part.below));
          }))
        deciding.push_back(i);
    all_.push_back({deciding, [this, deciding, excludes = std::move(excludes)](std::span<const size_t> values) {
                      std::vector<size_t> places(factors_.size());
                      for (size_t i = 0; i < deciding.size(); ++i) places[deciding[i]] = values[i];
                      return excludes(Choices(places).combined(flat_).root());
                    }});
  }

  /// By the version in force; before the first one nothing is excluded.
  template <class Excludes>
  void add_rule(const Part& part, const Excludes& excludes) {
    add({{"opset"}, part}, [this, excludes](const JsonValue& combination) {
      const OpSchema* schema = version_of(op_, combination);
      return schema != nullptr && excludes(*schema, combination);
    });
  }

  void add_attribute(const std::string& key) {
    add_rule({"attributes." + key}, [key](const OpSchema& schema, const JsonValue& combination) {
      const AttributeSchema* attribute = schema.find_attribute(key);
      if (stated(required(combination, "attributes"), key)) return attribute == nullptr;
      return attribute != nullptr && attribute->presence == Presence::required;
    });
  }

  void add_input(const std::string& key) {
    add_rule({"inputs." + key, ".dtype"}, [key](const OpSchema& schema, const JsonValue& combination) {
      const FormalParameter* input = named(schema.inputs(), key);
      const auto value = stated(required(combination, "inputs"), key);
      if (input == nullptr) return value.has_value();
      return value ? !takes(schema, *input, *value) : input->arity == Arity::single;
    });
  }

  void add_outputs() {
    add_rule({"outputs", ""}, [](const OpSchema& schema, const JsonValue& combination) {
      const auto names = stated(combination, "outputs");
      if (!names || names->kind() != JsonKind::list) return false;
      for (const JsonValue name : *names)
        if (name.kind() == JsonKind::string && named(schema.outputs(), name.text()) == nullptr) return true;
      return false;
    });
  }

  const JsonValue flat_;
  const std::vector<Factor> factors_;
  const Operator& op_;
  std::vector<Exclusion> all_;
};

}  // namespace

std::vector<std::vector<size_t>> covering_rows(std::span<const size_t> sizes, std::span<const Exclusion> exclusions) {
  return Rows(sizes, exclusions).all();
}

std::uint64_t count_pairs(std::span<const size_t> sizes) {
  std::uint64_t pairs = 0, values = 0;  // of the factors before
  for (const size_t size : sizes) {
    pairs = saturating_sum(pairs, saturating_product(values, size));
    values = saturating_sum(values, size);
  }
  return pairs;
}

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
  return Exclusions(flat_recipe, where).rows();
}

}  // namespace opref::golden
