// SPDX-License-Identifier: Apache-2.0
// testdata/seeds.json: every normative statement of the pages that opref began with, each with what proves it.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "core/content_testing.h"
#include "core/error.h"
#include "io/json/cases.h"
#include "io/json/parse.h"
#include "io/json/tree.h"
#include "ops/operators.h"
#include "schema/resolve.h"

namespace fs = std::filesystem;
using namespace opref::run;

namespace {

const fs::path kSource = OPREF_SOURCE_DIR;
constexpr std::array kSeeds = {"MaxUnpool", "LpPool", "ConvTranspose", "GroupConvolutionBackpropData"};

/// Of any domain; null if there is none.
const Operator* operator_of(std::string_view page) {
  const auto rows = operator_rows();
  const auto row = std::ranges::find(rows, page, &OperatorRow::op_type);
  return row == rows.end() ? nullptr : find_operator(row->domain, row->op_type);
}

/// The schema whose since_version is exactly this; null if there is none.
const OpSchema* version_of(const Operator& op, std::int64_t since_version) {
  const auto found = std::ranges::find(op.versions(), since_version, &OpSchema::since_version);
  return found == op.versions().end() ? nullptr : &*found;
}

std::int64_t integer(const JsonValue& value) { return std::stoll(std::string(value.text())); }

/// A value in one line; the order of a list does not count.
std::string text_of(const JsonValue& value) {
  if (value.kind() != JsonKind::list) return std::string(value.text());
  std::set<std::string> items;
  for (const JsonValue& item : value) items.emplace(item.text());
  return join_text(items, ", ");
}

template <class Range, class Projection>
std::string names(const Range& items, const Projection& projection) {
  std::set<std::string> sorted;
  for (const auto& item : items) sorted.emplace(std::invoke(projection, item));
  return join_text(sorted, ", ");
}

// What can be said of a version, in the words that seeds.json uses.
using Facts = std::map<std::string, std::string, std::less<>>;

std::string yes_no(bool value) { return value ? "true" : "false"; }

Facts facts_of(const AttributeSchema& a) {
  constexpr std::array kPresence = {"required", "optional", "required_on_page"};
  return {{"attribute", std::string(a.name)},
          {"type", to_text(a.type)},
          {"presence", kPresence.at(static_cast<size_t>(a.presence))},
          {"default", a.default_value ? to_text(*a.default_value) : std::string(a.default_text)},
          {"default_stated", yes_no(a.default_stated == DefaultStated::yes)},
          {"range", to_text(a.range, a.type)}};
}

Facts facts_of(const std::vector<FormalParameter>& parameters, const FormalParameter& p, const std::string& kind) {
  return {{kind, std::string(p.name)},
          {"position", std::to_string(&p - parameters.data())},
          {"arity", std::string(name(p.arity))},
          {"type", std::string(p.type)}};
}

Facts facts_of(const TypeConstraint& t) {
  return {{"type", std::string(t.variable)},
          {"types", names(t.types.dtypes(), [](DType dtype) { return name(dtype); })},
          {"sentence", std::string(t.sentence)}};
}

Facts facts_of(const Operator& op, const OpSchema& s) {
  const std::set<std::string> inputs = {std::to_string(s.least_inputs()), std::to_string(s.most_inputs())};
  return {{"domain", std::string(op.domain())},
          {"category", std::string(op.category())},
          {"since_version", std::to_string(s.since_version())},
          {"shape_inference", yes_no(s.shape_inference() == ShapeInference::onnx)},
          {"attributes", names(s.attributes(), &AttributeSchema::name)},
          {"inputs", join_text(inputs, ", ")}};
}

/// The element of `items` that the claim's member `key` names.
template <class T, class Projection>
const T& named(const std::vector<T>& items, const JsonValue& claim, std::string_view key, Projection projection) {
  const std::string_view wanted = claim.find(key)->text();
  const auto found = std::ranges::find(items, wanted, projection);
  require(found != items.end(), "the schema has no {} '{}'", key, wanted);
  return *found;
}

/// What the schema says of the subject of a claim: an attribute, an input, an output, a type variable or the version.
Facts facts_for(const JsonValue& claim, const Operator& op, const OpSchema& s) {
  if (claim.find("attribute")) return facts_of(named(s.attributes(), claim, "attribute", &AttributeSchema::name));
  if (claim.find("input"))
    return facts_of(s.inputs(), named(s.inputs(), claim, "input", &FormalParameter::name), "input");
  if (claim.find("output"))
    return facts_of(s.outputs(), named(s.outputs(), claim, "output", &FormalParameter::name), "output");
  if (claim.find("types")) return facts_of(named(s.constraints(), claim, "type", &TypeConstraint::variable));
  return facts_of(op, s);
}

void check_claim(const JsonValue& claim, const Operator& op, const OpSchema& schema) {
  const Facts facts = facts_for(claim, op, schema);
  const bool names_a_subject = claim.find("attribute") || claim.find("input") || claim.find("output");
  require(claim.size() > (names_a_subject ? 1 : 0), "the schema proof claims nothing");
  for (const JsonValue& member : claim) {
    const auto fact = facts.find(member.key());
    require(fact != facts.end(), "the schema proof claims '{}', which nothing there has", member.key());
    require(fact->second == text_of(member), "version {}: '{}' is '{}' in the schema, not '{}'", schema.since_version(),
            member.key(), fact->second, text_of(member));
  }
}

/// The version of `op` that the case is about.
std::int64_t version_of_case(const std::string& path, const Operator& op) {
  const std::string folder = format("{}/{}/", op.domain(), op.op_type());
  require(path.starts_with(folder), "the case {} is not below {}", path, folder);
  const size_t hash = std::min(path.find('#'), path.size());
  const fs::path file = kSource / "testdata" / (path.substr(0, hash) + ".json");
  require(fs::is_regular_file(file), "there is no case {}", path);
  const Json document = parse_json(content(file));
  std::vector<JsonCase> cases = json_cases(document);
  const std::string name = path.substr(hash);
  std::erase_if(cases, [&](const JsonCase& one) {
    return !name.empty() && one.name != name && !one.name.starts_with(name + "#");
  });
  require(!cases.empty(), "there is no case {}", path);
  require(cases.size() == 1, "{} is {} cases", path, cases.size());
  const JsonValue root = cases[0].object;
  require(root.find("op_type") && root.find("op_type")->text() == op.op_type(), "{} is no case of {}", path,
          op.op_type());
  require(root.find("expect") || root.find("expect_error"), "the case {} expects nothing", path);
  require(root.find("opset").has_value(), "the case {} has no opset", path);
  return op.schema_for(cases[0].opset ? *cases[0].opset : integer(*root.find("opset"))).since_version();
}

const std::set<std::string>& test_names() {
  static const std::set<std::string> all = [] {
    std::set<std::string> found;
    const std::regex title(R"rx(TEST_CASE\(\s*"([^"]+)")rx");
    for (const auto& entry : fs::recursive_directory_iterator(kSource / "src")) {
      if (!entry.path().string().ends_with("_test.cpp")) continue;
      const std::string text = content(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), title); it != std::sregex_iterator(); ++it)
        found.insert((*it)[1]);
    }
    return found;
  }();
  return all;
}

/// One statement while it is checked.
struct Statement {
  const Operator& op;
  std::set<std::int64_t> versions;
  std::set<std::string> proofs;         ///< seen so far
  std::set<std::int64_t> proven;        ///< the versions that some proof is about
  std::set<std::string> schema_proofs;  ///< "attribute strides": what the schema proofs are about

  void add(const std::string& proof) { require(proofs.insert(proof).second, "the proof {} is there twice", proof); }

  void check_case(std::string path) {
    add(path);
    const size_t star = path.find('*');
    for (const std::int64_t version : versions) {
      const std::string one =
          star == std::string::npos ? path : std::string(path).replace(star, 1, std::to_string(version));
      const std::int64_t of_case = version_of_case(one, op);
      require(star == std::string::npos ? versions.contains(of_case) : of_case == version,
              "the case {} is about version {}", one, of_case);
      proven.insert(of_case);
      if (star == std::string::npos) break;
    }
  }

  void check_schema(const JsonValue& claim) {
    for (const std::int64_t version : versions) check_claim(claim, op, *version_of(op, version));
    for (const char* subject : {"attribute", "input", "output"})
      if (claim.find(subject)) schema_proofs.insert(format("{} {}", subject, claim.find(subject)->text()));
    if (claim.find("types")) schema_proofs.insert(format("type {}", claim.find("type")->text()));
    proven = versions;
  }

  void check_reading(std::string_view reading) {
    add(std::string(reading));
    const auto found = std::ranges::find(op.readings(), reading, &Reading::name);
    require(found != op.readings().end(), "{} has no reading '{}'", op.op_type(), reading);
    for (const std::int64_t version : versions)
      if (!default_of(*found, version).empty()) proven.insert(version);
    require(!proven.empty(), "the reading {} is of {}", reading, versions_text(*found));
  }

  void check_test(const std::string& title) {
    add(title);
    require(test_names().contains(title), "there is no test '{}'", title);
    proven = versions;
  }

  void check(const JsonValue& proof) {
    require(proof.kind() == JsonKind::object && proof.size() == 1, "a proof has one member");
    const JsonValue value = *proof.begin();
    if (value.key() == "case") return check_case(std::string(value.text()));
    if (value.key() == "schema") return check_schema(value);
    if (value.key() == "reading") return check_reading(value.text());
    if (value.key() == "test") return check_test(std::string(value.text()));
    fail(Fault::invalid, "'{}' is no kind of proof", value.key());
  }
};

JsonValue member(const JsonValue& object, std::string_view key, JsonKind kind) {
  const auto found = object.find(key);
  require(found && found->kind() == kind && (kind == JsonKind::string ? !found->text().empty() : found->size() > 0),
          "there is no {}", key);
  return *found;
}

Statement checked(const JsonValue& entry) {
  const std::string_view page = member(entry, "page", JsonKind::string).text();
  const Operator* op = operator_of(page);
  require(op != nullptr, "no operator has the name {}", page);
  Statement statement{*op, {}, {}, {}, {}};
  for (const JsonValue& version : member(entry, "versions", JsonKind::list)) {
    require(version_of(*op, integer(version)) != nullptr, "{} has no version {}", page, version.text());
    require(statement.versions.insert(integer(version)).second, "version {} is there twice", version.text());
  }
  member(entry, "statement", JsonKind::string);
  require(entry.size() == 4, "a statement has page, versions, statement and proof, nothing else");
  for (const JsonValue& proof : member(entry, "proof", JsonKind::list)) statement.check(proof);
  for (const std::int64_t version : statement.versions)
    require(statement.proven.contains(version), "nothing is proven of version {}", version);
  return statement;
}

/// What every version must have a statement with a schema proof about.
std::set<std::string> subjects(const OpSchema& schema) {
  std::set<std::string> all;
  for (const AttributeSchema& attribute : schema.attributes()) all.insert(format("attribute {}", attribute.name));
  for (const FormalParameter& input : schema.inputs()) all.insert(format("input {}", input.name));
  for (const FormalParameter& output : schema.outputs()) all.insert(format("output {}", output.name));
  for (const TypeConstraint& constraint : schema.constraints()) all.insert(format("type {}", constraint.variable));
  return all;
}

/// Everything that is wrong with a list of statements, one sentence each.
std::vector<std::string> problems(const std::string& text) {
  std::vector<std::string> found;
  std::set<std::string> said;                                        // page, version, statement
  std::map<std::string, std::set<std::string>, std::less<>> proven;  // by "page version": subjects of schema proofs
  const Json document = parse_json(text);
  for (const JsonValue& entry : member(document.root(), "statements", JsonKind::list)) {
    const std::string sentence(entry.find("statement") ? entry.find("statement")->text() : "");
    try {
      const Statement statement = checked(entry);
      for (const std::int64_t version : statement.versions) {
        const std::string title = format("{} {}", statement.op.op_type(), version);
        require(said.insert(title + sentence).second, "{} says it twice", title);
        proven[title].insert(statement.schema_proofs.begin(), statement.schema_proofs.end());
      }
    } catch (const Error& error) {
      found.push_back(format("{} '{}': {}", entry.path(), sentence, error.message()));
    }
  }
  for (const char* page : kSeeds)
    for (const OpSchema& schema : operator_of(page)->versions()) {
      const std::string title = format("{} {}", page, schema.since_version());
      if (!proven.contains(title)) {
        found.push_back(format("no statement about {}", title));
        continue;
      }
      for (const std::string& subject : subjects(schema))
        if (!proven[title].contains(subject)) found.push_back(format("{}: no statement about {}", title, subject));
    }
  return found;
}

/// The first problem of a list with this one statement, without its place.
std::string problem_of(const std::string& entry) {
  const std::string first = problems(R"({"statements": [)" + entry + "]}").front();
  const size_t place = first.find("': ");
  return place == std::string::npos ? first : first.substr(place + 3);
}

std::string lp_pool(const std::string& versions, const std::string& proof) {
  return R"({"page": "LpPool", "statement": "s", "versions": [)" + versions + R"(], "proof": [)" + proof + "]}";
}

Call types_call(const Operator& op, const Node& node, std::int64_t opset, const std::vector<Dims>& shapes) {
  std::vector<Input> inputs;
  for (size_t i = 0; i < shapes.size(); ++i) inputs.push_back({node.inputs[i], {DType::float32, shapes[i]}, {}, {}});
  return resolve(op.at(opset), node, inputs, {});
}

Attribute ints(const std::string& name, const std::vector<std::int64_t>& values) {
  return {name, AttributeValue::of(values)};
}

Input input(const std::string& name, const Tensor& tensor) { return {name, tensor.type(), tensor, {}}; }

Tensor output_of(const Operator& op, const Node& node, std::int64_t opset, const std::vector<Input>& inputs) {
  const Call call = resolve(op.at(opset), node, inputs, {});
  return std::get<Tensor>(op.kernel(call, op.output_types(call))[0]);
}

}  // namespace

TEST_CASE("seeds: every statement of the pages has a proof", "[seeds]") {
  CHECK(join_text(problems(content(kSource / "testdata/seeds.json")), "\n") == "");
}

TEST_CASE("seeds: what a list can lack is noticed", "[seeds]") {
  const std::string good = R"({"case": "ai.onnx/LpPool/cases#19#opset=2"})";
  CHECK(problem_of(lp_pool("2", good)) == "no statement about MaxUnpool 9");  // nothing wrong with the statement itself
  // A statement.
  CHECK(problem_of(lp_pool("2", "")) == "there is no proof");
  CHECK(problem_of(lp_pool("", good)) == "there is no versions");
  CHECK(problem_of(lp_pool("3", good)) == "LpPool has no version 3");
  CHECK(problem_of(lp_pool("2, 2", good)) == "version 2 is there twice");
  CHECK(problem_of(lp_pool("2", good + "," + good)) == "the proof ai.onnx/LpPool/cases#19#opset=2 is there twice");
  CHECK(problem_of(R"({"page": "LpPol", "versions": [2], "statement": "s", "proof": []})") ==
        "no operator has the name LpPol");
  CHECK(problem_of(R"({"page": "LpPool", "versions": [2], "statement": "", "proof": []})") == "there is no statement");
  CHECK(problem_of(lp_pool("2", good) + "," + lp_pool("1, 2", R"({"case": "ai.onnx/LpPool/cases#19#opset=*"})")) ==
        "LpPool 2 says it twice");
  CHECK(problem_of(lp_pool("2", R"({"hope": "x"})")) == "'hope' is no kind of proof");
  // A case.
  CHECK(problem_of(lp_pool("2", R"({"case": "ai.onnx/LpPool/none"})")) == "there is no case ai.onnx/LpPool/none");
  CHECK(problem_of(lp_pool("2", R"({"case": "ai.onnx/MaxUnpool/cases#1"})")) ==
        "the case ai.onnx/MaxUnpool/cases#1 is not below ai.onnx/LpPool/");
  CHECK(problem_of(lp_pool("1", good)) == "the case ai.onnx/LpPool/cases#19#opset=2 is about version 2");
  CHECK(problem_of(lp_pool("1, 2", good)) == "nothing is proven of version 1");
  CHECK(problem_of(lp_pool("2, 18", R"({"case": "ai.onnx/LpPool/ceil-mode#1#opset=*"})")) ==
        "there is no case ai.onnx/LpPool/ceil-mode#1#opset=2");
  CHECK(problem_of(lp_pool("18", R"({"case": "ai.onnx/LpPool/ceil-mode#1"})")) ==
        "ai.onnx/LpPool/ceil-mode#1 is 2 cases");
  // A schema.
  const auto schema = [](const std::string& versions, const std::string& claim) {
    return problem_of(lp_pool(versions, R"({"schema": {)" + claim + "}}"));
  };
  CHECK(schema("2", "") == "the schema proof claims nothing");
  CHECK(schema("2", R"("attribute": "strides")") == "the schema proof claims nothing");
  CHECK(schema("2", R"("attribute": "dilations", "type": "INTS")") == "the schema has no attribute 'dilations'");
  CHECK(schema("2, 11", R"("attribute": "strides", "default_stated": false)") ==
        "version 11: 'default_stated' is 'true' in the schema, not 'false'");
  CHECK(schema("1", R"("attribute": "kernel_shape", "presence": "required")") ==
        "version 1: 'presence' is 'optional' in the schema, not 'required'");
  CHECK(schema("22", R"("type": "T", "types": ["float16", "float32", "float64"])") ==
        "version 22: 'types' is 'bfloat16, float16, float32, float64' in the schema, not 'float16, float32, float64'");
  CHECK(schema("1", R"("shape_inference": true)") ==
        "version 1: 'shape_inference' is 'false' in the schema, not 'true'");
  CHECK(schema("1", R"("since": 1)") == "the schema proof claims 'since', which nothing there has");
  // A reading, a test.
  CHECK(problem_of(lp_pool("2", R"({"reading": "lp_pool.non"})")) == "LpPool has no reading 'lp_pool.non'");
  CHECK(problem_of(lp_pool("2", R"({"test": "no such test"})")) == "there is no test 'no such test'");
}

TEST_CASE("MaxUnpool: pooling the result gives back X", "[MaxUnpool]") {
  // For positive values and windows that do not overlap; the pooling is written out here.
  const Operator& op = *operator_of("MaxUnpool");
  std::mt19937 random(20);
  for (const std::int64_t opset : {9, 11, 22})
    for (const std::int64_t k : {1, 2, 3}) {
      const std::int64_t rows = 3, columns = 4, planes = 2 * 2, height = rows * k, width = columns * k;
      std::vector<float> x;
      std::vector<std::int64_t> indices;
      for (std::int64_t e = 0; e < planes * rows * columns; ++e) {
        const std::int64_t plane = e / (rows * columns), row = e / columns % rows, column = e % columns;
        const auto inside = [&] { return static_cast<std::int64_t>(random() % static_cast<unsigned>(k)); };
        indices.push_back((plane * height + row * k + inside()) * width + column * k + inside());
        x.push_back(static_cast<float>(1 + random() % 1000));
      }
      const Dims shape{2, 2, rows, columns};
      const Tensor y = output_of(
          op, {"MaxUnpool", "", "", {ints("kernel_shape", {k, k}), ints("strides", {k, k})}, {"X", "I"}, {"y"}}, opset,
          {input("X", Tensor::of<float>(DType::float32, shape, x)),
           input("I", Tensor::of<std::int64_t>(DType::int64, shape, indices))});
      REQUIRE(y.shape() == Dims{2, 2, height, width});
      std::vector<float> pooled(x.size());
      const auto values = y.values<float>();
      for (std::int64_t o = 0; o < y.count(); ++o) {
        const std::int64_t plane = o / (height * width), row = o / width % height, column = o % width;
        float& most = pooled[static_cast<size_t>((plane * rows + row / k) * columns + column / k)];
        most = std::max(most, values[static_cast<size_t>(o)]);
      }
      CHECK(pooled == x);
    }
}

TEST_CASE("MaxUnpool: each version expects the denotation that its page states", "[MaxUnpool]") {
  const Operator& op = *operator_of("MaxUnpool");
  for (const OpSchema& schema : op.versions()) {
    const std::string title = format("MaxUnpool-{}", schema.since_version());
    const auto warnings = [&](const std::vector<std::string>& denotation) {
      const Node node{"MaxUnpool", "", "", {ints("kernel_shape", {2, 2})}, {"X", "I"}, {"y"}};
      const Dims shape{1, 1, 2, 2};
      const Call call =
          resolve(op.at(schema.since_version()), node,
                  {{"X", {DType::float32, shape}, {}, denotation}, {"I", {DType::int64, shape}, {}, {}}}, {});
      std::vector<std::string> texts;
      for (const Note& note : op.notes(call))
        if (note.level == Note::Level::warning) texts.push_back(note.text);
      return join_text(texts, "; ");
    };
    CHECK(warnings({"DATA_BATCH", "DATA_CHANNEL", "DATA_FEATURE", "DATA_FEATURE"}).empty());
    CHECK(warnings({}).empty());
    CHECK(
        warnings({"DATA_CHANNEL", "DATA_BATCH", "DATA_FEATURE", "DATA_TIME"}) ==
        format(
            "axis 0 is denoted DATA_CHANNEL, but {0} expects DATA_BATCH; axis 1 is denoted DATA_BATCH, but {0} expects "
            "DATA_CHANNEL; axis 3 is denoted DATA_TIME, but {0} expects DATA_FEATURE",
            title));
  }
}

TEST_CASE("GroupConvolutionBackpropData is ConvolutionBackpropData of each group, concatenated",
          "[GroupConvolutionBackpropData]") {
  const Operator& group = *operator_of("GroupConvolutionBackpropData");
  const Operator& single = *operator_of("ConvolutionBackpropData");
  const std::vector<AttributeSchema>&of_group = group.versions()[0].attributes(),
        &of_single = single.versions()[0].attributes();
  REQUIRE(of_group.size() == of_single.size());
  for (size_t i = 0; i < of_group.size(); ++i) CHECK(facts_of(of_group[i]) == facts_of(of_single[i]));

  std::mt19937 random(21);
  const auto tensor = [&](const Dims& shape) {
    std::vector<std::int32_t> values(static_cast<size_t>(element_count(shape)));
    for (std::int32_t& value : values) value = static_cast<std::int32_t>(random() % 19) - 9;
    return Tensor::of<std::int32_t>(DType::int32, shape, values);
  };
  // The elements from `part * count` on, as a tensor of this shape.
  const auto part_of = [](const Tensor& whole, std::int64_t part, const Dims& shape) {
    const auto count = static_cast<size_t>(element_count(shape));
    return Tensor::of(DType::int32, shape,
                      whole.values<std::int32_t>().subspan(static_cast<size_t>(part) * count, count));
  };
  const std::vector<Attribute> attributes = {ints("strides", {2, 1}), ints("pads_begin", {1, 0}),
                                             ints("pads_end", {0, 2}), ints("dilations", {1, 2}),
                                             ints("output_padding", {1, 0})};
  for (const std::int64_t groups : {1, 2, 3})
    for (const std::int64_t in : {1, 2})
      for (const std::int64_t out : {1, 3}) {
        const Tensor data = tensor({1, groups * in, 3, 2}), kernel = tensor({groups, in, out, 2, 3});
        const Tensor whole = output_of(
            group, {"GroupConvolutionBackpropData", "openvino", "", attributes, {"data", "kernel"}, {"output"}}, 1,
            {input("data", data), input("kernel", kernel)});
        std::vector<std::int32_t> parts;
        for (std::int64_t g = 0; g < groups; ++g) {
          const Tensor y = output_of(
              single, {"ConvolutionBackpropData", "openvino", "", attributes, {"data", "kernel"}, {"output"}}, 1,
              {input("data", part_of(data, g, {1, in, 3, 2})), input("kernel", part_of(kernel, g, {in, out, 2, 3}))});
          parts.insert(parts.end(), y.values<std::int32_t>().begin(), y.values<std::int32_t>().end());
        }
        CHECK(std::ranges::equal(whole.values<std::int32_t>(), parts));
        CHECK(whole.shape()[1] == groups * out);
      }
}

TEST_CASE("GroupConvolutionBackpropData: the page's three examples", "[GroupConvolutionBackpropData]") {
  const Operator& op = *operator_of("GroupConvolutionBackpropData");
  for (const size_t axes : {1, 2, 3}) {
    // The attributes are text, as the page prints them: "2", "2,2", "2,2,2".
    const auto text = [&](const std::string& name, const char* one) {
      return Attribute{name, Untyped{{{join_text(std::vector(axes, one), ","), true}}, false}};
    };
    const Node node{"GroupConvolutionBackpropData",
                    "openvino",
                    "upsampling_node",
                    {text("dilations", "1"), text("pads_begin", "1"), text("pads_end", "1"), text("strides", "2")},
                    {"data", "kernel"},
                    {"output"}};
    const Call call = types_call(
        op, node, 1, {join(Dims{1, 20}, Dims::filled(axes, 224)), join(Dims{4, 5, 2}, Dims::filled(axes, 3))});
    CHECK(op.output_types(call)[0] == TensorType{DType::float32, join(Dims{1, 8}, Dims::filled(axes, 447))});
  }
}
