#include "golden/golden.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <map>

#include "core/error.h"
#include "io/file.h"
#include "io/folder_testing.h"
#include "io/json.h"
#include "io/sha256.h"
#include "run/bind.h"
#include "run/load_case.h"

using namespace opref;

namespace fs = std::filesystem;

namespace {

constexpr const char* kRecipe = R"({
  "op_type": "LpPool", "opset": {"each": [2, 22]},
  "attributes": {"kernel_shape": [2], "pads": [1, 0], "strides": {"each": [null, [2]]}, "p": {"each": [1, 2, 3]}},
  "inputs": {"X": {"dtype": {"each": ["float32", "bfloat16"]}, "shape": [1, 2, 5], "fill": "normal"}}
})";

GoldenRequest request(const std::string& recipe = kRecipe) {
  GoldenRequest asked;
  asked.recipes.push_back({"r.json", "", std::make_shared<const JsonDocument>(parse_json(recipe))});
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

}  // namespace

TEST_CASE("golden: bytes depend on the request alone, not on workers or on what was there") {
  const TemporaryFolder root;
  const GoldenResult result = make(request(), root / "a", 1);
  CHECK(result.cases == 18);  // bfloat16 came with version 22
  CHECK(result.rejected == 6);
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

TEST_CASE("golden: the manifest has the version, the recipe, and of each case node, readings and SHA-256") {
  const TemporaryFolder root;
  make(request(), root / "a");
  const JsonDocument document = parse_json(content_of(root / "a/manifest.json"));
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

TEST_CASE("golden: --verify names what is corrupted, missing, extra, and what opref would not make") {
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
  overwrite(folder / "manifest.json", manifest);
  CHECK(problems(folder, Verify::hashes).empty());
  CHECK(problems(folder) == Lines{"differs: lp_pool_22_f32_1d_k2_pad1x0_p2/test_data_set_0/output_0.pb is not what "
                                  "this opref makes"});
}

TEST_CASE("golden: a changed byte of the manifest is found") {
  const TemporaryFolder root;
  GoldenRequest asked = request();
  asked.filter = "22_f32.*p[12]";
  make(asked, root / "a");
  const std::string good = content_of(root / "a/manifest.json");
  for (size_t at = 0; at < good.size(); at += 37) {
    std::string bad = good;
    bad[at] = bad[at] == '1' ? '2' : '1';
    overwrite(root / "a/manifest.json", bad);
    INFO(at << ": " << bad.substr(at < 20 ? 0 : at - 20, 40));
    Lines found;
    CHECK((message([&] { found = problems(root / "a"); }) != "no error" || !found.empty() ||
           at < good.find("command")));  // the version's number is no business of ours
  }
}

TEST_CASE("golden: an interrupted run leaves whole cases, and the next one goes on") {
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
  // One of those that are there is damaged, and something is left over from a run that was killed.
  const std::string damaged = cases_of(request()).front().name;
  overwrite(folder / damaged / "model.onnx", "x");
  fs::create_directories(folder / ".golden.part/3/test_data_set_0");
  const GoldenResult second = make(request(), folder);
  CHECK(second.signal == 0);
  CHECK(second.resumed == 3);
  CHECK(tree(folder) == tree(root / "whole"));
}

TEST_CASE("golden: folders of others are left alone") {
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
        }).ends_with("holds golden cases of another request (another filter): choose another folder, or --replace"));
  CHECK(make(other, root / "a", 1, Replace::yes).cases == 12);
  CHECK(problems(root / "a").empty());
  make(other, root / "b");
  CHECK(tree(root / "a") == tree(root / "b"));
}

TEST_CASE("golden: every layout is read again to the same values, and refused for the recorded reason") {
  for (const Layout layout : {Layout::onnx, Layout::npy}) {
    const TemporaryFolder root;
    const GoldenResult result = make(negative(layout), root / "a");
    CHECK(result.cases == 24);
    CHECK(result.must_fail == 6);
    CHECK(result.rejected == 0);
    CHECK(problems(root / "a").empty());
    for (const GoldenCase& golden : cases_of(request())) {
      INFO(golden.name);
      const fs::path folder = root / "a" / golden.name;
      Case loaded = read_case((layout == Layout::npy ? folder / "case.json" : folder).string());
      const std::optional<ExpectedError> expected = loaded.expect_error;
      CHECK(expected.has_value() == (golden.name.find("_2_bf16") != std::string::npos));
      std::string refusal;
      Environment environment;
      try {
        prepare_case(loaded, {});
        drop_unbound_inputs(loaded, {});
        std::vector<std::string> warnings;
        environment = load_inputs(loaded, {}, warnings);
        run(loaded.graph, environment, {});
      } catch (const Error& error) {
        refusal = format("{}: {}", name(error.fault()), error.message());
      }
      CHECK(refusal == (expected ? format("{}: {}", name(expected->fault), expected->message) : ""));
      if (expected) continue;
      REQUIRE(loaded.expected.size() == 1);
      const Tensor& y = *environment.at("Y").value;
      const Value stated = settle(load(loaded.expected[0].source), y.dtype());
      CHECK(std::ranges::equal(stated.tensor()->bytes(), y.bytes()));
    }
  }
}

TEST_CASE("golden: a manifest leads nowhere else") {
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

TEST_CASE("golden: what a layout cannot hold is said") {
  const TemporaryFolder root;
  GoldenRequest asked = request(R"({"op_type": "LpPool", "opset": 22, "attributes": {"kernel_shape": [2]},
      "readings": {"lp_pool.nan": "skip"}, "inputs": {"X": {"dtype": "float32", "shape": [1, 1, 3], "fill": "special"}}})");
  CHECK(message([&] { make(asked, root / "a"); }) ==
        "the layout onnx cannot state the reading 'lp_pool.nan': choose --layout npy");
  asked.layout = Layout::npy;
  CHECK(make(asked, root / "b").cases == 1);
  asked.layout = Layout::openvino;
  CHECK(message([&] { make(asked, root / "c"); }) == "the layout openvino does not hold operators of ai.onnx");
  CHECK(message([] { parse_layout("onx"); }) == "'onx' is not a layout (onnx, npy, openvino), did you mean 'onnx'?");
}
