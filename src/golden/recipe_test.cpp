// SPDX-License-Identifier: Apache-2.0
#include "golden/recipe.h"

#include <catch2/catch.hpp>
#include <set>

#include "golden/combinations.h"
#include "golden/recipe_testing.h"
#include "golden/shipped_recipes.h"
#include "golden/where.h"
#include "io/generate.h"
#include "io/json/parse.h"
#include "ops/operators.h"

namespace recipe_test {

using namespace opref::golden;

namespace {

std::vector<std::string> names(const std::string& text) {
  std::vector<std::string> list;
  for (const GoldenCase& golden : expanded(text)) list.push_back(golden.name);
  return list;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("recipes: all each multiply, the last one fastest; null is absent", "[recipes]") {
  CHECK(names(R"({"op_type": "LpPool", "opset": {"each": [18, 22]},
                  "attributes": {"kernel_shape": [3, 3], "strides": {"each": [null, [2, 2]]}, "ceil_mode": {"each": [0, 1]}},
                  "inputs": {"X": {"dtype": "float16", "shape": [1, 2, 8, 8], "fill": "normal"}}})") ==
        Names{"lp_pool_18_f16_2d_k3_floor", "lp_pool_18_f16_2d_k3_ceil", "lp_pool_18_f16_2d_k3_s2_floor",
              "lp_pool_18_f16_2d_k3_s2_ceil", "lp_pool_22_f16_2d_k3_floor", "lp_pool_22_f16_2d_k3_ceil",
              "lp_pool_22_f16_2d_k3_s2_floor", "lp_pool_22_f16_2d_k3_s2_ceil"});
}

TEST_CASE("recipes: every type of the tensors of a sequence", "[recipes]") {
  const Names all = names(R"({"op_type": "SequenceErase", "opset": 11, "inputs": {
      "input_sequence": {"dtype": "every", "sequence": [{"shape": [2], "fill": "bits"}]}}})");
  CHECK(all.size() == 15);  // "seq(tensor(T))" for each of the 15 types of ONNX 1.6
  CHECK(std::set<std::string>(all.begin(), all.end()).size() == 15);
}

TEST_CASE("recipes: of several operators, in which some values are each one's own", "[recipes]") {
  const auto shared = [](const std::string& shapes) {
    return R"({"op_types": ["LpPool", "MaxPool"], "recipes": [{"opset": {"each": [11, 22]},
               "attributes": {"kernel_shape": [3], "ceil_mode": {"respectively": [1, {"each": [null, 0]}]}},
               "inputs": {"X": {"dtype": "float32", "shape": {"respectively": )" +
           shapes + R"(}, "fill": "iota"}}}]})";
  };
  CHECK(names(shared("[[1, 1, 4], [1, 1, 5]]")) == [] {
    Names all =
        names(R"({"op_type": "LpPool", "opset": {"each": [11, 22]}, "attributes": {"kernel_shape": [3], "ceil_mode": 1},
                          "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 4], "fill": "iota"}}})");
    const Names others = names(R"({"op_type": "MaxPool", "opset": {"each": [11, 22]},
                                   "attributes": {"kernel_shape": [3], "ceil_mode": {"each": [null, 0]}},
                                   "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 5], "fill": "iota"}}})");
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }());
  CHECK(error_of_recipe(shared("[[1, 1, 4]]")) ==
        "'recipes[0].inputs.X.shape.respectively' has 1 value, but there are 2 op_types");
  CHECK(error_of_recipe(shared("[[1, 1, 4], [1, 1, 5]], \"each\": []")).find("recipes[0].inputs.X.shape.each") !=
        std::string::npos);
  CHECK(error_of_recipe(R"({"op_types": [], "recipes": [{"opset": 1}]})") == "'op_types' is empty");
  CHECK(error_of_recipe(R"({"op_types": ["LpPool"], "recipes": [{"opset": 1}], "seed": 1})").find("'seed'") !=
        std::string::npos);
}

TEST_CASE("recipes: every version, every type that it allows", "[recipes]") {
  const auto both = [](const std::string& opset, const std::string& dtype, const std::string& more = "") {
    return R"({"op_type": "MaxUnpool", "opset": )" + opset + R"(, "attributes": {"kernel_shape": [2]}, "inputs": {
      "X": {"dtype": )" +
           dtype + R"(, "shape": [1, 1, 4], "fill": "normal"},
      "I": {"dtype": "int64", "shape": [1, 1, 4], "fill": "max_pool_indices"}})" +
           more + "}";
  };
  const std::string opsets = R"({"each": [9, 11, 22]})";
  const std::string types = R"({"each": ["float16", "bfloat16", "float32", "float64"]})";
  const Names all = names(both(opsets, types, R"(, "where": [{"opset": [9, 11], "inputs.X.dtype": ["bfloat16"]}])"));
  CHECK(all.size() == 10);
  CHECK(names(both(R"("every")", R"("every")")) == all);
  CHECK(names(both(opsets, R"("every")")) == all);
  CHECK(names(both(R"("every")", types)).size() == 12);  // stated types stay, also those that a version rejects
  CHECK(names(both("10", R"("every")")).size() == 3);
  CHECK(names(both("22", R"("every")", R"(, "where": [{"inputs.X.dtype": ["float16"]}])")).size() == 3);
  CHECK(names(both("3", R"("every")")).size() == 4);  // an opset before all versions is rejected whatever the type
}

TEST_CASE("recipes: what every cannot be said of", "[recipes]") {
  const std::string input = R"(, "inputs": {"Z": {"dtype": "every", "shape": [1], "fill": "normal"}}})";
  CHECK(error_of_recipe(R"({"op_type": "LpPool")" + input) ==
        "'inputs.Z.dtype' is \"every\", but no version of LpPool has such types for an input 'Z'\n  in r.json");
  CHECK(error_of_recipe(R"({"op_type": {"each": ["LpPool"]}, "opset": "every"})") ==
        "'op_type' is an object, but must be a string\n  in r.json");
  CHECK(error_of_recipe(R"({"op_type": "LpPol", "opset": "every"})") ==
        "operator 'LpPol' is not known, did you mean 'LpPool'?\n  in r.json");
  CHECK(error_of_recipe(R"({"opset": "every"})") == "the document has no 'op_type'\n  in r.json");
}

TEST_CASE("recipes: a case is the recipe with one value of each, its opset and its seed", "[recipes]") {
  const std::string recipe = R"({"op_type": "LpPool", "attributes": {"p": {"each": [1.50]}, "strides": null},
      "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 4], "fill": "normal"}, "Z": null}, "where": []})";
  const std::vector<GoldenCase> cases = expanded(recipe);
  REQUIRE(cases.size() == 1);
  CHECK(cases[0].name == "lp_pool_28_f32_1d_p1.50");
  CHECK(cases[0].seed == case_seed(1, cases[0].name));
  CHECK(cases[0].stated.text() == R"({
  "op_type": "LpPool",
  "attributes": {
    "p": 1.50
  },
  "inputs": {
    "X": {
      "dtype": "float32",
      "shape": [1, 1, 4],
      "fill": "normal"
    }
  },
  "opset": 28,
  "seed": )" + std::to_string(cases[0].seed) +
                                      "\n}\n");
  CHECK(expanded(recipe, 7)[0].seed == case_seed(7, cases[0].name));
}

TEST_CASE("recipes: an each inside a value of another counts where that is chosen", "[recipes]") {
  CHECK(names(R"({"op_type": "LpPool", "opset": 22,
                  "attributes": {"each": [{"kernel_shape": [3]}, {"kernel_shape": {"each": [[2], [4]]}, "p": 1}]},
                  "inputs": {"X": {"dtype": "float32", "shape": [1, 2, 8], "fill": "normal"}}})") ==
        Names{"lp_pool_22_f32_1d_k3", "lp_pool_22_f32_1d_k2_p1", "lp_pool_22_f32_1d_k4_p1"});
}

TEST_CASE("recipes: where drops combinations in which all paths of one entry match", "[recipes]") {
  const std::string base =
      R"({"op_type": "LpPool", "opset": {"each": [2, 22]}, "attributes": {"p": {"each": [null, 1, 2]}},
      "inputs": {"X": {"dtype": {"each": ["float32", "bfloat16"]}, "shape": [1, 2, 8], "fill": "normal"}}, "where": )";
  CHECK(names(base + "[]}").size() == 12);
  CHECK(names(base + R"([{"opset": [2], "inputs.X.dtype": ["bfloat16"]}]})").size() == 9);
  CHECK(names(base + R"([{"attributes.p": [null, 2]}]})") ==
        Names{"lp_pool_2_f32_1d_p1", "lp_pool_2_bf16_1d_p1", "lp_pool_22_f32_1d_p1", "lp_pool_22_bf16_1d_p1"});
  CHECK(names(base + R"([{"opset": [2]}, {"attributes.p": [1]}, {"inputs.X.dtype": ["float32"]}]})") ==
        Names{"lp_pool_22_bf16_1d", "lp_pool_22_bf16_1d_p2"});
  CHECK(error_of_recipe(base + R"([{"attributes.pp": [1]}]})") ==
        "'where' names 'attributes.pp', which is nowhere in the recipe, did you mean 'attributes.p'?\n  in r.json");
}

TEST_CASE("recipes: where compares values, not how they are written", "[recipes]") {
  const auto dropped = [](const std::string& in_recipe, const std::string& in_where) {
    return names(R"({"op_type": "LpPool", "opset": 1, "attributes": {"p": {"each": [)" + in_recipe +
                 R"(, 77]}}, "where": [{"attributes.p": [)" + in_where + "]}]}")
               .size() == 1;
  };
  for (const auto& [a, b] : {std::pair("2", "2.0"),
                             {"2.0", "2"},
                             {"20e-1", "2"},
                             {"2E+0", "2.00"},
                             {"0", "-0.0"},
                             {"0.50", "5e-1"},
                             {"1200", "1.2e3"},
                             {"[1, 2]", "[1.0, 2]"},
                             {"-3", "-3.0"},
                             {"123456789012345678901", "123456789012345678901.0"}}) {
    INFO(a << " " << b);
    CHECK(dropped(a, b));
  }
  CHECK(comparable_text(parse_json("10e-4611686018427387902").root()) == "1e-4611686018427387901");
  for (const char* text : {"0.1e-9223372036854775808", "10e-9223372036854775807"})  // no 64 bits hold what they are
    CHECK(comparable_text(parse_json(text).root()) == text);
  CHECK(comparable_text(parse_json("123456789012345678901").root()) !=
        comparable_text(parse_json("123456789012345678902").root()));
  for (const auto& [a, b] : {std::pair("2", "\"2\""), {"1", "true"}, {"[1]", "1"}, {"3", "-3"}, {"1e1", "1"}})
    CHECK(comparable_text(parse_json(a).root()) != comparable_text(parse_json(b).root()));
  CHECK(comparable_text(parse_json(R"({"a": 1, "b": 2.0})").root()) ==
        comparable_text(parse_json(R"({"b": 2, "a": 1.0})").root()));
}

TEST_CASE("recipes: what where names must be there", "[recipes]") {
  const std::string base =
      R"({"op_type": "LpPool", "opset": {"each": [2, 22]}, "attributes": {"auto_pad": {"each": [null, "SAME_UPPER", "VALID"]},
      "p": 2}, "where": )";
  CHECK(error_of_recipe(base + R"([{"opset": [2, 3]}]})") ==
        "'where[0].opset[1]' is 3, but opset is one of 2, 22\n  in r.json");
  CHECK(error_of_recipe(base + R"([{"opset": [2], "attributes.auto_pad": ["SAME_UPER"]}]})") ==
        "'where[0].attributes.auto_pad[0]' is \"SAME_UPER\", but attributes.auto_pad is one of null, "
        "\"SAME_UPPER\", \"VALID\", did you mean 'SAME_UPPER'?\n  in r.json");
  CHECK(error_of_recipe(base + R"([{"attributes.p": [3]}]})") ==
        "'where[0].attributes.p[0]' is 3, but attributes.p is always 2\n  in r.json");
  CHECK(error_of_recipe(base + R"([{}]})") == "'where[0]' is empty: it would drop nothing\n  in r.json");
  CHECK(error_of_recipe(base + R"([{"opset": []}]})") ==
        "'where[0].opset' is empty: its entry would drop nothing\n  in r.json");
  CHECK(error_of_recipe(base + R"([{"opset": [2]}, {"opset": [22]}]})") ==
        "'where' drops all combinations\n  in r.json");
}

TEST_CASE("recipes: too many combinations are refused before one is expanded", "[recipes]") {
  const auto recipe = [](size_t attributes, size_t values) {
    std::string list = "0", text = R"({"op_type": "LpPool", "opset": 22, "attributes": {)";
    for (size_t i = 1; i < values; ++i) list += "," + std::to_string(i);
    for (size_t i = 0; i < attributes; ++i)
      text += (i > 0 ? ",\"a" : "\"a") + std::to_string(i) + R"(": {"each": [)" + list + "]}";
    return text + "}}";
  };
  CHECK(
      error_of_recipe(recipe(25, 10)) ==
      "there are more than 10^19 combinations, but at most 1000000 are made at a time: split the recipe\n  in r.json");
  CHECK(error_of_recipe(recipe(64, 2)).starts_with("there are more than 10^19 combinations"));
  CHECK(error_of_recipe(recipe(63, 2)).starts_with("there are 9223372036854775808 combinations, but"));
  CHECK(error_of_recipe("[" + recipe(5, 10) + "," + recipe(6, 10) + "]") ==
        "there are 1000000 combinations beside those before, but at most 1000000 are made at a time: split the recipe\n"
        "  in recipe 2 of r.json");
  const auto count = [](const char* text) { return count_combinations(parse_json(text).root()); };
  CHECK(count(R"([1, {"a": 2}])") == 1);
  CHECK(count(R"({"a": {"each": [1, 2, 3]}, "b": [{"each": [1, 2]}, 7]})") == 6);
  // One inside a value of another counts where that is chosen.
  CHECK(count(R"({"each": [1, {"each": [2, 3]}, {"a": {"each": [4, 5, 6]}}]})") == 6);
  // A long list takes no time that grows with its square.
  CHECK(names(recipe(1, 50'000)).size() == 50'000);
}

TEST_CASE("recipes: names tell generators, inputs, readings and shapes apart", "[recipes]") {
  CHECK(names(R"({"op_type": "MaxUnpool", "opset": 9, "attributes": {"kernel_shape": [2, 3], "pads": [1, 0, 0, 1]},
      "readings": {"max_unpool.index_space": "output"},
      "inputs": {"X": {"dtype": "float64", "shape": {"each": [[1, 1, 2, 2], [1, 2, 2, 2]]}, "fill": "special"},
                 "I": {"dtype": "int64", "shape": [1, 1, 2, 2], "fill": "max_pool_duplicates"},
                 "output_shape": {"each": [null, {"dtype": "int64", "data": [1, 1, 5, 6]}]}}})") ==
        Names{"max_unpool_9_f64_2d_k2x3_pad1x0x0x1_special_duplicates_index_space-output",
              "max_unpool_9_f64_2d_k2x3_pad1x0x0x1_os1x1x5x6_special_duplicates_index_space-output",
              "max_unpool_9_f64_2d_k2x3_pad1x0x0x1_special_duplicates_x1x2x2x2_i1x1x2x2_index_space-output",
              "max_unpool_9_f64_2d_k2x3_pad1x0x0x1_os1x1x5x6_special_duplicates_x1x2x2x2_i1x1x2x2_output_"
              "shape1x1x5x6_index_space-output"});
}

TEST_CASE("recipes: long names end with a hash", "[recipes]") {
  const Names long_ones =
      names(R"({"op_type": "LpPool", "opset": 1, "attributes": {"kernel_shape": [)" + std::string(150, '1') +
            R"(, 2], "strides": [)" + std::string(150, '1') + R"(, 2], "p": {"each": [1, 2]}}})");
  REQUIRE(long_ones.size() == 2);
  CHECK(long_ones[0].size() == 200);
  CHECK(long_ones[0].substr(0, 187) == long_ones[1].substr(0, 187));
  CHECK(long_ones[0] != long_ones[1]);
}

TEST_CASE("recipes: mistakes are named with their place", "[recipes]") {
  CHECK(error_of_recipe(R"({"op_type": "LpPool", "opset": {"each": []}})") == "'opset.each' is empty\n  in r.json");
  CHECK(error_of_recipe(R"({"op_type": "LpPool", "opset": {"each": [1], "of": 2}})") ==
        "'opset' has other keys beside 'each'\n  in r.json");
  CHECK(error_of_recipe(R"([{"op_type": "LpPool"}, {"op_type": "LpPool", "wher": []}])") ==
        "unknown key '[1].wher', did you mean 'where'?\n  in recipe 2 of r.json");
  CHECK(error_of_recipe(R"({"op_type": "LpPol"})") ==
        "operator 'LpPol' is not known, did you mean 'LpPool'?\n  in r.json");
  CHECK(error_of_recipe(R"([{"op_type": "LpPool", "opset": 1, "inputs": {"X": {"each": ["a.npy", "b.npy"]}}}])") ==
        "two cases have the name 'lp_pool_1': 'inputs.X' is \"a.npy\" in one, and \"b.npy\" in another; a 'name' tells "
        "them apart\n  in recipe 1 of r.json");
  CHECK(
      error_of_recipe(R"([{"op_type": "LpPool", "opset": 1, "inputs": {"X": "a.npy"}},
                     {"op_type": "LpPool", "opset": 1, "inputs": {"X": "b.npy"}}])") ==
      "two cases have the name 'lp_pool_1': 'inputs.X' is \"a.npy\" in recipe 1 of r.json, and \"b.npy\" in another; a "
      "'name' tells them apart\n  in recipe 2 of r.json");
  const std::string every = R"({"dtype": "every", "shape": [1, 1, 2], "fill": "iota"})";
  const std::string both =
      R"({"op_type": "ConvTranspose", "opset": 22, "inputs": {"X": )" + every + R"(, "W": )" + every + "}}";
  CHECK(error_of_recipe(both).ends_with("without it the input has the other inputs' type\n  in r.json"));
  CHECK(names(R"([{"op_type": "LpPool", "opset": 1, "name": {"each": ["first", "Second"]}}])") ==
        Names{"lp_pool_1_first", "lp_pool_1_second"});
  CHECK(
      error_of_recipe(R"({"op_type": "LpPool", "opset": 1, "name": {"each": ["a", "A"]}})") ==
      "two cases have the name 'lp_pool_1_a': 'name' is \"a\" in one, and \"A\" in another; a 'name' tells them apart\n"
      "  in r.json");
  CHECK(error_of_recipe(R"([{"op_type": "LpPool", "opset": 1, "inputs": {"X\r": "a.npy"}},
                     {"op_type": "LpPool", "opset": 1, "inputs": {"X\r": "b.npy"}}])")
            .starts_with("two cases have the name 'lp_pool_1': 'inputs.X\\x0d' is \"a.npy\" in recipe 1"));
  // The same case again is no trouble.
  CHECK(names(R"([{"op_type": "LpPool", "opset": 1}, {"op_type": "LpPool", "opset": {"each": [1, 2]}}])") ==
        Names{"lp_pool_1", "lp_pool_2"});
}

TEST_CASE("shipped recipes: every operator has some, of every version and every type that it takes",
          "[recipes][release]") {
  std::size_t total = 0;
  for (const OperatorRow& row : operator_rows()) {
    INFO(row.op_type);
    const Operator& op = *find_operator(row.domain, row.op_type);
    if (!op.has_kernel()) continue;
    const std::vector<RecipeFile> files = recipes_named(format("{}:{}", row.domain, row.op_type));
    const std::vector<GoldenCase> cases = expand(files, std::nullopt);
    total += cases.size();
    std::set<std::int64_t> versions;
    std::set<std::string, std::less<>> dtypes, attributes;
    std::set<size_t> ranks;
    for (const GoldenCase& golden : cases) {
      const JsonValue stated_case = golden.stated.root();
      versions.insert(op.schema_for(std::stoll(std::string(stated_case.find("opset")->text()))).since_version());
      if (const auto stated = stated_case.find("attributes"))
        for (const JsonValue attribute : *stated) attributes.emplace(attribute.key());
      const auto inputs = stated_case.find("inputs");
      if (!inputs || inputs->size() == 0) continue;
      JsonValue first = *inputs->begin();
      if (first.kind() == JsonKind::list) first = *first.begin();
      if (const auto dtype = first.find("dtype")) dtypes.emplace(dtype->text());
      if (const auto shape = first.find("shape")) ranks.insert(shape->size());
    }
    for (const OpSchema& schema : op.versions()) CHECK(versions.contains(schema.since_version()));
    const OpSchema& newest = op.versions().back();
    for (const AttributeSchema& attribute : newest.attributes()) {
      INFO(attribute.name);
      CHECK(attributes.contains(attribute.name));
    }
    const std::vector<DType> types =
        newest.inputs().empty() ? std::vector<DType>() : newest.types_of(newest.inputs().front()).dtypes();
    for (const DType dtype : types) {
      INFO(opref::core::name(dtype));
      // OpenVINO's types with which opref does not compute.
      const bool computed = info(dtype).bits >= 16 || dtype == DType::int8 || dtype == DType::uint8;
      CHECK((!computed || dtypes.contains(opref::core::name(dtype))));
    }
    // Windows of any rank; ranks of others are among the pairs of coverage_test.
    const std::set<std::string_view> one_rank = {
        "BinaryConvolution",   "CausalConvWithState", "Col2Im",  "DeformableConvolution",
        "ExtractImagePatches", "MaxRoiPool",          "RoiAlign"};
    if (one_rank.contains(row.op_type) || newest.find_attribute("strides") == nullptr) continue;
    for (const size_t rank : {3, 4, 5}) CHECK(ranks.contains(rank));
    CHECK(ranks.contains(6) == (row.domain != "openvino"));  // which has three spatial axes at most
  }
  CHECK(total > 2000);
}

TEST_CASE("recipes: several tensors of a variadic input", "[recipes]") {
  const std::string recipe = R"({"op_type": "Concat", "opset": {"each": [1, 4]}, "attributes": {"axis": 1},
    "inputs": {"inputs": [{"dtype": "every", "shape": [2, 3], "fill": "integers"},
                          {"each": [null, {"shape": [2, 1], "fill": "integers"}]}]},
    "where": [{"inputs.inputs[0].dtype": ["string", "bool", "complex64", "complex128", "int8", "int16", "int32", "int64",
                                          "uint8", "uint16", "uint32", "uint64"]}]})";
  CHECK(names(recipe) == Names{"concat_1_f16_r2_axis-1_in1_integers", "concat_1_f16_r2_axis-1_in2_integers",
                               "concat_1_f32_r2_axis-1_in1_integers", "concat_1_f32_r2_axis-1_in2_integers",
                               "concat_1_f64_r2_axis-1_in1_integers", "concat_1_f64_r2_axis-1_in2_integers",
                               "concat_4_f16_r2_axis-1_in1_integers", "concat_4_f16_r2_axis-1_in2_integers",
                               "concat_4_f32_r2_axis-1_in1_integers", "concat_4_f32_r2_axis-1_in2_integers",
                               "concat_4_f64_r2_axis-1_in1_integers", "concat_4_f64_r2_axis-1_in2_integers"});
  const Json first = expanded(recipe).at(0).stated;
  CHECK(first.root().find("inputs")->find("inputs")->size() == 1);
  CHECK(names(R"({"op_type": "If", "outputs": ["outputs", "outputs"], "opset": 25, "inputs": {}})") ==
        Names{"if_25_out2"});
}

}  // namespace recipe_test
