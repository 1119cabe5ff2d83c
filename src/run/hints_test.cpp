// SPDX-License-Identifier: Apache-2.0
// What an error says that a user may do.
#include <catch2/catch.hpp>

#include "core/error.h"
#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/remedies.h"
#include "schema/remedies.h"

namespace hints_test {

using namespace opref::run;

namespace {

struct Hint {
  Remedy remedy = kNoRemedy;
  std::string argument;
  bool operator==(const Hint&) const = default;
};

/// Of the error that inferring the node ends with.
Hint hint(const std::string& node, const std::vector<std::string>& arguments, const NodeOptions& options = {}) {
  try {
    Bound bound = bind_case(read_case(node), arguments, options);
    std::vector<std::string> warnings;
    Environment environment = load_inputs(bound, bound.options, warnings);
    infer(bound.graph, environment, bound.options);
  } catch (const Error& error) {
    return {error.remedy(), error.way_out().argument};
  }
  FAIL("no error");
  return {};
}

NodeOptions with(std::vector<std::string> attributes) {
  return {.attributes = std::move(attributes), .nodes = {}, .opset = {}};
}

}  // namespace

TEST_CASE("inputs in each other's place are told only where they would fit", "[run]") {
  CHECK(hint("ConvTranspose", {"X=float32[3,2,3,3]", "W=float32[1,3,8,8]"}) == Hint{kSwapInputs, "X and W"});
  CHECK(hint("ConvTranspose", {"X=float32[3,2,3,3]", "W=float32[1,5,8,8]"}) == Hint{});
  CHECK(hint("MaxUnpool", {"X=int64[1,1,4]", "I=float32[1,1,4]"}, with({"kernel_shape=2"})) ==
        Hint{kSwapInputs, "X and I"});
  CHECK(hint("MaxUnpool", {"X=int64[1,1,4]", "I=int64[1,1,4]"}, with({"kernel_shape=2"})) ==
        Hint{kConvertFile, "float32"});
}

TEST_CASE("one number where each axis has one: of all such attributes, and twice of each axis", "[run]") {
  CHECK(hint("MaxPool", {"X=float32[1,1,4,4]"}, with({"kernel_shape=2", "strides=2"})) ==
        Hint{kGiveAttributes, "kernel_shape=2,2\nstrides=2,2"});
  CHECK(hint("MaxPool", {"X=float32[1,1,4,4,4]"}, with({"kernel_shape=3", "pads=1"})) ==
        Hint{kGiveAttributes, "kernel_shape=3,3,3\npads=1,1,1,1,1,1"});
  CHECK(hint("MaxPool", {"X=float32[1,1,4,4]"}, with({"kernel_shape=9"})) == Hint{});  // larger than X
}

TEST_CASE("an attribute that is a size of an input, where one size alone fits", "[run]") {
  CHECK(hint("LSTM", {"X=float32[2,7,16]", "W=float32[1,32,16]", "R=float32[1,32,8]"}, with({"hidden_size=16"})) ==
        Hint{kGiveAttributes, "hidden_size=8"});
  CHECK(hint("LSTM", {"X=float32[2,7,16]", "W=float32[1,32,16]", "R=float32[1,20,8]"}, with({"hidden_size=16"})) ==
        Hint{});
  CHECK(hint("Conv", {"X=float32[1,4,8,8]", "W=float32[4,1,3,3]"}) == Hint{kGiveAttributes, "group=4"});
  CHECK(hint("Flatten", {"input=float32[1,3]"}, with({"axis=5"})) == Hint{});  // 1 would do, but 0 too
}

TEST_CASE("a list along another axis, and a matrix transposed", "[run]") {
  CHECK(hint("Add", {"A=float32[1,3,8,8]", "B=float32[3]"}) == Hint{kOtherShape, "B as [3,1,1]"});
  CHECK(hint("Add", {"A=float32[3]", "B=float32[2,3,8]"}) == Hint{kOtherShape, "A as [3,1]"});
  CHECK(hint("Add", {"A=float32[1,3,8,8]", "B=float32[5]"}) == Hint{});
  CHECK(hint("Add", {"A=float32[3,3,8]", "B=float32[3]"}) == Hint{});  // [3,1] or [3,1,1]
  CHECK(hint("MatMul", {"A=float32[4,6]", "B=float32[5,6]"}) == Hint{kOtherShape, "B transposed"});
  CHECK(hint("MatMul", {"A=float32[4,6]", "B=float32[5,7]"}) == Hint{});
}

TEST_CASE("an input of another type, a real one first", "[run]") {
  CHECK(hint("Gather", {"data=float32[3]", "indices=float32[1]"}) == Hint{kConvertFile, "int64"});
  CHECK(hint("Softmax", {"input=int64[3]"}) == Hint{kConvertFile, "float32"});
  CHECK(hint("Add", {"A=float32[3]", "B=float16[3]"}) == Hint{kConvertFile, "float32"});
  CHECK(hint("MatMul", {"A=float32[4,6]", "B=int32[6,5]"}) == Hint{kConvertFile, "float32"});
  CHECK(hint("BitwiseAnd", {"A=float32[3]", "B=int64[3]"}) == Hint{kConvertFile, "int64"});
  CHECK(hint("DequantizeLinear", {"x=float32[3]", "x_scale=float32[]"}) == Hint{});  // quantised, not converted
  CHECK(hint("DepthToSpace", {"input=float32[1,3,8,8]"}, with({"blocksize=2"})) ==
        Hint{});  // 1 is no size that one means
  CHECK(hint("Softmax", {"input=string[3]"}) == Hint{});
}

TEST_CASE("what is required and missing is told as it is written", "[run]") {
  CHECK(hint("Concat", {"inputs=float32[1]"}) == Hint{kGiveAttributes, "axis=INT"});
  CHECK(hint("LpPool", {"X=float32[1,1,3]"}) == Hint{kGiveAttributes, "kernel_shape=INT,INT"});
  CHECK(hint("If", {"cond=bool[]"}) ==
        Hint{kGiveAttributes, "'else_branch=g () => (y) { y = Neg (x) }'\n'then_branch=g () => (y) { y = Neg (x) }'"});
  CHECK(hint("Split", {"input=float32[4]"}) == Hint{kGiveAttributes, "num_outputs=INT"});
  CHECK(hint("TopK", {"X=float32[4]"}, with({"k=2"})) == Hint{kGiveInput, "K=[2]"});
}

TEST_CASE("an attribute among the inputs, an input among the attributes, a file alone", "[run]") {
  CHECK(hint("LpPool", {"kernel_shape=2,2"}) == Hint{kGiveAttribute, "kernel_shape=2,2"});
  CHECK(hint("MaxUnpool", {"X=float32[1,1,1]", "I=int64[1,1,1]"}, with({"output_shape=1,1,4"})) ==
        Hint{kGiveInput, "output_shape=[1,1,4]"});
  CHECK(hint("ConvTranspose", {"X=float32[1,1,3]", "w"}) == Hint{kNameInput, "W=FILE"});
  CHECK(hint("ConvTranspose", {"X=float32[1,1,3]", "a/w"}) == Hint{kNameInput, "W=a/w"});
  CHECK(hint("Cast", {"input=float32[1]"}) == Hint{kGiveAttributes, "to=float32|float16|..."});
  CHECK(hint("LpPool", {"weight=w.npy"}, with({"kernel_shape=2"})) == Hint{});
  CHECK(hint("LpPool", {"X=float32[1,1,3]"}, with({"axis=2", "kernel_shape=2"})) ==
        Hint{kKnownNames, "auto_pad, kernel_shape, pads, strides, p, ceil_mode, dilations"});
}

TEST_CASE("a list as other programs write it is told as it is written here", "[run]") {
  const auto list = [](const std::string& text) {
    return hint("LpPool", {"X=float32[1,1,3]"}, with({"kernel_shape=" + text}));
  };
  CHECK(list("2x2") == Hint{kWriteList, "kernel_shape=2,2"});
  CHECK(list("(2, 3)") == Hint{kWriteList, "kernel_shape=2,3"});
  CHECK(list("{2,2}") == Hint{kWriteList, "kernel_shape=2,2"});
  CHECK(list("(2,)") == Hint{kWriteList, "kernel_shape=2"});
  CHECK(list("2x") == Hint{});
  CHECK(list("0x10") == Hint{kWriteList, "kernel_shape=0,10"});
}

TEST_CASE("a reading is offered by its own name, and all are listed", "[run]") {
  const auto reading = [](const std::string& name) {
    NodeOptions options = with({"kernel_shape=2"});
    options.readings[name] = "skip";
    try {
      Bound bound = bind_case(read_case("LpPool"), std::vector<std::string>{"X=float32[1,1,3]"}, options);
      std::vector<std::string> warnings;
      Environment environment = load_inputs(bound, bound.options, warnings);
      infer(bound.graph, environment, bound.options);
    } catch (const Error& error) {
      CHECK(error.remedy() == kKnownNames);
      CHECK(error.way_out().argument.find("lp_pool.nan") != std::string::npos);
      return error.message();
    }
    return std::string("no error");
  };
  CHECK(reading("nan") == "'nan' is not a reading here, did you mean 'lp_pool.nan'?");
  CHECK(reading("max_pool.same_siz") == "'max_pool.same_siz' is not a reading here, did you mean 'lp_pool.same_size'?");
  CHECK(reading("lp_pool.foo") == "'lp_pool.foo' is not a reading here");
}

TEST_CASE("of an operator that is not known the nearest name is offered", "[run]") {
  const auto error_of = [](const std::string& name) {
    try {
      read_case(name);
    } catch (const Error& error) {
      CHECK(error.fault() == Fault::unsupported);
      return error.message();
    }
    return std::string("no error");
  };
  CHECK(error_of("Gradient") == "no such file, and operator 'Gradient' is not known");
  CHECK(error_of("AddV2") == "no such file, and operator 'AddV2' is not known, did you mean 'Add'?");
  CHECK(error_of("LpPol") == "no such file, and operator 'LpPol' is not known, did you mean 'LpPool'?");
  CHECK(error_of("lppool") == "no such file, and operator 'lppool' is not known, did you mean 'LpPool'?");
}

TEST_CASE("an operator's name with an opset is the operator of that opset", "[run]") {
  CHECK(read_case("LpPool-11").graph.opset_import.at("") == 11);
  CHECK(read_case("LpPool-11", 11).graph.opset_import.at("") == 11);
  CHECK_THROWS_WITH(read_case("LpPool-11", 18), "'LpPool-11' is LpPool of opset 11, but opset 18 is stated");
}

}  // namespace hints_test
