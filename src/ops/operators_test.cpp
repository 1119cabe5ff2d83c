// SPDX-License-Identifier: Apache-2.0
// What holds of each operator in the table: its file, what it states, its cases.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "core/content_testing.h"
#include "io/generate.h"
#include "io/json/cases.h"
#include "io/json/parse.h"
#include "ops/operators.h"
#include "schema/changes.h"
#include "schema/domains.h"

using namespace opref::run;
namespace fs = std::filesystem;

namespace {

const fs::path kSource = OPREF_SOURCE_DIR;

bool is_test(const fs::path& file) { return file.string().ends_with("_test.cpp"); }

/// Whether the reading's name stands in ops/shared or in schema, where several operators have it from.
bool is_shared(std::string_view reading) {
  const std::string quoted = '"' + std::string(reading) + '"';
  size_t files = 0;
  for (const char* folder : {"src/ops/shared", "src/schema"})
    for (const auto& entry : fs::directory_iterator(kSource / folder))
      files += !is_test(entry.path()) && content(entry.path()).find(quoted) != std::string::npos;
  return files > 0;
}

bool is_version(const Operator& op, std::int64_t version) {
  return std::ranges::count(op.versions(), version, &OpSchema::since_version) > 0;
}

/// Whether another operator has a reading of this name, and this version.
bool is_version_of_another(const Operator& op, std::string_view reading, std::int64_t version) {
  return std::ranges::any_of(operator_rows(), [&](const OperatorRow& row) {
    const Operator& other = *find_operator(row.domain, row.op_type);
    return &other != &op && is_version(other, version) &&
           std::ranges::count(other.readings(), reading, &Reading::name) > 0;
  });
}

}  // namespace

TEST_CASE("operators: rows sorted, one file each, every file has a row", "[ops]") {
  std::set<std::string> files;
  for (const Domain& domain : kDomains)
    if (fs::exists(kSource / "src/ops" / domain.space))
      for (const auto& entry : fs::directory_iterator(kSource / "src/ops" / domain.space))
        if (!is_test(entry.path())) files.insert(entry.path().lexically_relative(kSource / "src/ops").generic_string());
  std::string last;
  for (const OperatorRow& row : operator_rows()) {
    const std::string key = std::string(row.domain) + " " + std::string(row.op_type);
    CHECK(last < key);
    last = key;
    const std::string file = std::string(find_domain(row.domain)->space) + "/" + snake_case(row.op_type) + ".cpp";
    INFO(file);
    CHECK(files.erase(file) == 1);
  }
  CHECK(files.empty());
}

TEST_CASE("operators: a link, a summary, readings and defaults that exist", "[ops]") {
  for (const OperatorRow& row : operator_rows()) {
    const Operator& op = *find_operator(row.domain, row.op_type);
    INFO(row.op_type);
    CHECK(op.op_type() == row.op_type);
    CHECK(op.domain() == row.domain);
    CHECK(op.link().starts_with("https://"));
    CHECK_FALSE(op.summary().empty());
    CHECK_FALSE(op.category().empty());
    for (const OpSchema& schema : op.versions()) {
      CHECK_FALSE(schema.outputs().empty());
      for (const AttributeSchema& attribute : schema.attributes()) {
        INFO(attribute.name);
        CHECK((!attribute.default_value || attribute.default_value->type == attribute.type));
        CHECK((!attribute.default_value || attribute.presence == Presence::optional));
      }
      for (const auto* parameters : {&schema.inputs(), &schema.outputs()})
        for (const FormalParameter& parameter : *parameters) CHECK_FALSE(schema.types_of(parameter).empty());
    }
    for (const Reading& reading : op.readings()) {
      INFO(reading.name);
      // A reading belongs to one operator, or is declared once for all that share a page's wording.
      const std::string family(reading.name.substr(0, reading.name.find('.')));
      const std::string_view owner = op.original() ? op.original()->op_type : row.op_type;
      CHECK((snake_case(owner).starts_with(family) || is_shared(reading.name)));
      CHECK(reading.alternatives.size() >= 2);
      REQUIRE(reading.meanings.size() == reading.alternatives.size());
      for (const std::string_view meaning : reading.meanings) CHECK_FALSE(meaning.empty());
      CHECK(link_of(reading, op).starts_with("https://"));
      // Only the last default may be empty: no choice from there on.
      REQUIRE_FALSE(reading.defaults.front().second.empty());
      for (const auto& [version, alternative] : reading.defaults) {
        CHECK((std::ranges::find(reading.alternatives, alternative) != reading.alternatives.end() ||
               (alternative.empty() && version == reading.defaults.back().first)));
        // Of operators that share it, one that is older may have been another's version alone.
        CHECK((is_version(op, version) ||
               (version < op.versions().front().since_version() && is_version_of_another(op, reading.name, version))));
      }
    }
  }
}

TEST_CASE("operators: generators have names that no others have, and a text", "[ops]") {
  for (const OperatorRow& row : operator_rows())
    for (const OwnGenerator& generator : find_operator(row.domain, row.op_type)->generators()) {
      INFO(row.op_type << " " << generator.name);
      CHECK_FALSE(is_generator(generator.name));
      CHECK(std::regex_match(std::string(generator.name), std::regex("[a-z0-9_]+")));
      CHECK_FALSE(generator.text.empty());
    }
}

TEST_CASE("operators: every version has a case", "[ops]") {
  for (const OperatorRow& row : operator_rows()) {
    const Operator& op = *find_operator(row.domain, row.op_type);
    const fs::path folder = kSource / "testdata" / row.domain / row.op_type;
    INFO(folder);
    REQUIRE(fs::is_directory(folder));
    std::set<std::int64_t> versions;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string file = entry.path().filename().string();
      if (entry.path().extension() != ".json" || file == "recipe.json" || file == "mistakes.json") continue;
      INFO(entry.path());
      const std::string text = content(entry.path());
      const bool bad = file == "bad.json";
      const Json document = parse_json(text);
      for (const JsonCase& one : json_cases(document)) {
        const auto opset = one.object.find("opset");
        REQUIRE(opset);
        CHECK(bad == one.object.find("expect_error").has_value());
        CHECK(one.object.find("source"));
        const std::int64_t number = one.opset ? *one.opset : std::stoll(std::string(opset->text()));
        if (!bad) versions.insert(op.schema_for(number).since_version());
      }
    }
    for (const OpSchema& schema : op.versions())
      if (op.has_kernel()) CHECK(versions.contains(schema.since_version()));  // others have cases that must fail
  }
}

TEST_CASE("a sentence that says what was before is a rule, others are wording", "[Softmax]") {
  const auto changes = changes_of(*find_operator("", "Softmax"));
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].changes[0].kind == Change::Kind::wording);  // axis may be negative
  CHECK(changes[1].changes.back().kind == Change::Kind::rule);
  CHECK(changes[1].changes.back().text == "a slice is one axis; before, all axes from `axis` on");
}

TEST_CASE("what changed of an input is told: its type, whether it may be left out", "[Resize]") {
  std::vector<std::string> texts;
  for (const VersionChanges& version : changes_of(*find_operator("", "Resize")))
    for (const Change& change : version.changes)
      if (change.text.starts_with("input "))
        texts.push_back(format("{} {}: {}", version.since_version, name(change.kind), change.text));
  CHECK(texts == std::vector<std::string>{"11 type: input X has type T1, had T", "11 rule: input roi is new",
                                          "11 rule: input sizes is new",
                                          "13 rule: input scales is optional, was required",
                                          "13 rule: input roi is optional, was required"});
}

TEST_CASE("MaxUnpool's history: one sentence in 11, one type in 22", "[MaxUnpool]") {
  const auto changes = changes_of(*find_operator("", "MaxUnpool"));
  REQUIRE(changes.size() == 2);
  REQUIRE(changes[0].changes.size() == 1);
  CHECK(changes[0].since_version == 11);
  CHECK(changes[0].changes[0].kind == Change::Kind::wording);
  CHECK(changes[0].changes[0].text == "the page now states the default of strides (1 along each spatial axis)");
  REQUIRE(changes[1].changes.size() == 1);
  CHECK(changes[1].since_version == 22);
  CHECK(changes[1].changes[0].kind == Change::Kind::type);
  CHECK(changes[1].changes[0].text == "T1 takes bfloat16 too");
}
