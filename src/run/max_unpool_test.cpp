// SPDX-License-Identifier: Apache-2.0
// MaxUnpool's default reading undoes MaxPool: with X's shape for output_shape, whatever the pooling's geometry, each
// element comes back to the place that its index names; from JSON files, and from an ONNX file that has both nodes.
#include <onnx/defs/parser.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "evaluators/strided.h"
#include "io/folder_testing.h"
#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace max_unpool_test {

using namespace opref::run;

namespace {

using List = std::vector<std::int64_t>;
/// Names and values, written alike in ONNX text and in JSON.
using Attributes = std::vector<std::pair<std::string, std::string>>;

struct Pooling {
  Dims x;
  Attributes of_both, of_pooling;
  bool by_columns;
};

class Draws {
 public:
  std::int64_t any(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  /// Windows with at least one element each: where pads are stated, X is no shorter than a window's span.
  Pooling pooling() {
    const char* const modes[] = {"NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
    const std::string mode = modes[any(0, 4)];
    const std::int64_t axes = any(1, 3), columns = any(0, 2) / 2;
    List k, s, d, begin, end;
    Dims x{any(1, 2), any(1, 2)};
    for (std::int64_t axis = 0; axis < axes; ++axis) {
      k.push_back(any(1, 3)), s.push_back(any(1, 5)), d.push_back(any(1, 3));
      begin.push_back(any(0, k.back() - 1)), end.push_back(any(0, k.back() - 1));
      const std::int64_t span = (k.back() - 1) * d.back() + 1;
      x.push_back(any(std::max(span, d.back()), span + 4));
    }
    begin.insert(begin.end(), end.begin(), end.end());
    Attributes both{{"kernel_shape", list(k)}, {"strides", list(s)}};
    if (mode == "NOTSET") both.emplace_back("pads", list(begin));
    return {x,
            both,
            {{"dilations", list(d)},
             {"ceil_mode", std::to_string(any(0, 1))},
             {"storage_order", std::to_string(columns)},
             {"auto_pad", "\"" + mode + "\""}},
            columns == 1 && axes > 1};
  }
  Tensor shuffled(const Dims& shape) {
    std::vector<float> values(static_cast<size_t>(element_count(shape)));
    std::iota(values.begin(), values.end(), 1.0F);
    std::ranges::shuffle(values, random_);
    return Tensor::of<float>(DType::float32, shape, values);
  }

 private:
  static std::string list(const List& values) { return "[" + join_all(values) + "]"; }
  static std::string join_all(const List& values) {
    std::string text;
    for (const std::int64_t value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
    return text;
  }
  std::mt19937_64 random_{5};
};

Tensor of_list(const Dims& numbers) {
  const List list(numbers.begin(), numbers.end());
  return Tensor::of<std::int64_t>(DType::int64, Dims{std::ssize(list)}, list);
}

Environment evaluated(const std::filesystem::path& file, const std::vector<std::string>& arguments = {}) {
  const Bound bound = bind_case(read_case(file.string()), arguments);
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, {}, warnings);
  run_graph(bound.graph, environment, {});
  return environment;
}
Tensor tensor_of(const Environment& environment, const std::string& name) {
  return environment.find(name)->second.tensor();
}

/// The attributes as JSON or as ONNX text has them.
std::string json(const Attributes& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes) text += (text.empty() ? "\"" : ", \"") + name + "\": " + value;
  return text;
}
std::string onnx_text(const Attributes& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes) text += (text.empty() ? "" : ", ") + name + " = " + value;
  return text;
}

void save_npy(const std::filesystem::path& path, const Tensor& tensor) {
  FileWriter file(path);
  write_npy(file, tensor);
  file.commit();
}

/// What MaxUnpool makes of MaxPool's outputs, by one JSON file for each.
struct Unpooled {
  Tensor Y, Indices, output;
};
Unpooled by_json(const TemporaryFolder& folder, const Pooling& p, const Tensor& x) {
  save_npy(folder / "x.npy", x);
  save_npy(folder / "shape.npy", of_list(p.x));
  const Environment pooled = evaluated(folder.write(
      "pool.json", R"({"op_type": "MaxPool", "opset": 22, "attributes": {)" + json(p.of_both) + ", " +
                       json(p.of_pooling) + R"(}, "inputs": {"X": "x.npy"}, "outputs": ["Y", "Indices"]})"));
  save_npy(folder / "y.npy", tensor_of(pooled, "Y"));
  save_npy(folder / "i.npy", tensor_of(pooled, "Indices"));
  const Environment unpooled = evaluated(
      folder.write("unpool.json", R"({"op_type": "MaxUnpool", "opset": 22, "attributes": {)" + json(p.of_both) +
                                      R"(}, "inputs": {"X": "y.npy", "I": "i.npy", "output_shape": "shape.npy"}})"));
  return {tensor_of(pooled, "Y"), tensor_of(pooled, "Indices"), tensor_of(unpooled, "output")};
}

/// The same by a model in ONNX's own bytes.
Unpooled by_onnx(const TemporaryFolder& folder, const Pooling& p) {
  std::string sizes;
  for (const std::int64_t size : p.x) sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
  const std::string text = R"(<ir_version: 10, opset_import: ["" : 22]> g (float[)" + sizes + "] X, int64[" +
                           std::to_string(p.x.size()) + "] shape) => (float[" + sizes +
                           "] Z) { Y, Indices = MaxPool <" + onnx_text(p.of_both) + ", " + onnx_text(p.of_pooling) +
                           "> (X) Z = MaxUnpool <" + onnx_text(p.of_both) + "> (Y, Indices, shape) }";
  ::onnx::ModelProto model;
  REQUIRE(::onnx::OnnxParser::Parse(model, text.c_str()).IsOK());
  const Environment all = evaluated(folder.write("model.onnx", model.SerializeAsString()),
                                    {"X=" + (folder / "x.npy").string(), "shape=" + (folder / "shape.npy").string()});
  return {tensor_of(all, "Y"), tensor_of(all, "Indices"), tensor_of(all, "Z")};
}

/// Where the element lies in X that an index names: by columns, the first axis of a plane runs fastest.
std::int64_t named_by(std::int64_t index, const Pooling& p) {
  if (!p.by_columns) return index;
  const Dims plane = p.x.without_first(2), strides = opref::evaluators::strides_of(plane);
  std::int64_t rest = index % element_count(plane), place = index - rest;
  for (size_t axis = 0; axis < plane.size(); rest /= plane[axis++]) place += rest % plane[axis] * strides[axis];
  return place;
}

}  // namespace

TEST_CASE("MaxUnpool brings the elements that MaxPool chose back, in every geometry", "[MaxPool][MaxUnpool]") {
  Draws random;
  const TemporaryFolder folder;
  int overlapping = 0, by_columns = 0, same = 0;
  for (int i = 0; i < 1000; ++i) {
    const Pooling p = random.pooling();
    const Tensor x = random.shuffled(p.x);
    CAPTURE(i, to_text(p.x), json(p.of_both), json(p.of_pooling));
    const Unpooled found = by_json(folder, p, x);
    const auto values = x.values<float>(), chosen = found.Y.values<float>();
    const auto indices = found.Indices.values<std::int64_t>();
    std::vector<float> expected(values.size());
    for (size_t e = 0; e < indices.size(); ++e) {
      const auto at = static_cast<size_t>(indices[e]);
      overlapping += expected[at] != 0;
      expected[at] = chosen[e];
      REQUIRE(chosen[e] == values[static_cast<size_t>(named_by(indices[e], p))]);
    }
    CHECK(std::ranges::equal(found.output.values<float>(), expected));
    CHECK(std::ranges::equal(by_onnx(folder, p).output.values<float>(), expected));
    by_columns += p.by_columns;
    same += json(p.of_pooling).find("SAME") != std::string::npos;
  }
  CHECK(overlapping > 100);
  CHECK(by_columns > 50);
  CHECK(same > 200);
}

}  // namespace max_unpool_test
