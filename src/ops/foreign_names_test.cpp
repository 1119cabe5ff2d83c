// SPDX-License-Identifier: Apache-2.0
#include "ops/foreign_names.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/error.h"
#include "io/onnx/onnx.h"
#include "ops/operators.h"

namespace foreign_names_test {

using namespace opref::run;

namespace {

std::string refusal(std::string_view op_type) {
  try {
    get_operator("", op_type);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("what other frameworks call an operator leads to one of ONNX", "[ops]") {
  const std::vector<Hint>& names = hints("operator");
  CHECK(names.size() > 100);
  for (const Hint& foreign : names) {
    INFO(foreign.written);
    CHECK(find_operator("", foreign.meant) != nullptr);
    CHECK(plain_name(foreign.written) == foreign.written);
    CHECK(find_foreign_name(foreign.written)->meant == foreign.meant);
    CHECK(std::ranges::count(names, foreign.written, &Hint::written) == 1);
  }
}

TEST_CASE("what others call an input leads to one that an operator has", "[ops]") {
  CHECK(hints("input").size() > 40);
  for (const Hint& foreign : hints("input")) {
    INFO(foreign.written << " | " << foreign.meant);
    CHECK(foreign.written != foreign.meant);
    CHECK(std::ranges::any_of(operator_rows(), [&](const OperatorRow& row) {
      const Operator* op = row.domain == "ai.onnx" ? find_operator("", row.op_type) : nullptr;
      return op != nullptr && std::ranges::any_of(op->versions(), [&](const OpSchema& version) {
               return std::ranges::count(version.inputs(), foreign.meant, &FormalParameter::name) > 0;
             });
    }));
  }
}

TEST_CASE("names of other frameworks are found whatever their case, module and number of axes", "[ops]") {
  CHECK(find_foreign_name("torch.nn.Conv2d")->meant == "Conv");
  CHECK(find_foreign_name("layer_norm")->meant == "LayerNormalization");
  CHECK(find_foreign_name("ReLU6")->meant == "Clip");
  CHECK(find_foreign_name("MaxPool3D")->meant == "MaxPool");
  CHECK_FALSE(find_foreign_name("2d"));
  CHECK_FALSE(find_foreign_name(""));
  CHECK_FALSE(find_foreign_name("Frobnicate"));
  CHECK(refusal("SiLU") ==
        "operator 'SiLU' is not known, did you mean 'Swish', from opset 24 on; before, Mul of x and Sigmoid (x)?");
  CHECK(refusal("Relu6") == "operator 'Relu6' is not known, did you mean 'Clip', with min 0 and max 6?");
  CHECK(refusal("Deconv") == "operator 'Deconv' is not known, did you mean 'ConvTranspose'?");
}

TEST_CASE("attributes that others write otherwise, and what takes the place of deprecated operators", "[ops]") {
  CHECK(attributes_meant("padding", "Same") == std::vector<std::string>{"auto_pad=SAME_UPPER"});
  CHECK(attributes_meant("dim", "1") == std::vector<std::string>{"axis=1", "axes=1"});
  CHECK(attributes_meant("padding", "3") == std::vector<std::string>{"pads=3,3,3,3"});
  CHECK(attributes_meant("padding", "1,2") == std::vector<std::string>{"pads=1,2,1,2"});
  CHECK(attributes_meant("normalized_shape", "8") == std::vector<std::string>{"axis=-1"});
  CHECK(attributes_meant("normalized_shape", "4,8") == std::vector<std::string>{"axis=-2"});
  CHECK(attributes_meant("kernel_shape", "3").empty());
  CHECK(attributes_meant("scale_factor", "2") == std::vector<std::string>{"scales=[1,1,2,2]"});
  for (const std::string layout : {"NHWC", "nhwc", "NCHW->NHWC", "0231"})
    CHECK(attributes_meant("perm", layout) == std::vector<std::string>{"perm=0,2,3,1"});
  CHECK(attributes_meant("perm", "NCHW") == std::vector<std::string>{"perm=0,3,1,2"});
  CHECK(attributes_meant("perm", "HWIO") == std::vector<std::string>{"perm=2,3,1,0"});
  for (const std::string other : {"0", "0133", "NHWX", "0,2,1"}) CHECK(attributes_meant("perm", other).empty());
  for (const OperatorRow& row : operator_rows()) {
    INFO(row.op_type);
    const std::string_view successor = successor_of(row.op_type);
    if (!successor.empty()) CHECK(find_operator("", row.op_type)->versions().back().is_deprecated());
    if (!successor.empty()) CHECK(find_operator("", successor) != nullptr);
  }
  CHECK(successor_of("Upsample") == "Resize");
}

TEST_CASE("examples of graphs can be read", "[ops]") {
  for (const char* op_type : {"If", "Loop", "Scan", "SequenceMap"}) {
    INFO(op_type);
    REQUIRE(find_operator("", op_type) != nullptr);
    CHECK_FALSE(read_onnx_text_graph(graph_example(op_type)).nodes.empty());
  }
}

}  // namespace foreign_names_test
