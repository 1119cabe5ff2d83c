// SPDX-License-Identifier: Apache-2.0
#include "golden/golden.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <map>

#include "core/error.h"
#include "exact/element_text.h"
#include "io/folder_testing.h"
#include "io/json/json.h"
#include "io/json/parse.h"
#include "io/sha256.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "system/file.h"

namespace golden_test {

using namespace opref::golden;

namespace fs = std::filesystem;

namespace {

constexpr const char* kRecipe = R"({
  "op_type": "LpPool", "opset": {"each": [2, 22]},
  "attributes": {"kernel_shape": [2], "pads": [1, 0], "strides": {"each": [null, [2]]}, "p": {"each": [1, 2, 3]}},
  "inputs": {"X": {"dtype": {"each": ["float32", "bfloat16"]}, "shape": [1, 2, 5], "fill": "normal"}}
})";

GoldenRequest request(const std::string& recipe = kRecipe) {
  GoldenRequest asked;
  asked.recipes.push_back({"r.json", "", std::make_shared<const Json>(parse_json(recipe))});
  return asked;
}

GoldenRequest negative(Layout layout) {
  GoldenRequest asked = request();
  asked.refused = Refused::kept;
  asked.layout = layout;
  return asked;
}

/// Every file with its content.
std::string tree(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    files[entry.path().lexically_relative(folder).generic_string()] =
        entry.is_directory() ? "" : content_of(entry.path());
  std::string all;
  for (const auto& [name, content] : files) all += name + "\n" + content + "\n";
  return all;
}

GoldenWork work(int jobs = 1) {
  GoldenWork done_so;
  done_so.version = "1.2.3";
  done_so.jobs = jobs;
  return done_so;
}

GoldenResult make(const GoldenRequest& asked, const fs::path& folder, int jobs = 1, Replace replace = Replace::no) {
  return make_golden(asked, work(jobs), folder, replace);
}

std::vector<std::string> problems(const fs::path& folder, Verify how = Verify::recompute) {
  const TemporaryFolder scratch;
  return verify_golden(folder, how, work(), scratch.path()).problems;
}

Remedy remedy(const auto& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.remedy();
  }
  return kNoRemedy;
}

std::string message(const auto& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

using Lines = std::vector<std::string>;

void overwrite(const fs::path& file, const std::string& content) { std::ofstream(file, std::ios::binary) << content; }

/// A manifest with the SHA-256 that belongs to its text.
std::string with_own_hash(const std::string& manifest) {
  const std::string before = manifest.substr(0, manifest.rfind("  \"sha256\""));
  return before + "  \"sha256\": \"" + sha256(std::as_bytes(std::span(before))) + "\"\n}\n";
}

}  // namespace

TEST_CASE("golden: bytes depend on the request alone, not on workers or on what was there", "[golden]") {
  const TemporaryFolder root;
  const GoldenResult result = make(request(), root / "a", 1);
  CHECK(result.cases == 18);  // bfloat16 came with version 22
  CHECK(result.rejected.size() == 6);
  CHECK(read_manifest(root / "a").made.front().first == "lp_pool_2_bf16_1d_k2_pad1x0_p1");
  CHECK(result.must_fail == 0);
  make(request(), root / "b", 3);
  const std::string first = tree(root / "a");
  CHECK(first == tree(root / "b"));
  CHECK(make(request(), root / "a", 2).resumed == 0);
  CHECK(first == tree(root / "a"));
  CHECK(problems(root / "a").empty());
  CHECK(first.find("lp_pool_22_bf16_1d_k2_pad1x0_s2_p3/test_data_set_0/output_0.pb\n") != std::string::npos);
  CHECK(first.find("golden.part") == std::string::npos);
}

TEST_CASE("golden: the manifest has the version, the recipe, and of each case node, readings and SHA-256", "[golden]") {
  const TemporaryFolder root;
  make(request(), root / "a");
  const Json document = parse_json(content_of(root / "a/manifest.json"));
  const JsonValue manifest = document.root();
  CHECK(manifest.find("opref")->text() == "1.2.3");
  CHECK(manifest.find("complete")->text() == "true");
  const JsonValue recipe = *manifest.find("recipes")->begin();
  CHECK(recipe.find("name")->text() == "r.json");
  CHECK(recipe.find("content")->find("attributes")->find("p")->find("each")->size() == 3);
  const JsonValue one = *manifest.find("cases")->begin();
  CHECK(one.find("name")->text() == "lp_pool_2_f32_1d_k2_pad1x0_p1");
  CHECK(one.find("node")->find("since_version")->text() == "2");
  CHECK(one.find("node")->find("resolved")->find("strides")->text() == "[1]");
  const JsonValue reading = *one.find("readings")->begin();
  CHECK(reading.find("name")->text() == "lp_pool.partial_window");
  CHECK(reading.find("others")->size() == 1);
  const std::string model = content_of(root / "a/lp_pool_2_f32_1d_k2_pad1x0_p1/model.onnx");
  CHECK(one.find("files")->find("model.onnx")->text() == sha256(std::as_bytes(std::span(model))));
  CHECK(one.find("files")->size() == 3);
}

TEST_CASE("golden: --verify names what is corrupted, missing, extra, and what opref would not make", "[golden]") {
  const TemporaryFolder root;
  const fs::path folder = root / "a", one = folder / "lp_pool_22_f32_1d_k2_pad1x0_p2";
  make(request(), folder);
  std::string output = content_of(one / "test_data_set_0/output_0.pb");
  const std::string good = output;
  for (size_t at = 0; at < output.size(); ++at) {
    output[at] ^= 1;
    overwrite(one / "test_data_set_0/output_0.pb", output);
    CHECK(problems(folder, Verify::hashes) ==
          Lines{"corrupted: lp_pool_22_f32_1d_k2_pad1x0_p2/test_data_set_0/output_0.pb"});
    output[at] ^= 1;
  }
  overwrite(one / "test_data_set_0/output_0.pb", good);
  fs::rename(one / "model.onnx", one / "modle.onnx");
  CHECK(problems(folder, Verify::hashes) == Lines{"extra: lp_pool_22_f32_1d_k2_pad1x0_p2/modle.onnx",
                                                  "missing: lp_pool_22_f32_1d_k2_pad1x0_p2/model.onnx"});
  fs::rename(one / "modle.onnx", one / "model.onnx");
  CHECK(problems(folder).empty());
  // Whoever changes a value and the manifest with it is found by computing again.
  output[output.size() - 1] ^= 1;
  overwrite(one / "test_data_set_0/output_0.pb", output);
  std::string manifest = content_of(folder / "manifest.json");
  const std::string old_hash = sha256(std::as_bytes(std::span(good)));
  manifest.replace(manifest.find(old_hash), old_hash.size(), sha256(std::as_bytes(std::span(output))));
  overwrite(folder / "manifest.json", with_own_hash(manifest));
  CHECK(problems(folder, Verify::hashes).empty());
  CHECK(problems(folder) == Lines{"differs: lp_pool_22_f32_1d_k2_pad1x0_p2/test_data_set_0/output_0.pb is not what "
                                  "this opref makes"});
}

TEST_CASE("golden: a changed byte of the manifest is found and named", "[golden]") {
  const TemporaryFolder root;
  GoldenRequest asked = request();
  asked.filter = "_f32.*p1|_2_bf16";  // bfloat16 came with version 22: rejected
  make(asked, root / "a");
  const std::string good = content_of(root / "a/manifest.json");
  for (size_t at = 0; at < good.size(); at += 19) {
    std::string bad = good;
    bad[at] = bad[at] == '1' ? '2' : '1';
    overwrite(root / "a/manifest.json", bad);
    INFO(at << ": " << bad.substr(at < 20 ? 0 : at - 20, 40));
    Lines found;
    try {
      found = problems(root / "a", Verify::hashes);
    } catch (const Error& error) {
      found = {error.text()};
    }
    CHECK(std::ranges::any_of(found, [](const std::string& line) { return line.find("manifest.json") != line.npos; }));
  }
}

TEST_CASE("golden: the manifest's own SHA-256 is that of what stands before it", "[golden]") {
  const TemporaryFolder root;
  make(request(), root / "a");
  const std::string text = content_of(root / "a/manifest.json");
  const size_t line = text.rfind("  \"sha256\"");
  CHECK(text.substr(line) == "  \"sha256\": \"" + sha256(std::as_bytes(std::span(text).first(line))) + "\"\n}\n");
}

TEST_CASE("golden: what somebody writes into the manifest, SHA-256 and all, is found by computing", "[golden]") {
  const TemporaryFolder root;
  make(request(), root / "a");
  const std::string good = content_of(root / "a/manifest.json");
  const auto found_after = [&](const std::string& before, const std::string& after, const char* version = "1.2.3") {
    std::string bad = good;
    bad.replace(bad.find(before), before.size(), after);
    overwrite(root / "a/manifest.json", with_own_hash(bad));
    const TemporaryFolder scratch;
    GoldenWork how = work();
    how.version = version;
    return verify_golden(root / "a", Verify::recompute, how, scratch.path()).problems;
  };
  CHECK(found_after("\"rejected\": 6", "\"rejected\": 7") ==
        Lines{"corrupted: manifest.json: its text is not the one whose SHA-256 it states",  // as its cases are counted
              "differs: manifest.json: 'summary.rejected' is 7, this opref makes 6"});
  CHECK(found_after("\"negative\": false", "\"negative\": true").size() >= 6);
  CHECK(
      found_after("LpPool-2 takes float16", "LpPool-2 takes float8") ==
      Lines{"differs: manifest.json: 'rejected.lp_pool_2_bf16_1d_k2_pad1x0_p1' is \"X has type bfloat16, but LpPool-2 "
            "takes float8, float32, fl…, this opref makes \"X has type bfloat16, but LpPool-2 takes float16, float32, "
            "f…"});
  CHECK(
      found_after("\"since_version\": 2,", "\"since_version\": 1,") ==
      Lines{"differs: manifest.json: 'node.since_version' of lp_pool_2_f32_1d_k2_pad1x0_p1 is 1, this opref makes 2"});
  // Another version that computes the same is no difference; who changes the version alone is found.
  CHECK(found_after("1.2.3", "1.2.3", "1.3").empty());
  std::string bad = good;
  bad.replace(bad.find("1.2.3"), 5, "1.2.4");
  overwrite(root / "a/manifest.json", bad);
  CHECK(problems(root / "a") == Lines{"corrupted: manifest.json: its text is not the one whose SHA-256 it states",
                                      "differs: manifest.json: 'opref' is \"1.2.4\", this opref makes \"1.2.3\""});
}

TEST_CASE("golden: an interrupted run leaves whole cases, and the next one goes on", "[golden]") {
  const TemporaryFolder root;
  make(request(), root / "whole");
  const fs::path folder = root / "a";
  GoldenWork interrupted = work();
  size_t advanced = 0;
  interrupted.advance = [&] {
    if (++advanced == 7) std::raise(SIGINT);
  };
  const GoldenResult first = make_golden(request(), interrupted, folder, Replace::no);
  CHECK(first.signal == SIGINT);
  CHECK(first.cases == 4);  // and three that are rejected
  CHECK(problems(folder) == [&] {
    Lines expected = {"incomplete: the run that made it was interrupted; the same command goes on with it"};
    for (const GoldenCase& golden : cases_of(request()))
      if (!fs::exists(folder / golden.name) && golden.name.find("_2_bf16") == std::string::npos)
        expected.push_back("missing: " + golden.name);
    std::ranges::sort(expected);
    return expected;
  }());
  // A manifest that somebody changed is not gone on with.
  fs::copy(folder, root / "b", fs::copy_options::recursive);
  std::string changed = content_of(root / "b/manifest.json");
  changed.replace(changed.find("\"since_version\": 2,"), 19, "\"since_version\": 1,");
  overwrite(root / "b/manifest.json", changed);
  CHECK(make(request(), root / "b").resumed == 0);
  CHECK(tree(root / "b") == tree(root / "whole"));
  // Nothing is computed for that, and what a killed run made and did not list is no extra file.
  overwrite(folder / ".manifest.json.77-0.part", "{");
  fs::create_directories(folder / cases_of(request()).back().name);
  overwrite(folder / cases_of(request()).back().name / "model.onnx", "x");
  GoldenWork counting = work();
  size_t computed = 0;
  counting.advance = [&] { ++computed; };
  const TemporaryFolder scratch;
  CHECK(verify_golden(folder, Verify::recompute, counting, scratch.path()).problems ==
        problems(folder, Verify::hashes));
  CHECK(computed == 0);
  CHECK(std::ranges::none_of(problems(folder), [](const std::string& line) { return line.starts_with("extra"); }));
  // One of those that are there is damaged, and something is left over from a run that was killed.
  const std::string damaged = cases_of(request()).front().name;
  overwrite(folder / damaged / "model.onnx", "x");
  fs::create_directories(folder / ".golden.part/3/test_data_set_0");
  const GoldenResult second = make(request(), folder);
  CHECK(second.signal == 0);
  CHECK(second.resumed == 3);
  CHECK(tree(folder) == tree(root / "whole"));
}

TEST_CASE("golden: a run that was killed before it wrote a manifest leaves a folder for the next one", "[golden]") {
  const TemporaryFolder root;
  fs::create_directories(root / "a/.golden.part/0");
  overwrite(root / "a/.manifest.json.77-0.part", "{");
  CHECK(make(request(), root / "a").cases == 18);
  CHECK(problems(root / "a").empty());
  CHECK_FALSE(fs::exists(root / "a/.manifest.json.77-0.part"));
  // What a killed run leaves later is no difference.
  fs::create_directories(root / "a/.golden.part/0");
  overwrite(root / "a/.golden.part/0/model.onnx", "half");
  CHECK(problems(root / "a").empty());
}

TEST_CASE("golden: a recipe that fails leaves nothing that is in the way of the next one", "[golden]") {
  const TemporaryFolder root;
  // The last case asks for ties of p = 4, of which there are none.
  GoldenRequest bad = request(R"([{"op_type": "LpPool", "opset": 22}, {"op_type": "LpPool", "opset": 22,
      "attributes": {"kernel_shape": [3], "p": {"each": [1, 2, 3, 4]}},
      "inputs": {"X": {"dtype": "float32", "shape": [1, 2, 5], "fill": "ties"}}}])");
  const auto error_text = [&](const GoldenRequest& asked, Replace replace) {
    try {
      make(asked, root / "a", 1, replace);
    } catch (const Error& error) {
      return error.text();
    }
    return std::string("no error");
  };
  CHECK(error_text(bad, Replace::no) ==
        "the generator 'ties' knows p-norms on midpoints for p = 1, 2 and 3 only, but p is 4\n"
        "  in input 'X'\n  in the case lp_pool_22_f32_1d_k3_p4_ties\n  in recipe 2 of r.json");
  CHECK_FALSE(fs::exists(root / "a"));
  fs::create_directory(root / "a");
  CHECK(error_text(bad, Replace::no).starts_with("the generator"));
  CHECK(fs::is_empty(root / "a"));
  const GoldenRequest huge = request(R"({"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2]},
      "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 400000000000000], "fill": "normal"}}})");
  GoldenWork little = work(1);
  little.max_bytes = 1000;
  CHECK(remedy([&] { make_golden(huge, little, root / "a", Replace::no); }) == kMoreMemory);
  CHECK(fs::is_empty(root / "a"));
  CHECK(make(request(), root / "a").cases == 18);
  // Cases of a run that was complete stay where another request fails.
  CHECK(error_text(bad, Replace::no).ends_with("holds golden cases of another request (other recipes)"));
  CHECK(problems(root / "a").empty());
  // A file that is missing may be there the next time; but nothing was made.
  CHECK_THROWS_AS(make(request(R"({"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2]},
      "inputs": {"X": "missing.npy"}})"),
                       root / "b"),
                  Error);
  CHECK_FALSE(fs::exists(root / "b"));
}

TEST_CASE("golden: a second run that fails or is killed forgets no case of the first", "[golden]") {
  const TemporaryFolder root;
  make(request(), root / "a");
  const std::string whole = tree(root / "a");
  GoldenWork little = work();
  little.max_bytes = 100;
  CHECK(remedy([&] { make_golden(request(), little, root / "a", Replace::no); }) == kMoreMemory);
  CHECK(problems(root / "a", Verify::hashes) ==
        Lines{"incomplete: the run that made it was interrupted; the same command goes on with it"});
  CHECK(make(request(), root / "a").resumed == 18);
  CHECK(tree(root / "a") == whole);
}

TEST_CASE("golden: no case at all is an error that says why, unless it is allowed", "[golden]") {
  const TemporaryFolder root;
  GoldenRequest asked = request();
  asked.filter = "_2_bf16";
  CHECK(message([&] { make(asked, root / "a"); }) ==
        "there is no case: the specification rejects all 6 combinations, lp_pool_2_bf16_1d_k2_pad1x0_p1 because X has "
        "type bfloat16, but LpPool-2 takes float16, float32, float64; LpPool allows it from opset 22");
  CHECK_FALSE(fs::exists(root / "a"));
  const GoldenResult result = make_golden(asked, work(), root / "a", Replace::no, Empty::allowed);
  CHECK(result.cases == 0);
  CHECK(problems(root / "a").empty());
  CHECK(reasons_by_count(result.rejected) == Lines{"6 X has type bfloat16, but LpPool-2 takes float16, float32, "
                                                   "float64; LpPool allows it from opset 22"});
  CHECK(reasons_by_count(Lines{"x", "y", "y"}) == Lines{"2 y", "1 x"});
}

TEST_CASE("golden: what is listed as accepted is accepted, also where values decide", "[golden]") {
  const TemporaryFolder root;
  GoldenRequest asked =
      request(R"({"op_type": "MaxUnpool", "opset": 11, "attributes": {"kernel_shape": [2], "strides": [2]},
      "inputs": {"X": {"dtype": "float32", "data": [[[5, 6]]]},
                 "I": {"dtype": "int64", "data": {"each": [[[[1, 2]]], [[[1, 4]]], [[[-1, 2]]]]}}}})");
  Lines accepted, made;
  for (const GoldenCase& golden : cases_of(asked))
    if (const auto refusal = refusal_of(golden, {}))
      CHECK(refusal->message.starts_with("I[0,0,"));
    else
      accepted.push_back(golden.name);
  make(asked, root / "a");
  for (const auto& entry : fs::directory_iterator(root / "a"))
    if (entry.is_directory()) made.push_back(entry.path().filename());
  CHECK(accepted == made);
  CHECK(made.size() == 1);
}

TEST_CASE("golden: a must-fail case records the rule that refuses it, or is none where its layout cannot state it",
          "[golden]") {
  const TemporaryFolder root;
  const auto made = [&](const char* name, Layout layout, const std::string& operator_and_inputs) {
    GoldenRequest asked = request("{" + operator_and_inputs + "}");
    asked.refused = Refused::kept;
    asked.layout = layout;
    const auto refusal = refusal_of(cases_of(asked).front(), {layout, Refused::kept, INT64_MAX});
    const GoldenResult result = make_golden(asked, work(), root / name, Replace::no, Empty::allowed);
    REQUIRE(result.rejected.size() + result.must_fail == 1);
    CHECK((refusal->kind == MadeCase::Kind::must_fail) == (result.must_fail == 1));
    if (result.must_fail == 0) return "counted: " + result.rejected.front();
    return "kept: " + read_case(layout == Layout::npy
                                    ? (root / name / cases_of(asked).front().name / "case.json").string()
                                    : (root / name / cases_of(asked).front().name).string())
                          .expect_error->message;
  };
  const std::string openvino =
      R"("op_type": "ConvolutionBackpropData", "domain": "openvino", "opset": 1, "attributes": {"strides": [1],
         "pads_begin": [0], "pads_end": [0], "dilations": [1]}, "inputs": {"dat": {"dtype": "float32", "shape": [1, 2, 3],
         "fill": "normal"}, "kernel": {"dtype": "float32", "shape": [2, 1, 2], "fill": "normal"}})";
  const std::string rule = "'dat' is not an input of ConvolutionBackpropData-1, did you mean 'data'?";
  CHECK(made("a", Layout::openvino, openvino) == "counted: " + rule + " (the layout openvino cannot state it)");
  CHECK(made("b", Layout::npy, openvino) == "kept: " + rule);
  const std::string onnx = R"("op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2]}, "inputs": {"XX":
      {"dtype": "float32", "shape": [1, 2, 3], "fill": "normal"}})";
  CHECK(made("c", Layout::onnx, onnx) ==
        "counted: 'XX' is not an input of LpPool-22, did you mean 'X'? (the layout onnx cannot state it)");
  CHECK(made("d", Layout::npy, onnx) == "kept: 'XX' is not an input of LpPool-22, did you mean 'X'?");
  // A layer's ports have an order, no names: without data the kernel would be taken for it.
  GoldenRequest no_data = request(R"({"op_type": "ConvolutionBackpropData", "domain": "openvino", "opset": 1,
      "attributes": {"strides": [1], "pads_begin": [0], "pads_end": [0], "dilations": [1]},
      "inputs": {"kernel": {"dtype": "float32", "shape": [2, 1, 2], "fill": "normal"}}})");
  no_data.refused = Refused::kept;
  CHECK(reasons_by_count(make_golden(no_data, work(), root / "f", Replace::no, Empty::allowed).rejected) ==
        Lines{"1 input 'data' is omitted, but ConvolutionBackpropData-1 requires it (the layout openvino cannot state "
              "it)"});
  // A model states the types of attributes, a recipe their values only.
  CHECK(made("e", Layout::onnx, R"("op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2], "p": 1.5},
      "inputs": {"X": {"dtype": "float32", "shape": [1, 2, 3], "fill": "normal"}})") ==
        "kept: attribute 'p' has type FLOAT, but LpPool-22 takes INT");
}

TEST_CASE("golden: folders of others are left alone", "[golden]") {
  const TemporaryFolder root;
  fs::create_directory(root / "theirs");
  overwrite(root / "theirs/notes.txt", "mine");
  CHECK(message([&] {
          make(request(), root / "theirs");
        }).ends_with("theirs is not empty, and has no manifest of golden cases: choose another folder"));
  make(request(), root / "a");
  GoldenRequest other = request();
  other.filter = "f32";
  CHECK(message([&] {
          make(other, root / "a");
        }).ends_with("holds golden cases of another request (filter is absent, not \"f32\")"));
  // What is not as the manifest says is nobody's to remove.
  const auto stale = std::ranges::find_if(
      fs::directory_iterator(root / "a"), fs::directory_iterator(),
      [](const auto& entry) { return entry.is_directory() && entry.path().string().find("f16") != std::string::npos; });
  REQUIRE(stale != fs::directory_iterator());
  const fs::path theirs = stale->path();
  overwrite(theirs / "model.onnx", "mine");
  CHECK(make(other, root / "a", 1, Replace::yes).cases == 12);
  CHECK(fs::exists(theirs / "model.onnx"));
  fs::remove_all(theirs);
  CHECK(problems(root / "a").empty());
  make(other, root / "b");
  CHECK(tree(root / "a") == tree(root / "b"));
}

TEST_CASE("golden: every layout is read again to the same values, and refused for the recorded reason", "[golden]") {
  for (const Layout layout : {Layout::onnx, Layout::npy}) {
    const TemporaryFolder root;
    const GoldenResult result = make(negative(layout), root / "a");
    CHECK(result.cases == 24);
    CHECK(result.must_fail == 6);
    CHECK(result.rejected.empty());
    CHECK(problems(root / "a").empty());
    for (const GoldenCase& golden : cases_of(request())) {
      INFO(golden.name);
      const fs::path folder = root / "a" / golden.name;
      const Case loaded = read_case((layout == Layout::npy ? folder / "case.json" : folder).string());
      const std::optional<ExpectedError> expected = loaded.expect_error;
      CHECK(expected.has_value() == (golden.name.find("_2_bf16") != std::string::npos));
      std::string refusal;
      Environment environment;
      try {
        const Bound bound = bind_case(loaded);
        std::vector<std::string> warnings;
        environment = load_inputs(bound, {}, warnings);
        run_graph(bound.graph, environment, {});
      } catch (const Error& error) {
        refusal = format("{}: {}", name(error.fault()), error.message());
      }
      CHECK(refusal == (expected ? format("{}: {}", name(expected->fault), expected->message) : ""));
      if (expected) continue;
      REQUIRE(loaded.expected.size() == 1);
      const Tensor& y = environment.at("Y").tensor();
      const Value stated = settle(load(loaded.expected[0].source), y.dtype());
      CHECK(std::ranges::equal(stated.tensor()->bytes(), y.bytes()));
    }
  }
}

TEST_CASE("golden: the layout npy holds packed types, strings and optionals without an element", "[golden]") {
  const auto made = [](const std::string& recipe, const fs::path& folder) {
    GoldenRequest asked = request(recipe);
    asked.layout = Layout::npy;
    asked.refused = Refused::kept;
    make(asked, folder);
    CHECK(problems(folder).empty());
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.is_directory()) return entry.path();
    return fs::path();
  };
  const auto transposed = [&](const std::string& tensor, const fs::path& folder) {
    return made(R"({"op_type": "Transpose", "opset": 21, "inputs": {"data": )" + tensor + "}}", folder);
  };
  const TemporaryFolder root;
  const auto expected = [](const fs::path& folder) {
    const Case loaded = read_case((folder / "case.json").string());
    return *load(loaded.expected.at(0).source).value.tensor();
  };
  const Tensor packed = expected(transposed(R"({"dtype": "int4", "data": [[1, -1], [2, -8]]})", root / "a"));
  CHECK(packed.type() == TensorType{DType::int4, {2, 2}});
  CHECK(element_text(packed, 1) + element_text(packed, 2) + element_text(packed, 3) == "2-1-8");
  const Tensor strings =
      expected(transposed(R"({"dtype": "string", "data": [["a", "\u00e9"], ["", "bcd"]]})", root / "b"));
  CHECK(join_text(strings.strings(), "|") == "a||\xc3\xa9|bcd");
  CHECK(
      message([&] { transposed(R"({"dtype": "string", "data": ["a\u0000"]})", root / "c"); }) ==
      ".npy cannot store element 0 of string[1], 'a\\x00', which ends with NUL; a TensorProto (.pb) can, as the layout "
      "onnx has it");
  const fs::path refused =
      made(R"({"op_type": "SequenceAt", "opset": 11, "inputs": {"position": {"dtype": "int64", "data": 0},
    "input_sequence": {"optional": null, "type": "sequence of float32"}}})",
           root / "d");
  CHECK(content_of(refused / "case.json").find(R"("type": "sequence of float32")") != std::string::npos);
}

TEST_CASE("golden: a manifest leads nowhere else", "[golden]") {
  const TemporaryFolder root;
  GoldenRequest asked = request();
  asked.filter = "22_f32_1d_k2_pad1x0_p1";
  make(asked, root / "a");
  const std::string good = content_of(root / "a/manifest.json");
  for (const std::string name : {"", ".", "..", "../a", "a/b", "manifest.json"}) {
    std::string bad = good;
    const std::string own = "\"lp_pool_22_f32_1d_k2_pad1x0_p1\"";
    bad.replace(bad.rfind(own), own.size(), "\"" + name + "\"");
    overwrite(root / "a/manifest.json", bad);
    CHECK(message([&] { make(asked, root / "a"); }) ==
          format("'cases[0].name' is '{}', which is no name of a case", name));
  }
  std::string bad = good;
  bad.replace(bad.rfind("model.onnx"), 10, "../x");
  overwrite(root / "a/manifest.json", bad);
  CHECK(message([&] { problems(root / "a"); }) == "'cases[0].files' has the name '../x', which is no path below it");
}

TEST_CASE("golden: what a layout cannot hold is said", "[golden]") {
  const TemporaryFolder root;
  GoldenRequest asked = request(R"({"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2]},
      "readings": {"lp_pool.nan": "skip"}, "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 3], "fill": "special"}}})");
  CHECK(message([&] { make(asked, root / "a"); }) == "the layout onnx cannot state the reading 'lp_pool.nan'");
  CHECK(
      message([&] {
        make(request(R"({"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2]}, "tolerance": {"ulp": 1},
              "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 3], "fill": "normal"}}})"),
             root / "a");
      }) == "the layout onnx cannot state a tolerance");
  asked.layout = Layout::npy;
  CHECK(make(asked, root / "b").cases == 1);
  asked.layout = Layout::openvino;
  CHECK(message([&] { make(asked, root / "c"); }) == "the layout openvino does not hold operators of ai.onnx");
  CHECK(message([] { parse_layout("onx"); }) == "'onx' is not a layout (onnx, npy, openvino), did you mean 'onnx'?");
}

}  // namespace golden_test
