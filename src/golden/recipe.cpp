#include "golden/recipe.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/error.h"
#include "golden/case_name.h"
#include "io/file.h"
#include "io/generate.h"
#include "io/json.h"
#include "io/json_fields.h"
#include "ops/operators.h"
#include "run/evaluate.h"

namespace opref {
namespace {

constexpr std::array<std::string_view, 11> kKeys = {"op_type", "domain",   "opset",     "name",  "seed",  "attributes",
                                                    "inputs",  "readings", "tolerance", "where", "source"};
constexpr size_t kMostCombinations = 1'000'000;

/// The place of `each`, if the value is one.
std::optional<JsonValue> choices_of(const JsonValue& value) {
  if (value.kind() != JsonKind::object) return std::nullopt;
  const auto each = value.find("each");
  if (!each) return std::nullopt;
  require_kind(*each, JsonKind::list);
  if (value.size() != 1) fail(Fault::malformed, "{} has other keys beside 'each'", place(value));
  if (each->size() == 0) fail(Fault::malformed, "{} is empty", place(*each));
  return each;
}

JsonValue item(const JsonValue& list, size_t index) {
  auto at = list.begin();
  while (index-- > 0) ++at;
  return *at;
}

/// Which value of each `each` is chosen, like the digits of a number; those after a changed one begin anew.
class Choices {
 public:
  void rewind() { next_ = 0; }
  size_t choose(size_t count) {
    if (next_ == digits_.size()) digits_.push_back({0, count});
    return digits_[next_++].value;
  }
  bool advance() {
    while (!digits_.empty() && ++digits_.back().value == digits_.back().count) digits_.pop_back();
    return !digits_.empty();
  }

 private:
  struct Digit {
    size_t value, count;
  };
  std::vector<Digit> digits_;
  size_t next_ = 0;
};

JsonValue chosen(JsonValue value, Choices& choices) {
  while (const auto list = choices_of(value)) value = item(*list, choices.choose(list->size()));
  return value;
}

/// A copy of a list or object in which every `each` is one of its values; without the member `left_out`.
JsonWriter combined(const JsonValue& container, Choices& choices, std::string_view left_out = "") {
  JsonWriter copy = container.kind() == JsonKind::list ? JsonWriter::list() : JsonWriter();
  for (const JsonValue member : container) {
    if (!left_out.empty() && member.key() == left_out) continue;
    const JsonValue value = chosen(member, choices);
    const bool nested = value.kind() == JsonKind::list || value.kind() == JsonKind::object;
    if (container.kind() == JsonKind::list)
      nested ? copy.append(combined(value, choices)) : copy.append(value);
    else
      nested ? copy.set(member.key(), combined(value, choices)) : copy.set(member.key(), value);
  }
  return copy;
}

/// The value at "inputs.X.dtype"; keys may have points in them.
std::optional<JsonValue> at_path(const JsonValue& value, std::string_view path) {
  if (value.kind() != JsonKind::object) return std::nullopt;
  for (const JsonValue member : value) {
    if (member.key() == path) return member;
    const std::string_view key = member.key();
    if (path.starts_with(key) && path.substr(key.size()).starts_with('.'))
      if (const auto found = at_path(member, path.substr(key.size() + 1))) return found;
  }
  return std::nullopt;
}

std::string text_of(const JsonValue& value) { return JsonWriter::list().append(value).line(); }

/// The rules of "where", and which of their paths were seen.
class Where {
 public:
  explicit Where(const JsonValue& recipe) : rules_(recipe.find("where")) {
    if (!rules_) return;
    require_kind(*rules_, JsonKind::list);
    for (const JsonValue rule : *rules_) {
      require_kind(rule, JsonKind::object);
      for (const JsonValue values : rule) {
        require_kind(values, JsonKind::list);
        seen_.emplace(values.key(), false);
      }
    }
  }

  bool drops(const JsonValue& combination) {
    bool dropped = false;
    for (auto& [path, seen] : seen_) seen |= at_path(combination, path).has_value();
    for (size_t i = 0; rules_ && i < rules_->size() && !dropped; ++i) {
      const JsonValue rule = item(*rules_, i);
      dropped = rule.size() > 0;
      for (const JsonValue values : rule) dropped = dropped && matches(combination, values);
    }
    return dropped;
  }

  void require_known_paths() const {
    for (const auto& [path, seen] : seen_)
      if (!seen) fail(Fault::malformed, "'where' names '{}', which is nowhere in the recipe", printable(path));
  }

 private:
  static bool matches(const JsonValue& combination, const JsonValue& values) {
    const auto found = at_path(combination, values.key());
    const std::string text = found ? text_of(*found) : "[null]\n";
    for (const JsonValue value : values)
      if (text_of(value) == text) return true;
    return false;
  }

  std::optional<JsonValue> rules_;
  std::map<std::string, bool, std::less<>> seen_;
};

std::int64_t newest_opset(const JsonValue& combination) {
  Node node;
  node.op_type = string_of(required(combination, "op_type"));
  node.domain = canonical_domain(string_or_empty(combination, "domain"));
  get_operator(node.domain, node.op_type);
  return opset_in_force({}, node, {});
}

/// The combination as a case: without what is null, with opset and seed.
std::string case_text(const JsonValue& combination, std::uint64_t seed) {
  JsonWriter text;
  for (const JsonValue member : combination) {
    if (member.key() == "seed" || member.kind() == JsonKind::null) continue;
    if (member.kind() != JsonKind::object) {
      text.set(member.key(), member);
      continue;
    }
    JsonWriter present;
    for (const JsonValue value : member)
      if (value.kind() != JsonKind::null) present.set(value.key(), value);
    text.set(member.key(), std::move(present));
  }
  if (!combination.find("opset")) text.set("opset", newest_opset(combination));
  return text.set("seed", seed).text();
}

/// Combinations by name: the same one again is left out, another one refused.
class Expansion {
 public:
  explicit Expansion(std::optional<std::uint64_t> seed) : seed_(seed) {}

  void add_recipe(const JsonValue& recipe, const std::filesystem::path& folder) {
    require_known_keys(recipe, kKeys);
    const auto stated = recipe.find("seed");
    const std::uint64_t seed = seed_ ? *seed_ : stated ? unsigned_of(*stated) : Fill{Generator::uniform}.seed;
    Where where(recipe);
    Choices choices;
    do {
      choices.rewind();
      const JsonDocument combination = parse_json(combined(recipe, choices, "where").line());
      if (where.drops(combination.root())) continue;
      if (cases_.size() == kMostCombinations)
        fail(Fault::unsupported, "there are more than {} combinations", kMostCombinations);
      add(combination.root(), seed, folder);
    } while (choices.advance());
    where.require_known_paths();
  }

  std::vector<GoldenCase> finish() && { return std::move(cases_); }

 private:
  void add(const JsonValue& combination, std::uint64_t seed, const std::filesystem::path& folder) {
    GoldenCase made;
    made.folder = folder;
    const std::int64_t newest = combination.find("opset") ? 0 : newest_opset(combination);
    for (const Detail detail : {Detail::usual, Detail::shapes}) {
      made.name = case_name(combination, newest, detail);
      made.seed = case_seed(seed, made.name);
      made.text = case_text(combination, made.seed);
      const auto [found, is_new] = by_name_.emplace(made.name, cases_.size());
      if (is_new) return cases_.push_back(std::move(made));
      if (cases_[found->second].text == made.text) return;
    }
    fail(Fault::malformed, "two different cases have the name '{}'", made.name);
  }

  std::optional<std::uint64_t> seed_;
  std::vector<GoldenCase> cases_;
  std::map<std::string, size_t> by_name_;
};

}  // namespace

RecipeFile read_recipes(const std::filesystem::path& path) {
  return at_place([&] { return "in " + shown(path); },
                  [&]() -> RecipeFile {
                    const FileBytes file = read_file(path);
                    return {path.filename().string(), path.parent_path(),
                            std::make_shared<const JsonDocument>(parse_json(file.text()))};
                  });
}

std::vector<GoldenCase> expand(std::span<const RecipeFile> files, std::optional<std::uint64_t> seed) {
  Expansion expansion(seed);
  for (const RecipeFile& file : files) {
    const JsonValue root = file.document->root();
    const bool is_list = root.kind() == JsonKind::list;
    for (size_t i = 0; i < (is_list ? root.size() : 1); ++i)
      at_place([&] { return is_list ? format("in recipe {} of {}", i + 1, file.name) : "in " + file.name; },
               [&] { expansion.add_recipe(is_list ? item(root, i) : root, file.folder); });
  }
  return std::move(expansion).finish();
}

}  // namespace opref
